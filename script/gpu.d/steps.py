# SPDX-License-Identifier: Apache-2.0
"""The stages in their order, and how long each may take of a borrowed quarter of an hour."""

import functools

import ladder
from bench import NEED_S, bench
from calibrate import calibrate
from check import check
from counters import counters
from models import model, models
from sanitize import sanitize
from specs import is_model, name_of
from tune import LEAST_S, REPLAY_S, SPARE_S, tune

SHARE_S = {"ladder": 20, "check": 80, "calibrate": 25, "models": 30, "counters": 20, "sanitize": 80}  # what check has left fills gaps
TUNE_S, BENCH_S, MODEL_S = [150, 120, 98, 98, 98, 98, 98, 160], 45, 140  # tune: by the order of the specs, then as the last
SOON = 3  # so many specs, or a whole model and one less, are for the first quarter of an hour, the others for what is left of it, or the next one
STAGES = ["ladder", "check", "models", "calibrate", "counters", "tune", "bench", "model", "sanitize"]


class Step:
    """least_s: with less time it does not begin. this_pack: it is to be done again when the pack is another one.
    of_all_calls: its share is for all calls together, not for each. soon: it has a part of the first quarter of an hour."""

    def __init__(
        self, stage, run, share_s, spec=None, least_s=10, this_pack=False, of_all_calls=False, soon=True
    ):
        self.stage, self.run, self.share_s, self.spec = stage, run, share_s, spec
        self.least_s, self.this_pack, self.of_all_calls, self.soon = least_s, this_pack, of_all_calls, soon
        self.name = f"{stage} {name_of(spec)}" if spec else stage


def steps(specs, has_models=False):
    """has_models: the pack has small ones ready made."""
    small = Step("models", models, SHARE_S["models"], this_pack=True, of_all_calls=True)
    made = [
        Step("ladder", ladder.run, SHARE_S["ladder"], this_pack=True),
        Step("check", check, SHARE_S["check"], this_pack=True, of_all_calls=True),
        *([small] if has_models else []),
        Step("calibrate", calibrate, SHARE_S["calibrate"], of_all_calls=True),
        Step("counters", counters, SHARE_S["counters"], this_pack=True),
    ]
    least_s = {tune: LEAST_S + SPARE_S + REPLAY_S, bench: NEED_S, model: NEED_S}
    nsoon = SOON - any(map(is_model, specs))
    for i, spec in enumerate(specs):
        look = (model, MODEL_S) if is_model(spec) else (bench, BENCH_S)
        for stage, share_s in ((tune, TUNE_S[min(i, len(TUNE_S) - 1)]), look):
            run = functools.partial(stage, spec=spec)
            made.append(Step(stage.__name__, run, share_s, spec, least_s[stage], soon=i < nsoon))
    return [*made, Step("sanitize", sanitize, SHARE_S["sanitize"], this_pack=True, soon=False)]
