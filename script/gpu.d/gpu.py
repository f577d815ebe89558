# SPDX-License-Identifier: Apache-2.0
"""script/gpu, behind its shell: options, then one stage after the other."""

import argparse
import os
import shutil
import signal
import sys

from bench import bench
from check import check
from runner import probe
from stage import Stage
from tune import tune

BUILD = "cmake --preset portable && cmake --build --preset portable"
STAGES = {"check": check, "tune": tune, "bench": bench}


def options(argv):
    p = argparse.ArgumentParser(prog="gpu", description="Uses a GPU to the full; see docs/gpu.md.")
    p.add_argument("stage", nargs="?", choices=list(STAGES), help="default: all three")
    p.add_argument("out", metavar="OUTDIR")
    p.add_argument("--portable", metavar="DIR", help="the portable build of dcgen")
    p.add_argument("--seconds", type=float, default=540, help="a stage ends by itself after so long")
    p.add_argument("--spec", action="append", metavar="FILE", help="tune this spec")
    p.add_argument("--sample", type=int, default=8, metavar="N", help="check: candidates of each data type and layout")
    p.add_argument("--dry-run", action="store_true", help="no GPU: do what needs none")
    # A stage's name is optional, OUTDIR is not: argparse alone would take a lone OUTDIR for a bad stage.
    if argv and argv[0] not in STAGES and not argv[0].startswith("-"):
        argv = ["check", *argv]
        o = p.parse_args(argv)
        o.stage = None
        return o
    return p.parse_args(argv)


def complain(text):
    print("gpu: " + text, file=sys.stderr)
    return 3


def find_tools(o, root):
    """Fills in what stages need; why they cannot begin, or None."""
    folder = o.portable or os.environ.get("DCGEN_PORTABLE") or os.path.join(root, "build", "portable")
    o.root, o.out = root, os.path.abspath(o.out)
    o.spec = [os.path.abspath(s) for s in o.spec] if o.spec else None
    targets = ["--targets", os.path.join(root, "templates", "targets")]
    program = {
        name: os.path.join(os.path.abspath(folder), name) for name in ("dcgen", "dcgen-runner-cuda", "dcgen-runner-emu")
    }
    for name, path in program.items():
        if not os.access(path, os.X_OK):
            return f"{path} is not there: build it by {BUILD}, or name its folder"
    o.dcgen = program["dcgen"]
    o.runner_cuda, o.runner_emu = [program["dcgen-runner-cuda"], *targets], [program["dcgen-runner-emu"], *targets]
    o.cc, o.cxx = shutil.which("cc") or shutil.which("gcc"), shutil.which("c++") or shutil.which("g++")
    return None if o.cc and o.cxx else "a C and a C++ compiler are needed"


def run_stage(name, o):
    stage = Stage(name, o)
    try:
        STAGES[name](stage)
    finally:
        stage.close()
    return 1 if stage.nfound else 3 if stage.problem and not o.dry_run else 0


def main(root, argv):
    o = options(argv)
    why = find_tools(o, root)
    if why:
        return complain(why)
    os.makedirs(o.out, exist_ok=True)
    if not o.dry_run:
        device, why = probe(o.runner_cuda, os.path.join(o.out, "probe.err"))
        if not device:
            return complain(f"no GPU: {why} (--dry-run does what needs none)")
    codes = [run_stage(name, o) for name in ([o.stage] if o.stage else STAGES)]
    return 1 if 1 in codes else max(codes)


def interrupt(*_):
    raise KeyboardInterrupt


if __name__ == "__main__":
    for cut_off in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(cut_off, interrupt)
    try:
        sys.exit(main(sys.argv[1], sys.argv[2:]))
    except KeyboardInterrupt:
        sys.exit(130)
