# SPDX-License-Identifier: Apache-2.0
"""The machine and its FMA peak, asked of bench/layer/probe.c, which runs beside and is asleep while nobody asks."""

import subprocess

SAMPLE_NS = 2_000_000


class Probe:
    def __init__(self, program):
        self.process = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        cores, self.slug, self.cpu = self.ask("machine").split(" ", 2)
        self.cores = int(cores)

    def ask(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        if not answer:
            raise RuntimeError(f"the probe did not answer to {line!r}")
        return answer.rstrip("\n")

    def peak_gflops(self, threads):
        return float(self.ask(f"fma {threads} {SAMPLE_NS}"))

    def close(self):
        self.process.stdin.close()
        self.process.wait()
