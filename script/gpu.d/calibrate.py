# SPDX-License-Identifier: Apache-2.0
"""calibrate: what this GPU does at most, in each data type, as limits records among those of its spec: the
analytic model, the roofline and the report go by them."""

from specs import name_of
from stage import tail

SECONDS = 12  # a data type
MARGIN_S = 15  # of one call of dcgen besides


def calibrate(stage):
    tools = stage.session.tools
    wanted = [s for s in stage.session.specs if name_of(s) not in [n["spec"] for n in stage.before("limits")]]
    for spec in wanted:
        name = name_of(spec)
        if not stage.session.device:
            continue
        if stage.left() < SECONDS:
            return
        log = stage.log(f"limits {name}.txt")
        argv = [tools.dcgen, "limits", spec, "--target", "cuda", "--seconds", str(SECONDS)]
        argv += ["--records", stage.kept("records", name + ".jsonl"), *stage.session.builds("limits")]
        code = stage.run(argv, log, SECONDS + MARGIN_S)
        if code is None and stage.left() < 1:
            return
        stage.write("limits", spec=name, exit_code=code)
        if code == 0:
            stage.say(f"{name}: {tail(log, 8)}")
        else:
            stage.found(
                f"{name}: dcgen limits ends with {'no answer' if code is None else code}: {tail(log)}"
            )
        stage.step()
    if not stage.session.device:
        stage.say("there is no GPU whose limits could be measured")
    stage.complete()
