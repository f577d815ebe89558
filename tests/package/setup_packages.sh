#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Generates the packages of spec/ once for all tests of this folder: $BIN/tests/packages/{NAME, NAME.jsonl}, and builds them by their own
# CMakeLists.txt without a warning: built/NAME, with kernels.o and pool.o (of the library) and test.o for the tests to link. Those that are there stay
# until something changes that they were made of.
# ctest: timeout=480 cost=40
set -eu

out=$BIN/tests/packages
if [ -e "$out/done" ] && [ -z "$(find "$DCGEN" "$SRC/templates" "$SRC/tests/package/spec" "$SRC/tests/package/setup_packages.sh" -newer "$out/done")" ]; then
    exit 0
fi
rm -rf -- "$out"
mkdir -p -- "$out"
printf 'cmake_minimum_required(VERSION 3.16)\nproject(packages LANGUAGES C)\nenable_testing()\n' >"$out/CMakeLists.txt"
for spec in "$SRC"/tests/package/spec/*.cfg; do
    name=$(basename -- "$spec" .cfg)
    "$DCGEN" "$spec" --jobs 2 --progress=none --out "$out/$name" --records "$out/$name.jsonl"
    printf 'set(%s_TEST ON)\nadd_subdirectory(%s)\n' "$name" "$name" >>"$out/CMakeLists.txt"
done
{ cmake -S "$out" -B "$out/built" -DCMAKE_BUILD_TYPE=Release -DCMAKE_C_FLAGS_RELEASE=-O1 -DCMAKE_C_COMPILER="$(command -v gcc || echo cc)" \
    -DCMAKE_C_FLAGS='-Wall -Wextra -Wshadow -Werror' && cmake --build "$out/built" -j2; } >"$out/log" 2>&1 || { cat -- "$out/log"; exit 1; }
for name in $(cd -- "$out" && dirname -- */spec.cfg); do
    for object in "$name/kernels" "$name/pool" "${name}_test/test"; do
        cp "$out/built/$name/CMakeFiles/${object%/*}.dir/${object#*/}.c.o" "$out/built/$name/${object#*/}.o"
    done
done
: >"$out/done"
