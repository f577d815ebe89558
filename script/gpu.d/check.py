# SPDX-License-Identifier: Apache-2.0
"""check: every template x data type x layout on awkward shapes, on the GPU and in the emulator, each against the
reference; a disagreement between the two is a finding of its own. Then compute-sanitizer on a sample."""

import concurrent.futures
import json
import os
import subprocess

import environment
from runner import Gone, Runner, line_file
from stage import tail

# M, N, K: ones, primes, tiles and one more or less, no product at all, and one of a real model.
SHAPES = [
    (1, 1, 1),
    (3, 5, 0),
    (2, 3, 5),
    (5, 17, 33),
    (8, 96, 64),
    (1, 768, 768),
    (15, 63, 31),
    (16, 64, 128),
    (17, 65, 129),
    (64, 64, 64),
    (65, 127, 257),
    (127, 255, 193),
    (128, 128, 512),
    (129, 131, 137),
    (200, 1000, 257),
    (80, 768, 768),
]
SMALL_SHAPES = [(5, 17, 33), (65, 127, 257)]  # for the sanitizer, which is slow
DTYPES = ["f32", "tf32", "f16", "bf16"]
LAYOUTS = [("NK", False), ("KN", False), ("NK", True), ("KN", True)]
SPEC = """name   = "check_{name}";
op     = "dense";
dtype  = "{dtype}";
dims   = {{ T = {{ min = 1; max = 8; }}; }};
shapes = ( {{ M = "16*T"; N = 768; K = 768; }} );
epilogue = ["bias"];
layout = {{ W = "{layout}"; packed = {packed}; }};
"""
SANITIZER_TOOLS = ["memcheck", "racecheck"]
COMPILE_S, SILENCE_S, LEAST_S, SANITIZER_S = 120, 60, 40, 120


def request(shape):
    """A measure request of the op dense that takes no times. The emulator spreads blocks over so many threads."""
    m, n, k = shape
    return {
        "extent": [m, n, k],
        "elems": [m * k, n * k, n, m * n],
        "rows": m,
        "row_elems": n,
        "threads": min(os.cpu_count() or 1, 64),
        "repeats": 0,
        "sample_ns": 0.0,
        "max_ns": 0.0,
        "hot": True,
    }


def candidates(stage, spec, target):
    """What dcgen would compile for this spec: {"reference", "setup", "candidates"}; or None, and why."""
    o = stage.options
    argv = [
        o.dcgen,
        "check",
        spec,
        "--target",
        target,
        "--dump",
        "source",
        "--json",
        "--trials",
        str(o.sample),
        "--seed",
        "1",
    ]
    done = subprocess.run(argv, stdin=subprocess.DEVNULL, capture_output=True, timeout=max(1, stage.left()))
    if done.returncode != 0:
        return None, done.stderr.decode(errors="replace").strip()
    return json.loads(done.stdout), ""


# ---- compiling


def compile_one(stage, compiler, flags, text, suffix, stem):
    """The shared object; None with the compiler's words."""
    source, product, log = (
        stage.path("work", stem + suffix),
        stage.path("work", stem + ".so"),
        stage.path("work", stem + ".log"),
    )
    with open(source, "w") as f:
        f.write(text)
    code = stage.run([compiler, *flags, "-o", product, source], log, COMPILE_S)
    return (product, "") if code == 0 else (None, tail(log))


def compile_all(stage, name, source, nvcc):
    """Kernels with "so" and "emu_so", those that compile; each failure is a finding."""
    o, kernels = stage.options, []

    def both(c):
        made = {"key": c["key"], "template": c["template"], "params": c["params"]}
        for field, compiler, flags in (("so", nvcc, c["nvcc"]), ("emu_so", o.cxx, c["emulator"])):
            made[field], why = (
                (None, "no compiler")
                if not compiler
                else compile_one(stage, compiler, flags, c["code"], ".cu", f"{name}_{c['key']}_{field}")
            )
            if why and compiler and stage.left() > 1:
                stage.found(
                    f"{name}: {c['template']} does not compile: {why}",
                    key=c["key"],
                    params=c["params"],
                    compiler=compiler,
                )
        return made

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for made in pool.map(both, source["candidates"]):
            kernels.append(made)
    return kernels


# ---- running


def run_on(stage, name, argv, setup, kernels, field, shapes):
    """Results by shape and key, of as many shapes as there is time for; none when the runner does not start."""
    usable, results = [{"key": k["key"], "so": k[field]} for k in kernels if k[field]], {}
    if not argv or not usable:
        return results
    try:
        runner = Runner(argv, setup, stage.path("work", f"{name}_{field}.err"), SILENCE_S)
    except (Gone, OSError) as problem:
        stage.missing(f"{name}: {os.path.basename(argv[0])} does not start: {problem}")
        return results
    try:
        for shape in shapes:
            if stage.left() < LEAST_S / 2:
                stage.say(f"{name}: {os.path.basename(argv[0])}: no time for the shapes from {shape} on")
                break
            results[shape] = runner.measure(request(shape), usable)
    except Gone as problem:
        stage.found(f"{name}: {os.path.basename(argv[0])}: {problem}")
    finally:
        runner.close()
    return results


def compare(stage, name, kernel, shape, gpu, emu):
    """What the two say of one kernel on one shape; None: was not run there."""
    fields = {
        "spec": name,
        "key": kernel["key"],
        "template": kernel["template"],
        "params": kernel["params"],
        "shape": shape,
        "gpu": gpu,
        "emulator": emu,
    }
    stage.write("check", **fields)
    says = {side: r["status"] for side, r in (("GPU", gpu), ("emulator", emu)) if r}
    what = f"{name}: {kernel['template']} {kernel['key'][:8]} on {shape}"
    if len(set(says.values())) > 1:
        why = "; ".join(f"{side} {r['status']} {r.get('why', '')}" for side, r in (("GPU", gpu), ("emulator", emu)))
        stage.found(f"{what}: GPU and emulator disagree: {why}", **fields)
    elif says and set(says.values()) != {"ok"}:
        stage.found(f"{what}: {next(iter(says.values()))}: {(gpu or emu).get('why', '')}", **fields)


def strip(result):
    return {k: result[k] for k in ("status", "max_err", "why") if k in result} if result else None


def check_spec(stage, name, source, nvcc, device, shapes):
    """One data type and layout: compile, run on both sides, compare. For the sanitizer: (name, setup, kernels)."""
    o = stage.options
    reference, why = compile_one(
        stage, o.cc, source["reference"]["flags"], source["reference"]["code"], ".c", name + "_reference"
    )
    if not reference:
        stage.found(f"{name}: the reference does not compile: {why}")
        return None
    setup = {**source["setup"], "cmd": "setup", "reference": reference}
    kernels = compile_all(stage, name, source, nvcc)
    sides = [(o.runner_cuda if device else None, "so"), (o.runner_emu, "emu_so")]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        on_gpu, on_emu = pool.map(lambda side: run_on(stage, name, side[0], setup, kernels, side[1], shapes), sides)
    nright = 0
    for shape in shapes:
        for k in kernels:
            gpu, emu = strip(on_gpu.get(shape, {}).get(k["key"])), strip(on_emu.get(shape, {}).get(k["key"]))
            if gpu or emu:
                compare(stage, name, k, shape, gpu, emu)
                nright += all(r["status"] == "ok" for r in (gpu, emu) if r)
    stage.say(
        f"{name}: {len(kernels)} kernel{'s'[len(kernels) == 1:]}; {len(on_gpu)} shapes on the GPU, "
        f"{len(on_emu)} in the emulator; {nright} right"
    )
    return name, setup, kernels


# ---- compute-sanitizer


def find_sanitizer():
    return environment.find_program("compute-sanitizer")


def sanitize(stage, name, setup, kernels):
    """One kernel a template, under each tool. The runner's own exit codes are not the tool's."""
    sample = list({k["template"]: {"key": k["key"], "so": k["so"]} for k in kernels if k["so"]}.values())
    for tool in SANITIZER_TOOLS:
        if stage.left() < LEAST_S / 2 or not sample:
            return
        log = stage.path("sanitizer", f"{name}_{tool}.txt")
        lines = [setup] + [
            {**request(s), "cmd": "measure", "id": i, "kernels": sample} for i, s in enumerate(SMALL_SHAPES)
        ]
        stdin = line_file(stage.path("work", f"{name}_{tool}.jsonl"), lines)
        argv = [
            find_sanitizer(),
            "--tool",
            tool,
            "--error-exitcode",
            "99",
            *stage.options.runner_cuda,
            "--timer",
            "events",
            "--deadline",
            "300",
        ]
        code = stage.run(argv, log, SANITIZER_S, stdin=stdin)
        os.close(stdin)
        stage.write("sanitizer", spec=name, tool=tool, exit_code=code, kernels=[k["key"] for k in sample])
        if code is None:
            stage.say(f"{name}: {tool} was stopped: no time")
        elif code == 99:
            stage.found(f"{name}: {tool}: {tail(log)}")
        elif code != 0:
            stage.missing(f"{name}: {tool} does not work here: {tail(log)}")
        else:
            stage.say(f"{name}: {tool}: {len(sample)} kernels, nothing")


# ----


def check(stage):
    device, nvcc = environment.look(stage)
    target = device["isa"][0] if device else "sm_90a"
    sanitizer_s = min(SANITIZER_S, 0.25 * stage.left()) if device and find_sanitizer() else 0
    if device and not find_sanitizer():
        stage.missing("compute-sanitizer is not installed")
    specs, checked = [(d, w, p) for d in DTYPES for w, p in LAYOUTS], []
    for i, (dtype, layout, packed) in enumerate(specs):
        if stage.left() < LEAST_S + sanitizer_s:
            stage.say(f"no time for {len(specs) - i} of {len(specs)} combinations")
            break
        name = f"{dtype}_{layout}{'_packed' if packed else ''}"
        path = stage.path("work", name + ".cfg")
        with open(path, "w") as f:
            f.write(SPEC.format(name=name, dtype=dtype, layout=layout, packed="true" if packed else "false"))
        source, why = candidates(stage, path, target)
        if not source:
            stage.missing(f"{name}: dcgen has no candidates: {why}")
            continue
        shapes = [s for s in SHAPES if s[2] > 0 or not packed]  # nothing can be packed of nothing
        checked.append(check_spec(stage, name, source, nvcc, device, shapes))
    for done in filter(None, checked if sanitizer_s else []):
        sanitize(stage, *done)
