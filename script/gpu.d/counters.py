# SPDX-License-Identifier: Apache-2.0
"""counters: what Nsight Compute (ncu) counts of a kernel on tensor cores, of one of tf32x3 and of one on the FMA units:
what each of them waits for. Devices that are shared may not allow it: then a word says so, and the work goes on."""

import csv
import os

from check import Work, objects_of, setup_of
from combos import request
from runner import line_file
from stage import tail
from tools import find_program

COMBOS = ["bf16_NK", "tf32x3_NK", "f32_NK"]
SHAPE = (2048, 2304, 768)
SECTIONS = ["SpeedOfLight", "ComputeWorkloadAnalysis", "MemoryWorkloadAnalysis", "SchedulerStats", "WarpStateStats"]
MOST_S, LEAST_S = 12, 4
SAID = ["Duration", "Compute (SM) Throughput", "Memory Throughput", "Issued Warp Per Scheduler"]


def largest(kernels):
    """The kernel of the largest tile whose sums are not split; the first one of several."""
    size = lambda p: (p.get("SPLITK", 1) == 1, p.get("ALIGNED", 0), p.get("BM", 0) * p.get("BN", 1))
    return max(kernels, key=lambda k: size(k["params"]))


def chosen(work):
    """(combo, kernel), of kernels that check did not see crash."""
    for combo in (c for name in COMBOS for c in work.combos if c["name"] == name):
        kernels = [k for k in combo["kernels"] if (combo["name"], k["key"]) not in work.crashed]
        if kernels:
            yield combo, largest(kernels)


def counted(path):
    """{name: [value, unit]} of the table that ncu prints among other lines."""
    with open(path, errors="replace", newline="") as f:
        lines = [n for n in f if n.startswith('"')]
    return {r["Metric Name"]: [r["Metric Value"], r["Metric Unit"]] for r in csv.DictReader(lines) if r.get("Metric Name")}


def count(stage, program, combo, kernel):
    """Whether ncu can count here."""
    name, pack = combo["name"], stage.session.pack
    ask = {**request(combo, SHAPE), "cmd": "measure", "id": 1, "kernels": objects_of(pack, [kernel])}
    stdin = line_file(stage.path(f"{name}.jsonl"), [setup_of(pack, combo), ask])
    log = stage.log(f"counters_{name}.txt")
    argv = [program, "--csv", "--kernel-name", "regex:_k0", "--launch-count", "1"]
    argv += [word for section in SECTIONS for word in ("--section", section)]
    code = stage.run([*argv, *pack.tools.runner_cuda, "--timer", "events", "--deadline", "300"], log, MOST_S, stdin=stdin)
    os.close(stdin)
    found = counted(log) if code == 0 else {}
    stage.write("counters", combo=name, template=kernel["template"], params=kernel["params"], exit_code=code, counted=found)
    if not found:
        why = "no answer in time" if code is None else tail(log) or f"exit code {code}"
        stage.missing(f"{name}: ncu counts nothing here: {why}")
        return False
    stage.say(f"{name}: {kernel['template']}: " + ", ".join(f"{n} {' '.join(found[n])}" for n in SAID if n in found))
    return True


def counters(stage):
    program = find_program("ncu")
    if not program or not stage.session.device:
        stage.missing("ncu is not installed" if not program else "there is no GPU")
        stage.complete()
        return
    work = Work(stage.session.open_stage("check", 0))
    done = {n["combo"] for n in stage.before("counters", pack=stage.session.pack.id)}
    for combo, kernel in chosen(work):
        if combo["name"] in done:
            continue
        if stage.left() < LEAST_S:
            return
        if not count(stage, program, combo, kernel):
            break
    stage.complete()
