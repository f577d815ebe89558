#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# A package by itself: its CMakeLists.txt builds it without a warning by gcc and, one of them, by clang, its test passes,
# its benchmark runs, against a CBLAS where there is one and without, one of them on two threads.
# ctest: timeout=480 cost=35 fixture=packages
. "$SRC/tests/package/common.sh"

# built NAME FOLDER OPTION...: configures and builds into FOLDER.
built() {
    name=$1 folder=$2
    shift 2
    quiet cmake -S "$packages/$name" -B "$folder" -DCMAKE_C_FLAGS='-Wall -Wextra -Wshadow -Werror' "$@"
    quiet cmake --build "$folder" -j2
}

benched() {   # benched NAME FOLDER ARGUMENT...: the benchmark compared all its shapes
    program=$2/$1_bench
    shift 2
    quiet "$program" "$@"
    logged '^geomean over [1-9][0-9]* shapes: '
}

for name in $names; do
    for cc in $(compilers); do
        case $cc,$name in clang,pkg_[bcd]) have gcc && continue ;; esac
        case $cc in gcc) blas= ;; *) blas=-DCMAKE_DISABLE_FIND_PACKAGE_BLAS=ON ;; esac
        folder=$tmp/$name-$cc
        built "$name" "$folder" -DCMAKE_C_COMPILER="$cc" $blas
        quiet ctest --test-dir "$folder" --no-tests=error --output-on-failure
        benched "$name" "$folder"
        if [ -n "$blas" ]; then
            logged '^no CBLAS was found'
        elif ! grep -q '^CBLAS: ' "$tmp/log"; then
            echo "skipped: CMake finds no CBLAS: no comparison with one"
        elif [ "$name" = pkg_b ]; then
            benched "$name" "$folder" 2 # threads, which it is tuned for
        fi
    done
done
