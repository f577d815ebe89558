#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Generates the packages of spec/ once for all tests of this folder: $BIN/tests/packages/{NAME, NAME.jsonl}.
# ctest: timeout=240 cost=30
set -eu

out=$BIN/tests/packages
rm -rf -- "$out"
mkdir -p -- "$out"
for spec in "$SRC"/tests/package/spec/*.cfg; do
    name=$(basename -- "$spec" .cfg)
    "$DCGEN" "$spec" --jobs 2 --progress=none --out "$out/$name" --records "$out/$name.jsonl"
done
