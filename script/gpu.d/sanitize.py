# SPDX-License-Identifier: Apache-2.0
"""sanitize: compute-sanitizer over one kernel of each template and data type, on small shapes. It is slow,
and last."""

import os

from check import sample, setup_of
from combos import request, small_shapes
from runner import line_file
from stage import tail
from tools import find_program

TOOLS = ["memcheck", "racecheck"]
MOST_S, LEAST_S, FOUND = 120, 20, 99


def sanitize_one(stage, program, tool, combo, kernels):
    """Whether it was done. The runner's own exit codes are not the tool's."""
    name = combo["name"]
    lines = [
        {**request(combo, s), "cmd": "measure", "id": i, "kernels": kernels}
        for i, s in enumerate(small_shapes(combo))
    ]
    stdin = line_file(stage.path(f"{name}_{tool}.jsonl"), [setup_of(stage.session.pack, combo), *lines])
    log = stage.log(f"sanitizer_{name}_{tool}.txt")
    runner = [*stage.session.pack.tools.runner_cuda, "--timer", "events", "--deadline", "300"]
    argv = [program, "--tool", tool, "--error-exitcode", str(FOUND), *runner]
    code = stage.run(argv, log, MOST_S, stdin=stdin)
    os.close(stdin)
    if code is None and stage.left() < 1:
        return False
    stage.write("sanitizer", combo=name, tool=tool, exit_code=code, kernels=[k["key"] for k in kernels])
    if code is None:
        stage.missing(f"{name}: {tool} takes longer than {MOST_S} s")
    elif code == FOUND:
        stage.found(f"{name}: {tool}: {tail(log)}")
    elif code != 0:
        stage.missing(f"{name}: {tool} does not work here: {tail(log)}")
    else:
        stage.say(f"{name}: {tool}: {len(kernels)} kernels, nothing")
    stage.step()
    return True


def sanitize(stage):
    program = find_program("compute-sanitizer")
    if not program or not stage.session.device:
        stage.missing("compute-sanitizer is not installed" if not program else "there is no GPU")
        stage.complete()
        return
    done = {(n["combo"], n["tool"]) for n in stage.before("sanitizer", pack=stage.session.pack.id)}
    for combo, kernels in sample(stage):
        for tool in TOOLS:
            if (combo["name"], tool) in done:
                continue
            if stage.left() < LEAST_S or not sanitize_one(stage, program, tool, combo, kernels):
                return
    stage.complete()
