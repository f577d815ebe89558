#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# The small models of tests/models, as exporters wrote them: each is imported, twice with the same bytes, its spec is right, and its package, of a short
# search, compiles without a warning, passes its own test on the model's weights, and gives what the model's pairs of inputs and outputs say, on one and
# on two threads. Usually one model, thorough all of them. One that is not imported yet is named here, so that the test says when it is.
# What takes time is the verification of kernels, a second a function, and the larger the images, the longer: so ranges are small.
# Kernels are compiled at -O1 here: dcgen verified each at -O3.
# ctest: label=slow thorough timeout=400 cost=25
. "$SRC/tests/cli/lib.sh"
models=$SRC/tests/models
warnings='-Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow -Wcast-qual -Wundef -Werror'
not_yet=' '

import() { # FILE FOLDER
    run "${3:-0}" import --dim batch=B:1..3 --dim seq=T:1..33 --dim past=P:0..9 --dim height=H:32..64 --dim width=W:32..64 -o "$2" "$1"
}

# The package of $folder/$name.cfg. What another exporter made of a model mostly calls the same functions, whose records are there then.
generate() {
    set -- --templates "$SRC/templates" --no-report --records "$tmp/work/records" -o "$folder/package" "$folder/$name.cfg"
    "$DCGEN" -q replay "$@" >"$tmp/log/replay" 2>&1 || run 0 -q --trials 1 --seconds 1 "$@"
}

# make_package MODEL: its package in $folder/package
make_package() {
    import "$models/$1.onnx" "$folder"
    import "$models/$1.onnx" "$folder/again"
    for file in "$name.safetensors" "$name.cfg"; do
        cmp "$folder/$file" "$folder/again/$file" || failed "$1 imported twice gives two $file"
    done
    run 0 check --templates "$SRC/templates" "$folder/$name.cfg"
    not_said warning
    sed -i 's/"host"/"portable"/; s/^threads = .*/threads = [1];/' "$folder/$name.cfg"
    generate
}

compile() {
    (
        cd "$folder/package"
        gcc -std=gnu17 -O1 -Wall -Wextra -Wshadow -Werror -c kernels.c pool.c &
        kernels=$!
        gcc -std=c11 -O1 $warnings -c model.c run_model.c && gcc -std=gnu11 -O1 -Wall -Wextra -Wshadow -Werror -c test_model.c check_*.c && wait $kernels &&
            gcc -o run_model run_model.o model.o kernels.o pool.o -lm -pthread &&
            gcc -o test_model test_model.o check_*.o model.o kernels.o pool.o -lm -pthread
    ) || failed "the package of $1 does not compile"
}

right() {
    weights=$folder/$name.safetensors npair=0
    "$folder/package/test_model" "$weights" >"$tmp/log/test" || { cat "$tmp/log/test"; failed "$1: test_model"; }
    for pair in "$models/$name".[0-9].safetensors; do
        for threads in 1 2; do
            "$folder/package/run_model" "$weights" "$pair" $threads >"$tmp/log/pair" 2>&1 || { cat "$tmp/log/pair"; failed "$1: ${pair##*/}"; }
            ! grep 'not compared' "$tmp/log/pair" || failed "$1: ${pair##*/} lacks an output"
        done
        npair=$((npair + 1))
    done
    [ $npair -ge 2 ] || failed "$1 has no pairs"
}

# With kept keys and values as states, in room for more than there are: the same results. Pair N has as many of them as word N says.
kept() {
    name=${1%%.*} folder=$tmp/work/kept
    run 0 import --keep --dim batch=B:1..3 --dim seq=T:1..33 --dim past=P:0..9 --dim kept=L:17..17 -o "$folder" "$models/$1.onnx"
    ! grep -q s53 "$folder/$name.cfg" || failed "$1: the mask has a size of its own"
    grep -q '^  state = ' "$folder/$name.cfg" || failed "$1 --keep has no state"
    sed -i 's/"host"/"portable"/; s/^threads = .*/threads = [1];/' "$folder/$name.cfg"
    generate
    compile "$1 --keep"
    "$folder/package/test_model" "$folder/$name.safetensors" >"$tmp/log/test" || { cat "$tmp/log/test"; failed "$1 --keep: test_model"; }
    pair=0
    for past in 5 0 9; do
        pair=$((pair + 1))
        "$folder/package/run_model" "$folder/$name.safetensors" "$models/$name.$pair.safetensors" P=$past L=17 >"$tmp/log/pair" 2>&1 ||
            { cat "$tmp/log/pair"; failed "$1 --keep: pair $pair"; }
    done
    echo "right: $1 --keep"
    rm -rf -- "$folder"
}

# What README.md shows first, with a model of that name.
readme() {
    cp "$models/bert_small.torchscript.onnx" "$folder/model.onnx"
    grep '^dcgen import model.onnx' "$SRC/README.md" | sed 's/#.*//; s/^dcgen //' >"$folder/command"
    [ -s "$folder/command" ] || failed "README.md imports no model"
    (cd "$folder" && run 0 $(cat command))
    sed -i 's/"host"/"portable"/; s/^threads = .*/threads = [1];/' "$folder/model.cfg"
    run 0 replay --templates "$SRC/templates" --records "$tmp/work/records" -o "$folder/model" "$folder/model.cfg"
    {
        printf '#include <stdlib.h>\n#include "model_model.h"\n'
        echo 'void example(model_model model, void *file, size_t bytes, void *memory, model_inputs inputs, model_outputs outputs) {'
        sed -n '/^```c$/,/^```$/p' "$SRC/README.md" | sed '1d; /^```$/,$d'
        echo '}'
    } >"$folder/readme.c"
    grep -q model_run "$folder/readme.c" || failed "README.md runs no model"
    gcc -std=c11 -Wall -Wextra -Werror -I"$folder/model" -fsyntax-only "$folder/readme.c" || failed "what README.md shows does not compile"
}

try() {
    name=${1%%.*} folder=$tmp/work/$1
    case $not_yet in *" $1 "*)
        import "$models/$1.onnx" "$folder" 2
        echo "not imported yet: $1"
        return ;;
    esac
    make_package "$1"
    compile "$1"
    right "$1"
    echo "right: $1, $npair pairs"
    [ "$1" != bert_small.torchscript ] || readme
    rm -rf -- "$folder"
}

run 0 import --keep -o "$tmp/work/none" "$models/bert_small.torchscript.onnx"
said '--keep is of no effect'
if [ "${THOROUGH:-0}" = 0 ]; then
    try bert_small.torchscript
    exit 0
fi
for path in "$models"/*_small.*.onnx; do
    path=${path##*/}
    try "${path%.onnx}"
done
kept llama_small.torchscript
kept gpt2_small.dynamo
