# SPDX-License-Identifier: Apache-2.0
"""One call of script/gpu on the machine that has the GPU: the working folder and what earlier calls left, the
deadline, the archive. The working folder may be lost between calls: what counts is in the archive, and comes
back from there."""

import contextlib
import fcntl
import hashlib
import os
import re
import shutil
import subprocess
import tempfile
import time

import archive
import journal
import summary
from stage import Stage, tell

RESERVE_S = 6  # behind the last stage: archive, summary, our own end


class Unusable(Exception):
    """Nothing can be done here, and why."""


def default_work(out):
    folder = os.path.join(tempfile.gettempdir(), f"dcgen-gpu-{os.getuid()}")
    os.makedirs(folder, mode=0o700, exist_ok=True)
    if os.lstat(folder).st_uid != os.getuid() or os.path.islink(folder):
        raise Unusable(f"{folder} is somebody else's: name a folder by --work")
    return os.path.join(folder, hashlib.sha256(out.encode()).hexdigest()[:12])


def lock(folder):
    """The folder is ours until we end, even by SIGKILL. Not all file systems can do that."""
    with contextlib.suppress(OSError):
        try:
            fcntl.flock(os.open(folder, os.O_RDONLY), fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise Unusable(f"another script/gpu is at work in {folder}") from None


def slug(name):
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-") or "gpu"


class Session:
    def __init__(self, options, began):
        self.options, self.out = options, options.out
        self.end = began + 60 * options.minutes - RESERVE_S
        os.makedirs(self.out, exist_ok=True)
        self.work = options.work or default_work(self.out)
        os.makedirs(self.work, exist_ok=True)
        if os.path.samefile(self.out, self.work):
            raise Unusable(f"{self.out} cannot be OUTDIR and the working folder")
        lock(self.out)
        lock(self.work)
        restored = self.restore()
        self.journal = journal.Journal(os.path.join(self.work, archive.LAST))
        self.pack, self.tools, self.device, self.slug = None, None, None, "dry-run"
        self.specs, self.steps, self.dropped = [], [], []
        self.nfound, self.problem = 0, False  # what was found wrong, whether something is missing
        self.renewed_at, self.unwritten = began, None  # why there is no new archive
        self.runner_failed = False  # check ended for it, in this call
        self.calibrated = set()  # specs, in this call
        is_new = all(n.get("type") == "call" for n in self.journal.lines)
        tell(f"gpu: {'begins anew' if is_new else 'goes on'} in {self.work}")
        self.write("gpu", "call", {"minutes": options.minutes, "from": restored, "dry_run": options.dry_run})

    def restore(self):
        """Takes up what is known best: by the working folder, --from, or the archive in OUTDIR. Which one, if
        an archive."""
        best, files = len(journal.read(os.path.join(self.work, archive.LAST))[0]), None
        from_where = None
        if self.options.from_file and not os.path.exists(self.options.from_file):
            tell(f"gpu: {self.options.from_file} is not there: this is taken for the first call")
        for path in (self.options.from_file, os.path.join(self.out, archive.NAME)):
            if path and os.path.exists(path):
                there = archive.ours(path)
                nline = len(journal.parse(there[archive.LAST])[0])
                if nline > best:
                    best, files, from_where = nline, there, os.path.basename(path)
        if files:
            for top in archive.TOPS:
                old = os.path.join(self.work, top)
                shutil.rmtree(old) if os.path.isdir(old) else os.path.exists(old) and os.remove(old)
            for name, data in files.items():
                archive.put(self.work, name, data)
        return from_where

    def open_pack(self, pack):
        self.pack = pack.open(os.path.join(self.work, "pack"))
        self.tools, dcgen = pack.tools, pack.tools.dcgen
        try:
            subprocess.run([dcgen, "--version"], stdin=subprocess.DEVNULL, capture_output=True, check=True)
        except (OSError, subprocess.CalledProcessError) as why:
            words = getattr(why, "stderr", b"").decode(errors="replace").strip() or why
            raise Unusable(f"{dcgen} does not run here (--work names another folder): {words}") from None

    def open_stage(self, name, seconds):
        return Stage(self, name, seconds)

    def use(self, device):
        """The GPU is known: what follows is of it."""
        self.device, self.slug = device, slug(device["name"])

    def left(self):
        return self.end - time.monotonic()

    def write(self, stage, kind, fields):
        where = {"gpu": self.slug, "pack": self.pack.id if self.pack else None}
        self.journal.write({**fields, **where, "stage": stage, "type": kind, "at": int(time.time())})

    def before(self, stage, kind, **wanted):
        return self.journal.of(stage=stage, type=kind, gpu=self.slug, **wanted)

    def of_stage(self, stage, kind, this_pack):
        """this_pack: what was done with other kernels does not count."""
        return self.before(stage, kind, **({"pack": self.pack.id} if this_pack else {}))

    def is_complete(self, stage, this_pack):
        return bool(self.of_stage(stage, "complete", this_pack))

    def spent(self, stage, this_pack):
        """Seconds, in all calls."""
        return sum(n["seconds"] for n in self.of_stage(stage, "spent", this_pack))

    def renew(self):
        """OUTDIR/gpu.tgz and OUTDIR/summary.txt, as of now. When they cannot be written the old ones stay, and the
        work goes on: all is in the working folder."""
        text, was = summary.text(self).encode(), self.unwritten
        try:
            os.makedirs(self.out, exist_ok=True)
            archive.replace(os.path.join(self.out, archive.SUMMARY), text)
            self.dropped, self.unwritten = archive.renew(self.work, self.out, text), None
        except OSError as problem:
            self.unwritten = f"{self.out} is not up to date: {problem}; {self.work} is"
            if not was:
                tell(f"gpu: {self.unwritten}")
        self.renewed_at = time.monotonic()
