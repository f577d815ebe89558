#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# ctest: label=slow thorough
#
# The microtests of script/gpu: each function of templates/device has one; the emulator's functions do what plain arithmetic says; and what a
# GPU does otherwise is found. Here an object stands in for the GPU's that spoils what the emulator's object gives.
# Where there is a GPU, it is asked too. Thorough: an emulator with mistakes is found too, and nvcc compiles all for each target that can have it.
. "$SRC/tests/cli/gpu.sh"

c++ --version >/dev/null 2>&1 || { echo "skipped: no c++, which compiles kernels for the emulator"; exit 77; }
[ -x "$BIN/dcgen-runner-emu" ] || { echo "skipped: no dcgen-runner-emu in this build"; exit 77; }
export ASAN_OPTIONS=detect_leaks=0:handle_segv=0
nvcc=$(command -v nvcc) || nvcc=/usr/local/cuda/bin/nvcc

# By the number of the test, and by the first word of its case's extent.
cat >"$tmp/spoil.c" <<'C'
#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>

static void *find(const char *name)
{
    static void *real;
    real = real ? real : dlopen(REAL, RTLD_NOW | RTLD_LOCAL);
    return real ? dlsym(real, name) : NULL;
}

int64_t dcgen_scratch(const int64_t *extent, int64_t ntask) { return ((int64_t (*)(const int64_t *, int64_t))find("dcgen_scratch"))(extent, ntask); }
int64_t dcgen_counters(const int64_t *extent) { return ((int64_t (*)(const int64_t *))find("dcgen_counters"))(extent); }

int dcgen_launch(const int64_t *extent, void *const *operand, void *scratch, void *counters, void *stream)
{
    int (*launch)(const int64_t *, void *const *, void *, void *, void *) =
        (int (*)(const int64_t *, void *const *, void *, void *, void *))find("dcgen_launch");
    const int code = launch(extent, operand, scratch, counters, stream);
    uint32_t *out = operand[1];
    switch (extent[0]) {
    case LDMATRIX_X4: out[5] ^= 1; break;
    case F16_TO_FLOAT: out[0x7c01] ^= 0x1234; break; /* another NaN: allowed */
    case BF16_OF: out[7] ^= 1; break;
    case F16_MMA: out[9] ^= 1; break; /* allowed, but where sums are exact */
    case TF32_MMA: out[20] ^= 0x800; break;
    case CP_WAIT: return extent[2] == 0 ? -7 : code;
    case SHFL_XOR: abort();
    default: break;
    }
    return code;
}
C

cat >"$tmp/test.py" <<'PY'
import json, os, re, shutil, subprocess, sys, time, types
src, build_dir, tmp, nvcc, thorough = sys.argv[1:6]
sys.dont_write_bytecode = True
sys.path.insert(0, src + "/script/gpu.d")
import hopper
import ladder
import primitives

failed = []
def expect(what, good):
    if not good:
        failed.append(what)
        print("FAILED:", what)

runner = [build_dir + "/dcgen-runner-emu", "--targets", src + "/templates/targets"]
folder = tmp + "/made"
tools = types.SimpleNamespace(root=src, cxx="c++", nvcc=None, runner_emu=runner)

# each function has a test, and cases
functions = {f[:-4] for f in os.listdir(src + "/templates/device") if f.endswith(".cuh")}
own = primitives.tests_of(src + "/script/gpu.d/primitives.cu")
tried = set(own) | {f for covered in hopper.COVERS.values() for f in covered} | set(hopper.PRODUCT_COVERS)
names = [*own, *hopper.names()]
made = primitives.cases(primitives.facts_of(src, "sm_90a"))
for name in functions ^ tried:
    expect(f"{name}: templates/device and the tests of script/gpu.d differ", False)
expect(f"a test without cases: {set(names) ^ {c.name for c in made}}", set(names) == {c.name for c in made})
expect("two cases have one name", len({c.file("in") for c in made}) == len(made))

on_rungs = [name for _, rung in ladder.RUNGS for name in rung]
expect(f"each on one rung: {sorted(on_rungs)}", sorted(on_rungs) == sorted(names))

# the emulator's functions against plain arithmetic
for problem in primitives.build(folder, tools):
    expect(problem, False)

# as the GPU's part of a run does it: what a stage of script/gpu offers, kept in memory
class Stage:
    def __init__(self, label, seconds):
        self.folder, self.end = f"{tmp}/{label}", time.monotonic() + seconds
        self.nfound, self.problem, self.lines, self.said = 0, False, [], []

    def left(self):
        return self.end - time.monotonic()

    def path(self, *names):
        path = os.path.join(self.folder, *names)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        return path

    def freshen(self):
        pass

    def write(self, kind, **fields):
        self.lines.append(json.dumps({"type": kind, **fields}))

    def say(self, text):
        self.said.append(text)

    def found(self, text, **fields):
        self.nfound += 1
        self.say("FOUND: " + text)

    def missing(self, text):
        self.problem = True
        self.say("left out: " + text)

def check(label, seconds=60, done=()):
    stage = Stage(label, seconds)
    stage.done = ladder.climb(stage, folder, runner, done)
    return stage, "\n".join(stage.lines), "\n".join(stage.said)

stage, lines, said = check("none")
expect("no object for the GPU: " + said, "left out: microtests: primitives.so is not there" in said and stage.problem)
for name in ("primitives", "hopper"):
    shutil.copy(f"{folder}/{name}_emulator.so", f"{folder}/{name}.so")
stage, lines, said = check("same")
expect("the same object: " + said, stage.nfound == 0 and f"{len(names)} of {len(names)} primitives as in the emulator ({len(made)} cases)" in said)
expect("a line a case", lines.count('"type": "primitive"') == len(made))
rungs = [name for name, _ in ladder.RUNGS]
expect("a line a rung, in order", stage.done and re.findall(r'"rung": "(\w+)"', lines) == rungs)
stage, lines, said = check("more", done=rungs[:-1])
expect("rungs that were done are not climbed again: " + said, stage.done and "1 of 1 primitives" in said and '"copies"' not in lines)
stage, lines, said = check("late", 1)
expect("no time: " + said, stage.nfound == 0 and not stage.done and "no time from" in said)

numbers = {n.upper(): i for i, n in enumerate(names)}
which = ["LDMATRIX_X4", "F16_TO_FLOAT", "BF16_OF", "F16_MMA", "TF32_MMA", "CP_WAIT", "SHFL_XOR"]
subprocess.run(["cc", "-shared", "-fPIC", "-w", "-o", folder + "/primitives.so", tmp + "/spoil.c", "-ldl",
                f'-DREAL="{folder}/primitives_emulator.so"', *(f"-D{n}={numbers[n]}" for n in which)], check=True)
stage, lines, said = check("spoiled")
found = [l for l in said.splitlines() if l.startswith("FOUND")]
for text in ("ldmatrix_x4, any: word 5 is", "bf16_of, edges: word 7 is", "f16_mma, integers: word 9 is",
             "tf32_mma, normal: word 20 is", "cp_wait, left_0: invalid: refuses", "shfl_xor, any: crashed: killed by signal 6"):
    expect(f"not found: {text}: {found}", sum(text in l for l in found) == 1)
expect(f"found too much: {found}", all("f16_to_float" not in l and "f16_mma, normal" not in l for l in found))
expect("a rung that is left: " + said, "warps: 0 of its 2 cases are left out behind that" in said)
expect("the other rungs go on", re.findall(r'"rung": "(\w+)"', lines) == rungs)
told = next(l for l in said.splitlines() if " as in the emulator (" in l)
expect("the last line: " + told, told.endswith("not bf16_of, cp_wait, f16_mma, ldmatrix_x4, shfl_xor, tf32_mma"))

# on a GPU, where there is one
probe = subprocess.run([build_dir + "/dcgen-runner-cuda", *runner[1:], "--probe"], capture_output=True) if os.path.exists(
    build_dir + "/dcgen-runner-cuda") and os.access(nvcc, os.X_OK) else None
if probe and probe.returncode == 0 and json.loads(probe.stdout)["isa"][0] != "sm_75":  # which lacks some
    tools.nvcc, folder = nvcc, tmp + "/gpu"
    problems = primitives.build(folder, tools, json.loads(probe.stdout)["isa"][0])
    runner[0] = build_dir + "/dcgen-runner-cuda"
    stage, lines, said = check("gpu")
    expect(f"on this GPU: {problems} {said}", not problems and not stage.nfound and "as in the emulator" in said)
    runner[0], tools.nvcc = build_dir + "/dcgen-runner-emu", None

# mistakes of the emulator; objects for GPUs
if thorough:
    root = tmp + "/root"
    shutil.copytree(src + "/templates", root + "/templates")
    shutil.copytree(src + "/script/gpu.d", root + "/script/gpu.d")
    path = root + "/templates/device/emulator/device.h"
    text = open(path).read()
    for right, wrong in (("0x7fff + (u >> 16 & 1)", "0x8000"), ("u + 0x1000) &", "u + 0xfff) &"), ("(m >> 13 & 1)) >> 13", "0) >> 13"),
                         ("0x1p112f", "0x1p111f"), ("ldmatrix(4, 1", "ldmatrix(4, 0"), ("smem, gmem, 8, bytes", "smem, gmem, 8, 8"),
                         ("dcgen_emu_bf16, d, a, b", "dcgen_emu_f16, d, a, b"), ("shfl_down(v, delta, line)", "shfl_xor(v, delta, line)"),
                         ("exp2f(dcgen_emu_flush(x))", "exp2f(x * 1.000001f)"), ("(1 / dcgen_emu_flush(x))", "(1 / x)"),
                         ("return dcgen_emu_shared_memory()", "return dcgen_emu_shared_memory() + 4")):
        expect("device.h has no " + right, right in text)
        text = text.replace(right, wrong)
    open(path, "w").write(text)
    for name, right, wrong in (("gelu", "6.2f", "3.2f"), ("gelu_tanh", "0x1.a5a7dp-4f", "0x1.a5b7dp-4f"), ("greater", "a > x", "x <= a"),
                               ("lesser", "a : x", "x : a"), ("tf32_split", "0x80001fff", "0x80000fff"), ("tf32x3_mma", "a_high, b_low", "a_low, b_high"), ("round_f16", "f16_of(x)", "f16_of(x * 1.001f)"), ("silu", "sigmoid(x)", "sigmoid(x * 1.000001f)"),
                               ("quarter_wave", "0xfc2757d1", "0xfc2757d0"), ("sine", ", 0)", ", 2)"), ("cosine", ", 1)", ", 0)")):
        spoiled = f"{root}/templates/device/{name}.cuh"
        words = open(spoiled).read()
        expect(f"{name}.cuh has no {right}", right in words)
        open(spoiled, "w").write(words.replace(right, wrong))
    tools.root = root
    problems = "\n".join(primitives.build(tmp + "/wrong", tools))
    for name in ("bf16_of edges", "tf32_of edges", "f16_of edges", "f16_to_float all", "ldmatrix_x4_trans any", "cp_async8 partial",
                 "cp_async8 nowhere", "bf16_mma integers", "bf16_mma denormals", "shfl_down any", "shared_address halves",
                 "tf32_split edges", "tf32x3_mma normal", "ex2 edges", "rcp edges", "gelu edges", "gelu_tanh edges", "greater any", "lesser any", "round_f16 edges", "silu edges", "quarter_wave edges", "sine edges", "cosine edges"):
        expect(f"a mistake is not found: {name}: {problems}", name in problems)
    open(path, "w").write("nonsense")
    expect("a compile error", "primitives_emulator does not compile" in primitives.build(tmp + "/wrong", tools)[0])
    folder = tmp + "/wrong"
    expect("a compile error is told later, too", "FOUND: microtests, when they were made: primitives_emulator" in check("wrong2")[2])
    tools.root = src
    # Of the cases those that go by the target, which all have the emulator's object in common; one run of nvcc, which reads the text once.
    targets = {t: primitives.facts_of(src, t) for t in ("sm_80", "sm_86", "sm_89", "sm_90a")}
    primitives.cases = lambda facts: [*primitives.shared(facts), *primitives.launches(facts)]
    for target, facts in targets.items():
        problems = primitives.emulate(tmp + "/made", runner, primitives.numbers_of(src), facts)
        expect(f"the emulator for {target}: {problems}", not problems)
    if os.access(nvcc, os.X_OK):
        tools.nvcc = nvcc
        os.environ["NVCC_APPEND_FLAGS"] = " ".join("-gencode=" + targets[t]["gencode"] for t in ("sm_86", "sm_89", "sm_90a"))
        problems = primitives.build(f"{tmp}/gpu_objects", tools, "sm_80")
        there = b"" if problems else open(f"{tmp}/gpu_objects/primitives.so", "rb").read()
        expect(f"objects for GPUs: {problems}", all(t.encode() in there for t in targets))
sys.exit(1 if failed else 0)
PY
python3 "$tmp/test.py" "$SRC" "$BIN" "$tmp" "$nvcc" "${THOROUGH:-}" >"$tmp/said" 2>&1
code=$?
[ $code -eq 0 ] || cat "$tmp/said"
exit $code
