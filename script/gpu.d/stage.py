# SPDX-License-Identifier: Apache-2.0
"""A stage of script/gpu: its deadline, its folder, what it writes. Each line is on disk before the next step begins."""

import json
import os
import subprocess
import sys
import time


class Stage:
    def __init__(self, name, options):
        self.name = name
        self.options = options
        self.folder = os.path.join(options.out, name)
        os.makedirs(self.folder, exist_ok=True)
        self.end = time.monotonic() + options.seconds
        self.nfound = 0
        self.problem = False  # of the environment
        self.lines = open(os.path.join(self.folder, "results.jsonl"), "w")
        self.summary = open(os.path.join(self.folder, "summary.txt"), "w")

    def left(self):
        return self.end - time.monotonic()

    def path(self, *names):
        path = os.path.join(self.folder, *names)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        return path

    def write(self, kind, **fields):
        """One JSON line."""
        self.lines.write(json.dumps({"type": kind, **fields}, sort_keys=True) + "\n")
        self.lines.flush()

    def say(self, text):
        """For people: the terminal and the summary."""
        print(f"{self.name}: {text}", file=sys.stderr, flush=True)
        self.summary.write(text + "\n")
        self.summary.flush()

    def found(self, text, **fields):
        """Something is wrong with what was tested."""
        self.nfound += 1
        self.write("finding", text=text, **fields)
        self.say("FOUND: " + text)

    def missing(self, text):
        """The machine lacks something: this step is left out."""
        self.problem = True
        self.write("missing", text=text)
        self.say("left out: " + text)

    def run(self, argv, log, most_s=None, stdin=None, env=None):
        """Runs a program, its output into log; the exit code, None when the time was over or it cannot be started."""
        limit = min(self.left(), most_s or self.left())
        if limit <= 1:
            return None
        with open(log, "wb") as out:
            try:
                process = subprocess.Popen(
                    argv,
                    stdout=out,
                    stderr=subprocess.STDOUT,
                    stdin=stdin or subprocess.DEVNULL,
                    env=env,
                    start_new_session=True,
                )
            except OSError as problem:
                out.write(str(problem).encode())
                return None
            try:
                return process.wait(timeout=limit)
            except subprocess.TimeoutExpired:
                return None
            finally:  # when we are interrupted, too
                if process.poll() is None:
                    end_group(process)

    def close(self):
        self.say(f"{self.nfound} found wrong" if self.nfound else "nothing found wrong")
        self.lines.close()
        self.summary.close()


def end_group(process):
    """Ends a program and all that it started: it leads a session. Politely at first: it may have records to finish."""
    for sig, patience_s in ((15, 5), (9, 10)):
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
    try:
        with open(path, errors="replace") as f:
            return " | ".join(f.read().strip().splitlines()[-nlines:])
    except OSError:
        return ""
