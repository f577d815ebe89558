# SPDX-License-Identifier: Apache-2.0
"""calibrate: what this GPU does at most, in each data type, as limits records among those of its specs: the
analytic model, the roofline and the report go by them. What fails is tried once more, by the next call."""

import os
import shutil

from specs import dtype_of, name_of
from stage import tail

SECONDS = 8  # a data type
MARGIN_S = 15  # of one call of dcgen besides
LEAST_S = SECONDS + 5
TRIES = 2


def add_records(stage, spec, made):
    with open(made, "rb") as new, open(stage.kept("records", name_of(spec) + ".jsonl"), "ab") as records:
        shutil.copyfileobj(new, records)


def measure(stage, specs):
    """One data type, for all its specs. False: the time was over."""
    name, session = name_of(specs[0]), stage.session
    log, records = stage.log(f"limits {name}.txt"), stage.path(name + ".jsonl")
    if os.path.exists(records):
        os.remove(records)
    argv = [session.tools.dcgen, "limits", specs[0], "--target", "cuda", "--seconds", str(SECONDS)]
    argv += ["--records", records, *session.tools.compiling("limits", session.pack.path("builds"))]
    code = stage.run(argv, log, SECONDS + MARGIN_S)
    if code is None and stage.left() < 1:
        return False
    session.calibrated.update(specs)
    for spec in specs:
        if os.path.exists(records):
            add_records(stage, spec, records)
        stage.write("limits", spec=name_of(spec), exit_code=code)
    if code == 0:
        stage.say(f"{name}: {tail(log, 8)}")
    else:
        stage.found(f"{name}: dcgen limits ends with {'no answer' if code is None else code}: {tail(log)}")
    stage.step()
    return True


def is_open(stage, spec):
    codes = [n["exit_code"] for n in stage.before("limits", spec=name_of(spec))]
    return 0 not in codes and len(codes) < TRIES


def calibrate(stage):
    session = stage.session
    if not session.device:
        stage.say("there is no GPU whose limits could be measured")
        stage.complete()
        return
    left = [s for s in session.specs if is_open(stage, s) and s not in session.calibrated]
    for dtype in dict.fromkeys(map(dtype_of, left)):
        if stage.left() < LEAST_S or not measure(stage, [s for s in left if dtype_of(s) == dtype]):
            return
    if not any(is_open(stage, s) for s in session.specs):
        stage.complete()
