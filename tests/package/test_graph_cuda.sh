#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Whole models for GPUs where there is none, of records that nobody measured: the emulator executes their kernels. The graph of docs/model.md, whose
# example for GPUs computes what it should, with calls that are kept as CUDA graphs; a BERT of two layers, whose package passes its own test on the
# model's weights, on devices of two kinds, and gives what the model's pairs of inputs and outputs say. Thorough a model of each kind; and nvcc, where it
# is there, builds a package without a warning.
# ctest: label=slow thorough timeout=900 cost=35
. "$SRC/tests/cli/lib.sh"
page=$SRC/docs/model.md
product=$SRC/tests/package/product
models=$SRC/tests/models
emulator=$SRC/templates/device/emulator
warnings='-Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow -Wcast-qual -Wundef -Werror'
[ -e "$BIN/libdcgen_emulator.a" ] || { echo "skipped: the emulator is left out of this build"; exit 77; }
command -v c++ >/dev/null 2>&1 || { echo "skipped: there is no C++ compiler"; exit 77; }

# quiet COMMAND...: what it says is shown only when it fails
quiet() { "$@" >"$tmp/log/said" 2>&1 || { tail -n 40 "$tmp/log/said"; failed "$*"; }; }

# package SPEC FOLDER TARGET...: the package that made-up records of these targets give
package() {
    spec=$1 folder=$2
    shift 2
    rm -f "$folder.jsonl"
    quiet "$BIN/tests/package_tests" test_calls_cuda:records_of_a_spec "$spec" "$folder.jsonl" "$@"
    quiet "$DCGEN" -q replay "$spec" --records "$folder.jsonl" -o "$folder" --no-report
}

link() { # link FOLDER PROGRAM OBJECT...: for the emulator
    folder=$1 program=$2
    shift 2
    quiet c++ -o "$folder.built/$program" "$@" "$folder.built/model.o" "$folder.built/kept.o" "$folder.built/kernels.o" "$BIN/libdcgen_emulator.a" \
        "$BIN/libroom_gen_base.a" -lm -ldl -pthread
}

# compile FOLDER: the package with its programs, in FOLDER.built. Only kernels are watched.
compile() {
    mkdir -p "$1.built"
    quiet c++ -x c++ -std=gnu++17 -O1 -g1 -march=native -fsanitize=thread -fno-plt -fno-builtin -fno-exceptions -fno-rtti -fno-tree-vectorize \
        -fno-tree-slp-vectorize -w -DDCGEN_EMULATOR -I"$emulator" -c -o "$1.built/kernels.o" "$1/kernels.cu"
    for file in model kept run_model; do
        cc -std=c11 -O1 $warnings -DDCGEN_EMULATOR -isystem "$emulator" -c -o "$1.built/$file.o" "$1/$file.c" || failed "$1: $file.c has warnings"
    done
    for file in "$1"/test_model.c "$1"/check_*.c; do
        cc -std=gnu11 -O1 -Wall -Wextra -Wshadow -Werror -DDCGEN_EMULATOR -isystem "$emulator" -c -o "$1.built/$(basename "$file" .c).o" "$file" ||
            failed "$file has warnings"
    done
    link "$1" run_model "$1.built/run_model.o"
    link "$1" test_model "$1.built/test_model.o" "$1".built/check_*.o
}

# right FOLDER WEIGHTS PAIR...: the package's own programs say so
right() {
    built=$1.built weights=$2
    shift 2
    quiet "$built/test_model" "$weights"
    for pair; do quiet "$built/run_model" "$weights" "$pair"; done
}

section the graph of the page
sed -n '/^name  = "recall"/,/^```$/p' "$page" | grep -v '^```' | sed '1s/$/ target = ["sm_90a", "sm_80"];/' >recall.cfg
package recall.cfg recall sm_90a sm_80
compile recall
quiet recall.built/test_model
DCGEN_EMULATOR_CAPABILITY=80 quiet recall.built/test_model
if DCGEN_EMULATOR_CAPABILITY=0 recall.built/test_model >"$tmp/log/said"; then code=0; else code=$?; fi
[ "$code" = 77 ] && grep -q '^skipped: no CUDA device' "$tmp/log/said" || failed "test_model ends with $code without a device"
room=$(sed -n 's/^enum { recall_counter_bytes = \([0-9]*\) };$/\1/p' recall/model.c)
[ -n "$room" ] && grep -q "_counters_room = $room };" recall/kernels.cu && ! grep '_counters_room = ' recall/kernels.cu | grep -v "= $room };" ||
    failed "model.c and functions say different room for counters"
quiet "$DCGEN" explain recall 'embed rows' T=3 P=2
grep -q 'for sm_90a' "$tmp/log/said" || failed "no kernel is said"

section the example of the page for GPUs
sed -n '/^```c$/,/^```$/p' "$page" | sed -n '/example: a model on a GPU/,/^```$/p' | grep -v '^```' >example.c
[ -s example.c ] || failed "docs/model.md has no example for GPUs"
cp "$product/recall_cuda.c" "$product/recall_weights.h" .
cc -std=c11 -O1 $warnings -Wno-unused-function -DDCGEN_EMULATOR -isystem "$emulator" -Irecall -c -o example.o recall_cuda.c || failed "the example"
link recall example example.o
recall.built/example weights.safetensors || failed "the example computes something else, or a wrong call is made"

quiet recall.built/test_model weights.safetensors

section graphs without weights or inner tensors, and names that are others
cat >soft.cfg <<'SPEC'
name  = "soft"; dtype = "f32"; target = ["sm_80"];
functions = (
  { name = "copy"; op = "rows"; formula = "softmax[n](x[m,n])"; shapes = ( { M = 5; N = 7; } ); },
  { name = "gather"; op = "rows"; formula = "table[id[m],n]"; types = { id = "s32"; }; extents = { table = ["E", "7"]; };
    shapes = ( { M = 5; N = 7; E = 11; } ); } );
graph = {
  inputs  = ( { name = "stream"; extents = (11, 7); }, { name = "ids"; extents = [5]; type = "s32"; } );
  outputs = ( { name = "y"; extents = (5, 7); } );
  nodes   = ( { call = "gather"; table = "stream"; id = "ids"; Y = "fetch"; },
              { call = "copy"; name = "a */ \\ \"b\" ??/ %s #@ //@ end NAME"; x = "fetch"; Y = "y"; } );
};
SPEC
package soft.cfg soft sm_80
compile soft
quiet soft.built/test_model
cat >bare.cfg <<'SPEC'
name = "bare"; dtype = "f32"; target = ["sm_80"];
functions = ( { name = "square"; op = "rows"; formula = "x[m,n] * x[m,n]"; shapes = ( { M = 5; N = 7; } ); } );
graph = { inputs = ( { name = "x"; extents = (5, 7); } ); outputs = ( { name = "y"; extents = (5, 7); } );
          nodes = ( { call = "square"; x = "x"; Y = "y"; } ); };
SPEC
package bare.cfg bare sm_80
compile bare
quiet bare.built/test_model

try() { # try MODEL: as an exporter wrote it
    name=${1%%.*}
    mkdir -p "$1"
    run 0 import --dim batch=B:1..3 --dim seq=T:1..33 --dim past=P:0..9 --dim height=H:32..64 --dim width=W:32..64 -o "$1" "$models/$1.onnx"
    sed -i 's/"host"/"sm_90a"/; /^threads = /d' "$1/$name.cfg"
    package "$1/$name.cfg" "$1/package" sm_90a
    compile "$1/package"
    right "$1/package" "$1/$name.safetensors" "$models/$name".[0-9].safetensors
    echo "right: $1"
}

if [ "${THOROUGH:-0}" = 0 ]; then
    section a BERT of two layers
    try bert_small.torchscript
    bert=bert_small.torchscript/package.built
    weights=bert_small.torchscript/bert_small.safetensors pair=$models/bert_small.2.safetensors
    DCGEN_EMULATOR_CAPABILITY=75 quiet "$bert/test_model" "$weights"
    DCGEN_EMULATOR_CAPABILITY=70 "$bert/run_model" "$weights" "$pair" >"$tmp/log/said" 2>&1 && failed "it runs on sm_70"
    grep -q 'no kernel of this package runs' "$tmp/log/said" || { cat "$tmp/log/said"; failed "it does not say that the device is another"; }
    quiet "$bert/run_model" "$weights" "$pair" --times 3 -o out
    grep -q '^median of 3 kept calls: ' "$tmp/log/said" && grep -q ' us .* %  .*encoder' "$tmp/log/said" && [ -s out ] || failed "no times, or no outputs"
    exit 0
fi

section models of each kind
for model in bert_small.torchscript gpt2_small.dynamo vit_b_16_small.torchscript resnet50_small.torchscript keras_cnn_small.tf2onnx; do
    try $model
done

section products on tensor cores
for type in tf32x3 tf32; do
    mkdir -p "$type"
    sed "/op = \"dense\"/s/op = /dtype = \"$type\"; op = /; /op = \"batch_matmul\"/s/op = /dtype = \"$type\"; op = /" \
        bert_small.torchscript/bert_small.cfg >"$type/bert_small.cfg"
    [ "$(grep -c "dtype = \"$type\"" "$type/bert_small.cfg")" -ge 6 ] || failed "no products"
    package "$type/bert_small.cfg" "$type/package" sm_90a
    compile "$type/package"
    right "$type/package" bert_small.torchscript/bert_small.safetensors "$models"/bert_small.[0-9].safetensors
done

section as a product takes it
command -v nvcc >/dev/null || { skipped "nvcc is not installed"; exit 0; }
takes() { # takes FOLDER NAME SHARED
    quiet cmake -S "$1" -B built -DCMAKE_C_FLAGS='-Wall -Wextra -Wshadow -Werror' -DCMAKE_CUDA_FLAGS='-Werror all-warnings' -DBUILD_SHARED_LIBS=$3 \
        -DCMAKE_INSTALL_PREFIX="$tmp/installed"
    quiet cmake --build built -j2
    quiet cmake --install built
    for program in test_model run_model; do
        code=0
        CUDA_VISIBLE_DEVICES= "built/${2}_$program" weights.safetensors weights.safetensors >"$tmp/log/said" 2>&1 || code=$?
        [ "$code" = 77 ] || { cat "$tmp/log/said"; failed "${2}_$program ends with $code without a GPU"; }
    done
    [ -s "$tmp/installed/include/${2}_model.h" ] || failed "${2}_model.h is not installed"
    rm -rf built
}
takes recall recall ON
takes bert_small.torchscript/package bert_small OFF
