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


def line(model, size, threads, contestants, rounds):
    """One size with so many threads."""
    own = next((c for c in contestants if c.peer.name == "dcgen"), None)
    made = {"model": model, "size": size, "threads": threads, "peers": {}}
    made |= {"rounds_repeated": rounds.nrepeated, "rounds_disturbed": rounds.ndisturbed}
    for c in contestants:
        found = {"time_ns": rounded(statistics.median(c.time_ns)), "least_ns": rounded(min(c.time_ns)), "spread": rounded(spread(c.time_ns))}
        if c is own:
            made["dcgen"] = found
            continue
        if own:
            found["ratio"] = rounded(paired_ratio(c.time_ns, own.time_ns))
        made["peers"][c.peer.name] = found | {"way": c.peer.way}
    if own and made["peers"]:
        made["ratio_best"] = min(p["ratio"] for p in made["peers"].values())
    return made


def head(names):
    peers = "".join(f" {name:>12} ms ratio  {'way':<22}|" for name in names)
    return f"{'model':<16} {'size':<24} {'thr':>3} | {'dcgen ms':>9} {'+-%':>4} |{peers} {'best':>5}"


def row(made, names):
    own, size = made.get("dcgen"), " ".join(f"{axis}={value}" for axis, value in made["size"].items())
    text = f"{made['model']:<16} {size:<24} {made['threads']:>3} |"
    text += f" {own['time_ns'] / 1e6:9.3f} {100 * own['spread']:4.1f} |" if own else f" {'-':>9} {'-':>4} |"
    for name in names:
        p = made["peers"].get(name)
        if not p:
            text += f" {'-':>15} {'-':>5}  {'-':<22}|"
            continue
        text += f" {p['time_ns'] / 1e6:15.3f} {p.get('ratio', float('nan')):5.2f}  {p['way']:<22}|"
    disturbed = f" {made['rounds_disturbed']} rounds disturbed" if made["rounds_disturbed"] else ""
    return f"{text} {made.get('ratio_best', float('nan')):5.2f}{disturbed}"


def judged(lines):
    """The goals, for each number of threads."""
    goals = []
    for threads in sorted({made["threads"] for made in lines}):
        ratios = [made["ratio_best"] for made in lines if made["threads"] == threads and "ratio_best" in made]
        for text, of, at_least in GOALS if ratios else ():
            verdict = "met" if of(ratios) >= at_least else "missed"
            goals.append({"goal": text, "threads": threads, "value": rounded(of(ratios)), "at_least": at_least, "verdict": verdict})
    return goals


def write(folder, slug, name, result):
    path = os.path.join(folder, slug, f"{name}.json")
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as f:
        json.dump(result, f, indent=1, sort_keys=True)
        f.write("\n")
    return path
