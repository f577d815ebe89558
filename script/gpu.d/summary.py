# SPDX-License-Identifier: Apache-2.0
"""summary.txt: what was done, what was found wrong, what is left. Short: it is read first."""

MOST_LINES, MOST_CHARS = 40, 400  # of findings; of what a stage says


def stage_line(session, step):
    said = session.before(step.name, "say")
    seconds = session.spent(step.name, False)
    state = "done" if session.is_complete(step.name, step.this_pack) else "in part" if seconds else "to do"
    text = said[-1]["text"][:MOST_CHARS] if said else ""
    return f"{step.name:24} {state:8} {seconds:5.0f} s  {text}".rstrip()


def one_a_kernel(lines):
    """Texts; of a kernel that is wrong on many shapes the first one, and how many there are."""
    of = {}
    for n in lines:
        of.setdefault((n["stage"], n.get("combo"), n.get("key", n["text"])), []).append(n["text"])
    return [
        f"  {k[0]}: {t[0]}" + (f" (and {len(t) - 1} more like it)" if len(t) > 1 else "")
        for k, t in of.items()
    ]


def listed(title, lines):
    texts = one_a_kernel(lines)
    more = [f"  ... and {len(texts) - MOST_LINES} more (results.jsonl)"] if len(texts) > MOST_LINES else []
    return ["", f"{title} ({len(texts)}):", *texts[:MOST_LINES], *more] if texts else []


def text(session):
    of = session.journal.of(gpu=session.slug)
    head = session.device["name"] if session.device else "dry run: no GPU was used, nothing was measured"
    lines = [head]
    lines += [n["text"] for n in session.before("gpu", "say")[-4:]]
    lines += ["", *(stage_line(session, s) for s in session.steps)]
    lines += listed("FOUND WRONG", [n for n in of if n["type"] == "finding"]) or ["", "nothing found wrong"]
    lines += listed("left out", [n for n in of if n["type"] == "missing"])
    left = [s.name for s in session.steps if not session.is_complete(s.name, s.this_pack)]
    lines += ["", f"still to do: {', '.join(left)} (repeat the same command)" if left else "all is done"]
    if session.dropped:
        lines.append(f"no room in gpu.tgz for: {', '.join(session.dropped)}; {session.work} has it")
    return "\n".join(lines) + "\n"
