#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# ctest: label=slow timeout=900 cost=60 thorough
#
# Convolutions on GPUs: executed by the emulator, held against the reference on awkward shapes and on those below: taps that are aligned to 16 bytes, to
# 4 and to nothing, strides, dilations, paddings that differ from side to side, groups, single pixels, many images in a tile, depthwise ones; F packed
# and not, in each layout that kernels have; formulas that tell all places apart, in registers and in a loop; sums that blocks share.
# With THOROUGH=1, instead: the general kernel of each template for each element type, and large tiles of each, compiled for two GPUs,
# which keep their values in registers.
set -u
[ -x "$BIN/dcgen-runner-emu" ] || { echo "skipped: no dcgen-runner-emu in this build"; exit 77; }
c++ --version >/dev/null 2>&1 || { echo "skipped: no c++, which compiles kernels for the emulator"; exit 77; }
nvcc=$(command -v nvcc || echo "${CUDA_HOME:-/usr/local/cuda}/bin/nvcc")
"$nvcc" --version >/dev/null 2>&1 || { echo "skipped: no nvcc, without which dcgen tries no kernel for a GPU"; exit 77; }
tmp=$(mktemp -d) || exit 1
trap 'rm -rf -- "$tmp"' EXIT
export TMPDIR="$tmp"
code=0

# spec DTYPE LAYOUT FORMULA
spec() {
    cat >"$tmp/c.cfg" <<END
name = "conv"; op = "conv2d"; dtype = "$1"; layout = { $2 }; epilogue = "$3";
dims = { T = { min = 1; max = 9; }; };
shapes = (
  { N = "T"; G = 1; H = 6; W = 7; C = 32; K = 40; R = 3; S = 3; PAD = 1; },
  { N = 1; G = 3; H = "T + 5"; W = 12; C = 6; K = 5; R = 3; S = 2; STRIDE = 2; PAD_L = 2; PAD_B = 1; DIL_H = 2; },
  { N = 2; G = 1; H = 13; W = "T + 10"; C = 3; K = 24; R = 7; S = 5; STRIDE_W = 3; PAD = 3; },
  { N = "T"; G = 1; H = 1; W = 1; C = 16; K = 17; R = 1; S = 1; },
  { N = 2; G = "16*T + 4"; H = 7; W = 6; C = 1; K = 1; R = 3; S = 3; PAD = 1; STRIDE = 2; },
  { N = 1; G = 40; H = 5; W = "T + 9"; C = 1; K = 1; R = 3; S = 3; PAD = 1; },
  { N = 1; G = 7; H = 6; W = "T"; C = 1; K = 1; R = 5; S = 3; PAD = 4; DIL_W = 2; } );
tune = { T = [1, 9]; };
END
}

# try DTYPE LAYOUT TARGET FORMULA TEMPLATE PARAMETER...
try() {
    dtype=$1 layout=$2 target=$3 formula=$4
    shift 4
    spec "$dtype" "$layout" "$formula"
    if ! "$DCGEN" try "$@" --target "$target" "$tmp/c.cfg" >"$tmp/out" 2>"$tmp/err" || ! grep -q ': right on [0-9]* awkward shapes' "$tmp/out"; then
        echo "FAILED: $dtype $layout $target: $formula: $*"
        sed 's/^/    /' "$tmp/err" "$tmp/out"
        code=1
    fi
}

fixed='GROUP=0 FIXED_K=0 FIXED_N=0'
simt="BM=64 BN=64 TM=4 TN=8 BK=16 STAGES=3 SPLITK=1 $fixed"
simt_75="BM=64 BN=64 TM=8 TN=8 BK=16 STAGES=2 SPLITK=1 $fixed"
mma="BM=64 BN=64 WM=32 WN=32 ROW=64 STAGES=4 SPLITK=1 $fixed"
depthwise='LANES=16 NT=128 PX=4 FIXED_S=0'
norm='max(acc * scale[oc] + shift[oc], 0)'
places='acc * (n + 1) + p - q * 2 + oc'
packed='packed = true;'
if [ -z "${THOROUGH:-}" ]; then
    try f32 "F = \"KRSC\"; $packed" sm_80 "$norm" simt_conv BM=32 BN=64 TM=4 TN=4 BK=32 STAGES=3 SPLITK=4 $fixed
    try f32 'F = "RSCK";' sm_75 "$places" simt_conv $simt_75
    try bf16 "F = \"KRSC\"; $packed" sm_80 'acc + residual[n,p,q,oc]' mma_conv $mma
    try f16 'F = "RSCK";' sm_90a "$places" mma_conv BM=32 BN=64 WM=32 WN=32 ROW=128 STAGES=4 SPLITK=3 $fixed
    try tf32 'F = "KRSC";' sm_90a 'gelu(acc)' mma_conv $mma
    try f32 'F = "RSCK";' sm_80 "$places" depthwise LANES=8 NT=64 PX=2 FIXED_S=3
    try bf16 "F = \"KCRS\"; $packed" sm_90a 'gelu(acc) + residual[n,p,q,oc]' depthwise LANES=32 NT=256 PX=6 FIXED_S=3
    exit $code
fi

for layout in 'F = "KRSC";' 'F = "RSCK";' "F = \"KRSC\"; $packed" "F = \"RSCK\"; $packed"; do
    try f32 "$layout" sm_80 "$norm" simt_conv $simt
    try f32 "$layout" sm_75 "$norm" simt_conv $simt_75
    for type in tf32 f16 bf16; do
        try $type "$layout" sm_80 "$places" mma_conv $mma
        try $type "$layout" sm_80 "$norm" depthwise $depthwise
    done
done

# compiles DTYPE LAYOUT FORMULA TEMPLATE PARAMETER...: for two GPUs
compiles() {
    spec "$1" "$2" "$3"
    formula=$3
    shift 3
    for target in sm_80 sm_90a; do
        "$DCGEN" try "$@" --target $target --dump source "$tmp/c.cfg" >"$tmp/k.cu" 2>"$tmp/err"
        "$nvcc" -std=c++17 -O3 "-gencode=arch=compute_${target#sm_},code=$target" -Xptxas -v -cubin -o "$tmp/k.cubin" "$tmp/k.cu" >"$tmp/log" 2>&1 &&
            grep -q ' 0 bytes spill stores' "$tmp/log" && continue
        echo "FAILED: $target: $formula: $* does not compile, or spills"
        sed 's/^/    /' "$tmp/err" "$tmp/log"
        code=1
    done
}
for formula in "$norm" 'gelu(acc + bias[oc]) + residual[n,p,q,oc]'; do
    compiles f32 "F = \"KRSC\"; $packed" "$formula" simt_conv BM=128 BN=128 TM=8 TN=16 BK=16 STAGES=3 SPLITK=1 $fixed
    compiles f32 'F = "RSCK";' "$formula" simt_conv BM=96 BN=128 TM=6 TN=16 BK=16 STAGES=3 SPLITK=3 $fixed
    for type in tf32 bf16; do
        compiles $type "F = \"KRSC\"; $packed" "$formula" mma_conv BM=128 BN=128 WM=64 WN=64 ROW=64 STAGES=4 SPLITK=3 $fixed
        compiles $type "F = \"KRSC\";" "$formula" mma_conv BM=128 BN=128 WM=64 WN=64 ROW=128 STAGES=3 SPLITK=1 $fixed
        compiles $type 'F = "RSCK";' "$formula" mma_conv BM=128 BN=256 WM=64 WN=64 ROW=64 STAGES=4 SPLITK=1 $fixed
    done
    compiles f32 'F = "KRSC";' "$formula" depthwise LANES=32 NT=128 PX=8 FIXED_S=3
    compiles f16 'F = "RSCK";' "$formula" depthwise LANES=8 NT=256 PX=6 FIXED_S=3
done
exit $code
