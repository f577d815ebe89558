#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# ctest: label=slow timeout=180
#
# script/gpu without a GPU: its stages on the fake GPU (tests/search/cuda), with a dcgen, an nvcc and a
# compute-sanitizer made of a few lines each. What it finds, what it writes, how it ends when the time is over, and what it says of what is missing.
set -u

fake=$BIN/tests/dcgen-runner-cuda-fake
[ -x "$fake" ] || { echo "skipped: dcgen-runner-cuda was left out of this build"; exit 77; }
python3 -c 'import sys; sys.exit(sys.version_info < (3, 8))' 2>/dev/null || { echo "skipped: no Python 3.8"; exit 77; }
tmp=$(mktemp -d) || exit 1
trap 'rm -rf -- "$tmp"' EXIT
failed=0
gpu=$SRC/script/gpu
real_cc=$(command -v cc)

fail() { echo "FAILED: $*"; sed 's/^/    /' "$tmp/said"; failed=1; }
program() { cat >"$1"; chmod +x "$1"; }

# run CODE ARGUMENT...: script/gpu; what it says goes to $tmp/said
run() {
    want=$1
    shift
    PATH=$tmp/bin:$PATH LD_LIBRARY_PATH=$BIN/tests/cuda ASAN_OPTIONS=detect_leaks=0 "$gpu" "$@" >"$tmp/said" 2>&1
    code=$?
    [ $code -eq "$want" ] || fail "gpu $*: exit code $code, not $want"
}
said() { grep -q -e "$1" "$tmp/said" || fail "not said: $1"; }
wrote() { grep -q -e "$2" "$out/$1" || fail "$1 has no $2"; }

# ---- a toolkit and a portable build

mkdir "$tmp/bin" "$tmp/portable"
for name in nvcc c++; do
    program "$tmp/bin/$name" <<CC
#!/bin/sh
[ "\${1:-}" != --version ] || { echo "fake $name"; exit 0; }
exec "$real_cc" -x c "\$@"
CC
done
program "$tmp/bin/compute-sanitizer" <<'CS'
#!/bin/sh
[ "${1:-}" != --version ] || { echo fake; exit 0; }
tool=$2
shift 4
"$@"
[ "$tool" != "${FAKE_RACE:-}" ] || { echo "========= Race reported"; exit 99; }
CS
program "$tmp/portable/dcgen-runner-cuda" <<RUN
#!/bin/sh
exec "$fake" "\$@"
RUN
program "$tmp/portable/dcgen-runner-emu" <<RUN
#!/bin/sh
exec "$fake" "\$@"
RUN

# Candidates behave on the GPU and in the emulator as $tmp/behaviours says: lines of two numbers (tests/search/cuda/candidate.c).
cat >"$tmp/source.py" <<'PY'
import json, os, sys
src, rows = sys.argv[1], open(sys.argv[2]).read().split()
code = lambda path: open(path).read()
flags = ["-O1", "-shared", "-fPIC", "-I", src]
operands = [{"name": n, "role": r, "dtype": "f32"} for n, r in (("X", "in"), ("W", "const"), ("bias", "in"), ("Y", "out"))]
made = [{"key": f"key{i}", "template": f"t{i}", "params": {"BM": i}, "code": code(src + "/tests/search/cuda/candidate.c"),
         "nvcc": flags + ["-DBEHAVIOUR=" + g], "emulator": flags + ["-DBEHAVIOUR=" + e]}
        for i, (g, e) in enumerate(zip(rows[::2], rows[1::2]))]
print(json.dumps({"reference": {"code": code(src + "/templates/dense/reference.c"), "flags": flags + ["-lm"]},
                  "setup": {"dtype": "f32", "seed": 1, "operands": operands}, "candidates": made}))
PY
program "$tmp/portable/dcgen" <<DCGEN
#!/bin/sh
echo "\$*" >>"$tmp/dcgen.log"
case \$1 in
    check)
        case \$2 in
            */f32_NK.cfg) exec python3 "$tmp/source.py" "$SRC" "$tmp/behaviours" ;;
            *) echo "no such template" >&2; exit 1 ;;
        esac ;;
    *slow.cfg) echo \$\$ >"$tmp/slow.pid"; echo "records so far"; exec sleep 100 ;;
    *bad.cfg) echo "cannot"; exit 1 ;;
esac
while [ "\$1" != -o ]; do shift; done
mkdir -p "\$2"
cp "$tmp/package/"* "\$2"
echo "1 kernel"
DCGEN

# ---- bad usage, nothing there

out=$tmp/out
run 2
said "the following arguments are required: OUTDIR"
run 2 check "$out" --dance
run 3 check "$out" --portable "$tmp/nowhere"
said "dcgen is not there: build it by cmake --preset portable"
FAKE_GPU=nodriver run 3 check "$out" --portable "$tmp/portable"
said "no GPU: dcgen-runner-cuda: no NVIDIA driver is installed"

# ---- check: right kernels, a wrong one, one that the emulator alone passes, one that crashes

echo "0 0  1 1" >"$tmp/behaviours"
run 3 check "$out" --portable "$tmp/portable" --seconds 100
said "f32_NK: 2 kernels; 16 shapes on the GPU, 16 in the emulator; 32 right"
said "an empty kernel takes 1500.0 ns, timed by cupti"
said "f32_KN: dcgen has no candidates: no such template"
wrote check/results.jsonl '"null_ns": 1500.0'
wrote check/results.jsonl '"gpu": {"max_err": .*"status": "ok"}'
wrote check/results.jsonl '"tool": "racecheck", "type": "sanitizer"'
wrote check/summary.txt "nothing found wrong"

echo "0 0  5 5  14 0  10 0" >"$tmp/behaviours"
FAKE_RACE=racecheck run 1 check "$out" --portable "$tmp/portable" --seconds 100
said "f32_NK: t1 key1 on (1, 1, 1): wrong: row 0 element 0 is"
said "t2 key2 on (1, 1, 1): GPU and emulator disagree: GPU wrong .*emulator ok"
said "t3 key3 on (1, 1, 1): GPU and emulator disagree: GPU crashed exited with code 4; emulator ok"
said "f32_NK: racecheck: .*Race reported"
said "f32_NK: 4 kernels; 16 shapes on the GPU, 16 in the emulator; 16 right"

echo "0 compile-error" >"$tmp/behaviours"
run 1 check "$out" --portable "$tmp/portable" --seconds 100
said "f32_NK: t0 does not compile: "

echo "0 0" >"$tmp/behaviours"
run 0 check "$out" --portable "$tmp/portable" --seconds 30
said "no time for 16 of 16 combinations"
FAKE_GPU=nodriver run 0 check "$out" --portable "$tmp/portable" --dry-run --seconds 100
said "f32_NK: 1 kernel; 0 shapes on the GPU, "

# ---- tune: each spec has its share; one that fails, one that takes too long

mkdir "$tmp/package"
for name in good bad slow; do echo "name = \"$name\"; dtype = \"f32\";" >"$tmp/$name.cfg"; done
cat >"$tmp/package/CMakeLists.txt" <<'CM'
cmake_minimum_required(VERSION 3.16)
project(good LANGUAGES C)
add_executable(good_bench bench.c)
CM
cat >"$tmp/package/bench.c" <<'C'
#include <stdio.h>
int main(void)
{
    puts("a table\n{\"M\": 16, \"time_ns\": 4000.0}\n{\"M\": 32, \"time_ns\": 5000.0}");
    return 0;
}
C
: >"$tmp/dcgen.log"
run 1 tune "$out" --portable "$tmp/portable" --seconds 400 --spec "$tmp/good.cfg" --spec "$tmp/bad.cfg"
said "good: .*1 kernel"
said "bad: dcgen ends with exit code 1: cannot"
grep -q -e "good.cfg --target cuda --records $out/tune/records/good.jsonl -o $out/tune/packages/good --seconds 13[0-9] " "$tmp/dcgen.log" ||
    fail "how dcgen was asked: $(cat "$tmp/dcgen.log")"
run 0 tune "$out" --portable "$tmp/portable" --seconds 3 --spec "$tmp/slow.cfg"
said "no time for 1 of 1 specs"

# Cut off: dcgen ends with it.
PATH=$tmp/bin:$PATH LD_LIBRARY_PATH=$BIN/tests/cuda ASAN_OPTIONS=detect_leaks=0 "$gpu" tune "$out" --portable "$tmp/portable" \
    --spec "$tmp/slow.cfg" >"$tmp/said" 2>&1 &
pid=$!
for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
    grep -q "records so far" "$out/tune/log/slow.txt" 2>/dev/null && break
    sleep 0.5
done
kill "$pid"
wait "$pid"
[ $? -eq 130 ] || fail "cut off: the exit code"
wrote tune/log/slow.txt "records so far"
kill -0 "$(cat "$tmp/slow.pid")" 2>/dev/null && fail "cut off: dcgen lives on"
wrote tune/results.jsonl '"type": "floor"'

FAKE_GPU=nodriver run 0 tune "$out" --portable "$tmp/portable" --dry-run --seconds 300
for dtype in f32 f16 bf16 tf32; do
    grep -q -e "bert_dense_$dtype.cfg --target sm_90a .*--offline" "$tmp/dcgen.log" || fail "no dry run of $dtype"
    grep -q "^dtype  = \"$dtype\"" "$out/tune/specs/bert_dense_$dtype.cfg" || fail "the spec of $dtype"
done

# ---- bench: builds what tune made

rm -rf "$out/tune/packages"
mkdir -p "$out/tune/packages/good"
cp "$tmp/package/"* "$out/tune/packages/good"
run 0 bench "$out" --portable "$tmp/portable" --seconds 100
said "good: 2 shapes"
wrote bench/results/fake-gpu/good.json '"time_ns": 5000.0'
FAKE_GPU=nodriver run 0 bench "$out" --portable "$tmp/portable" --seconds 100 --dry-run
said "good: its benchmark is built; there is no GPU to run it"
echo 'int main(void) { return ' >"$out/tune/packages/good/bench.c"
run 1 bench "$out" --portable "$tmp/portable" --seconds 100
said "good: cannot be built"

exit $failed
