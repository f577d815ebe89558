# SPDX-License-Identifier: Apache-2.0
"""The journal: what is known so far, one JSON object a line. A line is on disk before the next step begins; a
kill costs at most the line that was being written, which the next start cuts off."""

import errno
import json
import os


def value(line):
    """What a line of JSON says, whoever wrote it. ValueError: it is none, or nested deeper than Python reads."""
    try:
        return json.loads(line)
    except RecursionError:
        raise ValueError("nested too deeply") from None


def parse(data):
    """(objects, bytes that hold them) of the whole lines in data, up to the first that is none."""
    lines, good = [], 0
    for raw in data.splitlines(keepends=True):
        try:
            line = value(raw)
        except ValueError:
            break
        if not raw.endswith(b"\n") or not isinstance(line, dict):
            break
        lines.append(line)
        good += len(raw)
    return lines, good


def read(path):
    try:
        with open(path, "rb") as f:
            return parse(f.read())
    except FileNotFoundError:
        return [], 0


class Journal:
    def __init__(self, path):
        self.lines, self.good = read(path)
        self.file = open(path, "ab", buffering=0)
        self.file.truncate(self.good)

    def write(self, line):
        data = json.dumps(line, sort_keys=True).encode() + b"\n"
        try:
            if self.file.write(data) != len(data):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), self.file.name)
        except OSError:
            self.file.truncate(self.good)  # no line is torn: the next one could not be read
            raise
        self.good += len(data)
        self.lines.append(line)

    def of(self, **wanted):
        """The lines that have all these values."""
        return [n for n in self.lines if all(n.get(k) == v for k, v in wanted.items())]
