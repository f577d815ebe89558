# SPDX-License-Identifier: Apache-2.0
"""tune: a package for this GPU. Records are appended as they are taken: what is cut off goes on from them,
and they give a package at once when dcgen itself could not."""

import os
import shutil

from specs import name_of
from stage import tail

LEAST_S = 30  # of measuring
SPARE_S = 30  # what dcgen may need behind its budget: it ends its round, proves the dispatcher and writes
REPLAY_S = 25  # what a package takes that is made of records
EARLY = 0.75  # of its budget: dcgen expects nothing better, or cannot do it
TRIALS = 2000  # more than there is time for
# Without a GPU nothing is measured: a package of few candidates will do.
OFFLINE = ["--offline", "--trials", "2"]


def arguments(stage, spec, package, records):
    """What all commands of dcgen are given."""
    target = "cuda" if stage.session.device else "sm_90a"
    argv = [spec, "--target", target, "--records", records, "-o", package, "-v"]
    if not shutil.which("gnuplot"):  # the records give the report elsewhere
        argv.append("--no-report")
    return argv


def is_package(path):
    return os.path.isfile(os.path.join(path, "CMakeLists.txt"))


def replay(stage, spec, package, records, why):
    """dcgen was stopped: the package of what it measured."""
    name, log = name_of(spec), stage.log(f"replay {name_of(spec)}.txt")
    if not os.path.exists(records):
        stage.say(f"{name}: {why}; nothing was measured")
        return
    code = stage.run(
        [stage.session.tools.dcgen, "replay", *arguments(stage, spec, package, records)], log, 60
    )
    stage.write("replay", spec=name, exit_code=code)
    says = "the package is of its records" if code == 0 else f"its records give no package: {tail(log)}"
    stage.say(f"{name}: {why}; {says}")


def builds_found(log):
    """What dcgen says of the builds that it found in the pack, if it does."""
    with open(log, errors="replace") as f:
        return "".join(
            n.strip().split(" in ")[0] + " | " for n in f if n.startswith("of ") and " builds " in n
        )


def search(stage, spec, seconds, package, records):
    """One run of dcgen: its exit code, None: it was stopped."""
    log = stage.log(f"tune {name_of(spec)}.txt")
    how = ["--seconds", str(seconds), *(["--trials", str(TRIALS)] if stage.session.device else OFFLINE)]
    argv = [stage.session.tools.dcgen, *arguments(stage, spec, package, records), *how]
    argv += stage.session.tools.compiling("generate", stage.session.pack.path("builds"))
    code = stage.run([*argv, "--progress", "plain"], log, seconds + SPARE_S)
    stage.write("tune", spec=name_of(spec), exit_code=code, seconds=seconds)
    if code == 0:
        stage.say(f"{builds_found(log)}{tail(log, 5)}")
    elif code is not None:
        ends = f"was killed by signal {-code}" if code < 0 else f"ends with exit code {code}"
        stage.found(f"{name_of(spec)}: dcgen {ends}: {tail(log)}")
    return code


def is_used_up(stage):
    """What is left of its share is too short to measure in."""
    return stage.spent() >= max(stage.share / 2, stage.share - SPARE_S - LEAST_S)


def is_done(stage, code, was_early):
    if is_used_up(stage) or (code == 0 and was_early):
        return True
    return sum(n["exit_code"] not in (0, None) for n in stage.before("tune")) > 1


def tune(stage, spec):
    name, left = name_of(spec), stage.left()
    package, records = stage.kept("packages", name), stage.kept("records", name + ".jsonl")
    if is_used_up(stage):  # and everything was killed then
        if not is_package(package):
            replay(stage, spec, package, records, "dcgen was killed")
        stage.complete()
        return
    seconds = int(min(max(stage.share - stage.spent(), SPARE_S + LEAST_S), left - REPLAY_S) - SPARE_S)
    if seconds < LEAST_S:
        stage.say(f"{name}: no time: it takes {SPARE_S + REPLAY_S + LEAST_S} s at the least")
        return
    code = search(stage, spec, seconds, package, records)
    if code != 0:
        replay(stage, spec, package, records, "dcgen was stopped" if code is None else "dcgen failed")
    if is_done(stage, code, left - stage.left() < EARLY * seconds):
        stage.complete()
