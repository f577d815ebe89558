#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# What script/gpu brings back: unpack refuses archives that it did not write, merges records, and never follows a link;
# the archive stays below its limit; a journal that was cut off goes on.
. "$SRC/tests/cli/gpu.sh"
cd "$tmp" || exit 1
exec 2>&1
PYTHONPATH=$SRC/script/gpu.d python3 -B - "$tmp" <<'PY'
import errno, gzip, io, json, os, re, resource, sys, tarfile

import archive, journal, unpack

tmp, failed = sys.argv[1], 0


def hold(what, is_so):
    global failed
    if not is_so:
        print("FAILED:", what)
        failed = 1


def tar(*members):
    """A gpu.tgz of (name, bytes, type[, what an extended header says of it])."""
    path = os.path.join(tmp, "some.tgz")
    with tarfile.open(path, "w:gz") as t:
        for name, data, kind, *extended in (("results.jsonl", b"{}\n", tarfile.REGTYPE), *members):
            m = tarfile.TarInfo(name)
            m.type, m.size, m.linkname = kind, len(data), "/etc/passwd" if kind != tarfile.REGTYPE else ""
            m.pax_headers = extended[0] if extended else {}
            t.addfile(m, io.BytesIO(data))
    return path


def claims(size):
    """A gpu.tgz whose last file's own header gives that size; of it 512 bytes are there."""
    path, m = tar(), tarfile.TarInfo("records/gpu/x.jsonl")
    m.size = size
    with gzip.open(path) as f:
        there = f.read().rstrip(b"\0")
    with gzip.open(path, "wb") as f:
        f.write(there + bytes(-len(there) % 512) + m.tobuf(tarfile.GNU_FORMAT) + b"x".ljust(512, b"\0"))
    return path


def files(tree):
    return sorted(os.path.relpath(os.path.join(d, f), tree) for d, _, fs in os.walk(tree) for f in fs)


def refused(path):
    """Why; "": it is not."""
    try:
        unpack.unpack(tree, path)
    except archive.Refused as why:
        return str(why).replace(path + ": ", "", 1)
    return ""


tree = os.path.join(tmp, "tree")
os.mkdir(tree)
plain = tarfile.REGTYPE
for what, members in {
    "above": [("records/../../x", b"x", plain)],
    "absolute": [("/records/gpu/x.jsonl", b"x", plain)],
    "a backslash": [("records/gpu\\x.jsonl", b"x", plain)],
    "a link": [("records/gpu/x.jsonl", b"", tarfile.SYMTYPE)],
    "a hard link": [("records/gpu/x.jsonl", b"", tarfile.LNKTYPE)],
    "a device": [("records/gpu/x.jsonl", b"", tarfile.CHRTYPE)],
    "a sparse file": [("records/gpu/x.jsonl", b"", tarfile.GNUTYPE_SPARSE)],
    "a foreign file": [("script/gpu", b"x", plain)],
    "twice the same": [("results.jsonl", b"x", plain)],
    "a name of another length": [("x", b"99 path=records/gpu/x.jsonl\n", tarfile.XHDTYPE), ("y", b"x", plain)],
    "too deep": [("packages/" + "a/" * 9 + "x", b"x", plain)],
}.items():
    hold(what + " is refused", refused(tar(*members)))
# A file is as large as it is in the archive, whatever headers claim.
for what, said in {
    "sparse 0.0": {"GNU.sparse.size": str(2**40), "GNU.sparse.offset": str(2**40 - 1), "GNU.sparse.numbytes": "1"},
    "sparse 0.1": {"GNU.sparse.size": str(36 * 10**8), "GNU.sparse.map": "0,1"},
    "sparse 1.0": {"GNU.sparse.major": "1", "GNU.sparse.minor": "0", "GNU.sparse.realsize": str(2**40)},
    "a size in an extended header": {"size": str(2**40)},
    "a second size": {"size": "0"},
    "a foreign header": {"comment": "x"},
}.items():
    hold(what + " is refused", refused(tar(("records/gpu/x.jsonl", b"1\n0\n1\nx", plain, said))))
hold("a true claim", archive.ours(claims(2))["records/gpu/x.jsonl"] == b"x\0")
for size in (513, 1 << 20, 2**40, 2**80, -1, -(2**40)):
    hold(f"a claim of {size} bytes is refused", refused(claims(size)))
hold("nothing was written", files(tree) == [])
# As many files as may be, and one more.
archive.MOST_FILES, most = 3, archive.MOST_FILES
three = [(f"log/{i}", b"", plain) for i in range(3)]
hold("so many files are taken", len(archive.ours(tar(*three[:2]))) == 3)
hold("too many files are refused", refused(tar(*three)))
archive.MOST_FILES = most
long = "packages/" + "a" * 120 + "/" + "b" * 180
hold("a long name", archive.ours(tar((long, b"x", plain)))[long] == b"x")

good = tar(("records/gpu/x.jsonl", b'{"a":1}\n{"b":2}\n{"torn', plain), ("tables/gpu/x.json", b"[]", plain))
with open(good, "rb") as f:
    data = f.read()
for what, bad in {"torn": data[:-20], "no gzip": b"hello", "empty": b"", "spoilt": data[:40] + b"\0\0\0\0" + data[44:]}.items():
    with open("bad.tgz", "wb") as f:
        f.write(bad)
    hold(what + " is refused", refused("bad.tgz"))
hold("a file that is not there", refused("nowhere.tgz"))
archive.MOST_BYTES, most = 1 << 20, archive.MOST_BYTES
hold("huge is refused", "more than 1 MiB" in refused(tar(("records/gpu/x.jsonl", b"\0" * (2 << 20), plain))))
archive.MOST_BYTES = most
hold("still nothing", files(tree) == [])
# Nested deeper than Python reads: such a line is a broken one, in records as in a journal.
nested = b"[" * 200000
hold("nested lines are dropped", unpack.merged(b"", b'{"a":1}\n' + nested + b'\n\n{"b":2}') == (b'{"a":1}\n{"b":2}\n', 2, 2))
hold("a journal ends before them", journal.parse(b'{"a": 1}\n' + nested + b"\n") == ([{"a": 1}], 9))
tree = "typo"
hold("a tree that is not there", refused(tar()) and not os.path.exists("typo"))
tree = os.path.join(tmp, "tree")

good = tar(("records/gpu/x.jsonl", b'{"a":1}\n{"b":2}\n{"torn', plain), ("tables/gpu/x.json", b"[]", plain))
os.makedirs(tree + "/records/gpu")
with open(tree + "/records/gpu/x.jsonl", "w") as f:
    f.write('{"old":0}\n{"b":2}\n')
for _ in range(2):
    hold("good is taken", unpack.unpack(tree, good) == 0)
    with open(tree + "/records/gpu/x.jsonl") as f:
        hold("records are merged", f.read() == '{"old":0}\n{"b":2}\n{"a":1}\n')
hold("where things are", files(tree) == ["bench/results/gpu/x.json", "records/gpu/x.jsonl"])
os.makedirs(tmp + "/outside")
os.rename(tree + "/records/gpu", tmp + "/outside/gpu")
os.symlink(tmp + "/outside/gpu", tree + "/records/gpu")
hold("a link out of the tree is not followed", refused(good))

# What has no room is left out, what counts is not.
os.makedirs(tmp + "/kept/log")
os.makedirs(tmp + "/kept/packages/gpu/.p.tmp.1")
for name, size in {"results.jsonl": 10, "log/a.txt": 200000, "packages/gpu/p.c": 30000, "packages/gpu/.p.tmp.1/x": 9, "log/a.txt~": 9}.items():
    with open(os.path.join(tmp, "kept", name), "wb") as f:
        f.write(os.urandom(size))
for limit, dropped, names in (
    (1 << 20, [], ["summary.txt", "packages/gpu/p.c", "log/a.txt", "results.jsonl"]),
    (100000, ["log"], ["summary.txt", "packages/gpu/p.c", "results.jsonl"]),
    (10000, ["packages", "log"], ["summary.txt", "results.jsonl"]),
):
    archive.LIMIT = limit
    hold("what is dropped", archive.renew(tmp + "/kept", tmp, b"all") == dropped)
    hold("what is kept", list(archive.ours("gpu.tgz")) == names)
# Of records that are too many: devices and limits, all of the finalists, then the newest; the rest of the archive as it is.
os.makedirs(tmp + "/many/records/gpu")
os.makedirs(tmp + "/many/tables/gpu")
rows = [{"type": "measure", "key": i, "final": i == 5, "ns": os.urandom(20).hex()} for i in range(1000)]
rows = [{"type": "device"}, {"type": "kernel", "key": 5}, *rows, {"type": "limit"}]
for name, data in {"records/gpu/a.jsonl": rows, "records/gpu/b.jsonl": rows[:3], "tables/gpu/a.json": [1], "results.jsonl": [{}]}.items():
    with open(os.path.join(tmp, "many", name), "w") as f:
        f.writelines(json.dumps(n) + "\n" for n in data)
archive.LIMIT = 16000
dropped = archive.renew(tmp + "/many", tmp, b"all")
back = archive.ours("gpu.tgz")
kept = [json.loads(n) for n in back["records/gpu/a.jsonl"].splitlines()]
hold("the limit holds", 12000 < os.path.getsize("gpu.tgz") <= 16000)
hold("what was left out is said", dropped[0] == f"{1003 - len(kept)} lines of records/gpu/a.jsonl")
hold("what counts is there", kept[:2] == rows[:2] and rows[7] in kept and kept[-1] == rows[-1])
hold("the newest are there", kept[3:] == rows[-len(kept) + 3:] and len(kept) > 100)
hold("all else is there", list(back) == ["summary.txt", "tables/gpu/a.json", "records/gpu/a.jsonl", "records/gpu/b.jsonl", "results.jsonl"])
archive.LIMIT = 1
hold("too large is said", "larger" in archive.renew(tmp + "/kept", tmp, b"all")[-1])
archive.LIMIT = 1 << 20
archive.renew(tmp + "/kept", tmp, b"all")
log = archive.ours("gpu.tgz")["log/a.txt"]
hold("a long log is cut in its middle", b"\n... cut ...\n" in log and len(log) < 110000)
with open("gpu.tgz", "rb") as f:
    before = f.read()
for at in [m.start() for m in re.finditer(b"\x1f\x8b\x08", before)][:-1]:  # behind the last there is no file
    with open("bad.tgz", "wb") as f:
        f.write(before[:at])
    hold(f"an archive that ends at {at} is refused", refused("bad.tgz"))
archive.renew(tmp + "/kept", tmp, b"all")
with open("gpu.tgz", "rb") as f:
    hold("the same files give the same bytes", f.read() == before)

# A journal is cut at the first line that is none.
for rest in (b'{"torn', b"[1]\n", b"\0\0\0\n", b'{"c": 3}'):
    with open("j", "wb") as f:
        f.write(b'{"a": 1}\n{"b": 2}\n' + rest)
    j = journal.Journal("j")
    j.write({"d": 4})
    j.file.close()
    hold(f"journal {rest}", journal.read("j")[0] == [{"a": 1}, {"b": 2}, {"d": 4}])
# A disk that is full: no line is torn.
j = journal.Journal("j")
resource.setrlimit(resource.RLIMIT_FSIZE, (os.path.getsize("j") + 5, resource.RLIM_INFINITY))
try:
    j.write({"e": 5})
    hold("a full disk", False)
except OSError as why:
    hold("a full disk is told", why.errno in (errno.EFBIG, errno.ENOSPC))
resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
j.write({"f": 6})
hold("a journal on a full disk", journal.read("j")[0] == [{"a": 1}, {"b": 2}, {"d": 4}, {"f": 6}] == j.lines)
sys.exit(failed)
PY
