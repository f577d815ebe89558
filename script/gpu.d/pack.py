# SPDX-License-Identifier: Apache-2.0
"""pack: everything that the machine with the GPU needs, made here, in one folder: pack.tgz (one file, so that
nothing loses its permissions on the way), manifest.json, timing.json and script/gpu itself. What is there
already is not made again: beside DIR, DIR.work keeps all products, by the hash of what they are made of."""

import concurrent.futures
import glob
import gzip
import hashlib
import io
import json
import os
import re
import resource
import shutil
import subprocess
import sys
import tarfile
import threading
import time

import archive
import bench
import journal
import primitives
from check import serving
import models
from combos import combos, request, shape_name
from runner import Gone, Runner
from session import lock
from specs import is_model, specs
from stage import tail
from tools import PROGRAMS, Tools
from tune import OFFLINE

UNSERVED = "refuses these extents (-1)"  # a runner's words where a kernel does not serve a call: no fault
TARGET = "sm_90a"  # what a borrowed GPU is likely to be
LIMIT = 42 << 20  # bytes: with the tree and an archive of 15 MiB below 64 MiB, which a loan may take in
DEVICE, SOURCES = ["device", os.path.join("device", "emulator")], ("primitives.py", ".cu", ".cuh", ".h")
QUIETLY = ["--no-report", "--progress", "none", "-q"]
REHEARSAL = [*OFFLINE, *QUIETLY]


def sha(*parts):
    h = hashlib.sha256()
    for p in parts:
        h.update(p if isinstance(p, bytes) else str(p).encode())
        h.update(b"\0")
    return h.hexdigest()[:32]


def content(path):
    with open(path, "rb") as f:
        return f.read()


def cpu_s():
    """Seconds of a core that the programs took that we have started; unlike the clock's, they do not tell of
    neighbours."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def save(path, value):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    archive.replace(path, json.dumps(value, indent=1, sort_keys=True).encode())


def load(path, otherwise=None):
    try:
        with open(path) as f:
            return journal.value(f.read())
    except (OSError, ValueError):
        return otherwise


class Unmade(Exception):
    """The pack cannot be made, and why."""


class Maker:
    def __init__(self, o):
        self.o, self.out, self.work = o, o.out, o.out + ".work"
        os.makedirs(self.out, exist_ok=True)
        os.makedirs(self.work, exist_ok=True)
        lock(self.work)
        self.specs = specs(o.spec, o.root, os.path.join(self.work, "specs"))
        self.tools = Tools(o.root, o.portable)
        if self.tools.lacks():
            raise Unmade(f"{self.tools.lacks()} is not there: script/build portable makes it")
        if not (self.tools.nvcc and self.tools.cc and self.tools.cxx):
            raise Unmade("nvcc, a C and a C++ compiler are needed")
        self.timing_path = os.path.join(self.work, "timing.json")
        self.timing = load(self.timing_path, {})
        self.files = {}  # name in the pack -> path here
        self.nwrong = 0
        self.compiling = {}  # a lock for each object

    def path(self, *names):
        path = os.path.join(self.work, *names)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        return path

    def say(self, text):
        print(f"pack: {text}", file=sys.stderr, flush=True)

    def wrong(self, text):
        self.nwrong += 1
        self.say("FOUND: " + text)

    def took(self, what, seconds, n):
        """Seconds for each of n that were made now; of those made before the older figure stays."""
        if n:
            self.timing[what] = round(seconds / n, 2)
            save(self.timing_path, self.timing)

    def add(self, name, path):
        self.files[name] = path

    def add_tree(self, name, folder):
        for where, folders, files in os.walk(folder):
            folders[:] = sorted(f for f in folders if f != "__pycache__")
            for f in sorted(files):
                path = os.path.join(where, f)
                self.add(os.path.join(name, os.path.relpath(path, folder)), path)

    def run(self, argv, log, most_s=None, env=None):
        """The exit code; a program's words go to log."""
        with open(log, "wb") as out:
            try:
                return subprocess.run(
                    argv,
                    stdin=subprocess.DEVNULL,
                    stdout=out,
                    stderr=subprocess.STDOUT,
                    timeout=most_s,
                    env=env,
                ).returncode
            except (OSError, subprocess.TimeoutExpired) as problem:
                out.write(str(problem).encode())
                return None


# ---- compiling


def compile_object(m, compiler, version, flags, text, suffix):
    """(path, why not, made now). The same text, flags and compiler are compiled once, whoever else wants it."""
    stem = m.path("so", sha(version, *flags, text))
    with m.compiling.setdefault(stem, threading.Lock()):
        if os.path.exists(stem + ".so"):
            return stem + ".so", "", False
        with open(stem + suffix, "w") as f:
            f.write(text)
        if m.run([compiler, *flags, "-o", stem + ".part", stem + suffix], stem + ".log", 300) != 0:
            return None, tail(stem + ".log"), False
        if shutil.which("strip"):
            m.run(["strip", stem + ".part"], os.devnull)
        os.replace(stem + ".part", stem + ".so")
        return stem + ".so", "", True


def candidates(m, name, text):
    """What dcgen would compile for this spec: {"reference", "setup", "candidates"}; None: it has none."""
    path = m.path("check", name + ".cfg")
    with open(path, "w") as f:
        f.write(text)
    ask = ["--target", TARGET, "--dump", "source", "--json", "--trials", str(m.o.sample), "--seed", "1"]
    done = subprocess.run([m.tools.dcgen, "check", path, *ask], stdin=subprocess.DEVNULL, capture_output=True)
    if done.returncode != 0:
        m.wrong(f"{name}: dcgen has no candidates: {done.stderr.decode(errors='replace').strip()}")
        return None
    return json.loads(done.stdout)


def compile_all(m, sources):
    """Objects of all candidates for the GPU and for the emulator: {(name, key, side): path}."""
    jobs, t = [], m.tools
    for name, source in sources.items():
        jobs += [(name, c, "nvcc") for c in source["candidates"]]
    for name, source in sources.items():
        jobs += [(name, c, "emulator") for c in source["candidates"]]
    emulator = os.path.join(m.o.root, "templates", "device", "emulator")
    headers = [content(os.path.join(emulator, f)) for f in sorted(os.listdir(emulator))]
    version = {"nvcc": t.nvcc_version(), "emulator": sha(t.cxx, *headers)}
    compiler = {"nvcc": t.nvcc, "emulator": t.cxx}

    def one(job):
        name, c, side = job
        return (name, c["key"], side), compile_object(
            m, compiler[side], version[side], c[side], c["code"], ".cu"
        )

    objects = {}
    with concurrent.futures.ThreadPoolExecutor(m.o.jobs) as pool:
        for side, what in (("nvcc", "nvcc_cpu_s"), ("emulator", "emulator_cxx_cpu_s")):
            before, nmade = cpu_s(), 0
            for (name, key, _), (path, why, made) in pool.map(one, [j for j in jobs if j[2] == side]):
                objects[name, key, side] = path
                nmade += made
                if not path:
                    m.wrong(f"{name}: {key} does not compile by {compiler[side]}: {why}")
            m.took(what, cpu_s() - before, nmade)
            m.say(f"{sum(j[2] == side for j in jobs)} candidates by {compiler[side]}, {nmade} of them now")
    return objects


# ---- what the emulator says


def verdicts(m, combo, source, reference, objects):
    """{shape: {key: {"status", "why"}}}, kept from one pack to the next."""
    name, shapes = combo["name"], combo["shapes"]
    kernels = [{"key": c["key"], "so": objects[name, c["key"], "emulator"]} for c in source["candidates"]]
    kernels = [k for k in kernels if k["so"]]
    path = m.path("check", name + ".verdicts.json")
    asked = [request(combo, s) for s in shapes]
    identity = sha(reference, content(m.tools.runner_emu[0]), asked, *(k["so"] for k in kernels))
    kept = load(path, {})
    if kept.get("of") == identity:
        return kept["verdicts"]
    began, found = time.monotonic(), {}
    setup = {**source["setup"], "cmd": "setup", "reference": reference}
    runner = Runner(m.tools.runner_emu, setup, m.path("log", name + "_emulator.txt"), 600)
    try:
        for shape in shapes:
            results = {}
            runner.measure(request(combo, shape, m.o.jobs), kernels, results)
            found[shape_name(shape)] = {
                key: {k: r[k] for k in ("status", "why") if k in r} for key, r in results.items()
            }
    finally:
        runner.close()
    m.took("emulator_s", time.monotonic() - began, sum(len(v) for v in found.values()))
    save(path, {"of": identity, "verdicts": found})
    return found


def add_object(m, path):
    """One object of the pack; what is the same is there once."""
    name = f"check/so/{sha(content(path))}.so"
    m.add(name, path)
    return name


def check_part(m):
    """check/combos.json and the objects that it names."""
    wanted = combos(m.o.only)
    sources = {c["name"]: candidates(m, c["name"], c["text"]) for c in wanted}
    sources = {name: s for name, s in sources.items() if s}
    objects, packed = compile_all(m, sources), []
    for combo in wanted:
        name, source = combo["name"], sources.get(combo["name"])
        if not source:
            continue
        ref = source["reference"]
        flags = ref["flags"] if "-shared" in ref["flags"] else [*ref["flags"], "-shared"]
        reference, why, _ = compile_object(m, m.tools.cc, m.tools.cc, flags, ref["code"], ".c")
        if not reference:
            raise Unmade(f"{name}: the reference does not compile: {why}")
        try:
            expected = verdicts(m, combo, source, reference, objects)
        except Gone as problem:
            m.wrong(f"{name}: dcgen-runner-emu: {problem}")
            expected = {}
        unserved = {
            s: [k for k, v in of.items() if v.get("why", "").endswith(UNSERVED)] for s, of in expected.items()
        }
        for s, of in expected.items():
            if len(unserved[s]) == len(of):
                m.wrong(f"{name}: none of its candidates serves {s}")
        expected = {
            s: {k: v for k, v in of.items() if k not in unserved[s]} for s, of in expected.items()
        }
        nwrong = sum(v["status"] != "ok" for of in expected.values() for v in of.values())
        if nwrong:
            m.wrong(f"{name}: the emulator finds {nwrong} verdicts wrong (they go along as expected results)")
        kernels = [
            {
                **{k: c[k] for k in ("key", "template", "params")},
                "so": add_object(m, objects[name, c["key"], "nvcc"]),
            }
            for c in source["candidates"]
            if objects[name, c["key"], "nvcc"]
        ]
        setup = {**source["setup"], "cmd": "setup", "reference": add_object(m, reference)}
        packed.append(
            {**combo, "setup": setup, "kernels": kernels, "expected": expected, "unserved": unserved}
        )
        m.say(
            f"{name}: {len(kernels)} candidates, {sum(map(len, expected.values()))} verdicts of the emulator"
        )
    m.timing["checks"] = sum(len(serving(c, s)) for c in packed for s in c["shapes"])
    save(m.path("combos.json"), packed)
    m.add("check/combos.json", m.path("combos.json"))


def primitives_part(m):
    """Objects, inputs and the emulator's outputs of the microtests, made again when their sources are
    others."""
    folder, sources = m.path("primitives", "x")[:-2], []
    for where in (
        os.path.dirname(os.path.abspath(__file__)),
        *(os.path.join(m.o.root, "templates", d) for d in DEVICE),
    ):
        sources += [content(os.path.join(where, f)) for f in sorted(os.listdir(where)) if f.endswith(SOURCES)]
    identity = sha(content(m.tools.runner_emu[0]), m.tools.nvcc_version(), *sources)
    if m.timing.get("primitives_of") != identity:
        m.tools.target, began = TARGET, time.monotonic()
        problems = primitives.build(folder, m.tools)
        for problem in problems:
            m.wrong(f"primitives: {problem}")
        if not problems:
            m.timing["primitives_of"] = identity
        m.say(f"microtests of the primitives are made in {time.monotonic() - began:.0f} s")
    m.add_tree("primitives", folder)
    m.files.pop("primitives/primitives_emulator.so", None)


# ---- first candidates of tune


def builds_part(m):
    """The cache of compiled candidates that a search begins with (dcgen build)."""
    if not m.tools.dcgen_takes("--builds", "build"):
        m.say("left out: this dcgen keeps no builds: tune compiles all candidates there")
        return
    folder = m.path("builds", "x")[:-2]
    for spec in m.specs:
        argv = [m.tools.dcgen, "build", spec, "-t", TARGET, "--trials", str(m.o.trials)]
        argv += m.tools.compiling("build", folder)
        log, before = m.path("log", "build_" + os.path.basename(spec) + ".txt"), len(os.listdir(folder))
        if m.run([*argv, "-j", str(m.o.jobs)], log) != 0:
            m.wrong(f"dcgen build {os.path.basename(spec)}: {tail(log)}")
        m.say(f"{os.path.basename(spec)}: {len(os.listdir(folder)) - before} new builds: {tail(log, 1)}")
    m.timing["specs"] = len(m.specs)
    m.timing["builds"] = sum(len(files) for _, _, files in os.walk(folder))
    m.add_tree("builds", folder)


# ---- models


def import_model(m, log, path, folder, ranges):
    """NAME.cfg and NAME.safetensors in the folder: the former; None: it cannot be imported."""
    argv = [m.tools.dcgen, "import", *(word for r in ranges for word in ("--dim", r)), "-o", folder, path]
    if m.run(argv, log) == 0:
        return os.path.join(folder, os.path.basename(path).split(".")[0] + ".cfg")
    m.wrong(f"{path}: {tail(log)}")
    return None


def build_model(m, log, spec, name):
    """The folder with the model's programs and their library; None: they cannot be built."""
    package, build = m.path("models", name, "package"), m.path("models", name, "build")
    trials = 4 * content(spec).count(b'op = "')  # of all functions together: the first kernel of one may spill
    made = [m.tools.dcgen, spec, "--target", TARGET, "--offline", "--trials", str(trials), *QUIETLY, "-o", package]
    made += m.tools.compiling("generate", None)
    programs = bench.build_steps(package, build, m.o.jobs, models.programs_of(name), ["-DBUILD_SHARED_LIBS=ON"])
    for argv in [made, *programs]:
        if m.run(argv, log, 1200, {**os.environ, "CUDACXX": m.tools.nvcc}) != 0:
            m.wrong(f"models: {name}: {tail(log)}")
            return None
    return build


def small_model(m, name):
    """Its programs, weights, and pairs of inputs and outputs."""
    folder, log = m.path("models", name, "x")[:-2], m.path("log", f"model_{name}.txt")
    files = sorted(glob.glob(os.path.join(m.o.root, "tests", "models", f"{name}_small.*")))
    sources = [os.path.join(where, f) for where, _, names in os.walk(os.path.join(m.o.root, "templates")) for f in names]
    identity = sha(m.tools.nvcc_version(), *(content(path) for path in [m.tools.dcgen, *files, *sorted(sources)]))
    if m.timing.get("model_" + name) != identity:
        spec = import_model(m, log, next(f for f in files if f.endswith(".onnx")), folder, models.RANGES)
        if not spec or not build_model(m, log, spec, name):
            return
        m.timing["model_" + name] = identity
        save(m.timing_path, m.timing)
        m.say(f"models: {name} is made")
    build = os.path.join(folder, "build")
    for program in models.programs_of(name):
        m.add(f"models/{name}/{program}", os.path.join(build, program))
    for library in glob.glob(os.path.join(build, "lib*.so.?")):
        m.add(f"models/{name}/{os.path.basename(library)}", library)
    m.add(f"models/{name}/weights.safetensors", os.path.join(folder, f"{name}_small.safetensors"))
    for path in files:
        pair = re.fullmatch(rf"{name}_small\.(\d+)\.safetensors", os.path.basename(path))
        if pair:
            m.add(f"models/{name}/pair{pair[1]}.safetensors", path)


def full_model(m, name):
    """The spec, which lies beside pack.tgz; None: the model is not there."""
    found = sorted(glob.glob(os.path.join(m.o.root, "out", "models", f"{name}_full.*.onnx")))
    if not found:
        m.say(f"left out: a whole model: script/models {name} makes it")
        return None
    return import_model(m, m.path("log", f"model_{name}_full.txt"), found[0], m.path("models", "x")[:-2], models.FULL[name])


def models_part(m):
    for name in m.o.model or ([] if m.o.spec else models.SMALL):
        small_model(m, name)
    shutil.rmtree(os.path.join(m.out, "models"), ignore_errors=True)
    made = [] if m.o.spec else list(filter(None, (full_model(m, name) for name in models.FULL)))
    for spec in made:
        os.makedirs(os.path.join(m.out, "models"), exist_ok=True)
        shutil.copy(spec, os.path.join(m.out, "models"))
    m.specs = made + m.specs


# ---- a rehearsal: a package is made and its benchmark built, as on the other machine


def rehearsal(m):
    spec, package = next((s for s in m.specs if not is_model(s)), None), m.path("rehearsal", "package")
    if not spec:
        return
    identity = sha(content(m.tools.dcgen), content(spec))
    if m.timing.get("rehearsal_of") == identity:
        return
    log = m.path("log", "rehearsal.txt")
    argv = [m.tools.dcgen, spec, "--target", TARGET, *REHEARSAL, "-o", package]
    if m.run([*argv, *m.tools.compiling("generate", None)], log, 600) != 0:
        m.wrong(f"rehearsal: no package: {tail(log)}")
        return
    shutil.rmtree(m.path("rehearsal", "build"), ignore_errors=True)
    before = cpu_s()
    for argv in bench.build_steps(package, m.path("rehearsal", "build"), m.o.jobs):
        if m.run(argv, log, 300, {**os.environ, "CUDACXX": m.tools.nvcc}) != 0:
            m.wrong(f"rehearsal: the benchmark cannot be built: {tail(log)}")
            return
    m.took("bench_build_cpu_s", cpu_s() - before, 1)
    m.timing["rehearsal_of"] = identity
    m.say(f"rehearsal: a package's benchmark is built in {m.timing['bench_build_cpu_s']} s of a core")


# ---- putting it together


def programs_part(m):
    for name in PROGRAMS:
        m.add("bin/" + name, m.tools.program[name])
    for top in ("templates", "specs"):
        m.add_tree(top, os.path.join(m.o.root, top))


def needs(data):
    """The latest glibc and libstdc++ whose symbols these objects ask for."""
    latest = {}
    for d in data:
        if d[:4] == b"\x7fELF":
            for lib, number in re.findall(rb"(GLIBC|GLIBCXX)_(\d+(?:\.\d+)+)", d):
                key = tuple(map(int, number.split(b".")))
                latest[lib.decode()] = max(latest.get(lib.decode(), ()), key)
    return {lib: ".".join(map(str, n)) for lib, n in sorted(latest.items())}


def write_pack(m):
    """pack.tgz and what describes it. The same content gives the same bytes."""
    data = {name: content(path) for name, path in sorted(m.files.items())}
    hashes = {name: hashlib.sha256(d).hexdigest() for name, d in data.items()}
    manifest = {"schema": 1, "id": sha(*hashes.items()), "target": TARGET, "nvcc": m.tools.nvcc_version()}
    manifest.update({"needs": needs(data.values()), "files": hashes})
    data["manifest.json"] = json.dumps(manifest, sort_keys=True).encode()
    out = io.BytesIO()
    with gzip.GzipFile(fileobj=out, mode="wb", compresslevel=9, mtime=0) as z, tarfile.open(
        fileobj=z, mode="w|"
    ) as t:
        for name, d in data.items():
            member = tarfile.TarInfo(name)
            member.size, member.mode = len(d), 0o755 if d[:4] == b"\x7fELF" or d[:2] == b"#!" else 0o644
            t.addfile(member, io.BytesIO(d))
    tgz = out.getvalue()
    archive.replace(os.path.join(m.out, "pack.tgz"), tgz)
    save(os.path.join(m.out, "manifest.json"), {**manifest, "sha256": hashlib.sha256(tgz).hexdigest()})
    m.timing.update({"pack_bytes": len(tgz), "nvcc": manifest["nvcc"], "jobs": m.o.jobs})
    return manifest, len(tgz)


def copy_script(m):
    """The folder works by itself: sh DIR/script/gpu."""
    for name in [
        "gpu",
        *(os.path.join("gpu.d", n) for n in os.listdir(os.path.join(m.o.root, "script", "gpu.d"))),
    ]:
        path, copy = os.path.join(m.o.root, "script", name), os.path.join(m.out, "script", name)
        if os.path.isfile(path):
            os.makedirs(os.path.dirname(copy), exist_ok=True)
            shutil.copy(path, copy)


def make(o):
    m = Maker(o)
    programs_part(m)
    check_part(m)
    primitives_part(m)
    models_part(m)
    builds_part(m)
    rehearsal(m)
    manifest, nbyte = write_pack(m)
    copy_script(m)
    began = time.monotonic()
    opened = Pack(m.out)
    opened.open(os.path.join(m.work, "tried"))
    m.timing["unpack_s"] = round(time.monotonic() - began, 2)
    shutil.rmtree(os.path.join(m.work, "tried"))
    save(m.timing_path, m.timing)
    save(os.path.join(m.out, "timing.json"), m.timing)
    needed = ", ".join(f"{lib} {n}" for lib, n in manifest["needs"].items()) or "no library"
    m.say(
        f"{m.out}: {nbyte / 2**20:.1f} MiB in {len(manifest['files'])} files; "
        f"programs need {needed}; {manifest['nvcc']}"
    )
    if nbyte > LIMIT:
        m.wrong(f"more than {LIMIT >> 20} MiB: take fewer candidates by --sample or --trials")
    return 1 if m.nwrong else 0


# ---- using it


class Pack:
    def __init__(self, folder):
        self.folder = folder
        self.manifest = load(os.path.join(folder, "manifest.json"))
        self.id = self.manifest.get("id") if isinstance(self.manifest, dict) else None
        if not self.id or not os.path.isfile(os.path.join(folder, "pack.tgz")):
            raise Unmade(f"there is no pack in {folder}: script/gpu pack makes it, before a GPU is borrowed")
        self.root = None

    def open(self, folder):
        """Unpacks it into folder, unless that was done; checks that nothing was changed on the way."""
        self.root, stamp = folder, os.path.join(folder, ".id")
        if not os.path.exists(stamp) or content(stamp).decode() != self.id:
            tgz = os.path.join(self.folder, "pack.tgz")
            if hashlib.sha256(content(tgz)).hexdigest() != self.manifest["sha256"]:
                raise Unmade(f"{tgz} is not the file that its manifest.json is of")
            shutil.rmtree(folder, ignore_errors=True)
            os.makedirs(folder)
            for name, data, mode in archive.members(tgz, modes=True):
                archive.put(folder, name, data, mode)
            archive.put(folder, ".id", self.id.encode())
        self.tools = Tools(folder, os.path.join(folder, "bin"))
        return self

    def path(self, *names):
        return os.path.join(self.root, *names)

    def has_small_models(self):
        return any(name.startswith("models/") for name in self.manifest["files"])

    def models(self):
        """Specs of whole models."""
        return sorted(glob.glob(os.path.join(self.folder, "models", "*.cfg")))
