# SPDX-License-Identifier: Apache-2.0
"""unpack: what a borrowed GPU measured, put into this tree: records/GPU/NAME.jsonl and
bench/results/GPU/NAME.json."""

import io
import os
import sys

import archive
import journal


def merged(old, new):
    """Lines of old, then those of new that are not there; a torn or foreign line is dropped. (bytes, added,
    dropped)"""
    lines, have, nadded, ndropped = old.splitlines(), set(old.splitlines()), 0, 0
    for line in io.BytesIO(new):  # not a list: there may be more empty lines than memory holds
        line = line.rstrip(b"\r\n")
        try:
            good = line != b"" and isinstance(journal.value(line), dict)
        except ValueError:
            good = False
        ndropped += not good
        if good and line not in have:
            have.add(line)
            lines.append(line)
            nadded += 1
    return b"".join(n + b"\n" for n in lines), nadded, ndropped


def target(name):
    """Where a file of the archive belongs in the tree; None: nowhere."""
    top, *rest = name.split("/")
    if top == "records" and len(rest) == 2 and name.endswith(".jsonl"):
        return os.path.join("records", *rest)
    if top == "tables" and len(rest) == 2:
        return os.path.join("bench", "results", *rest)
    return None


def inside(root, path):
    """No link of the tree leads elsewhere."""
    real = os.path.realpath(os.path.join(root, path))
    if not real.startswith(os.path.realpath(root) + os.sep):
        raise archive.Refused(f"{path} leads out of {root}")
    return real


def put(root, name, data):
    """What was done, in words; None: nothing."""
    place = target(name)
    if not place:
        return None
    path, words = inside(root, place), ""
    if place.startswith("records"):
        old = b""
        if os.path.exists(path):
            with open(path, "rb") as f:
                old = f.read()
        data, nadded, ndropped = merged(old, data)
        words = f": {nadded} records added to {len(old.splitlines())}"
        words += f", {ndropped} broken ones dropped" if ndropped else ""
        if not nadded:
            return place + words
    os.makedirs(os.path.dirname(path), exist_ok=True)
    archive.replace(path, data)
    return place + words


def unpack(root, path):
    if not os.path.isdir(root):
        raise archive.Refused(f"{root} is no folder")
    files = archive.ours(path)
    said = [put(root, name, data) for name, data in files.items()]
    sys.stdout.write(files.get("summary.txt", b"").decode(errors="replace"))
    for text in filter(None, said):
        print(f"gpu: {text}", file=sys.stderr)
    if any(name.split("/")[1:2] == ["dry-run"] for name in files):
        print("gpu: dry-run holds nothing that was measured: keep it out of what you commit", file=sys.stderr)
    left = sum(not s for s in said)
    print(f"gpu: {left} other files (packages, logs) stay in {path}: tar tzf lists them", file=sys.stderr)
    return 0
