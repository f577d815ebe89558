#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Every workload in specs/ is right with the templates that come with dcgen: `check` finds something to search for each, and its shapes
# are those of its dims' ranges.
# ctest: label=slow cost=15
set -eu
: "${DCGEN:?the program to test}" "${SRC:?the source tree}"
tmp=$(mktemp -d)
trap 'rm -rf -- "$tmp"' EXIT
failed() { echo "FAILED: $*"; cat -- "$tmp/out" "$tmp/err"; exit 1; }
run() { "$DCGEN" "$@" >"$tmp/out" 2>"$tmp/err" || failed "exit code $?: dcgen $*"; }

# says NAME SHAPES: what the last `check --json` counted
says() {
    grep -q "^ \"shapes\": $2,\$" "$tmp/out" || failed "$1 has not $2 shapes"
}

n=0
for spec in "$SRC"/specs/*.cfg; do
    name=$(basename -- "$spec" .cfg)
    run check --json "$spec"
    [ ! -s "$tmp/err" ] || failed "$name: a warning"
    grep -q "^ \"name\": \"$name\(_[a-z]*\)\{0,1\}\",\$" "$tmp/out" || failed "$name: its name is not its file's"
    grep -q '^ "candidates": [1-9]' "$tmp/out" || failed "$name: nothing to search"
    grep -q '^ "tuned": [1-9]' "$tmp/out" || failed "$name: nothing to measure"
    head -n1 "$spec" | grep -q '^# .' || failed "$name: no word on where it comes from"
    case $name in
    bert_dense_b1) says "$name" $((4 * 512)) ;;
    gpt2) says "$name" $((4 * 1024 + 8)) ;;
    llama_7b) says "$name" $((3 * 512)) ;;
    gpt2_served) says "$name" $((4 * 160)) ;;
    odd) says "$name" $((4 * 257)) ;;
    bert_layer) grep -q '"bert_layer_scores"' "$tmp/out" || failed "$name: a function is left out" ;;
    attention_values) says "$name" $((256 * 512)) ;;
    esac
    n=$((n + 1))
done
[ $n -ge 12 ] || failed "$n specs"

# Whole layers have kernels for GPUs, too, their row operators among them.
for name in bert_layer gpt2_block; do
    run check --json --target sm_80,sm_90a "$SRC/specs/$name.cfg"
    [ "$(grep -c '^ "candidates": [1-9]' "$tmp/out")" -eq 16 ] || failed "$name: a function has no kernels for a GPU"
done

# Convolutions have kernels for GPUs of every type.
for dtype in f32 tf32 tf32x3 f16 bf16; do
    sed "s/^dtype *=.*/dtype = \"$dtype\";/" "$SRC/specs/conv_odd.cfg" >"$tmp/conv_odd.cfg"
    run check --json --target sm_80,sm_90a "$tmp/conv_odd.cfg"
    [ "$(grep -c '^ "candidates": [1-9]' "$tmp/out")" -eq 2 ] || failed "conv_odd: no kernels for a GPU, $dtype"
done

# Two dims in one extent: as many shapes as products; more shapes than are kept as instances: a sample with its corners.
run --dump spec "$SRC/specs/bert_dense_bt.cfg"
grep -q 'M=2048 N=768 K=3072' "$tmp/out" || failed "the largest batch is not there"
run --dump spec "$SRC/specs/attention_scores.cfg"
for corner in 'M=1 N=1 ' 'M=512 N=1 ' 'M=1 N=1024 ' 'M=512 N=1024 '; do
    grep -q "$corner" "$tmp/out" || failed "no corner $corner"
done
