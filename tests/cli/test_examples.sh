#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# The examples but llama_block (test_llama.sh), with portable packages of a short search: each builds without a warning, and what it computes is
# right for any batch, number of tokens, size of images and threads, and for a text that grows token by token.
# Kernels are compiled at -O1 here: dcgen verified each at -O3, which takes longer than all else.
# ctest: label=slow,thorough timeout=1200 cost=100
. "$SRC/tests/cli/lib.sh"
program "$tmp/tools/quick_cc" <<CC
exec $(command -v cc) "\$@" -O1
CC

# example NAME TUNE [SPEC]: its package, of the spec of that name or of SPEC, and the program $name in the folder build
example() {
    name=$1
    spec=${3:-$1}
    section "$name"
    sed "s/^tune .*/tune = { $2 };/; s/trials = [0-9]*; seconds = [0-9]*/trials = 1; seconds = 6/; s/\"host\"/\"portable\"/; s/min = 160; max = 320/min = 32; max = 100/; s/max = 896/max = 40/" "$SRC/specs/$spec.cfg" >"$name.cfg"
    run 0 --templates "$SRC/templates" --no-report -o "$name" "$name.cfg"
    variable=$(echo "$name" | tr '[:lower:]' '[:upper:]')_PACKAGE
    cmake -S "$SRC/examples/$name" -B build -D"$variable=$tmp/work/$name" -DCMAKE_C_COMPILER="$tmp/tools/quick_cc" -DCMAKE_C_FLAGS='-Wall -Wextra -Werror' >"$tmp/log/cmake" 2>&1 &&
        cmake --build build >"$tmp/log/cmake" 2>&1 || { cat "$tmp/log/cmake"; failed "$name does not build"; }
}
# right ARGUMENT...: the example says that it is
right() {
    "build/$name" "$@" || failed "$name $* is wrong"
}

example bert_layer 'T = [1, 16]; B = [2]'
right 3 17 2
right 1 70
rm -r build
example gpt2_block 'T = [1, 16]; P = [9]'
right 37 9
right 130 2
rm -r build
example resnet50 'SIDE = [33, 97]' resnet50_sizes
right 1 1
right 2 33 2
