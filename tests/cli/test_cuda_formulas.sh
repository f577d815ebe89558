#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# ctest: label=slow timeout=600 cost=40 thorough
#
# Kernels for GPUs compute a function's formula: executed by the emulator, held against the formula in double precision on awkward shapes. A formula is
# computed as sums lie in registers, or, where it has functions of many instructions or reads an operand element by element, in a loop over sums in
# shared memory, in one round or several; both in tiles of one kernel in a block and of many, and behind sums that blocks share.
# With THOROUGH=1: not these, but each template with each of its element types and formulas of both kinds, the layouts in turns.
set -u
[ -x "$BIN/dcgen-runner-emu" ] || { echo "skipped: no dcgen-runner-emu in this build"; exit 77; }
c++ --version >/dev/null 2>&1 || { echo "skipped: no c++, which compiles kernels for the emulator"; exit 77; }
nvcc=$(command -v nvcc || echo "${CUDA_HOME:-/usr/local/cuda}/bin/nvcc")
"$nvcc" --version >/dev/null 2>&1 || { echo "skipped: no nvcc, without which dcgen tries no kernel for a GPU"; exit 77; }
tmp=$(mktemp -d) || exit 1
trap 'rm -rf -- "$tmp"' EXIT
export TMPDIR="$tmp"
code=0

# try OP DTYPE LAYOUTS TARGET FORMULA TEMPLATE PARAMETER...
try() {
    op=$1 dtype=$2 layouts=$3 target=$4 formula=$5
    shift 5
    batches= types=
    [ "$op" = dense ] || batches='B0 = 2; B1 = 3; '
    case $formula in
    *len\[*) types='types = { len = "s32"; };' ;;
    *row\[*) types='types = { row = "s32"; }; extents = { table = ["N", "N"]; };' ;;
    esac
    cat >"$tmp/f.cfg" <<END
name = "f"; op = "$op"; dtype = "$dtype"; layout = { $layouts }; epilogue = "$formula"; $types
dims = { M = { min = 1; max = 70; }; };
shapes = ( { ${batches}M = "M"; N = 44; K = 40; } );
tune = { M = [1, 70]; };
END
    if ! "$DCGEN" try "$@" --target "$target" "$tmp/f.cfg" >"$tmp/out" 2>"$tmp/err" || ! grep -q ': right on [0-9]* awkward shapes' "$tmp/out"; then
        echo "FAILED: $op $dtype $layouts $target: $formula: $*"
        sed 's/^/    /' "$tmp/err" "$tmp/out"
        code=1
    fi
}

# The general kernels' values, but those behind them.
tile='SPLITK=1 GROUP=0 FIXED_K=0 FIXED_N=0'
mma="BM=64 BN=64 WM=32 WN=32 ROW=64 STAGES=4 $tile"
tiny="TOGETHER=4 BM=16 BN=16 TM=4 TN=2 BK=32 STAGES=3 $tile"
tiny_mma="TOGETHER=4 BM=16 BN=32 WM=16 WN=32 ROW=64 STAGES=3 $tile"
gemv='ROWS=4 COLS=1 WARPS=8 KWARPS=1 LANES=32 UNROLL=2 SPLITK=1'
mma_gemv='ROWS=8 COLS=64 WARPS=4 KWARPS=4 UNROLL=1 SPLITK=1'

if [ -z "${THOROUGH:-}" ]; then
    # All functions, and comparisons of all kinds.
    try dense f32 'W = "NK";' sm_75 'f16(exp(-abs(acc))) + bf16(tanh(acc)) + erf(acc) * sigmoid(acc) + sqrt(abs(acc)) + rsqrt(1 + acc * acc) + log(2 + acc * acc) + gelu_tanh(acc) + min(acc, 1) + max(scale[m], bias[n]) + (m < n && n != 3 || !(m >= 2) ? silu(acc) : gelu(acc) / 2)' gemv $gemv
    # In registers: tiles whose rows are stored from there, and by way of shared memory.
    try dense f32 'W = "KN";' sm_75 'max(acc * 0.5 + bias[n], 0)' simt_gemm BM=64 BN=64 TM=8 TN=8 BK=16 STAGES=2 $tile
    try batch_matmul f16 'A = "KM"; B = "KN";' sm_80 'n < len[b0] ? acc * 0.125 + shift[m] : -inf' mma_bmm $mma
    # Rows of a table.
    try dense f16 'W = "KN";' sm_80 'acc + table[row[m],n]' mma_gemm $mma
    # In a loop: in one round; in one, with columns of a tile that are no power of two; in two rounds; in four, of sums of three blocks; tiles of several
    # problems in a block.
    try dense bf16 'W = "NK";' sm_80 'acc + bias[n] + residual[m,n]' mma_gemm $mma
    try dense bf16 'W = "KN";' sm_90a 'gelu_tanh(n == 3 ? -inf : acc * 2)' mma_gemm BM=128 BN=128 WM=64 WN=64 ROW=64 STAGES=4 $tile
    try dense f32 'W = "NK";' sm_80 'gelu(acc + bias[n]) + residual[m,n]' simt_gemm BM=128 BN=128 TM=8 TN=16 BK=8 STAGES=3 SPLITK=3 GROUP=0 FIXED_K=0 FIXED_N=0
    try batch_matmul tf32 'A = "MK"; B = "NK";' sm_90a 'silu(n < len[b0] ? acc : -inf) * gate[b0,b1,m,n]' tiny_mma_bmm $tiny_mma
    # Few rows.
    try batch_matmul bf16 'A = "MK"; B = "KN";' sm_80 'gelu(acc) * gate[b0,b1,m,n]' mma_gemv_bmm ROWS=8 COLS=64 WARPS=8 KWARPS=8 UNROLL=1 SPLITK=2
    exit $code
fi

# dense_all FORMULA LAYOUT: all templates of dense. The kernel of few rows has warps that share out k, or blocks, as its constraints have it.
dense_all() {
    w="W = \"$2\";"
    case $2 in NK) kwarps=8 ;; KN) kwarps=1 ;; esac
    try dense f32 "$w" sm_90a "$1" simt_gemm BM=96 BN=96 TM=6 TN=12 BK=16 STAGES=3 $tile
    try dense tf32 "$w" sm_80 "$1" mma_gemm BM=128 BN=64 WM=64 WN=32 ROW=128 STAGES=3 $tile
    try dense bf16 "$w" sm_90a "$1" mma_gemm BM=128 BN=128 WM=64 WN=64 ROW=64 STAGES=4 $tile
    try dense f16 "$w" sm_80 "$1" mma_gemv $mma_gemv
    try dense bf16 "$w" sm_80 "$1" gemv ROWS=4 COLS=1 WARPS=8 KWARPS=$kwarps LANES=32 UNROLL=2 SPLITK=2
}
# batch_all FORMULA LAYOUTS DTYPE...: all templates of batch_matmul, those of tensor cores with these types.
batch_all() {
    formula=$1 layouts=$2
    shift 2
    try batch_matmul f32 "$layouts" sm_80 "$formula" simt_bmm BM=128 BN=128 TM=8 TN=16 BK=8 STAGES=4 $tile
    try batch_matmul f32 "$layouts" sm_80 "$formula" tiny_bmm $tiny
    try batch_matmul f32 "$layouts" sm_80 "$formula" gemv_bmm ROWS=2 COLS=2 WARPS=8 KWARPS=1 LANES=32 UNROLL=2 SPLITK=1
    for type; do
        case $type in tf32) values=$mma ;; *) values="BM=64 BN=96 WM=64 WN=32 ROW=64 STAGES=4 $tile" ;; esac # columns are no power of two
        try batch_matmul "$type" "$layouts" sm_90a "$formula" mma_bmm $values
        try batch_matmul "$type" "$layouts" sm_80 "$formula" tiny_mma_bmm $tiny_mma
    done
}
try batch_matmul f32 'A = "MK"; B = "NK";' sm_80 'n < len[b0] ? acc * 0.125 + mask[b0,n] : -inf' simt_bmm BM=64 BN=64 TM=4 TN=8 BK=16 STAGES=3 $tile
try dense f16 'W = "KN";' sm_90a 'silu(acc) * gate[m,n]' mma_gemm BM=32 BN=96 WM=32 WN=32 ROW=64 STAGES=4 $tile
try batch_matmul f32 'A = "KM"; B = "KN";' sm_80 'gelu(acc * 0.125 + mask[b0,n])' tiny_bmm $tiny
dense_all 'acc + bias[n]' KN
dense_all 'n <= m ? acc : -inf' NK
dense_all 'gelu(acc + bias[n])' KN
dense_all 'silu(acc) * gate[m,n]' NK
batch_all 'acc * 0.125 + mask[b0,n]' 'A = "MK"; B = "KN";' tf32
batch_all 'n < len[b0] ? acc * 0.125 : -inf' 'A = "KM"; B = "NK";' bf16
batch_all 'gelu(acc + bias[n])' 'A = "KM"; B = "NK";' tf32
batch_all 'acc + residual[b0,b1,m,n]' 'A = "MK"; B = "KN";' f16
try batch_matmul f16 'A = "MK"; B = "NK";' sm_80 'n < len[b0] ? acc * 0.125 : -inf' mma_gemv_bmm $mma_gemv
try batch_matmul bf16 'A = "MK"; B = "NK";' sm_80 'acc + residual[b0,b1,m,n]' mma_gemv_bmm $mma_gemv
exit $code
