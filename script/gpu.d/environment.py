# SPDX-License-Identifier: Apache-2.0
"""What the machine has: written down first, as all that follows depends on it."""

import concurrent.futures
import os
import platform
import shutil
import subprocess

import journal
from tools import said

QUERY = "name,driver_version,memory.total,clocks.sm,clocks.max.sm,clocks.mem,power.limit,temperature.gpu"
PROGRAMS = [
    ["nvidia-smi", f"--query-gpu={QUERY}", "--format=csv"],
    ["nvcc", "--version"],
    ["cmake", "--version"],
    ["cc", "--version"],
    ["c++", "--version"],
    ["compute-sanitizer", "--version"],
]


def hello(runner_cuda, log):
    """A runner's hello, which has the device in it; None with the reason."""
    try:
        done = subprocess.run(runner_cuda, stdin=subprocess.DEVNULL, capture_output=True, timeout=120)
    except (OSError, subprocess.TimeoutExpired) as problem:
        return None, str(problem)
    with open(log, "ab") as f:
        f.write(done.stderr)
    lines = done.stdout.decode(errors="replace").splitlines()
    if done.returncode != 0 or not lines:
        return None, done.stderr.decode(errors="replace").strip() or f"exit code {done.returncode}"
    try:
        greeting = journal.value(lines[0])
        if isinstance(greeting["device"]["name"], str):
            return greeting, ""
    except (ValueError, KeyError, TypeError):
        pass
    return None, f"dcgen-runner-cuda says {lines[0][:100]!r}"


def describe(stage, greeting):
    device = greeting["device"]
    timer = f"{greeting.get('timer')} {greeting.get('timer_why', '')}".rstrip()
    stage.write("device", **device)
    stage.write("floor", timer=greeting.get("timer"), null_ns=greeting.get("null_ns"), hello=greeting)
    stage.say(
        f"{device['name']} ({device['arch']}), {device['cores']} SMs, runs {', '.join(device['isa'])}; "
        f"an empty kernel takes {greeting.get('null_ns')} ns, timed by {timer}"
    )


def look(stage):
    """Programs, and how they differ from those that the pack was made with."""
    with concurrent.futures.ThreadPoolExecutor(len(PROGRAMS)) as pool:
        texts = list(pool.map(said, PROGRAMS))
    for argv, text in zip(PROGRAMS, texts):
        stage.write("environment", command=" ".join(argv), text=text)
        if text is None:
            stage.missing(f"{argv[0]} is not installed")
    free = shutil.disk_usage(stage.session.work).free >> 20
    stage.write(
        "environment", command="uname", text=" ".join(platform.uname()), cores=os.cpu_count(), free_mib=free
    )
    if free < 2048:
        stage.missing(f"{stage.session.work} has {free} MiB left: name another folder by --work")
    here, there = stage.session.tools.nvcc_version(), stage.session.pack.manifest["nvcc"]
    if here and here != there:
        stage.say(f"nvcc is {here} here, the pack was made by {there}: its builds do not count for tune")
