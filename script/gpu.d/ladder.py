# SPDX-License-Identifier: Apache-2.0
"""ladder: the microtests of templates/device (primitives.py), rung by rung, what others are made of first. A rung is a
process of its own, which a watchdog ends when it is silent for 5 s: what hangs or spoils the device's context costs
its own rung alone. Rungs that are done are not climbed again with the same pack."""

import json
import os

import hopper
import primitives
from runner import Gone, Late, Runner

SILENCE_S, START_S, LEAST_S = 5, 30, 2
LOST = ("crashed", "timed_out")

# A row: what it is called, and the primitives that it tries, each in one row.
RUNGS = [
    ("memory", ["load_l2", "load_l2_16", "load_once16", "load_row", "store_row", "shared_address", "shared_memory"]),
    ("conversions", ["bf16_of", "bf16_to_float", "f16_of", "f16_to_float", "f32_of", "f32_to_float", "round_bf16"]
     + ["round_f16", "tf32_of", "tf32_split"]),
    ("functions", ["ex2", "rcp", "gelu", "gelu_tanh", "sigmoid", "silu", "sine", "cosine", "quarter_wave"]
     + ["greater", "lesser"]),
    ("warps", ["shfl_down", "shfl_xor"]),
    ("counters", ["atomic_add_acq_rel"]),
    ("copies", ["cp_async4", "cp_async8", "cp_async16", "cp_commit", "cp_wait"]),
    ("matrices", ["ldmatrix_x2", "ldmatrix_x2_trans", "ldmatrix_x4", "ldmatrix_x4_trans"]),
    ("products", ["bf16_mma", "f16_mma", "tf32_mma", "tf32x3_mma"]),
    ("launches", ["launch"]),
    *hopper.RUNGS,
]  # fmt: skip


class Ladder:
    def __init__(self, stage, folder, runner_cuda):
        self.stage, self.folder, self.argv = stage, folder, runner_cuda
        with open(os.path.join(folder, primitives.MANIFEST)) as f:
            self.manifest = json.load(f)
        self.cases = primitives.cases(self.manifest["facts"])
        self.ncase, self.seen, self.wrong = 0, set(), set()

    def climb(self, rung, names):
        """False: the time was over."""
        stage, cases = self.stage, [c for name in names for c in self.cases if c.name == name]
        runner = Runner(self.argv, None, stage.path("work", f"{rung}.err"), START_S, stage)
        runner.silence_s = SILENCE_S
        try:
            for i, case in enumerate(cases):
                if stage.left() < LEAST_S:
                    stage.say(f"no time from {case.name}, {case.label} on")
                    return False
                self.ncase += 1
                self.seen.add(case.name)
                status = primitives.check_case(stage, self.folder, runner, self.manifest["numbers"], case)
                if status != primitives.RIGHT:
                    self.wrong.add(case.name)
                if status in LOST:
                    stage.say(f"{rung}: {len(cases) - i - 1} of its {len(cases)} cases are left out behind that")
                    break
        finally:
            runner.close()
        return True

    def told(self):
        right = f"{len(self.seen - self.wrong)} of {len(self.seen)} primitives as in the emulator ({self.ncase} cases)"
        return f"{right}{'; not ' + ', '.join(sorted(self.wrong)) if self.wrong else ''}"


def climb(stage, folder, runner_cuda, done=()):
    """All rungs but those of `done`, against the words of the emulator in `folder`, which primitives.build() made.
    runner_cuda: a command. False: the time was over."""
    try:
        ladder = Ladder(stage, folder, runner_cuda)
    except (OSError, ValueError) as problem:
        stage.missing(f"microtests: {problem}")
        return True
    for problem in ladder.manifest["problems"]:
        stage.found(f"microtests, when they were made: {problem}")
    if not os.path.isfile(os.path.join(folder, "primitives.so")):
        stage.missing("microtests: primitives.so is not there")
        return True
    is_done = True
    for rung, names in RUNGS:
        if rung in done:
            continue
        try:
            is_done = stage.left() >= LEAST_S and ladder.climb(rung, names)
        except Late:
            is_done = False
        except (OSError, Gone) as problem:
            stage.found(f"{rung}: {problem}")
        if not is_done:
            stage.say(f"no time from the rung {rung} on")
            break
        stage.write("rung", rung=rung)
    stage.say(ladder.told())
    return is_done


def run(stage):
    session = stage.session
    if not session.device:
        stage.say("there is no GPU to run the microtests on")
        stage.complete()
        return
    done = {n["rung"] for n in stage.before("rung", pack=session.pack.id)}
    if climb(stage, session.pack.path("primitives"), session.tools.runner_cuda, done):
        stage.complete()
