# SPDX-License-Identifier: Apache-2.0
"""The stages in their order, and how long each may take of half an hour."""

import primitives_stage
from bench import bench
from calibrate import calibrate
from check import check
from sanitize import sanitize
from specs import name_of
from tune import tune

SHARE_S = {"primitives": 40, "check": 60, "calibrate": 80, "sanitize": 100}  # what check has left fills gaps
TUNE_S, BENCH_S = [270, 330, 190, 190], [90, 90, 60, 60]  # by the order of the specs
STAGES = ["primitives", "check", "calibrate", "tune", "bench", "sanitize"]


class Step:
    """this_pack: it is to be done again when the pack is another one."""

    def __init__(self, stage, run, share_s, spec=None, least_s=10, this_pack=False):
        self.stage, self.run, self.share_s, self.spec = stage, run, share_s, spec
        self.least_s, self.this_pack = least_s, this_pack
        self.name = f"{stage} {name_of(spec)}" if spec else stage


def steps(specs):
    made = [
        Step("primitives", primitives_stage.run, SHARE_S["primitives"], this_pack=True),
        Step("check", check, SHARE_S["check"], this_pack=True),
        Step("calibrate", calibrate, SHARE_S["calibrate"]),
    ]
    for i, spec in enumerate(specs):
        made.append(Step("tune", lambda s, spec=spec: tune(s, spec), TUNE_S[min(i, 3)], spec))
        made.append(Step("bench", lambda s, spec=spec: bench(s, spec), BENCH_S[min(i, 3)], spec, least_s=40))
    return [*made, Step("sanitize", sanitize, SHARE_S["sanitize"], this_pack=True)]
