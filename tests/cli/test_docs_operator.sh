#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# The operator of docs/templates.md: its files, taken from the page by the lines "File `NAME`:" and the fences behind them, and its commands, run
# as they are printed.
# ctest: label=slow cost=20
. "$SRC/tests/cli/lib.sh"
page=$SRC/docs/templates.md

section the files of the page
awk '/^File `[^`]*`:$/ { name = $0; gsub(/^File `|`:$/, "", name); next }
     /^```/ { if (name != "" && !inside) { inside = 1; dir = name; if (sub("/[^/]*$", "", dir)) system("mkdir -p " dir); next }
              inside = 0; name = "" }
     inside { print >name }' "$page"
for file in mine/window_sum/op.cfg mine/window_sum/reference.c mine/window_sum/windows.c mine/window_sum/windows.cu smooth.cfg; do
    [ -s $file ] || failed "the page has no $file"
done

section its commands
# commands N: those of the N-th block below the heading
commands() {
    awk -v wanted="$1" '/^## A new operator/ { there = 1 } /^```$/ { inside = 0 } inside { print }
                        there && /^```sh$/ { inside = ++n == wanted }' "$page"
}
commands 1 >commands.sh
[ "$(grep -c '^dcgen ' commands.sh)" -eq 3 ] || failed "the page has other commands"
out=$tmp/log/out err=$tmp/log/err
PATH=$tmp/inst/bin:$PATH sh -e commands.sh >"$out" 2>"$err" || failed "the commands of the page"
for text in 'space: 4 candidates of 4 combinations' 'windows [a-z0-9_]* UP=8 on .*: right on 21 awkward shapes and on all tuned ones' \
    'smooth: [0-9]* kernels*, ' '100% tests passed'; do
    grep -q "$text" "$out" || failed "they do not say: $text"
done
[ "$(lines '^R = 8, N = [0-9]*, W = [89],\( STEP = 4,\)\{0,1\} 1 thread ' "$out")" -eq 6 ] || failed "not a time for each tuned shape"
build/smooth_bench 1 >"$out" || failed "the benchmark that the page names"
nothing_left

section its commands for GPUs
commands 2 >commands.sh
[ "$(grep -c '^dcgen ' commands.sh)" -eq 2 ] || failed "the page has other commands for GPUs"
if command -v nvcc >/dev/null && [ -x "$BIN/dcgen-runner-emu" ]; then
    PATH=$BIN:$PATH sh -e commands.sh >"$out" 2>"$err" || failed "the commands of the page for GPUs"
    for text in 'windows_cuda sm_80 NT=64 on .*: right on [0-9]* awkward shapes and on all tuned ones' 'smooth: 1 kernel, .* for sm_80 ('; do
        grep -q "$text" "$out" || failed "they do not say: $text"
    done
    [ -f out/smooth_cuda/kernels.cu ] || failed "there is no package for GPUs"
    nothing_left
else
    skipped "the template for GPUs, without nvcc or dcgen-runner-emu"
fi
