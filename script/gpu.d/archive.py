# SPDX-License-Identifier: Apache-2.0
"""gpu.tgz: all that shall come back, in one file that is always whole; and how such a file is read, whoever
made it.

    results.jsonl  summary.txt  records/GPU/NAME.jsonl  tables/GPU/...  packages/GPU/NAME/...  log/...
"""

import gzip
import io
import os
import re
import tarfile
import zlib

NAME = "gpu.tgz"
LIMIT = 15 << 20  # bytes; a borrowed machine may hand back no more than 16 MiB a file
LOG_BYTES = 48 << 10  # of each end of a log
FIRST = ["results.jsonl", "summary.txt", "records", "tables"]  # always there
THEN = ["packages", "log"]  # while there is room: packages can be made again from records
MOST_BYTES, MOST_FILES, MOST_DEPTH = 1 << 30, 20000, 8


class Refused(Exception):
    """Not an archive that is safe to read, and why."""


# ---- writing


def inside(work, top):
    """Paths relative to work, sorted; what a killed dcgen left half made (.NAME.tmp...) is none of it."""
    root = os.path.join(work, top)
    if os.path.isfile(root):
        return [top]
    found = []
    for folder, folders, files in os.walk(root):
        folders[:] = sorted(f for f in folders if not f.startswith("."))
        found += [os.path.relpath(os.path.join(folder, f), work) for f in sorted(files)]
    return found


def content(work, name):
    with open(os.path.join(work, name), "rb") as f:
        data = f.read()
    if name.startswith("log" + os.sep) and len(data) > 2 * LOG_BYTES:
        return data[:LOG_BYTES] + b"\n... cut ...\n" + data[-LOG_BYTES:]
    return data


def packed(work, tops):
    """The archive's bytes. No times, no owners: the same files give the same bytes."""
    out = io.BytesIO()
    with gzip.GzipFile(fileobj=out, mode="wb", compresslevel=6, mtime=0) as z, tarfile.open(
        fileobj=z, mode="w|"
    ) as t:
        for name in [n for top in tops for n in inside(work, top)]:
            try:
                data = content(work, name)
            except FileNotFoundError:  # a program is at work there
                continue
            member = tarfile.TarInfo(name)
            member.size, member.mode = len(data), 0o644
            t.addfile(member, io.BytesIO(data))
    return out.getvalue()


def replace(path, data):
    """The file is the old one or the new one, whenever the machine stops."""
    part = path + ".part"
    with open(part, "wb") as f:
        f.write(data)
        f.flush()
        os.fsync(f.fileno())
    os.replace(part, path)


def renew(work, out):
    """Writes OUT/gpu.tgz; which parts had no room."""
    for ntop in range(len(THEN), -1, -1):
        data = packed(work, FIRST + THEN[:ntop])
        if len(data) <= LIMIT or ntop == 0:
            replace(os.path.join(out, NAME), data)
            return THEN[ntop:] + (["(it is larger than %d MiB)" % (LIMIT >> 20)] if len(data) > LIMIT else [])


# ---- reading


class Limited:
    """A stream that refuses to become endless."""

    def __init__(self, stream):
        self.stream, self.left = stream, MOST_BYTES

    def read(self, n=-1):
        data = self.stream.read(min(n, self.left + 1) if n >= 0 else self.left + 1)
        self.left -= len(data)
        if self.left < 0:
            raise Refused(f"holds more than {MOST_BYTES >> 20} MiB")
        return data


def safe_name(name):
    parts = name.split("/")
    return len(parts) <= MOST_DEPTH and all(
        re.fullmatch(r"[A-Za-z0-9._+-]{1,200}", p) and p.strip(".") for p in parts
    )


def members(path, modes=False):
    """(name, bytes[, mode]) of each file. Names lead nowhere but down; links, devices and the like are
    refused."""
    try:
        with gzip.open(path) as z, tarfile.open(fileobj=Limited(z), mode="r|") as t:
            for n, m in enumerate(t):
                if n >= MOST_FILES:
                    raise Refused(f"holds more than {MOST_FILES} files")
                if m.type not in (tarfile.REGTYPE, tarfile.AREGTYPE):
                    raise Refused(f"{m.name!r} is no plain file")
                if not safe_name(m.name):
                    raise Refused(f"{m.name!r} is no name that we take")
                data = t.extractfile(m).read()
                yield (m.name, data, m.mode) if modes else (m.name, data)
    except (OSError, EOFError, tarfile.TarError, zlib.error, ValueError) as problem:
        raise Refused(str(problem) or type(problem).__name__) from None


def put(folder, name, data, mode=0o644):
    path = os.path.join(folder, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as f:
        f.write(data)
    os.chmod(path, mode)


def ours(path):
    """name -> bytes of an archive that script/gpu wrote."""
    files = {}
    for name, data in members(path):
        if name.split("/")[0] not in FIRST + THEN:
            raise Refused(f"{name!r} does not belong there")
        if name in files:
            raise Refused(f"{name!r} is there twice")
        files[name] = data
    if "results.jsonl" not in files:
        raise Refused("results.jsonl is missing")
    return files
