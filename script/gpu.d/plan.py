# SPDX-License-Identifier: Apache-2.0
"""plan: what each stage takes of a borrowed quarter of an hour, and in which command, by what compiling and unpacking
took when the pack was made."""

import json
import os

from pack import Pack, Unmade
from session import RESERVE_S
from specs import specs
from steps import SHARE_S, steps
from tune import SPARE_S

# Seconds of each command: starting a machine, and what is carried there and back, take the rest of 15 minutes.
CALLS_S = [520, 180]
LOOK_S = 6  # of each command: what is there, which device
KERNEL_S, CHECK_S = 0.3, 0.005  # a candidate of tune, a check: seen on an H200
MOST = 0.30  # of a stage's time may be spent waiting for compilers


def waits(step, timing, cores):
    """Seconds that the GPU waits for compilers. tune: it measures candidates as fast as they come, the first
    of them from the pack; dcgen compiles the next ones meanwhile, on all cores. bench: check goes on
    meanwhile, with what it has left."""
    nvcc_s = timing.get("nvcc_cpu_s", 5.0)
    if step.stage == "tune":
        ncached = timing.get("builds", 0) / max(1, timing.get("specs", 4))
        seconds, each = step.share_s - SPARE_S, nvcc_s / cores
        ncompiled = max(0, seconds - ncached * KERNEL_S) / max(KERNEL_S, each)
        return ncompiled * max(0, each - KERNEL_S)
    if step.stage == "bench":
        left = max(0, timing.get("checks", 0) * CHECK_S - SHARE_S["check"])
        return max(0, timing.get("bench_build_cpu_s", 12.0) - left / timing.get("specs", 4))
    return 0


def measured(folder):
    try:
        with open(os.path.join(Pack(folder).folder, "timing.json")) as f:
            return json.load(f)
    except (Unmade, OSError, ValueError):
        return None


def commands(made, overhead_s):
    """{step: the command that does it}, of the steps that are for this loan; gpu.run_steps goes by the same rule."""
    placed, left = {}, [s - overhead_s for s in CALLS_S]
    for i in range(len(CALLS_S)):
        for step in made:
            seconds = min(step.share_s, left[i])
            if step.soon and step.name not in placed and seconds >= step.least_s:
                placed[step.name] = i + 1
                left[i] -= seconds
    return placed


def plan(o):
    timing = measured(o.pack)
    minutes = [f"--minutes {int(s / 0.6) / 100:g}" for s in CALLS_S]
    print(f"{' + '.join(map(str, CALLS_S))} seconds of a quarter of an hour, {', '.join(minutes)}; {o.cores} cores")
    if timing:
        each, bench_s = timing.get("nvcc_cpu_s"), timing.get("bench_build_cpu_s")
        print(f"measured here: {each} s of a core for a candidate by nvcc, {bench_s} to build a benchmark;")
        print(f"{timing['pack_bytes'] / 2**20:.1f} MiB to carry, {timing['unpack_s']} s to unpack;", end=" ")
        print(f"{timing.get('builds', 0)} candidates of tune ready made")
    else:
        print(f"there is no pack in {o.pack}: compile times are guessed (script/gpu pack measures them)")
    pack = Pack(o.pack) if timing else None
    wanted = specs(o.spec, o.root, o.scratch, pack.models() if pack else ())
    made = steps(wanted, pack and pack.has_small_models())
    timing = timing or {}
    overhead_s = LOOK_S + RESERVE_S + timing.get("unpack_s", 5.0)
    placed = commands(made, overhead_s)
    print(f"{'':28}  command  seconds  waits for compilers")
    print(f"{'unpacking, looking, ending':28}  {'each':>7}  {overhead_s:7.0f}  {0:8.0f} s   0 %")
    total, bad = len(CALLS_S) * overhead_s, 0
    for step in made:
        seconds = waits(step, timing, o.cores)
        part = seconds / step.share_s
        bad += part > MOST or (step.soon and step.name not in placed)
        total += step.share_s * step.soon
        verdict = "  too much" if part > MOST else "" if step.soon else "  another loan"
        command = placed.get(step.name, "-")
        print(f"{step.name:28}  {command:>7}  {step.share_s:7.0f}  {seconds:8.0f} s {100 * part:3.0f} %{verdict}")
    print(f"{'in all':28}  {'':7}  {total:7.0f}  of {sum(CALLS_S)}")
    print("check begins with one kernel of each template; the rest is done while benchmarks are built")
    return 1 if bad or total > sum(CALLS_S) else 0
