#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# conv2d: packages of specs/conv_odd.cfg in layouts of images and filters, from short searches. Each builds without warnings of gcc
# or of clang and passes its own test; so does one that may use Winograd's algorithm, whose kernels and filters no other package has.
# ctest: label=slow,thorough timeout=900 cost=150
. "$SRC/tests/cli/lib.sh"
cp -R "$SRC/templates/conv2d" "$SRC/templates/dense" "$SRC/templates/gemm" "$tmp/inst/share/dcgen/templates"
quiet() { "$@" >"$tmp/log/step" 2>&1 || { tail -n 40 "$tmp/log/step"; failed "$*"; }; }
shows() { grep -qE -- "$1" "$out" || failed "stdout does not show: $1"; }
strict='-std=gnu11 -Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow -Wcast-qual -Wundef -Werror'

# built NAME COMPILER: builds the package, and runs its own test
built() {
    command -v "$2" >/dev/null 2>&1 || { skipped "$1 with $2: it is not here"; return 0; }
    quiet cmake -S "out/$1" -B "built/$1_$2" -DCMAKE_C_COMPILER="$2" -DCMAKE_C_FLAGS_RELEASE=-O1 -DCMAKE_C_FLAGS='-Wall -Wextra -Werror'
    quiet "$2" $strict -I"out/$1" -fsyntax-only "out/$1/kernels.c"
    quiet cmake --build "built/$1_$2" -j2
    "built/$1_$2/$1_test" >"$out" 2>&1 || failed "$1: its own test"
    shows '^[1-9][0-9]* kernels, [1-9][0-9]* checks, 0 failed'
}

# conv COMPILER NAME LAYOUT [LINE]: the package of a short search
conv() {
    compiler=$1
    shift
    section "$1: $2"
    {
        sed "s/\"conv_odd\"/\"$1\"/; s/^layout.*/layout = { $2 };/; s/min = 1; max = 40/min = 1; max = 6/; s/^tune.*/tune = { T = [1, 6]; };/" \
            "$SRC/specs/conv_odd.cfg"
        echo "${3:-}"
    } >"$1.cfg"
    run 0 --trials 1 --seconds 20 "$1.cfg"
    built "$1" $compiler
}

conv gcc turned_conv 'X = "NCHW"; Y = "NCHW"; F = "KCRS"; packed = true;'
conv gcc planes_conv 'X = "NCHW"; F = "KCRS"; Y = "NCHW";'
conv clang planes_krsc 'X = "NCHW"; F = "KRSC"; Y = "NCHW";'
conv clang from_planes 'X = "NCHW"; F = "RSCK"; packed = true;'

section Winograd where the spec allows it
conv gcc winograd_conv 'packed = true;' 'accuracy = "winograd";'
grep -q "Results may be off by 16 times the rounding error of plain sums" out/winograd_conv/winograd_conv.h || failed 'the header says nothing of the accuracy'
sed '/^accuracy/d' winograd_conv.cfg >exact_conv.cfg
for side in 2 4; do
    run 0 try winograd_conv YT=$side MR=4 NP=1 UK=8 PF=0 HOLD=0 BLOCK=2 winograd_conv.cfg
    shows ': right on [0-9]+ awkward shapes and on all tuned ones$'
    run 1 try winograd_conv YT=$side MR=4 NP=1 UK=8 PF=0 HOLD=0 BLOCK=2 exact_conv.cfg
    said 'needs ACCURACY >= 16'
done
nothing_left
