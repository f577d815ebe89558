# SPDX-License-Identifier: Apache-2.0
"""check: every template x data type x layout on awkward shapes, on the GPU against the reference; what the
emulator says of the same kernels comes with the pack, and a disagreement between the two is a finding of its
own. Objects come ready made. First one kernel of each template x data type x layout on few shapes; then all
others."""

import json

from combos import FIRST_SHAPES, request, shape_name
from runner import Gone, Runner
from stage import tail

SILENCE_S, DEADLINE_S = 60, 5  # a kernel that does not end within the deadline hangs
LOST = ("crashed", "timed_out")  # not tried again: each costs a new runner


def load(pack):
    with open(pack.path("check", "combos.json")) as f:
        return json.load(f)


def first_kernels(combo):
    """One of each template."""
    return list({k["template"]: k for k in reversed(combo["kernels"])}.values())


def plan(combos):
    """(combo, shape, kernels): the order in which things are asked."""
    first = {c["name"]: [k["key"] for k in first_kernels(c)] for c in combos}
    of_first = [list(s) for s in FIRST_SHAPES]
    for c in combos:
        kernels = [k for k in c["kernels"] if k["key"] in first[c["name"]]]
        yield from ((c, s, kernels) for s in c["shapes"] if list(s) in of_first)
    for c in combos:
        for s in c["shapes"]:
            rest = [k for k in c["kernels"] if k["key"] not in first[c["name"]] or list(s) not in of_first]
            yield c, s, rest


class Work:
    """What is left of the plan; what earlier calls did with the same pack counts."""

    def __init__(self, stage):
        self.stage, self.pack = stage, stage.session.pack
        self.combos = load(self.pack)
        done = stage.before("check", pack=self.pack.id)
        self.done = {(n["combo"], n["key"], n["shape"]) for n in done}
        self.lost = {(n["combo"], n["key"]) for n in done if n["gpu_says"]["status"] in LOST}
        self.nright = sum(n["gpu_says"]["status"] == "ok" for n in done)

    def open(self, combo, shape, kernels):
        name = combo["name"]
        return [
            k
            for k in kernels
            if (name, k["key"], shape_name(shape)) not in self.done and (name, k["key"]) not in self.lost
        ]

    def left(self):
        return [
            (c, s, rest) for c, s, kernels in plan(self.combos) for rest in [self.open(c, s, kernels)] if rest
        ]


def compare(work, combo, kernel, shape, gpu):
    """What the two say of one kernel on one shape."""
    stage, name, of = work.stage, combo["name"], shape_name(shape)
    emu = combo["expected"].get(of, {}).get(kernel["key"])
    gpu = {k: gpu[k] for k in ("status", "max_err", "why") if k in gpu}
    fields = {"combo": name, "key": kernel["key"], "template": kernel["template"], "shape": of}
    stage.write("check", **fields, gpu_says=gpu, emulator_says=emu)
    work.done.add((name, kernel["key"], of))
    work.nright += gpu["status"] == "ok"
    if gpu["status"] in LOST:
        work.lost.add((name, kernel["key"]))
    what = f"{name}: {kernel['template']} {kernel['key'][:8]} on {of}"
    why = f"GPU {gpu['status']} {gpu.get('why', '')}".rstrip()
    if emu and emu["status"] != gpu["status"]:
        why += f"; emulator {emu['status']} {emu.get('why', '')}".rstrip()
        stage.found(f"{what}: GPU and emulator disagree: {why}", params=kernel["params"], **fields)
    elif gpu["status"] != "ok":
        stage.found(f"{what}: {why}", params=kernel["params"], **fields)


def setup_of(work, combo):
    return {**combo["setup"], "reference": work.pack.path(combo["setup"]["reference"])}


def ask(work, runner, left, stop):
    """Goes through what is left until the time is over or stop() says so."""
    stage, last = work.stage, None
    for combo, shape, kernels in left:
        if stage.left() < 2 or (stop and stop()):
            return
        if combo["name"] != last:
            if last:
                stage.step()
            runner.use(setup_of(work, combo))
            last = combo["name"]
        kernels = work.open(combo, shape, kernels)
        results = runner.measure(
            request(shape), [{"key": k["key"], "so": work.pack.path(k["so"])} for k in kernels]
        )
        for k in kernels:
            compare(work, combo, k, shape, results[k["key"]])


def tell(work):
    left = sum(len(kernels) for _, _, kernels in work.left())
    combos = {n for n, _, _ in work.done}
    done = {(combo, key) for combo, key, _ in work.done}
    templates = {(c["name"], k["template"]) for c in work.combos for k in c["kernels"]}
    seen = {
        (c["name"], k["template"]) for c in work.combos for k in c["kernels"] if (c["name"], k["key"]) in done
    }
    work.stage.say(
        f"{work.nright} of {len(work.done)} checks right, {left} left; {len(combos)} of {len(work.combos)} "
        f"combinations of type and layout, {len(seen)} of {len(templates)} of these with a template"
    )
    if not left:
        work.stage.complete()


def check(stage, stop=None):
    work = Work(stage)
    left = work.left()
    if not stage.session.device:
        stage.say(
            f"{sum(len(k) for _, _, k in left)} checks wait for a GPU; the emulator's verdicts are there"
        )
        stage.complete()
        return
    if left:
        log = stage.log("check_runner.txt")
        try:
            argv = [*work.pack.tools.runner_cuda, "--deadline", str(DEADLINE_S)]
            runner = Runner(argv, None, log, SILENCE_S)
            try:
                ask(work, runner, left, stop)
            finally:
                runner.close()
        except (Gone, OSError) as problem:
            stage.found(f"dcgen-runner-cuda: {problem}: {tail(log)}")
    tell(work)


def sample(stage):
    """For the sanitizer: one kernel of each template of a data type, of those that do not crash anyway."""
    work = Work(stage.session.open_stage("check", 0))
    for combo in work.combos:
        kernels = [k for k in first_kernels(combo) if (combo["name"], k["key"]) not in work.lost]
        if combo["name"].endswith("_NK") and kernels:
            yield combo, [{"key": k["key"], "so": work.pack.path(k["so"])} for k in kernels]
