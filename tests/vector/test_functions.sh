#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# The functions of templates/vector against their definitions in double precision, for each instruction set that this
# CPU has: two million floats of each, compiled by cc and by clang; with THOROUGH=1 every 128th block of all 2^32 (--each 1 has them all, in
# ten minutes), compiled by cc. How far they may be off is what their own heads say: "Error: 1 ULP or 1e-7".
# ctest: thorough cost=10
set -eu

vector=$SRC/templates/vector
tmp=$(mktemp -d)
trap 'rm -rf -- "$tmp"' EXIT
flags='-std=gnu17 -O3 -ffp-contract=fast -Wall -Wextra -Wconversion -Wsign-conversion -Wshadow -Werror'
case $(uname -m) in
    x86_64) sets='avx512:64 avx2:32 portable:16' ;;
    *) sets='portable:16' ;;
esac

# NAME ULP ABSOLUTE of each function that functions.c has, as its head states them.
bounds() {
    for name in $(grep -o 'DO([a-z0-9_]*)' functions.c | tr -d ')' | sed 's/DO(//') pow; do
        sed -n "s/^ \* Error: \([0-9.]*\) ULP\( or \([0-9e-]*\)\)\{0,1\}\..*/$name \1 0\3/p; s/^ \* Error: \([0-9.]*\) ULP,.*/$name \1 0/p" \
            "$vector/$name.h"
    done
}

# check COMPILER [--each N]
check() {
    compiler=$1
    shift
    echo "$compiler:"
    for set in $sets; do
        # shellcheck disable=SC2086 # a list of options
        "$compiler" $flags -I "$vector" "-DVECTOR_BYTES=${set#*:}" "-DFUNCTIONS=vector_${set%:*}" "-DPAIRS=pairs_${set%:*}" -c functions.c -o "$tmp/${set%:*}.o"
        [ "$(uname -m)" != x86_64 ] || ! nm -u "$tmp/${set%:*}.o" | grep 'U [a-z0-9]*f$' || { echo "$set calls the library of mathematics"; exit 1; }
    done
    "$compiler" -std=gnu17 -O3 -march=native -Wall -Wextra -Werror sweep.c "$tmp"/*.o -o "$tmp/sweep" -lm -lpthread
    # shellcheck disable=SC2046 # a list of numbers
    "$tmp/sweep" "$@" $(bounds)
}

[ "$(bounds | wc -l)" -eq 17 ] || { echo "heads do not state the error of each function:"; bounds; exit 1; }
if [ -n "${THOROUGH:-}" ]; then
    check cc --each 128
else
    check cc
    if command -v clang >/dev/null; then check clang; else echo 'skipped: clang is not installed'; fi
fi
