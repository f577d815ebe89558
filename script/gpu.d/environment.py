# SPDX-License-Identifier: Apache-2.0
"""What the machine has: written down first, as all that follows depends on it."""

import json
import os
import platform
import shutil
import subprocess

from runner import probe

PROGRAMS = [
    [
        "nvidia-smi",
        "--query-gpu=name,driver_version,memory.total,clocks.sm,clocks.max.sm,clocks.mem,power.limit,temperature.gpu",
        "--format=csv",
    ],
    ["nvidia-smi"],
    ["nvcc", "--version"],
    ["cmake", "--version"],
    ["cc", "--version"],
    ["c++", "--version"],
    ["compute-sanitizer", "--version"],
    ["ncu", "--version"],
]


def in_toolkit(program):
    for root in (os.environ.get("CUDA_HOME"), os.environ.get("CUDA_PATH"), "/usr/local/cuda"):
        path = os.path.join(root, "bin", program) if root else ""
        if path and os.access(path, os.X_OK):
            return path
    return None


def find_program(name):
    return shutil.which(name) or in_toolkit(name)


def said(argv):
    """What a program says, or why it says nothing."""
    path = find_program(argv[0])
    if not path:
        return None
    try:
        done = subprocess.run(
            [path, *argv[1:]], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=60
        )
        return done.stdout.decode(errors="replace").strip()
    except (OSError, subprocess.TimeoutExpired) as problem:
        return str(problem)


def floor(stage):
    """The time of an empty kernel and the way of timing, from a hello."""
    done = subprocess.run(stage.options.runner_cuda, stdin=subprocess.DEVNULL, capture_output=True, timeout=120)
    lines = done.stdout.decode(errors="replace").splitlines()
    if done.returncode != 0 or not lines:
        stage.missing(f"dcgen-runner-cuda does not start: {done.stderr.decode(errors='replace').strip()}")
        return
    hello = json.loads(lines[0])
    stage.write("floor", timer=hello.get("timer"), timer_why=hello.get("timer_why", ""), null_ns=hello.get("null_ns"))
    by = f"{hello.get('timer')} {hello.get('timer_why', '')}".rstrip()
    stage.say(f"an empty kernel takes {hello.get('null_ns')} ns, timed by {by}")


def look(stage):
    """(device or None, nvcc or None)."""
    o = stage.options
    for argv in PROGRAMS:
        text = said(argv)
        stage.write("environment", command=" ".join(argv), text=text)
        if text is None and len(argv) > 1:
            stage.say(f"{argv[0]} is not installed")
    stage.write("environment", command="uname", text=" ".join(platform.uname()))
    nvcc = find_program("nvcc")
    if not nvcc:
        stage.missing("nvcc is not installed: nothing can run on the GPU")
    device, why = probe(o.runner_cuda, stage.path("work", "probe.err"))
    if not device:
        stage.missing(f"no GPU: {why}")
    elif o.dry_run:
        device = None
        stage.say("dry run: the GPU is left alone")
    else:
        stage.write("device", **device)
        stage.say(f"{device['name']} ({device['arch']}), {device['cores']} SMs, runs {', '.join(device['isa'])}")
        floor(stage)
    return device, nvcc
