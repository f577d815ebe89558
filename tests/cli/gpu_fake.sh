# SPDX-License-Identifier: Apache-2.0
#
# What the tests of script/gpu on the fake GPU share, besides gpu.sh; sourced. In $tmp: a toolkit (bin), a portable build
# (portable) around the fake GPU of tests/search/runner/cuda, and a dcgen, each made of a few lines; specs good, bad and slow.
. "$SRC/tests/cli/gpu.sh"

fake=$BIN/tests/dcgen-runner-cuda-fake
[ -x "$fake" ] || { echo "skipped: dcgen-runner-cuda was left out of this build"; exit 77; }
gpu=$tmp/src/script/gpu
real_cc=$(command -v cc)
export LD_LIBRARY_PATH="$BIN/tests/cuda" ASAN_OPTIONS=detect_leaks=0

mkdir "$tmp/portable" "$tmp/package" "$tmp/src"
cp -R "$SRC/script" "$tmp/src"
ln -s "$SRC/templates" "$SRC/specs" "$tmp/src"
# The largest shapes of dense smaller: the fake GPU is one thread.
sed -i 's/(200, 1000, 257)/(20, 100, 257)/; s/(80, 768, 768)/(80, 76, 76)/' "$tmp/src/script/gpu.d/combos.py"
sed -i 's/^SHAPE = .*/SHAPE = (20, 24, 7)/' "$tmp/src/script/gpu.d/counters.py"
cat >"$tmp/src/script/gpu.d/primitives.py" <<'PY'
import os


def build(folder, tools):
    with open(os.path.join(folder, "expected"), "w") as f:
        f.write(os.path.basename(tools.nvcc))
    return []
PY
cat >"$tmp/src/script/gpu.d/ladder.py" <<'PY'
import os


def run(stage):
    with open(stage.session.pack.path("primitives", "expected")) as f:
        stage.say(f"made by {f.read()}, run by {os.path.basename(stage.session.tools.runner_cuda[0])}")
    stage.complete()
PY
python3 -m compileall -q "$tmp/src/script/gpu.d" # script/gpu keeps nothing there, but takes what is there
program "$tmp/bin/nvidia-smi" <<'SMI'
#!/bin/sh
echo "name, driver"
SMI
for name in nvcc c++; do
    program "$tmp/bin/$name" <<CC
#!/bin/sh
[ "\${1:-}" != --version ] || { echo "fake $name"; exit 0; }
echo "$name" >>"$tmp/compiled"
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
program "$tmp/bin/ncu" <<'NCU'
#!/bin/sh
echo "$*" >>"$TMPDIR/ncu.log"
[ ! -e "$TMPDIR/no_counters" ] || { echo "==ERROR== ERR_NVGPUCTRPERM"; exit 1; }
while [ $# -gt 0 ]; do
    case $1 in *dcgen-runner-cuda) break ;; esac
    shift
done
"$@" >"$TMPDIR/ncu.said" || exit
echo "==PROF== Connected"
echo '"ID","Kernel Name","Section Name","Metric Name","Metric Unit","Metric Value"'
echo '"0","check_k0(args)","GPU Speed Of Light Throughput","Duration","us","41,500.25"'
echo '"0","check_k0(args)","Scheduler Statistics","Issued Warp Per Scheduler","","0.61"'
NCU
for name in cuda emu; do
    program "$tmp/portable/dcgen-runner-$name" <<RUN
#!/bin/sh
exec "$fake" "\$@"
RUN
done

# Candidates behave on the GPU and in the emulator as $tmp/behaviours says: lines of two numbers (tests/search/runner/cuda/candidate.c).
cat >"$tmp/source.py" <<'PY'
import json, sys
src, rows, some = sys.argv[1], open(sys.argv[2]).read().split(), sys.argv[3] == "some"
code = lambda path: open(path).read()
flags = ["-O1", "-shared", "-fPIC", "-I", src, "-DHAS_BIAS=1"]
operands = [{"name": n, "role": r, "dtype": "f32"} for n, r in (("X", "in"), ("W", "const"), ("bias", "in"), ("Y", "out"))]
made = [{"key": f"key{i}", "template": f"t{i}", "params": {"BM": i}, "code": code(src + "/tests/search/runner/cuda/candidate.c"),
         "nvcc": flags + ["-DBEHAVIOUR=" + g], "emulator": flags + ["-DBEHAVIOUR=" + e]}
        for i, (g, e) in enumerate(zip(rows[::2], rows[1::2])) if some]
print(json.dumps({"reference": {"code": code(src + "/tests/search/runner/cuda/reference.c"), "flags": flags + ["-lm"]},
                  "setup": {"dtype": "f32", "seed": 1, "operands": operands}, "candidates": made}))
PY
# slow writes a record and then hangs, until $tmp/quick is there.
program "$tmp/portable/dcgen" <<DCGEN
#!/bin/sh
echo "\$*" >>"$tmp/dcgen.log"
option() { # its argument
    wanted=\$1
    shift
    while [ \$# -gt 1 ]; do
        [ "\$1" != "\$wanted" ] || { echo "\$2"; return; }
        shift
    done
}
candidates() { # some or none; they are always the same
    [ -s "$tmp/\$1.json" ] || python3 "$tmp/source.py" "$SRC" "$tmp/behaviours" "\$1" >"$tmp/\$1.json"
    exec cat "$tmp/\$1.json"
}
out=\$(option -o "\$@") records=\$(option --records "\$@")
case \$* in
    --version) exit ;;
    *--help*) echo "  --builds DIR   keep what is compiled [generate, build, limits]"
        echo "  --nvcc PROGRAM   compile by PROGRAM [generate, check, build, limits]"; exit ;;
    check*_NK.cfg*) case \$2 in */f32_*) some=some ;; *) some=none ;; esac
        candidates \$some ;;
    check*) candidates none ;;
    import*) for last in "\$@"; do :; done
        name=\$(basename "\$last") && name=\${name%%.*}
        printf 'name = "%s"; dtype = "f32";\ngraph = { };\n' "\$name" >"\$out/\$name.cfg"
        echo weights >"\$out/\$name.safetensors"
        exit ;;
    build*) echo object >"\$(option --builds "\$@")/\$(basename "\$2").so"; exit ;;
    limits*) [ ! -e "$tmp/busy" ] || { echo "the GPU is busy"; exit 1; }
        echo '{"type":"limits"}' >>"\$records"; echo "990 TFLOP/s"; exit ;;
    replay*) [ -s "\$records" ] || { echo "no records"; exit 1; } ;;
    *bad.cfg*) echo "cannot"; exit 1 ;;
    *slow.cfg*) echo "{\"n\":\$\$}" >>"\$records"
        [ ! -e "$tmp/dies" ] || kill -KILL \$\$
        [ -e "$tmp/quick" ] || { echo \$\$ >"$tmp/slow.pid"; echo "records so far"; exec sleep 100; } ;;
esac
mkdir -p "\$out"
cp "$tmp/package/"* "\$out"
echo "of 9 builds 7 were found in '/there', and 2 stored there"
echo "1 kernel"
DCGEN
for name in good bad slow; do echo "name = \"$name\"; dtype = \"f32\";" >"$tmp/$name.cfg"; done
cat >"$tmp/package/CMakeLists.txt" <<'CM'
cmake_minimum_required(VERSION 3.16)
project(good LANGUAGES C)
add_executable(bench bench.c)
add_executable(good_second_bench bench.c)
add_library(bert_small SHARED EXCLUDE_FROM_ALL library.c)
set_target_properties(bert_small PROPERTIES VERSION 3.1 SOVERSION 3)
foreach(program bert_small_test_model bert_small_run_model bert_full_run_model)
    add_executable(${program} EXCLUDE_FROM_ALL model.c)
    target_link_libraries(${program} PRIVATE bert_small)
endforeach()
CM
echo 'int answer(void); int answer(void) { return 42; }' >"$tmp/package/library.c"
# A model: what a file says that is named in the environment, and its exit code.
cat >"$tmp/package/model.c" <<'C'
#include <stdio.h>
#include <stdlib.h>
int answer(void);
int main(int argc, char **argv)
{
    const char *path = getenv("FAKE_MODEL");
    FILE *f = path ? fopen(path, "a") : NULL;
    for (int i = 0; f && i < argc; i++)
        fprintf(f, "%s%c", argv[i], i + 1 < argc ? ' ' : '\n');
    printf("median of 200 calls: 50.0 us\nmedian of 200 kept calls: 40.0 us\n");
    return answer() == 42 ? atoi(getenv("FAKE_MODEL_CODE") ? getenv("FAKE_MODEL_CODE") : "0") : 9;
}
C
cat >"$tmp/package/package.json" <<'JSON'
{ "model": { "weights": [ { "name": "w", "type": "F32", "extents": ["3", "5"] }, { "name": "table", "type": "S32", "extents": ["7"] } ],
  "inputs": [ { "name": "ids", "from": "input_ids", "dtype": "s32", "extents": ["B", "T"] },
              { "name": "mask", "from": "attention_mask", "dtype": "s32", "extents": ["B", "T"] },
              { "name": "x", "from": "pixels", "dtype": "f32", "extents": ["B", "4"] } ] } }
JSON
cat >"$tmp/package/bench.c" <<'C'
#include <stdio.h>
int main(void)
{
    puts("a table\n{\"M\": 16, \"time_ns\": 4000.0}\n{\"M\": 32, \"time_ns\": 5000.0}");
    return 0;
}
C
