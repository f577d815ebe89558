#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Operators that are formulas alone (rows, batch_rows, row_values): what no shape of tests/search/runner/test_cpu_kernels.c shows of their kernels, for
# the widest instruction set that this CPU runs, and with THOROUGH=1 for each; a package of four functions is built, and its own tests pass; what is
# wrong with a formula is said.
# ctest: label=slow timeout=300 cost=25 thorough
. "$SRC/tests/cli/lib.sh"

# formula OP SHAPE FORMULA [MORE]: rows.cfg with it
formula() {
    cat >rows.cfg <<CFG
name = "some_rows"; op = "$1"; dtype = "f32"; target = ["$target"]; threads = [1, 3];
dims = { T = { min = 1; max = 40; }; };
shapes = ( $2 );
tune = { T = [1, 7, 40]; };
formula = "$3"; ${4:-}
CFG
}
matrix='{ M = "T"; N = 70; }'
for target in avx512 avx2 portable; do
    if [ "$target" != portable ] && ! grep -qwE "$target(bw)?" /proc/cpuinfo; then
        echo "skipped: this CPU does not run $target"
        continue
    fi
    [ -z "${best:-}" ] || [ -n "${THOROUGH:-}" ] || break
    best=$target
    section "stores past the caches, for $target" # as for operands that exceed them: here all do
    cat >past.h <<'C'
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
int main(void)
{
    float *x = aligned_alloc(64, 1 << 20), *y = aligned_alloc(64, 1 << 20);
    for (int64_t n = 1; n < 200; n++) {
        const int64_t extent[] = { 7, n };
        void *const operand[] = { x, y };
        for (int i = 0; i < 8 * n; i++)
            x[i] = (float)(i * 7919 % 1000) / 100, y[i] = NAN;
        dcgen_run(extent, operand, NULL, 0, 1);
        for (int i = 0; i < 7; i++) {
            double sum = 0;
            for (int k = 0; k < n; k++)
                sum += exp(x[i * n + k]);
            for (int k = 0; k < n; k++)
                if (!(fabs(y[i * n + k] - exp(x[i * n + k]) / sum) < 1e-6))
                    return printf("row %d of %d elements: y[%d] is %g, not %g\n", i, (int)n, k, y[i * n + k], exp(x[i * n + k]) / sum), 1;
        }
        for (int k = 0; k < n; k++)
            if (!isnan(y[7 * n + k]))
                return printf("rows of %d elements: stored behind the last one\n", (int)n), 1;
    }
    return 0;
}
C
    for softmax in 'softmax[n](x[m,n])' 'exp(log_softmax[n](x[m,n]))'; do
        formula rows '{ M = "T"; N = "T"; }' "$softmax"
        "$dcgen" try --templates "$SRC/templates" rows NV=1 SIDE=2 PF=1 FN=0 rows.cfg --dump source 2>/dev/null | sed 's/columns \* 8 > [0-9]*/columns * 8 > 0/' >past.c
        grep -q 'columns \* 8 > 0;' past.c || failed "$target: no kernel stores past the caches"
        cat past.h >>past.c
        "${CC:-cc}" -std=gnu17 -O2 -Wno-psabi past.c -o past -lm && ./past || failed "$target: $softmax is wrong where it stores past the caches"
    done

    section "NaN among the elements, for $target"
    formula row_values "$matrix" 'max[n](x[m,n]) - min[n](x[m,n])'
    for kernel in 'NV=2 SIDE=1' 'NV=4 SIDE=4'; do
        "$dcgen" try --templates "$SRC/templates" rows $kernel PF=0 FN=0 rows.cfg --dump source >nan.c 2>/dev/null
        cat >>nan.c <<'C'
#include <math.h>
#include <stdio.h>
int main(void)
{
    for (int64_t n = 3; n < 70; n++)
        for (int at = 0; at < n; at++) {
            float x[70], y = 0;
            const int64_t extent[] = { 1, n };
            void *const operand[] = { x, &y };
            for (int i = 0; i < n; i++)
                x[i] = i == at ? NAN : (float)(i < at ? -i : n - i);
            const double most = at < n - 1 ? (double)(n - at - 1) : 0, least = at > 0 ? 1 - at : 1;
            dcgen_run(extent, operand, NULL, 0, 1);
            if (y != most - least)
                return printf("element %d of %d is NaN: %g, not %g\n", at, (int)n, y, most - least), 1;
        }
    return 0;
}
C
        "${CC:-cc}" -std=gnu17 -O2 -Wno-psabi nan.c -o nan -lm && ./nan || failed "$target: NaN is not passed over by rows $kernel"
    done

    section "rows far from 0, for $target" # layernorm and the mean; shorter and longer than registers, and very long
    cat >far.h <<'C'
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
static float x[4000000], y[4000000];
static void call(int64_t n)
{
    const int64_t extent[] = { 1, n };
    void *const operand[] = { x, y };
    dcgen_run(extent, operand, NULL, 0, 1);
}
C
    formula rows "$matrix" 'layernorm[n](x[m,n], 1e-12)'
    "$dcgen" try --templates "$SRC/templates" rows NV=2 SIDE=2 PF=0 FN=0 rows.cfg --dump source >norm.c 2>/dev/null
    cat far.h - >>norm.c <<'C'
int main(void)
{
    const int64_t columns[] = { 1, 2, 7, 33, 768, 1024, 4097, 4000000 };
    const float constant[] = { 0.3f, 333.3f, 1234.567f, 1e7f, LARGE, -3e-5f };
    for (int at = 0; at < 8; at++) {
        const int64_t n = columns[at];
        double mean = 0, square = 0;
        for (int k = 0; k < 6; k++) {
            for (int64_t i = 0; i < n; i++)
                x[i] = constant[k];
            call(n);
            for (int64_t i = 0; i < n; i++)
                if (y[i] != 0)
                    return printf("%d elements of %g: %g, not 0\n", (int)n, constant[k], y[i]), 1;
        }
        for (int64_t i = 0; i < n; i++)
            mean += (x[i] = (float)(1e7 + 4 * sin(1.7 * (double)i))) / (double)n;
        for (int64_t i = 0; i < n; i++)
            square += (x[i] - mean) * (x[i] - mean) / (double)n;
        call(n);
        const double most = n > 100000 ? 0.03 : 1e-5; /* the mean of 4 million is off by 1e-5 of itself, which is a hundred spreads of these rows */
        for (int64_t i = 0; i < n; i++)
            if (!(fabs(y[i] - (x[i] - mean) / sqrt(square + 1e-12)) < most))
                return printf("%d elements near 1e7: %g, not %g\n", (int)n, y[i], (x[i] - mean) / sqrt(square + 1e-12)), 1;
    }
    return 0;
}
C
    formula row_values "$matrix" 'mean[n](x[m,n])'
    "$dcgen" try --templates "$SRC/templates" rows NV=1 SIDE=1 PF=0 FN=0 rows.cfg --dump source >mean.c 2>/dev/null
    cat far.h - >>mean.c <<'C'
int main(void)
{
    for (int64_t i = 0; i < 4000000; i++)
        x[i] = 1234.567f;
    call(4000000);
    return fabs(y[0] / 1234.567f - 1) > 1e-4 && printf("the mean of 4 million times 1234.567 is %g\n", y[0]);
}
C
    # Without FMA the mean of equal numbers is off by a unit of theirs, whose square no float holds where they are as large as that.
    large=1e30f
    [ "$target" != portable ] || large=1e6f
    for program in norm mean; do
        "${CC:-cc}" -DLARGE=$large -std=gnu17 -O2 -Wno-psabi $program.c -o $program -lm && ./$program || failed "$target: $program of rows far from 0"
    done
done

[ -z "${THOROUGH:-}" ] || exit 0
section a package
cat >pair.cfg <<'CFG'
name = "pair"; dtype = "f32"; target = ["host"];
dims = { T = { min = 1; max = 20; }; };
functions = (
  { name = "softmax"; op = "batch_rows"; formula = "softmax[n](n < len[b0] ? x[b0,b1,m,n] : -inf)"; types = { len = "s32"; };
    shapes = ( { B0 = 2; B1 = 3; M = "T"; N = "T"; } ); },
  { name = "norm"; op = "rows"; formula = "layernorm[n](x[m,n], 1e-5)"; shapes = ( { M = "T"; N = 50; } ); },
  { name = "place"; op = "row_values"; formula = "argmax[n](x[m,n])"; types = { Y = "s32"; };
    shapes = ( { M = "T"; N = 50; } ); },
  { name = "gather"; op = "rows"; formula = "word[id[m],n] + first[n,m]"; types = { id = "s32"; }; extents = { word = ["V", "N"]; };
    shapes = ( { M = "T"; N = 50; V = 31; } ); },
  { name = "ends"; op = "rows"; formula = "word[wrap(id[m], V),n; 0.5]"; types = { id = "s32"; }; extents = { word = ["V", "N"]; };
    shapes = ( { M = "T"; N = 50; V = 31; } ); } );
tune = { T = [1, 7, 20]; };
budget = { trials = 1; seconds = 6; };
CFG
run 0 --templates "$SRC/templates" pair.cfg
build() { "${CC:-cc}" -std=gnu17 -Wall -Wextra -Wshadow -Werror -Iout/pair "$@" -lm -pthread || failed "not built: $*"; }
build -O1 -fPIC -r out/pair/kernels.c out/pair/pool.c -o pair.o
grep -q 'id .*from 0 to V - 1, which nothing checks' out/pair/pair.h || failed 'the header does not say what an index may be'
grep -q 'const int32_t \*len, const float \*x, float \*Y' out/pair/pair.h || failed 'integers have another type'
grep -q ' len .*; elements are s32$' out/pair/pair.h || failed 'the header does not say what elements are'
[ "$(grep -c ' may be .* itself: ' out/pair/pair.h)" = 2 ] && grep -q ' But it may be x itself: Y == x\.' out/pair/pair.h ||
    failed "the header does not say that softmax and layernorm, and no other, work in place"
grep -q 'V .*: 31 in all calls' out/pair/pair.h || failed 'the header does not say how many rows the table has'
grep -rq 'real_min(M\*N, V\*N)' out/pair || failed 'the benchmark does not count the rows that are read'
for file in places.c rows.c; do
    grep -q "^# template .* package/$file\$" out/pair/MANIFEST || failed "MANIFEST does not name $file, which its functions are made of"
done
for cc in gcc clang; do
    ! command -v $cc >/dev/null || $cc -std=gnu11 -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wcast-qual -Werror -fsyntax-only out/pair/kernels.c ||
        failed "$cc warns of the kernels"
done
for name in softmax norm place gather ends; do
    build -O1 out/pair/test_$name.c pair.o -o own_$name
    ./own_$name >"$tmp/log/own" || { cat "$tmp/log/own"; failed "the test of $name"; }
    grep -q ' checks, 0 failed' "$tmp/log/own" || failed "the test of $name checks nothing"
done
grep -q 'id .*from -V to V - 1: what is negative counts from the end' out/pair/pair.h || failed 'the header does not say that an index may be negative'
cat >ends.c <<'C'
#include "pair.h"
int main(void)
{
    enum { V = 31, N = 50, T = 6 };
    static const int32_t id[T] = { -1, -V, V - 1, 0, V, -V - 1 };
    static const float is[T] = { V - 1, 0, V - 1, 0, 0.5f, 0.5f };
    static float word[V * N], y[T * N];
    for (int i = 0; i < V * N; i++)
        word[i] = (float)(i / N);
    if (pair_ends(T, N, id, word, y, NULL, NULL) != pair_OK)
        return 2;
    for (int i = 0; i < T * N; i++)
        if (y[i] != is[i / N])
            return 1;
    return 0;
}
C
build ends.c pair.o -o ends
./ends || failed 'places that count from the end are read elsewhere'
sed 's/(v->v\([0-9]*\) - row->v[0-9]*) \* row/v->v\1 * row/' out/pair/kernels.c >out/uncorrected.c # a mean that was rounded
! cmp -s out/pair/kernels.c out/uncorrected.c || failed 'layernorm is written otherwise'
"${CC:-cc}" -std=gnu17 -O1 -w -Iout/pair out/pair/test_norm.c out/uncorrected.c out/pair/pool.c -o uncorrected -lm -pthread || failed 'it is not built'
! ./uncorrected >"$tmp/log/own" || failed 'a norm that subtracts a rounded mean passes the tests of the package'
rm out/uncorrected.c
cp -r out/pair first
run 0 replay --templates "$SRC/templates" pair.cfg
diff -r first out/pair >"$tmp/log/diff" || { head "$tmp/log/diff"; failed 'the replay differs'; }
run 0 replay --check --templates "$SRC/templates" out/pair

section calls that would read outside of an operand
cat >shuffle.cfg <<'CFG'
name = "moves"; dtype = "f32"; target = ["host"];
dims = { T = { min = 1; max = 20; }; };
functions = (
  { name = "shuffle"; op = "batch_rows"; formula = "x[b0,b1 * R * R + m % R * R + n % R,m / R,n / R]";
    extents = { x = ["B0", "B1*R*R", "M/R", "N/R"]; }; shapes = ( { B0 = 2; B1 = 3; M = "2*T"; N = 38; R = 2; } ); },
  { name = "turn"; op = "rows"; formula = "x[m,n] * angle[m,n % (N / 2)] - x[m,min((n + N / 2) % N, N - 1)]";
    extents = { angle = ["M", "N/2"]; }; shapes = ( { M = "T"; N = 50; } ); },
  { name = "shift"; op = "rows"; formula = "x[m,n] + x[m - 1,n; y[n]]"; shapes = ( { M = "T"; N = 50; } ); } );
tune = { T = [1, 7, 20]; };
budget = { trials = 1; seconds = 6; };
CFG
run 0 --templates "$SRC/templates" shuffle.cfg
for cc in gcc clang; do
    ! command -v $cc >/dev/null || $cc -std=gnu11 -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wcast-qual -Werror -fsyntax-only out/moves/kernels.c ||
        failed "$cc warns of kernels with computed indices"
done
grep -q 'ranges\.h$' out/moves/MANIFEST || failed 'MANIFEST does not name ranges.h, which refuses calls'
grep -q 'a call whose extents would have it do so is refused' out/moves/moves.h || failed 'the header does not say that calls are refused'
build() { "${CC:-cc}" -std=gnu17 -Wall -Wextra -Wshadow -Werror -Iout/moves "$@" -lm -pthread || failed "not built: $*"; }
build -O1 -fPIC -r out/moves/kernels.c out/moves/pool.c -o moves.o
for name in shuffle turn shift; do
    build -O1 out/moves/test_$name.c moves.o -o own_$name
    ./own_$name >"$tmp/log/own" || { cat "$tmp/log/own"; failed "the test of $name"; }
    grep -q ' checks, 0 failed' "$tmp/log/own" || failed "the test of $name checks nothing"
done
cat >refused.c <<'C'
#include "moves.h"
#include <stdio.h>
#define IS(call, code) ((call) == (code) ? 0 : (printf("%s is not %s\n", #call, #code), 1))
static float x[40000], y[40000];
int main(void)
{
    return IS(moves_shuffle(2, 3, 4, 6, x, y, NULL, NULL), moves_OK) + IS(moves_shuffle(2, 3, 4, 7, x, y, NULL, NULL), moves_BAD_EXTENT) +
           IS(moves_shuffle_choose(2, 3, 3, 6), -1) + IS(moves_shuffle(2, 3, 3, 0, x, y, NULL, NULL), moves_OK) +
           IS(moves_shuffle(1, 2147483647, 4, 6, x, y, NULL, NULL), moves_BAD_EXTENT) +
           IS(moves_turn(3, 1, x, x, y, NULL, NULL), moves_BAD_EXTENT) + IS(moves_turn(3, 2, x, x, y, NULL, NULL), moves_OK) +
           IS(moves_turn(3, 7, x, x, y, NULL, NULL), moves_OK) + IS(moves_shift(1, 1, x, x + 1, y, NULL, NULL), moves_OK);
}
C
build -O1 refused.c moves.o -o refused
./refused || failed 'a call is taken, or refused, that should not be'
run 2 explain --templates "$SRC/templates" out/moves shuffle B0=2 B1=3 M=4 N=7 R=2
said 'there is no such call: its formula would read outside of an operand'

section what is wrong
target=host
formula rows "$matrix" 'x[m,n]'
run 1 try --templates "$SRC/templates" block_rows ROWS=1 COLS=0 rows.cfg
said 'no operand lies across the rows'
bad() {
    text=$1
    shift
    formula "$@"
    run 2 check --templates "$SRC/templates" rows.cfg
    said "$text"
}
bad "a reduction goes along M; expected the output's last extent, N" rows "$matrix" 'sum[m](x[m,n])'
bad "'sum' needs the axis that it goes along, as in sum[n](x)" rows "$matrix" 'sum(x[m,n])'
bad "'softmax' gives a value for each place along N, which the output does not have" row_values "$matrix" 'softmax[n](x[m,n])'
bad "expected an integer: a place such as n" rows "$matrix" 'x[id[m],n]' 'extents = { x = ["M", "N"]; };'
bad "the op 'rows' computes nothing by itself: its formulas have no 'acc'" rows "$matrix" 'acc + x[m,n]'
bad "no template for CPUs writes 'Y' in f16; target = [\"sm_90a\"] would do" rows "$matrix" 'exp(x[m,n])' 'types = { Y = "f16"; };'
sed -i 's/^formula/epilogue/' rows.cfg
run 2 check --templates "$SRC/templates" rows.cfg
said "the op 'rows' computes nothing by itself; expected 'formula'"
sed -i '/^epilogue/d' rows.cfg
run 2 check --templates "$SRC/templates" rows.cfg
said "missing key 'formula'"
nothing_left
