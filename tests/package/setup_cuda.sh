#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Generates packages of cuda/ without a GPU, of records that nobody measured: $BIN/tests/packages_cuda/{NAME, NAME.jsonl}. None where there is no
# nvcc, no C++ compiler or no emulator, which test_cuda.sh builds and executes them with.
# ctest: label=thorough timeout=400
set -eu

out=$BIN/tests/packages_cuda
for program in nvcc c++; do
    command -v $program >/dev/null 2>&1 || { echo "skipped: $program is not installed"; exit 0; }
done
[ -x "$BIN/dcgen-runner-emu" ] || { echo "skipped: dcgen-runner-emu is left out of this build"; exit 0; }

generate() {   # generate NAME TARGET...
    spec=$SRC/tests/package/cuda/$1.cfg records=$out/$1.jsonl package=$out/$1
    shift
    "$BIN/tests/package_tests" test_calls_cuda:records_of_a_spec "$spec" "$records" "$@"
    "$DCGEN" replay "$spec" --records "$records" --out "$package" --no-report
}
rm -rf -- "$out"
mkdir -p -- "$out"
generate gpu_a sm_90a
generate gpu_b sm_90a sm_80
generate gpu_d sm_80
: >"$out/done"
