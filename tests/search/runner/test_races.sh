#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# A second opinion on races: sentryward (a package of PyPI), which proves of a kernel's PTX and one launch that all accesses are ordered and all
# barriers met in every schedule, looks at kernels that dcgen fills in. Without their barriers, or with waits for asynchronous copies that do
# not wait, it must find them wrong. It is no requirement.
#
# It knows the values of extents, not those of pointers: operands are taken as aligned (what unaligned ones take is seen where K is odd). It
# cannot decide what depends on memory (SPLITK > 1: who is last), nor ldmatrix; what it did not decide is listed, and is no failure.
# ctest: label=thorough timeout=900
set -eu
for program in nvcc python3; do
    command -v "$program" >/dev/null || { echo "skipped: no $program"; exit 77; }
done
python3 -c 'import sentryward' 2>/dev/null || { echo "skipped: python3 has no module sentryward (pip install sentryward)"; exit 77; }
tmp=$(mktemp -d)
trap 'rm -rf -- "$tmp"' EXIT
cat >"$tmp/races.py" <<'END'
import json, os, re, subprocess, sys
from sentryward import verify

dcgen, folder = sys.argv[1:]
SPEC = """name = "pkg"; op = "dense"; dtype = "%s"; target = ["%s"]; shapes = ( { M = %d; N = %d; K = %d; } );
epilogue = ["bias"]; layout = { W = "%s"; packed = false; };"""
# Target, type, layout; the template, its SPLITK and how many candidates; shapes: aligned rows, odd ones.
ROWS = [("sm_75", "f32", "NK", "simt_gemm", 1, 1, [(5, 33, 35)]),
        ("sm_75", "f32", "NK", "gemv", 1, 1, [(3, 9, 36)]),
        ("sm_90a", "bf16", "NK", "mma_gemv", 1, 2, [(9, 40, 328), (3, 33, 131)]),
        ("sm_90a", "bf16", "KN", "mma_gemv", 1, 1, [(3, 72, 136), (3, 33, 35)]),
        ("sm_90a", "bf16", "NK", "mma_gemv", 2, 1, [(3, 40, 512)]),
        ("sm_90a", "f32", "NK", "simt_gemm", 1, 3, [(33, 40, 68)]),
        ("sm_90a", "f32", "KN", "simt_gemm", 1, 1, [(5, 33, 35)]),
        ("sm_90a", "bf16", "NK", "mma_gemm", 1, 1, [(33, 40, 64)])]


def write(name, text):
    path = os.path.join(folder, name)
    with open(path, "w") as f:
        f.write(text)
    return path


def candidates(target, dtype, layout, template, split, shape):
    spec = write("pkg.cfg", SPEC % (dtype, target, *shape, layout))
    done = subprocess.run([dcgen, "--dump", "source", "--json", "--trials", "120", spec], check=True,
                          stdout=subprocess.PIPE)
    return [c for c in json.loads(done.stdout)["candidates"]
            if c["template"] == template and c["target"] == target and c["params"]["SPLITK"] == split]


def plan(source, shape):
    """Grid, threads and shared memory of the launch, from the kernel's own plan."""
    name = re.search(r"static pkg_plan (\w+)_plan\(", source)[1]
    write("plan.cu", source + "\n#include <stdio.h>\nint main(void)\n{\n"
          "    pkg_plan p = %s_plan(pkg_arguments(%d, %d, %d, NULL, NULL, NULL, NULL), 1);\n"
          '    printf("%%u %%u %%u %%d %%zu", p.x, p.y, p.z, p.threads, p.smem_bytes);\n}\n' % (name, *shape))
    program = os.path.join(folder, "plan")
    subprocess.run(["nvcc", "-std=c++17", "-w", "-o", program, program + ".cu"], check=True)
    return [int(v) for v in subprocess.run([program], check=True, stdout=subprocess.PIPE).stdout.split()]


def judge(ptx, shape, launch):
    x, y, z, threads, smem = launch
    size = int(re.search(r"param_0\[(\d+)\]", ptx)[1])
    given = {"schema": "spverify.kernel-input/v1",
             "launch": {"grid_dim": [x, y, z], "block_dim": [threads, 1, 1], "dynamic_shared_bytes": smem},
             "arguments": [{"parameter": 0, "offset": 4 * i, "type": "s32", "value": v} for i, v in enumerate(shape)],
             "declarations": [{"parameter": 0, "offset": at, "type": "pointer"} for at in range(16, size, 8)]}
    said = verify(write("k.ptx", ptx), input=write("k.json", json.dumps(given)), timeout_seconds=100)
    return said["result"], "; ".join(d.get("message", "") for d in said.get("diagnostics", []))[:200]


BAD = ("potential_race", "not_wellsynced")
FAULTS = {"without barriers": (r"(?m)^.*\bbar(rier)?\.sync\b.*$", ""),
          "without waits": (r"(cp\.async\.wait_group\s+)\d+", r"\g<1>9")}
nproven = nfault = 0
for target, dtype, layout, template, split, most, shapes in ROWS:
    found = candidates(target, dtype, layout, template, split, shapes[0])
    nfault += not found
    if not found:
        print("FAILED: no %s for %s" % (template, target))
    for c in found[:most]:
        source = re.sub(r"\(uintptr_t\)a\.[XWY]\b", "(uintptr_t)0", c["code"])
        subprocess.run(["nvcc", "-std=c++17", "-w", "-ptx", "-arch=" + target.replace("sm_", "compute_"),
                        "-o", folder + "/all.ptx", write("k.cu", source)], check=True)
        with open(folder + "/all.ptx") as f:
            ptx = f.read()
        for shape in shapes:
            launch = plan(source, shape)
            values = ["%s=%d" % p for p in c["params"].items()]
            what = " ".join([template, target, dtype, layout] + values + ["on %dx%dx%d" % shape])
            result, why = judge(ptx, shape, launch)
            if result in BAD + ("invalid_lifecycle", "invalid_input", "tool_failure"):
                nfault += 1
                print("FAILED: %s: %s: %s" % (what, result, why))
            elif result != "race_free":
                print("not decided: %s: %s: %s" % (what, result, why))
            else:
                nproven += 1
                print("proven: %s" % what, flush=True)
                for fault, (old, new) in FAULTS.items():
                    text = re.sub(old, new, ptx)
                    found_so = judge(text, shape, launch)[0] if text != ptx else BAD[0]
                    if found_so not in BAD:
                        nfault += 1
                        print("FAILED: %s, %s: %s" % (what, fault, found_so))
print("%d launches proven free of races" % nproven)
sys.exit(nfault > 0 or nproven < 4)
END
python3 "$tmp/races.py" "$DCGEN" "$tmp"
