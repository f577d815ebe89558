#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# dcgen-runner-cuda as it is built for GPUs: what it says where there is none, and that it lends its CUDA runtime to the
# code under test.
#
# ctest: label=slow
set -u

runner=$BIN/dcgen-runner-cuda
[ -x "$runner" ] || { echo "skipped: dcgen-runner-cuda was left out of this build"; exit 77; }
tmp=$(mktemp -d) || exit 1
trap 'rm -rf -- "$tmp"' EXIT
failed=0
fail() { echo "FAILED: $*"; failed=1; }

# ---- a device, or one clear line

for argument in "" --probe; do
    "$runner" --targets "$SRC/templates/targets" $argument </dev/null >"$tmp/out" 2>"$tmp/err"
    code=$?
    if [ $code -eq 0 ]; then
        grep -q '"isa":\["sm_' "$tmp/out" || fail "a device, but not what it runs: $(cat "$tmp/out")"
    else
        [ $code -eq 3 ] || fail "exit code $code"
        [ -s "$tmp/out" ] && fail "no device, but: $(cat "$tmp/out")"
        grep -q '^dcgen-runner-cuda: \(no NVIDIA driver\|the driver is for CUDA\|there is no CUDA device\|no CUDA device can be used\|no target\)' "$tmp/err" ||
            fail "no device, but: $(cat "$tmp/err")"
        [ "$(wc -l <"$tmp/err")" -eq 1 ] || fail "more than one line: $(cat "$tmp/err")"
    fi
done
"$runner" --dance </dev/null >"$tmp/out" 2>"$tmp/err"
[ $? -eq 2 ] || fail "a bad argument"
grep -q '^usage: dcgen-runner-cuda' "$tmp/err" || fail "usage: $(cat "$tmp/err")"

# ---- nothing but the CUDA runtime is exported, all of it that compiled candidates want

nm -D --defined-only "$runner" | awk '$2 == "T" { print $3 }' | sort >"$tmp/lent"
others=$(grep -v -e '^cuda' -e '^__cuda' "$tmp/lent")
[ -z "$others" ] || fail "exports names of its own: $others"
for name in cudaLaunchKernel cudaFuncSetAttribute cudaGetLastError cudaMemcpyAsync __cudaRegisterFatBinary __cudaPushCallConfiguration; do
    grep -qx "$name" "$tmp/lent" || fail "does not lend $name"
done

nvcc=$(command -v nvcc || echo "${CUDA_HOME:-/usr/local/cuda}/bin/nvcc")
if [ ! -x "$nvcc" ]; then
    echo "skipped: no nvcc: what a candidate wants of the runtime"
    exit $failed
fi
cat >"$tmp/candidate.cu" <<'CU'
#include <cuda_runtime.h>
#include <stdint.h>
static __global__ void zero(float *y) { y[threadIdx.x] = 0; }
extern "C" int dcgen_launch(const int64_t *extent, void *const *operand, void *, void *, void *stream)
{
    cudaError_t e = cudaFuncSetAttribute((const void *)zero, cudaFuncAttributeMaxDynamicSharedMemorySize, 65536);
    if (e != cudaSuccess)
        return e;
    zero<<<dim3((unsigned)extent[0]), 32, 65536, (cudaStream_t)stream>>>((float *)operand[3]);
    return cudaGetLastError();
}
CU
"$nvcc" -shared -cudart none -Xcompiler -fPIC -o "$tmp/candidate.so" "$tmp/candidate.cu" || fail "nvcc"
nm -D --undefined-only "$tmp/candidate.so" | awk '$2 ~ /^(__)?cuda/ { sub(/@.*/, "", $2); print $2 }' | sort >"$tmp/wanted"
[ -s "$tmp/wanted" ] || fail "the candidate wants nothing of the runtime"
missing=$(comm -23 "$tmp/wanted" "$tmp/lent")
[ -z "$missing" ] || fail "candidates want what is not lent: $missing"

exit $failed
