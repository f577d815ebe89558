#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# ctest: label=thorough timeout=120
#
# What formulas call keeps nothing in the local memory of a GPU's thread, as nvcc compiles it for sm_90a where a thread has several elements: kernels
# that do are never used (sinf and cosf of CUDA are such).
set -eu
nvcc=$(command -v nvcc) || { echo "skipped: no nvcc"; exit 77; }
tmp=$(mktemp -d)
trap 'rm -rf -- "$tmp"' EXIT
failed=0
for function in sin cos exp log sqrt rsqrt tanh erf sigmoid silu gelu gelu_tanh floor round f16 bf16 pow; do
    second=
    [ $function != pow ] || second=', 2.5'
    cat >"$tmp/spec.cfg" <<END
name = "pkg"; op = "rows"; dtype = "f32"; target = ["sm_90a"]; shapes = ( { M = 64; N = 256; } );
formula = "$function(x[m,n]$second) + 2 * $function(3 * x[m,n]$second)";
END
    "$DCGEN" try lane_rows LANES=32 NT=128 ROWS=1 VEC=4 NV=2 EAGER=0 "$tmp/spec.cfg" -t sm_90a --dump source >"$tmp/k.cu"
    "$nvcc" -std=c++17 -O3 -w -gencode=arch=compute_90a,code=sm_90a -Xptxas -v -cubin -I "$SRC" -I "$SRC/search/runner" \
        -o "$tmp/k.cubin" "$tmp/k.cu" 2>"$tmp/log"
    grep -q ' 0 bytes stack frame, 0 bytes spill stores' "$tmp/log" || { echo "FAILED: $function: uses the stack"; failed=1; }
done
exit $failed
