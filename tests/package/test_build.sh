#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# A package by itself, as setup_packages.sh built it by its CMakeLists.txt: its test passes, its benchmark runs, against a CBLAS where there
# is one, one of them on two threads, and without; and it is right at the edges of its API (test_sanitize.sh does that under the sanitizers). One is built
# by clang, too, without a warning.
# ctest: timeout=240 cost=15 fixture=packages
. "$SRC/tests/package/common.sh"

benched() {   # benched NAME FOLDER ARGUMENT...: the benchmark compared all its shapes
    program=$2/$1_bench
    shift 2
    quiet "$program" "$@"
    [ -n "$no_cblas" ] || logged '^geomean over [1-9][0-9]* shapes: '
}
tested() { quiet ctest --test-dir "$1" --no-tests=error --output-on-failure; }

tested "$built"
logged "100% tests passed, 0 tests failed out of $(echo $names | wc -w)"
export DCGEN_CBLAS=nonsense no_cblas=1
benched pkg_d "$built/pkg_d"
logged '^no CBLAS was found$'
! grep ratio "$tmp/log" || failed "a ratio of nothing"
unset DCGEN_CBLAS
no_cblas=
"$built/pkg_d/pkg_d_bench" | grep -q '^CBLAS: ' || { echo "skipped: there is no CBLAS"; no_cblas=1; }
for name in $names; do
    benched "$name" "$built/$name"
    if [ "$name" = pkg_b ]; then
        benched "$name" "$built/$name" 2 # threads, which it is tuned for
    fi
    link cc '' "$name" "$built/$name" "$tmp/contract" "$(fill contract.c "$name")"
    quiet "$tmp/contract"
done
if have clang; then
    quiet cmake -S "$packages/pkg_c" -B "$tmp/clang" -DCMAKE_C_FLAGS='-Wall -Wextra -Wshadow -Werror' -DCMAKE_C_COMPILER=clang
    quiet cmake --build "$tmp/clang" -j2
    tested "$tmp/clang"
    benched pkg_c "$tmp/clang"
else
    echo "skipped: clang is not installed"
fi
