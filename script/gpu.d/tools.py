# SPDX-License-Identifier: Apache-2.0
"""The programs that we use: dcgen and its runners from one folder, compilers from PATH or a CUDA toolkit."""

import glob
import os
import re
import shutil
import subprocess

PROGRAMS = ["dcgen", "dcgen-runner-cuda", "dcgen-runner-emu"]


def toolkits():
    """Folders of CUDA toolkits, likely ones first; among those with numbers the latest."""
    named = [os.environ.get("CUDA_HOME"), os.environ.get("CUDA_PATH"), "/usr/local/cuda"]
    numbered = sorted(
        glob.glob("/usr/local/cuda-*"),
        key=lambda p: [int(n) for n in p.split("-")[-1].split(".") if n.isdigit()],
    )
    return [r for r in named if r] + numbered[::-1]


def find_program(name):
    for path in [shutil.which(name), *(os.path.join(r, "bin", name) for r in toolkits())]:
        if path and os.access(path, os.X_OK):
            return path
    return None


def said(argv):
    """What a program says; None: it is not there."""
    path = find_program(argv[0])
    if not path:
        return None
    try:
        done = subprocess.run(
            [path, *argv[1:]],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=60,
        )
        return done.stdout.decode(errors="replace").strip()
    except (OSError, subprocess.TimeoutExpired) as problem:
        return str(problem)


class Tools:
    """root: the tree that templates and specs are of; folder: where dcgen and its runners are."""

    def __init__(self, root, folder):
        self.root = root
        self.program = {name: os.path.join(folder, name) for name in PROGRAMS}
        targets = ["--targets", os.path.join(root, "templates", "targets")]
        self.dcgen = self.program["dcgen"]
        self.runner_cuda = [self.program["dcgen-runner-cuda"], *targets]
        self.runner_emu = [self.program["dcgen-runner-emu"], *targets]
        self.nvcc = find_program("nvcc")
        self.cc, self.cxx = (
            shutil.which("cc") or shutil.which("gcc"),
            shutil.which("c++") or shutil.which("g++"),
        )
        self.usage = None

    def lacks(self):
        """Of dcgen and its runners, what is not there."""
        return next((p for p in self.program.values() if not os.access(p, os.X_OK)), None)

    def dcgen_takes(self, option, command):
        """Whether this dcgen's command has the option. Its help says `--builds DIR ... [generate, build]`."""
        if self.usage is None:
            self.usage = said([self.dcgen, "--help"]) or ""
        found = re.search(rf"{re.escape(option)}\b[^[]*\[([^]]*)\]", self.usage)
        return bool(found) and command in re.split(r"[,\s]+", found.group(1))

    def compiling(self, command, builds):
        """Options of a command of dcgen: it compiles by the nvcc that we found, and keeps builds there."""
        return [
            word
            for option, value in (("--nvcc", self.nvcc), ("--builds", builds))
            if value and self.dcgen_takes(option, command)
            for word in (option, value)
        ]

    def nvcc_version(self):
        """The line that dcgen's builds go by, too."""
        lines = (said([self.nvcc, "--version"]) or "").splitlines() if self.nvcc else []
        return next((n for n in lines if "release" in n), lines[-1] if lines else None)
