# SPDX-License-Identifier: Apache-2.0
"""gpu.tgz: all that shall come back, in one file that is always whole; and how such a file is read, whoever
made it.

    summary.txt  tables/GPU/...  records/GPU/NAME.jsonl  packages/GPU/NAME/...  log/...  results.jsonl
"""

import contextlib
import gzip
import os
import re
import tarfile
import zlib

import journal

NAME = "gpu.tgz"
LIMIT = 15 << 20  # bytes; a borrowed machine may hand back no more than 16 MiB a file
END_BYTES = 48 << 10  # of each end of a program's output
SUMMARY, TABLES, RECORDS = "summary.txt", "tables", "records"  # of records, what there is room for
THEN = ["packages", "log"]  # while there is room: packages can be made again from records
LAST = "results.jsonl"  # an archive that was cut off lacks it
TOPS = [SUMMARY, TABLES, RECORDS, *THEN, LAST]
MOST_BYTES, MOST_FILES, MOST_DEPTH = 1 << 30, 20000, 8


class Refused(Exception):
    """Not an archive that is safe to read, and why."""


# ---- writing


def inside(work, top):
    """Paths relative to work, sorted; what a killed dcgen left half made (.NAME.tmp...) is none of it, nor what
    would be refused when it comes back."""
    root = os.path.join(work, top)
    if os.path.isfile(root):
        return [top]
    found = []
    for folder, folders, files in os.walk(root):
        folders[:] = sorted(f for f in folders if not f.startswith("."))
        found += [os.path.relpath(os.path.join(folder, f), work) for f in sorted(files)]
    return [n for n in found if safe_name(n)]


def content(work, name):
    with open(os.path.join(work, name), "rb") as f:
        data = f.read()
    if name.startswith(("log/", "tables/")) and name.endswith(".txt") and len(data) > 2 * END_BYTES:
        return data[:END_BYTES] + b"\n... cut ...\n" + data[-END_BYTES:]
    return data


def member(name, data):
    """A file of the archive, compressed by itself, so that sizes add up. No times, no owners: the same files give
    the same bytes."""
    info = tarfile.TarInfo(name)
    info.size, info.mode = len(data), 0o644
    padded = data + bytes(-len(data) % tarfile.BLOCKSIZE)
    return gzip.compress(info.tobuf() + padded, 6, mtime=0)


compressed = {}  # path -> (what tells that the file is the same, its member): most are, from one archive to the next


def member_of(work, name):
    path = os.path.join(work, name)
    now = os.stat(path)
    same = (now.st_ino, now.st_size, now.st_mtime_ns)
    if path not in compressed or compressed[path][0] != same:
        compressed[path] = (same, member(name, content(work, name)))
    return compressed[path][1]


def members_of(work, top):
    """{name: member} of all files in there."""
    found = {}
    for name in inside(work, top):
        with contextlib.suppress(FileNotFoundError):  # a program is at work there
            found[name] = member_of(work, name)
    return found


def size(members):
    return sum(map(len, members.values()))


def record(line):
    try:
        return dict(journal.value(line))
    except (ValueError, TypeError):
        return {}


def ranked(lines):
    """Indices of records, what counts most first: what is no measurement (devices, limits); of the kernels that
    were compared at last, from which the package is made, all there is; then the newest."""
    records = [record(n) for n in lines]
    finalists = {n.get("key") for n in records if n.get("final") is True}
    counts = [n.get("type") not in ("kernel", "measure") or n.get("key") in finalists for n in records]
    return sorted(range(len(lines)), key=lambda i: (counts[i], i), reverse=True)


def cut(name, data, nbyte, room):
    """A member of `room` bytes at most, in place of the whole one of nbyte, and how many lines were left out."""
    lines = data.splitlines(keepends=True)
    order, n = ranked(lines), len(lines) * room / nbyte
    while True:
        n = max(0, int(0.95 * n))
        made = member(name, b"".join(lines[i] for i in sorted(order[:n])))
        if len(made) <= room or n == 0:
            return made, len(lines) - n


def renew(work, out, summary):
    """Writes OUT/gpu.tgz; what had no room there, in words."""
    records, last = members_of(work, RECORDS), members_of(work, LAST)
    first = {SUMMARY: member(SUMMARY, summary), **members_of(work, TABLES)}
    end, dropped = gzip.compress(bytes(2 * tarfile.BLOCKSIZE), 6, mtime=0), []
    room = LIMIT - size(first) - size(last) - len(end)
    share = room / max(1, size(records))
    for name, data in records.items():
        if share < 1:
            records[name], nline = cut(name, content(work, name), len(data), share * len(data))
            dropped.append(f"{nline} lines of {name}")
    whole = {**first, **records}
    room -= size(records)
    for top in THEN:
        files = members_of(work, top)
        if size(files) <= room:
            whole.update(files)
            room -= size(files)
        elif files:
            dropped.append(top)
    if room < 0:
        dropped.append(f"(it is larger than {LIMIT >> 20} MiB)")
    replace(os.path.join(out, NAME), b"".join([*whole.values(), *last.values(), end]))
    return dropped


def replace(path, data):
    """The file is the old one or the new one, whenever the machine stops."""
    part = path + ".part"
    try:
        with open(part, "wb") as f:
            f.write(data)
            f.flush()
            os.fsync(f.fileno())
        os.replace(part, path)
    except OSError:
        with contextlib.suppress(OSError):
            os.remove(part)
        raise


# ---- reading


class Limited:
    """A stream that refuses to become endless."""

    def __init__(self, stream):
        self.stream, self.left = stream, MOST_BYTES

    def read(self, n):
        data = self.stream.read(min(n, self.left + 1))
        self.left -= len(data)
        if self.left < 0:
            raise Refused(f"holds more than {MOST_BYTES >> 20} MiB")
        return data


def safe_name(name):
    parts = name.split("/")
    return len(parts) <= MOST_DEPTH and all(
        re.fullmatch(r"[A-Za-z0-9._+-]{1,200}", p) and p.strip(".") for p in parts
    )


def body(stream, header):
    """The bytes behind a header, all of which are there: a file takes no more of a disk than it takes of the
    archive."""
    data = stream.read(header.size) if header.size >= 0 else b""
    if len(data) != header.size:
        raise Refused(f"{header.name!r} is cut off")
    stream.read(-header.size % tarfile.BLOCKSIZE)
    return data


def long_name(data):
    """The name that an extended header gives to the file behind it. We write such headers for long names alone;
    others could give the file another size than it has in the archive."""
    found = re.fullmatch(rb"([0-9]{1,9}) path=([^\n]+)\n", data)
    if not found or int(found[1]) != len(data):
        raise Refused("an extended header says more than a name")
    return found[2].decode(errors="replace")


def headers(stream):
    """The header of each file, its name whole. The file is to be read before the next one."""
    name = None
    while (block := stream.read(tarfile.BLOCKSIZE)).strip(b"\0"):
        header = tarfile.TarInfo.frombuf(block, "utf-8", "replace")
        if header.type == tarfile.XHDTYPE:
            name = long_name(body(stream, header))
            continue
        header.name, name = name or header.name, None
        yield header


def members(path, modes=False):
    """(name, bytes[, mode]) of each file. Names lead nowhere but down; links, devices and the like are
    refused."""
    try:
        with gzip.open(path) as z:
            stream = Limited(z)
            for n, m in enumerate(headers(stream)):
                if n >= MOST_FILES:
                    raise Refused(f"holds more than {MOST_FILES} files")
                if m.type not in (tarfile.REGTYPE, tarfile.AREGTYPE):
                    raise Refused(f"{m.name!r} is no plain file")
                if not safe_name(m.name):
                    raise Refused(f"{m.name!r} is no name that we take")
                data = body(stream, m)
                yield (m.name, data, m.mode) if modes else (m.name, data)
    except (OSError, EOFError, tarfile.TarError, zlib.error, ValueError) as problem:
        why = getattr(problem, "strerror", None) or str(problem)
        raise Refused(why or type(problem).__name__) from None


def put(folder, name, data, mode=0o644):
    path = os.path.join(folder, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as f:
        f.write(data)
    os.chmod(path, mode)


def ours(path):
    """name -> bytes of an archive that script/gpu wrote."""
    try:
        return checked(members(path))
    except Refused as why:
        raise Refused(f"{path}: {why}") from None


def checked(members):
    files = {}
    for name, data in members:
        if name.split("/")[0] not in TOPS:
            raise Refused(f"{name!r} does not belong there")
        if name in files:
            raise Refused(f"{name!r} is there twice")
        files[name] = data
    if LAST not in files:
        raise Refused(f"{LAST} is missing")
    return files
