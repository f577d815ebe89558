#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# ctest: label=slow timeout=600 cost=60 thorough
#
# Row operators on GPUs: executed by the emulator, held against the formula in double precision on awkward shapes, so that rows have one element, fill
# registers exactly, have one more or less, or are longer; aligned and not. Each size of a group of threads, with rows side by side and alone, each
# width of a load, each element type, each kind of reduction, of masks and of operands. With THOROUGH=1, instead: the largest groups, and
# formulas of all kinds for each type, compiled for two GPUs, which keep their values in registers.
set -u
[ -x "$BIN/dcgen-runner-emu" ] || { echo "skipped: no dcgen-runner-emu in this build"; exit 77; }
c++ --version >/dev/null 2>&1 || { echo "skipped: no c++, which compiles kernels for the emulator"; exit 77; }
nvcc=$(command -v nvcc || echo "${CUDA_HOME:-/usr/local/cuda}/bin/nvcc")
"$nvcc" --version >/dev/null 2>&1 || { echo "skipped: no nvcc, without which dcgen tries no kernel for a GPU"; exit 77; }
tmp=$(mktemp -d) || exit 1
trap 'rm -rf -- "$tmp"' EXIT
export TMPDIR="$tmp"
code=0

# spec OP DTYPE FORMULA
spec() {
    shape='M = "T"; N = 44;' types= extents=
    case $1 in batch_rows) shape='B0 = 2; B1 = 3; M = "T"; N = "T";' ;; esac
    case $3 in *len\[*) types='len = "s32"; ' ;; esac
    case $3 in *scale\[*) types="${types}scale = \"f16\"; " ;; esac
    case $3 in *gamma\[*) types="${types}gamma = \"f32\"; " ;; esac
    case $3 in argmax*) types="${types}Y = \"s32\"; " ;; sum*) types="${types}Y = \"f32\"; " ;; esac
    case $3 in *table\[id*) shape="$shape V = 50;" types='id = "s32"; order = "s32"; ' extents='extents = { table = ["V", "N"]; x = ["M", "V"]; };' ;; esac
    [ -z "$types" ] || types="types = { $types};"
    cat >"$tmp/r.cfg" <<END
name = "r"; op = "$1"; dtype = "$2"; formula = "$3"; $types $extents
dims = { T = { min = 1; max = 40; }; };
shapes = ( { $shape } );
tune = { T = [1, 40]; };
END
}

# try OP DTYPE TARGET FORMULA PARAMETER...
try() {
    op=$1 dtype=$2 target=$3 formula=$4
    shift 4
    spec "$op" "$dtype" "$formula"
    if ! "$DCGEN" try lane_rows "$@" --target "$target" "$tmp/r.cfg" >"$tmp/out" 2>"$tmp/err" || ! grep -q ': right on [0-9]* awkward shapes' "$tmp/out"; then
        echo "FAILED: $op $dtype $target: $formula: $*"
        sed 's/^/    /' "$tmp/err" "$tmp/out"
        code=1
    fi
}

softmax='softmax[n](n < len[b0] ? x[b0,b1,m,n] * 0.125 : -inf)'
norm='layernorm[n](x[m,n] + r[m,n], 1e-5) * gamma[n] + beta[n]'
four='x[m,n] * scale[n] + z[m] - max(w[n,m], 0.5)'
if [ -z "${THOROUGH:-}" ]; then
    # A group of threads is a part of a warp, a warp, or a block.
    try batch_rows f32 sm_80 "$softmax" LANES=32 NT=128 ROWS=1 VEC=4 NV=2 EAGER=0
    try batch_rows bf16 sm_80 'log_softmax[n](x[b0,b1,m,n] + mask[b0,n] - s[b1] * (m - n))' LANES=32 NT=128 ROWS=4 VEC=4 NV=1 EAGER=0
    try rows f32 sm_80 'log_softmax[n](x[m,n])' LANES=256 NT=256 ROWS=1 VEC=2 NV=2 EAGER=0
    try rows bf16 sm_90a "$norm" LANES=128 NT=128 ROWS=1 VEC=8 NV=1 EAGER=0
    try rows f32 sm_75 'rmsnorm[n](x[m,n], 1e-5) * gamma[n]' LANES=32 NT=256 ROWS=2 VEC=4 NV=4 EAGER=1
    # One value of a row. Many elements are equal: the first of the largest counts.
    try row_values f32 sm_80 'argmax[n](min(x[m,n], 0))' LANES=4 NT=128 ROWS=4 VEC=2 NV=2 EAGER=0
    try row_values f16 sm_90a 'sum[n](x[m,n])' LANES=512 NT=512 ROWS=1 VEC=4 NV=1 EAGER=0
    # One value that fills its row; one that is not along it.
    try rows f16 sm_80 'exp(max[n](x[m,n])) * z[m] + sum[n](x[m,n])' LANES=32 NT=128 ROWS=2 VEC=4 NV=1 EAGER=0
    try rows f32 sm_80 'z[m] * m' LANES=32 NT=128 ROWS=2 VEC=4 NV=1 EAGER=0
    try row_values f32 sm_80 'z[m] * m' LANES=32 NT=128 ROWS=2 VEC=4 NV=1 EAGER=0
    # Results beyond f16: infinite.
    try rows f16 sm_80 'x[m,n] * 3.5 + r[m,n] * x[m,n]' LANES=32 NT=128 ROWS=1 VEC=8 NV=1 EAGER=0
    # Functions of elements alone, of operands that are the same for rows or columns, lie the other way, or are gathered by row and by element.
    try rows f32 sm_90a "$four" LANES=32 NT=256 ROWS=1 VEC=4 NV=1 EAGER=0
    try rows f32 sm_80 'softmax[n](table[id[m],n] + x[m,order[n]])' LANES=32 NT=128 ROWS=1 VEC=4 NV=1 EAGER=0
    exit $code
fi

try batch_rows f16 sm_90a 'softmax[n](n <= m ? x[b0,b1,m,n] : -inf)' LANES=8 NT=128 ROWS=2 VEC=8 NV=1 EAGER=0
try rows f32 sm_80 'softmax[n](x[m,n])' LANES=4 NT=128 ROWS=1 VEC=2 NV=1 EAGER=0
try rows f16 sm_80 "$norm" LANES=16 NT=256 ROWS=4 VEC=4 NV=2 EAGER=0
try row_values f16 sm_80 'argmax[n](min(x[m,n], 0))' LANES=128 NT=128 ROWS=1 VEC=4 NV=1 EAGER=0
try row_values bf16 sm_80 'sqrt(sum[n](x[m,n] * x[m,n])) + min[n](abs(x[m,n])) - max[n](x[m,n] / 2)' LANES=32 NT=256 ROWS=2 VEC=8 NV=1 EAGER=0
try rows f16 sm_80 "silu(x[n,m]) * N" LANES=16 NT=128 ROWS=1 VEC=8 NV=1 EAGER=0
try rows f32 sm_80 "$norm" LANES=1024 NT=1024 ROWS=1 VEC=4 NV=2 EAGER=1
try row_values f16 sm_90a 'argmax[n](min(x[m,n], 0))' LANES=1024 NT=1024 ROWS=1 VEC=8 NV=1 EAGER=1
try batch_rows bf16 sm_90a "$softmax" LANES=512 NT=512 ROWS=1 VEC=8 NV=2 EAGER=0

# compiles OP DTYPE FORMULA: for two GPUs, each time by another kernel: short rows, many elements in a thread, and the most threads
turn=0
compiles() {
    spec "$@"
    for target in sm_80 sm_90a; do
        turn=$((turn + 1))
        case $2 in f32) wide=4 ;; *) wide=8 ;; esac
        case $((turn % 5)) in
        0) kernel="LANES=4 NT=128 ROWS=4 VEC=$wide NV=2 EAGER=0" ;;
        1) kernel="LANES=32 NT=128 ROWS=1 VEC=4 NV=2 EAGER=0" ;;
        2) kernel="LANES=32 NT=256 ROWS=4 VEC=4 NV=4 EAGER=1" ;;
        3) kernel="LANES=512 NT=512 ROWS=1 VEC=$wide NV=2 EAGER=0" ;; # a search refuses NV=4 where it spills, as of a masked softmax times an operand
        4) kernel="LANES=1024 NT=1024 ROWS=1 VEC=4 NV=1 EAGER=1" ;;
        esac
        # shellcheck disable=SC2086 # words
        "$DCGEN" try lane_rows $kernel --target $target --dump source "$tmp/r.cfg" >"$tmp/k.cu" 2>"$tmp/err"
        "$nvcc" -std=c++17 -O3 "-gencode=arch=compute_${target#sm_},code=$target" -Xptxas -v -cubin -o "$tmp/k.cubin" "$tmp/k.cu" >"$tmp/log" 2>&1 &&
            grep -q ' 0 bytes spill stores' "$tmp/log" && continue
        echo "FAILED: $1 $2 $target: $3: $kernel does not compile, or spills"
        sed 's/^/    /' "$tmp/err" "$tmp/log"
        code=1
    done
}
for dtype in f32 f16 bf16; do
    compiles batch_rows $dtype "$softmax"
    compiles batch_rows $dtype 'softmax[n](n <= m ? x[b0,b1,m,n] : -inf) * g[b0,b1,m,n]'
    compiles rows $dtype 'log_softmax[n](x[m,n])'
    compiles rows $dtype "$norm"
    compiles rows $dtype 'rmsnorm[n](gelu(x[m,n]) + r[m,n], 1e-5) * gamma[n]'
    compiles rows $dtype 'gelu(x[m,n] + b[n]) * silu(g[m,n]) + tanh(z[m]) * erf(x[m,n])'
    compiles rows $dtype "$four"
    compiles row_values $dtype 'argmax[n](x[m,n] + b[n])'
    compiles row_values $dtype 'log(sum[n](exp(x[m,n] - max[n](x[m,n])))) + max[n](x[m,n])'
    compiles row_values $dtype 'sqrt(sum[n](x[m,n] * x[m,n])) + min[n](abs(x[m,n]))'
done
exit $code
