# SPDX-License-Identifier: Apache-2.0
"""bench: every package that tune made, against cuBLAS as it comes and the best of cublasLt's algorithms."""

import json
import os
import re

import environment
from stage import tail

LEAST_S = 20


def packages(stage):
    folder = os.path.join(stage.options.out, "tune", "packages")
    found = [os.path.join(folder, n) for n in sorted(os.listdir(folder))] if os.path.isdir(folder) else []
    return [p for p in found if os.path.isfile(os.path.join(p, "CMakeLists.txt"))]


def slug(device):
    return re.sub(r"[^a-z0-9]+", "-", device["name"].lower()).strip("-")


def build(stage, package, nvcc):
    """The package's benchmark program; None when it cannot be built."""
    name, folder = os.path.basename(package), stage.path("build", os.path.basename(package))
    steps = [
        ["cmake", "-S", package, "-B", folder, "-DCMAKE_BUILD_TYPE=Release"],
        ["cmake", "--build", folder, "-j", str(os.cpu_count())],
    ]
    for i, argv in enumerate(steps):
        log = stage.path("log", f"{name}_build{i}.txt")
        if stage.run(argv, log, 240, env={**os.environ, "CUDACXX": nvcc}) != 0:
            stage.found(f"{name}: cannot be built: {tail(log)}")
            return None
    for folder, _, files in os.walk(folder):
        for f in files:
            path = os.path.join(folder, f)
            if re.fullmatch(rf"({re.escape(name)}_)?bench", f) and os.access(path, os.X_OK):
                return path
    stage.found(f"{name}: has no benchmark program")
    return None


def rows(path):
    """JSON lines among what the benchmark prints."""
    found = []
    with open(path, errors="replace") as f:
        for line in f:
            if line.startswith("{"):
                try:
                    found.append(json.loads(line))
                except ValueError:
                    pass
    return found


def bench_one(stage, package, device, nvcc, seconds):
    name = os.path.basename(package)
    program = build(stage, package, nvcc)
    if not program:
        return
    if not device:
        stage.say(f"{name}: its benchmark is built; there is no GPU to run it")
        return
    log = stage.path("tables", name + ".txt")
    code = stage.run([program, "--json"], log, seconds)
    shapes = rows(log)
    with open(stage.path("results", slug(device), name + ".json"), "w") as f:
        json.dump(
            {"schema": 1, "package": name, "device": device, "exit_code": code, "shapes": shapes},
            f,
            indent=1,
            sort_keys=True,
        )
    stage.write("bench", package=name, exit_code=code, shapes=len(shapes))
    if code not in (0, None):
        stage.found(f"{name}: its benchmark ends with exit code {code}: {tail(log)}")
    stage.say(f"{name}: {len(shapes)} shapes{' (stopped)' if code is None else ''}")


def bench(stage):
    device, nvcc = environment.look(stage)
    wanted = packages(stage)
    if not wanted:
        stage.missing(f"no packages in {os.path.join(stage.options.out, 'tune', 'packages')}: run the stage tune first")
    if not nvcc:
        return
    for i, package in enumerate(wanted):
        share = (stage.left() - 5) / (len(wanted) - i)
        if share < LEAST_S:
            stage.say(f"no time for {len(wanted) - i} of {len(wanted)} packages")
            return
        bench_one(stage, package, device, nvcc, share)
