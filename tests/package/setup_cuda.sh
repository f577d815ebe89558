#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Generates the packages of cuda/ once for all tests of this folder, without a GPU: $BIN/tests/packages_cuda/{NAME,
# NAME.jsonl}. None where there is no nvcc, no C++ compiler or no emulator; tests look for themselves.
# ctest: timeout=400
set -eu

out=$BIN/tests/packages_cuda
rm -rf -- "$out"
mkdir -p -- "$out"
for program in nvcc c++; do
    command -v $program >/dev/null 2>&1 || { echo "skipped: $program is not installed"; exit 0; }
done
[ -x "$BIN/dcgen-runner-emu" ] || { echo "skipped: dcgen-runner-emu is left out of this build"; exit 0; }

generate() {   # generate NAME...: one after the other; the last thing it makes is NAME.done
    for name in "$@"; do
        "$DCGEN" "$SRC/tests/package/cuda/$name.cfg" --offline --jobs 1 --progress=none --out "$out/$name" \
            --records "$out/$name.jsonl" && : >"$out/$name.done"
    done
}

generate gpu_b gpu_d &
generate gpu_a gpu_c gpu_e
wait $!
for spec in "$SRC"/tests/package/cuda/*.cfg; do
    [ -e "$out/$(basename -- "$spec" .cfg).done" ] || { echo "FAILED: $spec"; exit 1; }
done
