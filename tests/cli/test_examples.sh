#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# The examples of imported models (of llama_block: test_llama.sh), with portable packages of a short search for small models: each builds without a
# warning, runs any size of its range, on one thread and on two with the same result, and says what is wrong with other sizes. What the models compute
# is looked at in package_test_models.
# Kernels are compiled at -O1 here: dcgen verified each at -O3, which takes longer than all else.
# ctest: label=slow,thorough timeout=900 cost=60
. "$SRC/tests/cli/lib.sh"
program "$tmp/tools/quick_cc" <<CC
exec $(command -v cc) "\$@" -O1
CC

# example NAME FILE DEFINITIONS OPTION...: imports the model, with these options, and makes its package and the program build/NAME
example() {
    name=$1 file=$2 definitions=$3
    shift 3
    section "$name"
    cp "$SRC/tests/models/$file" "$name.onnx"
    run 0 import "$@" "$name.onnx"
    sed -i 's/"host"/"portable"/; s/^threads = .*/threads = [1];/' "$name.cfg"
    run 0 --templates "$SRC/templates" --trials 1 --seconds 1 --no-report -o "$name" "$name.cfg"
    rm -rf build
    cmake -S "$SRC/examples" -B build -DPACKAGE="$tmp/work/$name" -DCMAKE_C_COMPILER="$tmp/tools/quick_cc" -DCMAKE_C_FLAGS="-Wall -Wextra -Werror $definitions" >"$tmp/log/cmake" 2>&1 &&
        cmake --build build >"$tmp/log/cmake" 2>&1 || { cat "$tmp/log/cmake"; failed "$name does not build"; }
}
# runs ARGUMENT...: prints what the program does, without times
runs() {
    "build/$name" "$name.safetensors" "$@" >"$tmp/log/ran" || failed "$name $* fails"
    sed 's/, threads.* ms;*//; s/; then.*//' "$tmp/log/ran"
}
# alike ARGUMENT...: one thread and two give the same
alike() {
    runs "$@" 1 >one
    runs "$@" 2 >two
    cmp one two || failed "$name $*: two threads give something else"
}
# refuses WORDS ARGUMENT...
refuses() {
    words=$1
    shift
    ! "build/$name" "$@" >"$tmp/log/ran" 2>"$tmp/log/err" || failed "$name $* is taken"
    grep -q "$words" "$tmp/log/err" || { cat "$tmp/log/err"; failed "$name $*: no word on what is wrong"; }
}

example bert bert_small.torchscript.onnx -DWIDTH=64 --dim batch=B:1..3 --dim seq=T:1..20
alike 3 17
runs 1 20 | grep -qx '1 texts of 20 tokens likeness 1.0000' || failed "a text is not like itself"
refuses 'outside of its range' bert.safetensors 4

example gpt2 gpt2_small.torchscript4.onnx '-DWORDS=99 -DHEADS=4 -DDEPTH=16' --keep --dim batch=B:1..1 --dim seq=T:1..16 --dim past=P:0..30 --dim kept=K:1..31
alike 7 9
# of a longer text, the same first words
runs 7 3 | head -1 >short
grep -q "^$(cat short)" one || failed "7 tokens go on in another way if there is more room"
refuses 'outside of its range' gpt2.safetensors 17 2

example resnet50 resnet50_small.torchscript.onnx -DCLASSES=10 --dim batch=B:1..1 --dim height=H:32..64 --dim width=W:32..64
alike 32 32
alike 47 64
refuses 'outside of its range' resnet50.safetensors 65
refuses 'cannot be opened' none.safetensors
refuses 'usage: resnet50 WEIGHTS'
printf 'no weights' >broken.safetensors
refuses 'the weights are no safetensors file' broken.safetensors 32
