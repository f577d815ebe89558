# SPDX-License-Identifier: Apache-2.0
"""primitives: one microtest for each function of templates/device (primitives.py), ready made in the pack."""

import primitives

LEAST_S = 2  # primitives.check stops there


def run(stage):
    if not stage.session.device:
        stage.say("there is no GPU to run the microtests on")
    else:
        primitives.check(stage, stage.session.pack.path("primitives"), stage.session.tools.runner_cuda)
    if stage.left() > LEAST_S:
        stage.complete()
