#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# ctest: label=thorough timeout=120
#
# Where the emulator's wgmma finds its operands, against CuTe's layouts and descriptors (emu/cute.cc). Needs CUTLASS's headers: those of $CUTLASS_PATH,
# of PyPI's nvidia-cutlass or of the system; and CUDA's.
set -u

cuda=${CUDA_HOME:-/usr/local/cuda}/include
python=$(python3 -c 'import importlib.util as u; s = u.find_spec("cutlass_library"); print(s.submodule_search_locations[0] if s else "")' 2>/dev/null)
for cutlass in "${CUTLASS_PATH:-/nowhere}/include" "${python:-/nowhere}/source/include" /usr/include /usr/local/include; do
    [ -e "$cutlass/cute/tensor.hpp" ] && break
done
[ -e "$cutlass/cute/tensor.hpp" ] || { echo "skipped: no CUTLASS headers (set CUTLASS_PATH, or pip install nvidia-cutlass)"; exit 77; }
[ -e "$cuda/cuda_runtime.h" ] || { echo "skipped: no CUDA headers"; exit 77; }
tmp=$(mktemp -d) || exit 1
trap 'rm -rf -- "$tmp"' EXIT

cc -c -I "$SRC" -o "$tmp/matrix.o" "$SRC/search/runner/emu/matrix.c" &&
    c++ -std=c++17 -O1 -w -I "$SRC" -I "$cutlass" -I "$cuda" -I "$cuda/cccl" -o "$tmp/cute" "$SRC/tests/search/runner/emu/cute.cc" "$tmp/matrix.o" ||
    { echo "FAILED: it does not compile"; exit 1; }
"$tmp/cute" >"$tmp/out"
code=$?
grep -v '^ERROR' "$tmp/out" # CuTe's word for addresses that are no shared memory's
exit $code
