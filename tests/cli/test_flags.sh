#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# A product's flags that change what arithmetic means do not reach a package: softmax, log and the functions made of exp stay right where they stand
# before the flags that kernels.c is compiled with, or behind them, and through CMake. By gcc and clang in turn, sets of flags and each flag
# alone.
# ctest: label=slow,thorough cost=20
. "$SRC/tests/cli/lib.sh"

cat >exact.cfg <<'CFG'
name = "exact_rows"; op = "rows"; dtype = "f32"; target = ["portable"]; threads = [1];
dims = { T = { min = 1; max = 40; }; };
shapes = ( { M = "T"; N = 70; } );
tune = { T = [1, 40]; };
formula = "softmax[n](x[m,n]) + tanh(x[m,n]) * gelu(x[m,n]) + log(1 + exp(x[m,n]))";
budget = { trials = 1; seconds = 5; };
CFG
run 0 --templates "$SRC/templates" --no-report exact.cfg
package=out/exact_rows

every='-ffast-math -mrecip
-funsafe-math-optimizations -frounding-math -ffinite-math-only
-Ofast
-fassociative-math -fno-signed-zeros -fno-trapping-math
-freciprocal-math
-ffinite-math-only
-fno-signed-zeros
-frounding-math
-fno-trapping-math
-fsingle-precision-constant
-ffp-model=fast
-ffp-contract=off'

documented='-std=gnu11 -O1 -ffp-contract=fast -fexceptions' # for -O3: what flags do to this package is the same
# holds CC WHAT FLAGS LINKED: with kernels.c compiled so, the package's own test passes, which is linked with these flags.
holds() {
    "$1" $3 -c $package/kernels.c -o kernels.o 2>"$tmp/log/cc" &&
        "$1" $4 test.o kernels.o pool.o -o own -lm -pthread 2>>"$tmp/log/cc" ||
        { cat "$tmp/log/cc"; failed "$1 does not build it $2 $4"; }
    ./own >"$tmp/log/own" || { tail -n 5 "$tmp/log/own"; failed "results are wrong: $1, $2 $4"; }
    grep -q ' checks, 0 failed' "$tmp/log/own" || failed "the test checks nothing: $1, $2 $4"
}

section by hand
which=0 both=
! { command -v gcc && command -v clang; } >/dev/null || both=1
cc -c $package/pool.c -o pool.o
for cc in gcc clang; do
    command -v $cc >/dev/null || { echo "skipped: $cc is not installed"; continue; }
    which=$((which + 1)) line=0
    $cc -std=gnu11 -O1 -I$package -c $package/test.c -o test.o
    echo "$every" >flags
    while read -r flags; do
        line=$((line + 1))
        [ -z "$both" ] || [ $(((line + which) % 2)) = 1 ] || continue
        $cc $flags -Werror -fsyntax-only -x c /dev/null 2>/dev/null || { echo "skipped: $cc has no $flags"; continue; }
        [ $((line / 2 % 2)) = 0 ] && holds $cc before "$flags $documented" "$flags" || holds $cc behind "$documented $flags" "$flags"
    done <flags
done
# Where no pragma brings NaN back, the test does not build rather than pass.
if command -v clang >/dev/null; then
    ! clang -ffinite-math-only -fsyntax-only -I$package $package/test.c 2>"$tmp/log/cc" && grep -q 'compile with -fno-finite-math-only' "$tmp/log/cc" ||
        failed 'the test is built where it cannot see NaN'
fi

section by CMake
for cc in gcc clang; do
    command -v $cc >/dev/null || continue
    rm -rf built
    cmake -S $package -B built -DCMAKE_C_COMPILER=$cc -DCMAKE_C_FLAGS_RELEASE=-O1 -DCMAKE_C_FLAGS='-ffast-math -Wall -Wextra' >"$tmp/log/cmake" && cmake --build built >"$tmp/log/build" 2>&1 ||
        { tail -n 20 "$tmp/log/cmake" "$tmp/log/build"; failed "$cc does not build the package"; }
    ! grep -i 'warning' "$tmp/log/build" || failed "$cc warns"
    (cd built && ctest >"$tmp/log/ctest" 2>&1) || { tail -n 20 "$tmp/log/ctest"; failed "the package's test, $cc"; }
done
