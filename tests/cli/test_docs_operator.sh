#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# The operator of docs/templates.md; and of docs/templates-reference.md a template for it with a function on vectors, and one for GPUs with an
# instruction and a target. Their files are taken from the pages by the lines "File `NAME`:" and the fences behind them, their commands run as printed.
# ctest: label=slow,thorough cost=20
. "$SRC/tests/cli/lib.sh"
page=$SRC/docs/templates.md reference=$SRC/docs/templates-reference.md

# files PAGE FILE ...: writes the files of the page, which has at least these
files() {
    awk '/^File `[^`]*`:$/ { name = $0; gsub(/^File `|`:$/, "", name); next }
         /^```/ { if (name != "" && !inside) { inside = 1; dir = name; if (sub("/[^/]*$", "", dir)) system("mkdir -p " dir); next }
                  inside = 0; name = "" }
         inside { print >name }' "$1"
    from=$1
    shift
    for file in "$@"; do
        [ -s "$file" ] || failed "$from has no $file"
    done
}

# commands PAGE N: those of the page's N-th block of them
commands() { awk -v wanted="$2" '/^```$/ { inside = 0 } inside { print } /^```sh$/ { inside = ++n == wanted }' "$1"; }

section the files of the page
files "$page" mine/byte_filter/op.cfg mine/byte_filter/reference.c mine/byte_filter/words.c smooth.cfg

section its commands
commands "$page" 1 >commands.sh
[ "$(grep -c '^dcgen ' commands.sh)" -eq 3 ] || failed "the page has other commands"
PATH=$tmp/inst/bin:$PATH sh -e commands.sh >"$out" 2>"$err" || failed "the commands of the page"
for text in 'space: 4 candidates of 4 combinations' 'words [a-z0-9_]* UP=2 on .*: right on [0-9]* awkward shapes and on all tuned ones' \
    'smooth: [0-9]* kernels*, ' '100% tests passed'; do
    grep -q "$text" "$out" || failed "they do not say: $text"
done
[ "$(lines '^R = 8, N = [0-9]*, W = [89],\( STEP = 4,\)\{0,1\} 1 thread ' "$out")" -eq 6 ] || failed "not a time for each tuned shape"
build/smooth_bench 1 >"$out" || failed "the benchmark that the page names"
made_of() { grep -qE "^# template [0-9a-f]{64}  $2\$" "$1/MANIFEST" || failed "the MANIFEST of $1 does not name $2"; }
made_of out/smooth byte_filter/words.c
run 0 replay --check out/smooth
nothing_left

section the files of the reference, and its template with vectors
files "$reference" mine/byte_filter/vectors.c mine/vector/dot_bytes.h mine/byte_filter/words.cu mine/device/dp4a.cuh mine/targets/l4.cfg
commands "$reference" 1 >commands.sh
[ "$(grep -c '^dcgen ' commands.sh)" -eq 2 ] || failed "the reference has other commands"
PATH=$tmp/inst/bin:$PATH sh -e commands.sh >"$out" 2>"$err" || failed "the commands of the reference"
for text in 'vectors [a-z0-9_]* on .*: right on [0-9]* awkward shapes and on all tuned ones' 'smooth: [0-9]* kernels*, '; do
    grep -q "$text" "$out" || failed "they do not say: $text"
done
for path in byte_filter/vectors.c vector/dot_bytes.h vector/load_ints.h; do
    made_of out/smooth $path
done
cmake --build build >"$out" 2>&1 && ctest --test-dir build >"$out" 2>&1 || failed "the test of its package"
grep -q '100% tests passed' "$out" || failed "the test of its package says otherwise"
nothing_left

section its template for GPUs
commands "$reference" 2 >commands.sh
[ "$(grep -c '^dcgen ' commands.sh)" -eq 2 ] || failed "the reference has other commands for GPUs"
if command -v nvcc >/dev/null && [ -x "$BIN/dcgen-runner-emu" ]; then
    PATH=$BIN:$PATH sh -e commands.sh >"$out" 2>"$err" || failed "the commands of the reference for GPUs"
    for text in 'words_cuda l4 NT=64 on .*: right on [0-9]* awkward shapes and on all tuned ones' 'smooth: 1 kernel, .* for l4 ('; do
        grep -q "$text" "$out" || failed "they do not say: $text"
    done
    for path in byte_filter/words.cu device/dp4a.cuh targets/l4.cfg targets/sm_89.cfg; do
        made_of out/smooth_cuda $path
    done
    dcgen=$BIN/dcgen
    run 0 replay --check out/smooth_cuda

    section its package for GPUs, executed by the emulator
    grep -q 'CUDA_ARCHITECTURES "89" "80" "75"' out/smooth_cuda/CMakeLists.txt || failed "not the architectures of l4 and of those that stand in for it"
    cd out/smooth_cuda
    emulator=$SRC/templates/device/emulator
    c++ -x c++ -std=gnu++17 -O1 -march=native -fsanitize=thread -fno-plt -fno-builtin -fno-exceptions -fno-rtti -fno-tree-vectorize \
        -fno-tree-slp-vectorize -w -DDCGEN_EMULATOR -I"$emulator" -I. -c -o "$tmp/kernels.o" kernels.cu >"$out" 2>&1 || failed "its kernels, for the emulator"
    cc -std=gnu11 -O1 -DDCGEN_EMULATOR -I"$emulator" -c -o "$tmp/test.o" test.c >"$out" 2>&1 || failed "its test, for the emulator"
    c++ -o "$tmp/emulated" "$tmp/kernels.o" "$tmp/test.o" "$BIN/libdcgen_emulator.a" "$BIN/libroom_gen_base.a" -lm -ldl -pthread
    DCGEN_EMULATOR_CAPABILITY=89 "$tmp/emulated" 4 >"$out" 2>&1 || failed "its own test on an emulated GPU"
    grep -q '^[1-9][0-9]* kernels*, [1-9][0-9]* checks, 0 failed' "$out" || failed "its own test on an emulated GPU says otherwise"
    nothing_left
else
    skipped "the template for GPUs, without nvcc or dcgen-runner-emu"
fi
