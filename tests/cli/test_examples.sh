#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# The examples but llama_block (test_llama.sh), with portable packages of a short search: each builds without a warning, and what it computes is
# right for any batch, number of tokens and threads, and for a text that grows token by token.
# Kernels are compiled at -O1 here: dcgen verified each at -O3, which takes longer than all else.
# ctest: label=slow,thorough timeout=1200 cost=100
. "$SRC/tests/cli/lib.sh"
program "$tmp/tools/quick_cc" <<CC
exec $(command -v cc) "\$@" -O1
CC

# build_example NAME OPTION...: its program $name in the folder build, with the package in the folder of that name
build_example() {
    name=$1
    shift
    variable=$(echo "$name" | tr '[:lower:]' '[:upper:]')_PACKAGE
    cmake -S "$SRC/examples/$name" -B build -D"$variable=$tmp/work/$name" -DCMAKE_C_COMPILER="$tmp/tools/quick_cc" -DCMAKE_C_FLAGS='-Wall -Wextra -Werror' "$@" >"$tmp/log/cmake" 2>&1 &&
        cmake --build build >"$tmp/log/cmake" 2>&1 || { cat "$tmp/log/cmake"; failed "$name does not build"; }
}
# example NAME TUNE: its package, of the spec of that name, and its program
example() {
    section "$1"
    sed "s/^tune .*/tune = { $2 };/; s/trials = [0-9]*; seconds = [0-9]*/trials = 1; seconds = 6/; s/\"host\"/\"portable\"/; s/max = 896/max = 140/" "$SRC/specs/$1.cfg" >"$1.cfg"
    run 0 --templates "$SRC/templates" --no-report -o "$1" "$1.cfg"
    build_example "$1"
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

# Its results are looked at in package_test_models; here it is the program that counts.
section resnet50
cp "$SRC/tests/models/resnet50_small.torchscript.onnx" resnet50.onnx
run 0 import --dim batch=B:1..1 --dim height=H:32..64 --dim width=W:32..64 resnet50.onnx
sed -i 's/"host"/"portable"/; s/^threads = .*/threads = [1];/' resnet50.cfg
run 0 --templates "$SRC/templates" --trials 1 --seconds 1 --no-report -o resnet50 resnet50.cfg
build_example resnet50 -DRESNET50_CLASSES=10
right resnet50.safetensors 32
right resnet50.safetensors 47 64 2
! build/resnet50 resnet50.safetensors 65 2>"$tmp/log/err" || failed "65 pixels are too many"
grep -q 'outside of its range' "$tmp/log/err" || failed "65 pixels: no word on what is wrong"
