# SPDX-License-Identifier: Apache-2.0
"""The other side of the runner protocol (search/runner/protocol.md), for checks outside dcgen. A runner that
dies or falls silent is started again; the kernel of its last `begin` is to blame, the others are asked for
again. Where a stage is given, nothing waits longer than that has time."""

import json
import os
import queue
import subprocess
import threading
import time

import journal
from stage import end_group, end_with_parent


GRACE_S = 2  # behind the stage's time: what was begun may end


class Gone(Exception):
    """The runner died, fell silent or talked nonsense."""


class Late(Exception):
    """The stage's time is over. The runner is ended, and nobody is to blame."""


class Runner:
    def __init__(self, argv, setup, log, silence_s, stage=None):
        self.argv, self.setup, self.log, self.silence_s, self.stage = argv, setup, log, silence_s, stage
        self.last_id = 0
        self.start()

    def start(self):
        err = open(self.log, "ab")
        self.process = subprocess.Popen(
            self.argv,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=err,
            start_new_session=True,
            preexec_fn=end_with_parent,
        )
        err.close()
        self.queue = queue.Queue()
        threading.Thread(target=self.read, args=(self.process.stdout, self.queue), daemon=True).start()
        try:
            self.hear("hello")
            if self.setup:
                self.use(self.setup)
        except Gone:
            end_group(self.process)
            raise

    def use(self, setup):
        """What the following requests are about; another setup may follow."""
        self.setup = setup
        self.send(setup)
        self.hear("ready")

    @staticmethod
    def read(stream, lines):
        for line in stream:
            lines.put(line)
        lines.put(None)

    def send(self, request):
        try:
            self.process.stdin.write(json.dumps(request).encode() + b"\n")
            self.process.stdin.flush()
        except OSError as problem:
            raise Gone(f"does not listen: {problem}") from None

    def line(self):
        """The next one of the runner; None: it ended. The archive is renewed meanwhile."""
        end = time.monotonic() + self.silence_s
        while True:
            try:
                return self.queue.get(timeout=max(0, min(1, end - time.monotonic())))
            except queue.Empty:
                if time.monotonic() >= end:
                    raise Gone(f"silent for {self.silence_s} s") from None
            if self.stage:
                self.stage.freshen()
                if self.stage.left() < -GRACE_S:
                    end_group(self.process)
                    raise Late

    def event(self):
        line = self.line()
        if line is None:
            code = self.process.wait()
            raise Gone(f"killed by signal {-code}" if code < 0 else f"exited with code {code}")
        try:
            return journal.value(line)
        except ValueError:
            raise Gone("talks nonsense") from None

    def hear(self, name):
        event = self.event()
        if event.get("event") != name:
            raise Gone(event.get("text") or f"says {event.get('event')}, not {name}")
        return event

    def ask(self, request, asked, results):
        """One request for the kernels `asked`; fills results. Returns who is to blame when the runner goes,
        and why."""
        culprit = None
        self.last_id += 1
        kernels = [{"key": k["key"], "so": k["so"]} for k in asked]
        try:
            self.send({**request, "cmd": "measure", "id": self.last_id, "kernels": kernels})
            while True:
                event = self.event()
                kind = event.get("event")
                if kind == "begin":
                    culprit = asked[event["kernel"]]["key"]
                elif kind == "result":
                    results[asked[event["kernel"]]["key"]] = event
                elif kind == "error":
                    for k in asked:
                        results.setdefault(k["key"], {"status": "invalid", "why": event.get("text", "")})
                    return None, ""
                elif kind == "done":
                    return None, ""
        except Gone as problem:
            return culprit, str(problem)

    def measure(self, request, kernels, results):
        """Fills results, by key; what is known stays there when this raises Gone or Late. request: extent,
        elems, rows, row_elems, flops, repeats ..."""
        lost = 0
        while True:
            asked = [k for k in kernels if k["key"] not in results]
            if not asked:
                return
            culprit, why = self.ask(request, asked, results)
            if culprit is None and not why:
                for k in asked:
                    results.setdefault(k["key"], {"status": "invalid", "why": "no result"})
                return
            lost += culprit is None
            if culprit is not None:
                results[culprit] = {"status": status_of(why), "why": why}
            end_group(self.process)
            if lost > 1:
                raise Gone(why)
            if self.stage and self.stage.left() <= 0:
                raise Late
            self.start()

    def call(self, request):
        """The answer to a `call` request: so, extent, in, out, out_bytes. When the runner goes, the answer
        says so, and the next one is started."""
        self.last_id += 1
        try:
            self.send({**request, "cmd": "call", "id": self.last_id})
            answer = self.event()
        except Gone as problem:
            answer = {"status": status_of(str(problem)), "why": str(problem)}
            end_group(self.process)
            self.start()
        return answer if "status" in answer else {"status": "invalid", "why": answer.get("text", "no answer")}

    def close(self):
        try:
            self.process.stdin.close()
            self.process.wait(timeout=5)
        except (OSError, subprocess.TimeoutExpired):
            end_group(self.process)


def status_of(why):
    """Of a kernel whose runner went."""
    return "timed_out" if "silent" in why or why.endswith("code 5") else "crashed"


def line_file(path, lines):
    """Requests as a runner's standard input."""
    with open(path, "w") as f:
        for line in lines:
            f.write(json.dumps(line) + "\n")
    return os.open(path, os.O_RDONLY)
