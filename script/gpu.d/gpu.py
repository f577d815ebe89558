# SPDX-License-Identifier: Apache-2.0
"""script/gpu, behind its shell: options, then what they ask for (docs/gpu.md)."""

import argparse
import os
import signal
import sys
import tempfile
import time
import traceback

import environment
from archive import Refused
from models import SMALL
from pack import Pack, Unmade, make
from plan import plan
from session import Session, Unusable
from specs import BadSpec, specs
from stage import Stage, tell
from steps import STAGES, steps
from unpack import unpack

ALL = ["all", *STAGES]
DONE, FOUND, USAGE, ENVIRONMENT, MORE = 0, 1, 2, 3, 4


def path(text):
    if not text:
        raise argparse.ArgumentTypeError("the name is empty")
    return os.path.abspath(text)


def number(text, kind=int, least=1, most=100000):
    try:
        if least <= kind(text) <= most:
            return kind(text)
    except ValueError:
        pass
    raise argparse.ArgumentTypeError(f"{text!r} is no number from {least} to {most}")


def minutes(text):
    return number(text, float, 0.01, 1440)


def options(argv):
    p = argparse.ArgumentParser(prog="gpu", description="Uses a borrowed GPU to the full; see docs/gpu.md.")
    sub = p.add_subparsers(dest="command", metavar="COMMAND", required=True)
    made = sub.add_parser("pack", help="make, without a GPU, what the machine with one needs")
    made.add_argument("out", nargs="?", type=path, metavar="DIR", help="default: build/gpu-pack")
    made.add_argument(
        "--portable", type=path, metavar="DIR", help="the portable build (default: build/portable)"
    )
    made.add_argument("--only", action="append", metavar="NAME", help="check: this type and layout (f32_NK)")
    made.add_argument(
        "--sample", type=number, default=12, metavar="N", help="check: candidates of each type and layout"
    )
    made.add_argument(
        "--trials", type=number, default=96, metavar="N", help="tune: first candidates of each spec"
    )
    made.add_argument(
        "--model", action="append", choices=SMALL, metavar="NAME", help="models: this one (default: all; none with --spec)"
    )
    made.add_argument("-j", "--jobs", type=number, default=os.cpu_count(), metavar="N")
    planned = sub.add_parser("plan", help="print what each stage takes of a quarter of an hour")
    planned.add_argument("--cores", type=number, default=16, metavar="N", help="of the borrowed machine")
    back = sub.add_parser("unpack", help="put what came back into this tree")
    back.add_argument("file", type=path, metavar="FILE")
    back.add_argument("--root", dest="root_dir", type=path, metavar="DIR", help="another tree")
    runs = [
        sub.add_parser(n, help=f"the stage {n}" if n != "all" else "all that is not done yet") for n in ALL
    ]
    for run in runs:
        run.add_argument("out", type=path, metavar="OUTDIR")
        run.add_argument(
            "--minutes", type=minutes, default=8.66, metavar="N", help="end within so long (default: 8.66)"
        )
        run.add_argument(
            "--from", dest="from_file", type=path, metavar="FILE", help="go on from this gpu.tgz"
        )
        run.add_argument("--work", type=path, metavar="DIR", help="working files (default: in TMPDIR)")
        run.add_argument("--dry-run", action="store_true", help="no GPU: do what needs none")
    for with_pack in (*runs, planned):
        with_pack.add_argument("--pack", type=path, metavar="DIR", help="default: build/gpu-pack")
    for with_spec in (*runs, planned, made):
        with_spec.add_argument(
            "--spec", action="append", type=path, metavar="FILE", help="tune this spec; may be repeated"
        )
    return p.parse_args(argv)


def complete(o, root):
    """Fills in what was not said."""
    o.root = root
    here = root if os.path.isfile(os.path.join(root, "pack.tgz")) else os.path.join(root, "build", "gpu-pack")
    if o.command == "pack":
        o.out = o.out or here
        portable = os.environ.get("DCGEN_PORTABLE") or os.path.join(root, "build", "portable")
        o.portable = o.portable or os.path.abspath(portable)
    elif o.command in (*ALL, "plan"):
        o.pack = o.pack or here


def look(session):
    """Looks for the GPU and writes down what there is. The runner's words, when there is none."""
    greeting, log = None, os.path.join(session.work, "probe.err")
    if not session.options.dry_run:
        greeting, why = environment.hello(session.tools.runner_cuda, log)
        if not greeting:
            raise Unusable(f"no GPU: {why} (--dry-run does what needs none)")
        session.use(greeting["device"])
    stage = Stage(session, "gpu", 60)
    if greeting:
        environment.describe(stage, greeting)
    else:
        stage.say("dry run: the steps that need a GPU are left out")
    environment.look(stage)
    stage.step()


def run_step(session, step, seconds):
    """What is wrong with one stage does not keep the others from their work."""
    stage = session.open_stage(step.name, seconds)
    stage.share = seconds if session.options.command != "all" else step.share_s
    try:
        step.run(stage)
    except OSError as problem:  # a full disk
        stage.missing(f"the rest of {step.name}: {problem}")
    except Exception as problem:
        tell(traceback.format_exc())
        stage.found(f"{step.name} ends with {type(problem).__name__}: {problem}")
    stage.step()


def share(session, step):
    return step.share_s - (session.spent(step.name, step.this_pack) if step.of_all_calls else 0)


def run_steps(session):
    """First each stage within its share, in order, but those of another loan; then, in what is left of the
    time, those that are not done."""
    command = session.options.command
    wanted = [s for s in session.steps if command in ("all", s.stage)]
    if command != "all":
        for i, step in enumerate(wanted):
            run_step(session, step, session.left() / (len(wanted) - i))
        return
    for capped in (True, False):
        for step in wanted:
            if capped and not step.soon:
                continue
            seconds = min(share(session, step), session.left()) if capped else session.left()
            if not session.is_complete(step.name, step.this_pack) and seconds >= step.least_s:
                run_step(session, step, seconds)


def verdict(session):
    left = [s.name for s in session.steps if not session.is_complete(s.name, s.this_pack)]
    if session.unwritten:
        return ENVIRONMENT
    if session.options.command == "all" and left:
        return MORE
    if session.nfound:
        return FOUND
    return ENVIRONMENT if session.problem and not session.options.dry_run else DONE


def use_gpu(o, began):
    session = Session(o, began)
    try:
        session.open_pack(Pack(o.pack))
        session.specs = specs(o.spec, session.pack.root, os.path.join(session.work, "specs"), session.pack.models())
        session.steps = steps(session.specs, session.pack.has_small_models())
        look(session)
        run_steps(session)
    finally:
        if session.steps:
            session.renew()
    tell(f"gpu: {session.unwritten or os.path.join(o.out, 'summary.txt') + ' says what was done'}")
    return verdict(session)


def main(root, argv):
    began = time.monotonic()
    o = options(argv)
    complete(o, root)
    try:
        if o.command == "unpack":
            return unpack(o.root_dir or root, o.file)
        if o.command == "plan":
            with tempfile.TemporaryDirectory() as o.scratch:
                return plan(o)
        return make(o) if o.command == "pack" else use_gpu(o, began)
    except (BadSpec, Refused) as why:
        tell(f"gpu: {why}")
        return USAGE
    except (Unusable, Unmade) as why:
        tell(f"gpu: {why}")
    except OSError as why:
        tell(f"gpu: {why.filename}: {why.strerror}" if why.filename else f"gpu: {why}")
    except MemoryError:
        tell("gpu: out of memory")
    return ENVIRONMENT


def interrupt(*_):
    raise KeyboardInterrupt


if __name__ == "__main__":
    for cut_off in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(cut_off, interrupt)
    try:
        sys.exit(main(sys.argv[1], sys.argv[2:]))
    except KeyboardInterrupt:
        tell("gpu: interrupted; the same command goes on from here")
        sys.exit(130)
