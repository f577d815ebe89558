# SPDX-License-Identifier: Apache-2.0
"""bench: a package that tune made, against cublasLt as it comes and the best of its algorithms. While
its program is compiled, the GPU checks what check has left."""

import glob
import json
import os
import re
import sysconfig
import time

import check
import journal
from specs import name_of
from stage import tail

LEAST_S, BUILD_S, END_S = 20, 240, 5
NEED_S = LEAST_S + 15  # with less, it does not begin: most of it is compiling
LATE = ""  # in place of programs
VENDOR = ["nvidia/cu13", "nvidia/cublas", "nvidia/cuda_runtime"]  # in Python packages


def build_steps(package, folder, jobs, targets=(), options=()):
    """The commands that make a package's programs, or these of them."""
    make = ["cmake", "--build", folder, "-j", str(jobs), *(word for t in targets for word in ("--target", t))]
    return [["cmake", "-S", package, "-B", folder, "-DCMAKE_BUILD_TYPE=Release", *options], make]


def python_folders():
    """Where Python packages of this machine may lie: of our own Python, and of usual environments."""
    found = [sysconfig.get_paths()["purelib"]]
    for pattern in (
        "/opt/*/.venv",
        "/opt/venv",
        "/opt/conda",
        "/usr/local",
        os.environ.get("VIRTUAL_ENV") or "/nowhere",
    ):
        found += glob.glob(os.path.join(pattern, "lib/python3*/*-packages"))
    return list(dict.fromkeys(found))


def vendor_environment(nvcc):
    """Environment by which CMake finds cublasLt's header, and a benchmark cublasLt, where the toolkit lacks it and a
    Python package has it."""
    toolkit = os.path.dirname(os.path.dirname(os.path.realpath(nvcc)))
    name = "libcublasLt.so.*"
    if any(glob.glob(os.path.join(toolkit, lib, name)) for lib in ("lib64", "lib", "targets/*/lib")):
        return {}
    places = [os.path.join(p, v) for p in python_folders() for v in VENDOR]
    folders = [os.path.join(p, "lib") for p in places if glob.glob(os.path.join(p, "lib", name))]
    if not folders:
        return {}
    include = [os.path.join(p, "include") for p in places if os.path.isdir(os.path.join(p, "include"))]
    paths = {"LD_LIBRARY_PATH": folders, "CMAKE_INCLUDE_PATH": include, "CPATH": include}
    return {name: ":".join(filter(None, [os.environ.get(name), *more])) for name, more in paths.items()}


def programs_in(folder, name, wanted):
    """{name of a table: path}: programs whose names are so."""
    found = {}
    for where, _, files in os.walk(folder):
        for f in sorted(files):
            path = os.path.join(where, f)
            if re.fullmatch(wanted, f) and os.access(path, os.X_OK):
                found[f[: -len("_bench")] or name] = path
    return found


def build(stage, package, env, program=None):
    """The package's benchmark programs, or this program of it: {} when they cannot be built, LATE when the time was over.
    The GPU is busy with check until they are there."""
    name, folder = os.path.basename(package), stage.path("build")
    end = min(stage.end, time.monotonic() + BUILD_S)
    filler = stage.session.open_stage("check", stage.left()) if stage.session.device else None
    for i, argv in enumerate(build_steps(package, folder, os.cpu_count(), [program] if program else [])):
        log = stage.log(f"{stage.name} build{i}.txt")
        process = stage.start(argv, log, env=env)
        if process and filler and not stage.session.is_complete("check", True):
            check.check(filler, stop=lambda p=process: p.poll() is not None)
        code = stage.wait(process, end) if process else -1
        if code is None:
            stage.say(f"{name}: no time to build {program or 'its benchmark'}")
            return LATE
        if code != 0:
            stage.found(f"{name}: cannot be built: {tail(log)}")
            return {}
    programs = programs_in(folder, name, program or r"(\w+_)?bench")
    if not programs:
        stage.missing(f"{name}: has no {program or 'benchmark program'}")
    return programs


def rows(path):
    """JSON lines among what the benchmark prints."""
    found = []
    with open(path, errors="replace") as f:
        for line in f:
            if line.startswith("{"):
                try:
                    found.append(journal.value(line))
                except ValueError:
                    pass
    return found


def measure(stage, name, table, seconds, program, env):
    """The table and its figures. Whether it is done: a table that was cut off is tried once more."""
    log, session = stage.kept("tables", table + ".txt"), stage.session
    began = time.monotonic()
    code = stage.run([program, "--json", "--seconds", str(seconds)], log, seconds + 10, env=env)
    figures = {"schema": 1, "package": name, "device": session.device, "exit_code": code, "shapes": rows(log)}
    with open(stage.kept("tables", table + ".json"), "w") as f:
        json.dump(figures, f, indent=1, sort_keys=True)
    tuned = session.is_complete("tune " + name, False)  # else a better package may come
    stage.write("bench", package=name, table=table, exit_code=code, shapes=len(figures["shapes"]), tuned=tuned)
    if code not in (0, None):
        stage.found(f"{table}: its benchmark ends with exit code {code}: {tail(log)}")
    stage.say(
        f"{table}: {len(figures['shapes'])} shapes{' (stopped)' if code is None else ''}: {tail(log, 1)[:200]}"
    )
    was_cut = code is None or time.monotonic() - began >= seconds
    return tuned and (not was_cut or len(stage.before("bench", table=table, tuned=True)) > 1)


def measure_all(stage, name, programs, env):
    """Each in its part of the time. Whether all are done."""
    done = True
    for i, (table, program) in enumerate(programs.items()):
        seconds = int((stage.left() - END_S - 10) / (len(programs) - i))
        done = measure(stage, name, table, max(1, seconds), program, env) and done
    return done


def built(stage, spec, program=None):
    """The folder of the package that tune made, and what build() gives of it; None: there is nothing to build, or no nvcc."""
    name, tools, what = name_of(spec), stage.session.tools, "program" if program else "benchmark"
    package = stage.kept("packages", name)
    if not os.path.isfile(os.path.join(package, "CMakeLists.txt")):
        stage.say(f"{name}: there is no package yet: tune makes it")
    elif not tools.nvcc:
        stage.missing(f"nvcc is not installed: no {what} can be built")
    else:
        env = {**os.environ, "CUDACXX": tools.nvcc, **vendor_environment(tools.nvcc)}
        programs = build(stage, package, env, program)
        if programs and not stage.session.device:
            stage.say(f"{name}: its {what} is built; there is no GPU to run it")
        return package, programs, env
    return None


def bench(stage, spec):
    name, session = name_of(spec), stage.session
    _, programs, env = built(stage, spec) or (None, LATE, None)
    if programs == LATE:
        return
    if programs and session.device and (stage.left() < LEAST_S or not measure_all(stage, name, programs, env)):
        return
    stage.complete()
