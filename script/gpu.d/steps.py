# SPDX-License-Identifier: Apache-2.0
"""The stages in their order, and how long each may take of a borrowed half hour."""

import functools

import primitives_stage
from bench import NEED_S, bench
from calibrate import calibrate
from check import check
from sanitize import sanitize
from specs import name_of
from tune import LEAST_S, REPLAY_S, SPARE_S, tune

SHARE_S = {"primitives": 40, "check": 60, "calibrate": 80, "sanitize": 80}  # what check has left fills gaps
TUNE_S, BENCH_S = [240, 290, 160, 160], [75, 75, 62, 62]  # by the order of the specs
STAGES = ["primitives", "check", "calibrate", "tune", "bench", "sanitize"]


class Step:
    """least_s: with less time it does not begin. this_pack: it is to be done again when the pack is another one.
    of_all_calls: its share is for all calls together, not for each."""

    def __init__(self, stage, run, share_s, spec=None, least_s=10, this_pack=False, of_all_calls=False):
        self.stage, self.run, self.share_s, self.spec = stage, run, share_s, spec
        self.least_s, self.this_pack, self.of_all_calls = least_s, this_pack, of_all_calls
        self.name = f"{stage} {name_of(spec)}" if spec else stage


def steps(specs):
    made = [
        Step("primitives", primitives_stage.run, SHARE_S["primitives"], this_pack=True),
        Step("check", check, SHARE_S["check"], this_pack=True, of_all_calls=True),
        Step("calibrate", calibrate, SHARE_S["calibrate"]),
    ]
    least_s = {tune: LEAST_S + SPARE_S + REPLAY_S, bench: NEED_S}
    for i, spec in enumerate(specs):
        for stage, shares in ((tune, TUNE_S), (bench, BENCH_S)):
            run = functools.partial(stage, spec=spec)
            made.append(Step(stage.__name__, run, shares[min(i, 3)], spec, least_s[stage]))
    return [*made, Step("sanitize", sanitize, SHARE_S["sanitize"], this_pack=True)]
