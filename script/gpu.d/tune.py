# SPDX-License-Identifier: Apache-2.0
"""tune: packages for this GPU, each with its share of the stage's time. Records are appended as they are taken, so that
a run that is cut off can be resumed from them."""

import os
import re
import shutil

import environment
from stage import tail

DTYPES = ["f32", "f16", "bf16", "tf32"]
LEAST_S, SPARE_S = 45, 60  # of one spec; what dcgen may need behind its budget: it compares the finalists and writes


def variant(stage, spec, dtype):
    """The spec with another data type, under a name of its own."""
    with open(spec) as f:
        text = f.read()
    text = re.sub(r'(?m)^(name\s*=\s*")([^"]*)"', rf'\g<1>\g<2>_{dtype}"', text, count=1)
    text = re.sub(r'(?m)^(dtype\s*=\s*")[^"]*"', rf'\g<1>{dtype}"', text, count=1)
    name = re.search(r'(?m)^name\s*=\s*"([^"]*)"', text).group(1)
    path = stage.path("specs", name + ".cfg")
    with open(path, "w") as f:
        f.write(text)
    return path


def specs(stage):
    if stage.options.spec:
        return stage.options.spec
    return [variant(stage, os.path.join(stage.options.root, "specs", "bert_dense.cfg"), d) for d in DTYPES]


def name_of(spec):
    with open(spec) as f:
        found = re.search(r'(?m)^\s*name\s*[=:]\s*"([^"]*)"', f.read())
    return found.group(1) if found else os.path.splitext(os.path.basename(spec))[0]


def tune_one(stage, spec, seconds, target):
    name, o = name_of(spec), stage.options
    log, package = stage.path("log", name + ".txt"), stage.path("packages", name)
    argv = [
        o.dcgen,
        spec,
        "--target",
        target,
        "--records",
        stage.path("records", name + ".jsonl"),
        "-o",
        package,
        "--seconds",
        str(int(seconds)),
        "--progress",
        "plain",
        "-v",
    ]
    if target != "cuda":
        argv.append("--offline")
    if not shutil.which("gnuplot"):  # the records give the report elsewhere
        argv.append("--no-report")
    code = stage.run(argv, log, seconds + SPARE_S)
    stage.write("tune", spec=name, exit_code=code, seconds=int(seconds), package=package if code == 0 else None)
    if code == 0:
        stage.say(f"{name}: {tail(log, 4)}")
    elif code is None:
        stage.say(f"{name}: stopped, its records are kept: {tail(log)}")
    else:
        stage.found(f"{name}: dcgen ends with exit code {code}: {tail(log)}")


def tune(stage):
    device, _ = environment.look(stage)
    wanted = specs(stage)
    for i, spec in enumerate(wanted):
        share = (stage.left() - 10) / (len(wanted) - i) - SPARE_S
        if share < LEAST_S:
            share = stage.left() - 10 - SPARE_S  # fewer specs, but whole
        if share < LEAST_S / 3:
            stage.say(f"no time for {len(wanted) - i} of {len(wanted)} specs")
            return
        tune_one(stage, spec, share, "cuda" if device else "sm_90a")
