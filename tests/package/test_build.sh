#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# A package by itself, as setup_packages.sh built it by its CMakeLists.txt: its test passes, its benchmark runs, against a CBLAS where there
# is one, one of them on two threads; and it is right at the edges of its API (test_sanitize.sh does that under the sanitizers). One is built
# by clang, too, without a warning, and runs without a CBLAS.
# ctest: timeout=240 cost=15 fixture=packages
. "$SRC/tests/package/common.sh"

benched() {   # benched NAME FOLDER ARGUMENT...: the benchmark compared all its shapes
    program=$2/$1_bench
    shift 2
    quiet "$program" "$@"
    logged '^geomean over [1-9][0-9]* shapes: '
}
tested() { quiet ctest --test-dir "$1" --no-tests=error --output-on-failure; }

tested "$built"
logged "100% tests passed, 0 tests failed out of $(echo $names | wc -w)"
for name in $names; do
    benched "$name" "$built/$name"
    if ! grep -q '^CBLAS: ' "$tmp/log"; then
        echo "skipped: CMake finds no CBLAS: no comparison with one"
    elif [ "$name" = pkg_b ]; then
        benched "$name" "$built/$name" 2 # threads, which it is tuned for
    fi
    link cc '' "$name" "$built/$name" "$tmp/contract" "$(fill contract.c "$name")"
    quiet "$tmp/contract"
done
if have clang; then
    quiet cmake -S "$packages/pkg_c" -B "$tmp/clang" -DCMAKE_C_FLAGS='-Wall -Wextra -Wshadow -Werror' -DCMAKE_C_COMPILER=clang \
        -DCMAKE_DISABLE_FIND_PACKAGE_BLAS=ON
    quiet cmake --build "$tmp/clang" -j2
    tested "$tmp/clang"
    benched pkg_c "$tmp/clang"
    logged '^no CBLAS was found'
else
    echo "skipped: clang is not installed"
fi
