# SPDX-License-Identifier: Apache-2.0
"""A stage of script/gpu: its deadline, its folder, what it writes. Each line is on disk before the next step
begins."""

import contextlib
import ctypes
import os
import signal
import subprocess
import sys
import time

RENEW_S = 10  # the archive is never older
TAIL_BYTES = 2000
PATIENCE_S = 5  # for a program that was asked to end; dcgen finishes its records


def tell(text):
    """For whoever watches; when nobody does any more (the connection is gone), the work goes on."""
    with contextlib.suppress(OSError):
        print(text, file=sys.stderr, flush=True)


class Stage:
    """A stage's name may be of one spec: `tune bert_dense`. Its lines are of this GPU and of this name."""

    def __init__(self, session, name, seconds):
        self.session, self.name = session, name
        self.folder = os.path.join(session.work, name.replace(" ", os.sep))
        os.makedirs(self.folder, exist_ok=True)
        self.began = time.monotonic()
        self.end = min(session.end, self.began + seconds)
        self.told_s = 0

    def left(self):
        return self.end - time.monotonic()

    def path(self, *names):
        path = os.path.join(self.folder, *names)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        return path

    def kept(self, *names):
        """A path that goes into the archive: records, tables, packages; of this GPU."""
        path = os.path.join(self.session.work, names[0], self.session.slug, *names[1:])
        os.makedirs(os.path.dirname(path), exist_ok=True)
        return path

    def log(self, name):
        path = os.path.join(self.session.work, "log", name.replace(" ", "_"))
        os.makedirs(os.path.dirname(path), exist_ok=True)
        return path

    def write(self, kind, **fields):
        """One line of the journal."""
        self.session.write(self.name, kind, fields)
        self.freshen()

    def before(self, kind, **wanted):
        """Lines of this stage: of this call and of all before, on this GPU."""
        return self.session.before(self.name, kind, **wanted)

    def spent(self):
        """How long the stage has been at work, this call and those before it."""
        return self.session.spent(self.name, False) + time.monotonic() - self.began - self.told_s

    def step(self):
        """A step is done: what is known goes into the archive."""
        seconds = time.monotonic() - self.began - self.told_s
        self.told_s += seconds
        self.session.write(self.name, "spent", {"seconds": round(seconds, 1)})
        self.session.renew()

    def freshen(self):
        """Whatever waits or writes for long calls this."""
        if time.monotonic() - self.session.renewed_at > RENEW_S:
            self.step()

    def say(self, text):
        """For people: the terminal and the summary."""
        tell(f"{self.name}: {text}")
        self.write("say", text=text)

    def found(self, text, **fields):
        """Something is wrong with what was tested."""
        self.session.nfound += 1
        tell(f"{self.name}: FOUND: {text}")
        self.write("finding", text=text, **fields)

    def missing(self, text):
        """The machine or the pack lacks something: this step is left out."""
        self.session.problem = True
        tell(f"{self.name}: left out: {text}")
        self.write("missing", text=text)

    def complete(self):
        """Nothing is left to do for a later call."""
        self.write("complete")

    def start(self, argv, log, stdin=None, env=None):
        """A program that ends with us, its output goes to log; None when it cannot be started."""
        with open(log, "wb") as out:
            try:
                return subprocess.Popen(
                    argv,
                    stdout=out,
                    stderr=subprocess.STDOUT,
                    stdin=stdin or subprocess.DEVNULL,
                    env=env,
                    start_new_session=True,
                    preexec_fn=end_with_parent,
                )
            except OSError as problem:
                out.write(str(problem).encode())
                return None

    def run(self, argv, log, most_s=None, stdin=None, env=None):
        """The exit code of a program; None when the time was over or it cannot be started."""
        end = min(self.end, time.monotonic() + most_s) if most_s else self.end
        process = self.start(argv, log, stdin, env) if end - time.monotonic() > 1 else None
        return self.wait(process, end) if process else None

    def wait(self, process, end):
        """The exit code; None when it had to be ended. The archive is renewed meanwhile."""
        try:
            while True:
                left = end - time.monotonic()
                try:
                    return process.wait(timeout=max(0, min(left, 1)))
                except subprocess.TimeoutExpired:
                    if left <= 0:
                        return None
                    self.freshen()
        finally:  # when we are interrupted, too
            if process.poll() is None:
                end_group(process)


libc = ctypes.CDLL(None)


def end_with_parent():
    """In the child: when script/gpu is killed, the kernel ends its programs, too (prctl's
    PR_SET_PDEATHSIG)."""
    libc.prctl(1, signal.SIGTERM)


def end_group(process):
    """Ends a program and all that it started: it leads a session. Politely at first: it may have records to
    finish."""
    for sig, patience_s in ((signal.SIGTERM, PATIENCE_S), (signal.SIGKILL, 10)):
        try:
            os.killpg(process.pid, sig)
        except ProcessLookupError:
            pass
        try:
            process.wait(timeout=patience_s)
            return
        except subprocess.TimeoutExpired:
            pass


def tail(path, nlines=3):
    """The last lines of a file, not more than is read with pleasure."""
    try:
        with open(path, "rb") as f:
            f.seek(max(0, os.path.getsize(path) - TAIL_BYTES))
            return " | ".join(f.read().decode(errors="replace").strip().splitlines()[-nlines:])
    except OSError:
        return ""
