# SPDX-License-Identifier: Apache-2.0
"""The table and the JSON file; its numbers have four significant digits, its keys are sorted."""

import json
import os
import statistics

from protocol import paired_ratio, spread

GOALS = (
    ("geomean against the fastest peer", statistics.geometric_mean, 1.2),
    ("worst against the fastest peer", min, 1.0),
)


def rounded(x):
    return float(f"{x:.4g}")


def cell(contestant, own, size, peak_gflops):
    time_ns = statistics.median(contestant.time_ns)
    made = {"time_ns": time_ns, "spread": spread(contestant.time_ns), "gflops": size.flop / time_ns}
    made["peak_share"] = made["gflops"] / peak_gflops
    if own and contestant is not own:
        made["ratio"] = paired_ratio(contestant.time_ns, own.time_ns)
    return {key: rounded(value) for key, value in made.items()} | {"way": contestant.peer.way}


def line(size, threads, contestants, rounds):
    """One size with so many threads. Of each peer's ways, the fastest is what counts; the times of all are kept."""
    peak_gflops = statistics.median(rounds.peaks)
    own = next((c for c in contestants if c.peer.name == "dcgen"), None)
    made = {"batch": size.batch, "T": size.T, "threads": threads, "flop": size.flop, "peers": {}, "ways": {}}
    made |= {"peak_gflops": rounded(peak_gflops)}
    made |= {"rounds_repeated": rounds.nrepeated, "rounds_disturbed": rounds.ndisturbed}
    for c in contestants:
        found = cell(c, own, size, peak_gflops)
        if c is own:
            made["dcgen"] = found
            continue
        made["ways"].setdefault(c.peer.name, {})[c.peer.way] = found["time_ns"]
        held = made["peers"].get(c.peer.name)
        if not held or found["time_ns"] < held["time_ns"]:
            made["peers"][c.peer.name] = found
    if own:
        made["ratio_best"] = min(p["ratio"] for p in made["peers"].values())
    return made


def head(names):
    own = f"{'dcgen':>8} {'+-%':>4} {'%peak':>5} |"
    peers = "".join(f" {name:>12} {'%peak':>5} {'ratio':>5}  {'way':<21}|" for name in names)
    return f"{'batch':>5} {'T':>4} {'thr':>3} |{own}{peers} {'best':>5} | {'peak':>6}"


def row(made, names):
    own = made.get("dcgen")
    text = f"{made['batch']:>5} {made['T']:>4} {made['threads']:>3} |"
    if own:
        text += f"{own['gflops']:8.1f} {100 * own['spread']:4.1f} {100 * own['peak_share']:5.1f} |"
    else:
        text += f"{'-':>8} {'-':>4} {'-':>5} |"
    for name in names:
        p = made["peers"].get(name)
        if not p:
            text += f" {'-':>12} {'-':>5} {'-':>5}  {'-':<21}|"
            continue
        ratio = f"{p['ratio']:5.2f}" if own else f"{'-':>5}"
        text += f" {p['gflops']:12.1f} {100 * p['peak_share']:5.1f} {ratio}  {p['way']:<21}|"
    best = f"{made['ratio_best']:5.2f}" if own else f"{'-':>5}"
    disturbed = f" {made['rounds_disturbed']} rounds disturbed" if made["rounds_disturbed"] else ""
    return f"{text} {best} | {made['peak_gflops']:6.1f}{disturbed}"


def judged(lines):
    """The goals, for each number of threads."""
    goals = []
    for threads in sorted({made["threads"] for made in lines}):
        ratios = [made["ratio_best"] for made in lines if made["threads"] == threads and "ratio_best" in made]
        for text, of, at_least in GOALS if ratios else ():
            value = of(ratios)
            verdict = "met" if value >= at_least else "missed"
            goals.append(
                {
                    "goal": text,
                    "threads": threads,
                    "value": rounded(value),
                    "at_least": at_least,
                    "verdict": verdict,
                }
            )
    return goals


def peer_summary(lines, names):
    """Geometric mean of a peer's share of the FMA peak, and of its ratio."""
    texts = []
    for threads in sorted({made["threads"] for made in lines}):
        for name in names:
            cells = [m["peers"][name] for m in lines if m["threads"] == threads and name in m["peers"]]
            if not cells:
                continue
            text = f"{name}, threads {threads}: {100 * statistics.geometric_mean(c['peak_share'] for c in cells):.1f}% of the FMA peak"
            if all("ratio" in c for c in cells):
                ratios = [c["ratio"] for c in cells]
                text += f"; dcgen is {statistics.geometric_mean(ratios):.2f}x as fast, {min(ratios):.2f}x at the worst"
            texts.append(text)
    return texts


def write(folder, slug, result):
    path = os.path.join(folder, slug, "bert_layer_ort.json")
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as f:
        json.dump(result, f, indent=1, sort_keys=True)
        f.write("\n")
    return path
