# SPDX-License-Identifier: Apache-2.0
"""check: every template x data type x layout, or formula of rows, on awkward shapes, on the GPU against the reference; what the
emulator says of the same kernels comes with the pack, and a disagreement between the two is a finding of its
own. Objects come ready made. First one kernel of each template x data type x layout on few shapes; then all
others."""

import json

from combos import FIRST_SHAPES, request, shape_name, small_shapes
from runner import Gone, Late, Runner
from stage import tail

SILENCE_S, DEADLINE_S = 60, 5  # a kernel that does not end within the deadline hangs
CRASHED = ("crashed", "timed_out")  # not tried again: each costs a new runner
MOST_LOST = 3  # requests in a row: the runner is to blame, or the GPU


def load(pack):
    with open(pack.path("check", "combos.json")) as f:
        return json.load(f)


def serving(combo, *shapes):
    """The kernels that serve all the shapes."""
    unserved = {key for s in shapes for key in combo["unserved"].get(shape_name(s), ())}
    return [k for k in combo["kernels"] if k["key"] not in unserved]


def first_kernels(kernels):
    """One of each template."""
    return list({k["template"]: k for k in reversed(kernels)}.values())


def plan(combos):
    """(combo, shape, kernels): the order in which things are asked."""
    of_first = [list(s) for s in FIRST_SHAPES]
    asked = [(c, s) for c in combos for s in c["shapes"]]
    for c, s in asked:
        if list(s) in of_first:
            yield c, s, first_kernels(serving(c, s))
    for c, s in asked:
        kernels = serving(c, s)
        first = first_kernels(kernels) if list(s) in of_first else []
        yield c, s, [k for k in kernels if k not in first]


def setup_of(pack, combo):
    return {**combo["setup"], "reference": pack.path(combo["setup"]["reference"])}


def objects_of(pack, kernels):
    return [{"key": k["key"], "so": pack.path(k["so"])} for k in kernels]


class Work:
    """What is left of the plan; what earlier calls did with the same pack counts."""

    def __init__(self, stage):
        self.stage, self.pack = stage, stage.session.pack
        self.combos = load(self.pack)
        done = stage.before("check", pack=self.pack.id)
        self.done = {(n["combo"], n["key"], n["shape"]) for n in done}
        self.crashed = {(n["combo"], n["key"]) for n in done if n["gpu_says"]["status"] in CRASHED}
        # (combo, shape) that no runner survived, none of the kernels being to blame; shape None: its set-up.
        self.lost = {(n["combo"], n["shape"]) for n in stage.before("lost", pack=self.pack.id)}
        self.nright = sum(n["gpu_says"]["status"] == "ok" for n in done)

    def open(self, combo, shape, kernels):
        name, of = combo["name"], shape_name(shape)
        if self.lost & {(name, of), (name, None)}:
            return []
        return [
            k
            for k in kernels
            if (name, k["key"], of) not in self.done and (name, k["key"]) not in self.crashed
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
    if gpu["status"] in CRASHED:
        work.crashed.add((name, kernel["key"]))
    what = f"{name}: {kernel['template']} {kernel['key'][:8]} on {of}"
    why = f"GPU {gpu['status']} {gpu.get('why', '')}".rstrip()
    if emu and emu["status"] != gpu["status"]:
        why += f"; emulator {emu['status']} {emu.get('why', '')}".rstrip()
        stage.found(f"{what}: GPU and emulator disagree: {why}", params=kernel["params"], **fields)
    elif gpu["status"] != "ok":
        stage.found(f"{what}: {why}", params=kernel["params"], **fields)


def lose(work, combo, shape, why):
    """A request that cannot be answered is left out from now on."""
    name, of = combo["name"], shape and shape_name(shape)
    work.lost.add((name, of))
    work.stage.write("lost", combo=name, shape=of, why=why)
    work.stage.found(f"{name}{' on ' + of if of else ''}: dcgen-runner-cuda: {why}", combo=name, shape=of)


def ask(work, left, stop):
    """Goes through what is left until the time is over or stop() says so."""
    stage, runner, last, nlost = work.stage, None, None, 0
    argv, log = [*work.pack.tools.runner_cuda, "--deadline", str(DEADLINE_S)], stage.log("check_runner.txt")
    try:
        for combo, shape, kernels in left:
            if stage.left() < 2 or (stop and stop()):
                return
            kernels, results = work.open(combo, shape, kernels), {}
            if not kernels:
                continue
            runner = runner or Runner(argv, None, log, SILENCE_S, stage)
            try:
                if last != combo["name"]:
                    runner.use(setup_of(work.pack, combo))
                    last = combo["name"]
                runner.measure(request(combo, shape), objects_of(work.pack, kernels), results)
                nlost = 0
            except Gone as problem:
                lose(work, combo, shape if last == combo["name"] else None, f"{problem}: {tail(log)}")
                nlost += 1
                runner.close()
                runner = last = None
            finally:
                for k in kernels:
                    if k["key"] in results:
                        compare(work, combo, k, shape, results[k["key"]])
            if nlost == MOST_LOST:
                raise Gone(f"{nlost} requests are lost in a row")
    except Late:
        pass
    finally:
        if runner:
            runner.close()


def sum_up(work):
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
    if stage.session.runner_failed:
        return
    try:
        ask(work, left, stop)
    except (Gone, OSError) as problem:
        stage.session.runner_failed = True
        stage.found(f"no more checks in this call: dcgen-runner-cuda: {problem}")
    sum_up(work)


def sample(stage):
    """For the sanitizer: one kernel of each template of an operator and data type, of those that do not crash
    anyway."""
    work = Work(stage.session.open_stage("check", 0))
    for combo in work.combos:
        kernels = first_kernels(serving(combo, *small_shapes(combo)))
        kernels = [k for k in kernels if (combo["name"], k["key"]) not in work.crashed]
        is_sampled = combo["name"].endswith(("_NK", "_layernorm")) and "_KM_" not in combo["name"]
        if is_sampled and kernels and (combo["name"], None) not in work.lost:
            yield combo, objects_of(work.pack, kernels)
