#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Formulas of rows whose value is the same all along the row, and of row_values that reduce nothing or everything: a package of them is built without a
# warning, its own tests pass where operands are odd, and each function gives what a plain loop gives, on rows of 1 to 70 elements.
# ctest: label=slow,thorough timeout=120
. "$SRC/tests/cli/lib.sh"

cat >filled.cfg <<'CFG'
name = "filled"; dtype = "f32"; target = ["portable"];
dims = { T = { min = 1; max = 40; }; };
functions = (
  { name = "total"; op = "rows"; formula = "sum[n](x[m,n])"; shapes = ( { M = "T"; N = 37; } ); },
  { name = "soft";  op = "rows"; formula = "log(sum[n](exp(x[m,n] - max[n](x[m,n])))) * 2"; shapes = ( { M = "T"; N = 37; } ); },
  { name = "place"; op = "rows"; formula = "argmax[n](x[m,n]) + m"; types = { Y = "s32"; }; shapes = ( { M = "T"; N = 37; } ); },
  { name = "scale"; op = "batch_rows"; formula = "gamma[m] * M - x[m,m]"; shapes = ( { B0 = 2; B1 = 3; M = "T"; N = 5; } ); },
  { name = "zero";  op = "rows"; formula = "0"; shapes = ( { M = "T"; N = 37; } ); },
  { name = "row";   op = "rows"; formula = "m"; shapes = ( { M = "T"; N = 37; } ); },
  { name = "pick";  op = "row_values"; formula = "x[m,at[m]] + m"; types = { at = "s32"; }; extents = { x = ["M", "N"]; };
    shapes = ( { M = "T"; N = 37; } ); },
  { name = "share"; op = "row_values"; formula = "x[m] / sum[m](x[m])"; shapes = ( { M = "T"; N = 1; } ); } );
tune = { T = [1, 40]; };
budget = { trials = 8; seconds = 40; };
CFG
run 0 --templates "$SRC/templates" filled.cfg --fresh --no-report
build() { "${CC:-cc}" -std=gnu17 -O1 -Wall -Wextra -Wshadow -Werror -Iout/filled "$@" -lm -pthread || failed "not built: $*"; }
build -fPIC -r out/filled/kernels.c out/filled/pool.c -o filled.o
for name in scale zero; do # with an operand that is not read along rows, and with none
    build out/filled/test_$name.c filled.o -o own
    ./own >"$tmp/log/own" || { cat "$tmp/log/own"; failed "the test of $name"; }
done

cat >loops.c <<'C'
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "filled.h"

enum { MOST = 70 * 70 * 2 };
static float x[MOST], gamma_[70], y[MOST + 1];
static int32_t at[70], place[MOST + 1];

static void begin(void)
{
    memset(y, 0xff, sizeof y);
    memset(place, 0xff, sizeof place);
}

/* Is element i what a loop gives? */
static int differs(const char *what, int64_t M, int64_t N, int64_t i, double got, double want)
{
    if (fabs(got - want) <= 1e-5 * (1 + fabs(want)))
        return 0;
    printf("%s: M = %d, N = %d: element %d is %g, not %g\n", what, (int)M, (int)N, (int)i, got, want);
    return 1;
}

static int check(int64_t M, int64_t N)
{
    int wrong = 0;
    double all = 0;
    double total[70], soft[70], largest[70];
    int of[70];
    for (int64_t m = 0; m < M; m++) {
        total[m] = soft[m] = 0;
        of[m] = 0;
        for (int64_t n = 0; n < N; n++) {
            total[m] += x[m * N + n];
            of[m] = x[m * N + n] > x[m * N + of[m]] ? (int)n : of[m];
        }
        largest[m] = x[m * N + of[m]];
        for (int64_t n = 0; n < N; n++)
            soft[m] += exp(x[m * N + n] - largest[m]);
        all += x[m];
        at[m] = (int32_t)(m * 7 % N);
    }
    begin(), filled_total(M, N, x, y, NULL, NULL);
    for (int64_t i = 0; i < M * N; i++)
        wrong += differs("total", M, N, i, y[i], total[i / N]);
    begin(), filled_soft(M, N, x, y, NULL, NULL);
    for (int64_t i = 0; i < M * N; i++)
        wrong += differs("soft", M, N, i, y[i], 2 * log(soft[i / N]));
    begin(), filled_place(M, N, x, place, NULL, NULL);
    for (int64_t i = 0; i < M * N; i++)
        wrong += differs("place", M, N, i, place[i], of[i / N] + i / N);
    wrong += place[M * N] != -1;
    begin(), filled_scale(1, 2, M, N, gamma_, x, y, NULL, NULL);
    for (int64_t i = 0; i < 2 * M * N; i++)
        wrong += differs("scale", M, N, i, y[i], gamma_[i / N % M] * (double)M - x[i / N % M * (M + 1)]);
    begin(), filled_zero(M, N, y, NULL, NULL);
    for (int64_t i = 0; i < M * N; i++)
        wrong += differs("zero", M, N, i, y[i], 0);
    begin(), filled_row(M, N, y, NULL, NULL);
    for (int64_t i = 0; i < M * N; i++)
        wrong += differs("row", M, N, i, y[i], (double)(i / N));
    wrong += !isnan(y[M * N]);
    begin(), filled_pick(M, N, at, x, y, NULL, NULL);
    for (int64_t m = 0; m < M; m++)
        wrong += differs("pick", M, N, m, y[m], x[m * N + at[m]] + (double)m);
    wrong += !isnan(y[M]);
    begin(), filled_share(M, N, x, y, NULL, NULL);
    for (int64_t m = 0; m < M; m++)
        wrong += differs("share", M, N, m, y[m], x[m] / all);
    return wrong + !isnan(y[M]);
}

int main(void)
{
    for (int i = 0; i < MOST; i++)
        x[i] = (float)(i * 7919 % 1009) / 500 + 0.25f;
    for (int i = 0; i < 70; i++)
        gamma_[i] = (float)(i % 5) - 1.5f;
    for (int64_t n = 1; n <= 70; n++)
        for (int64_t m = 1; m <= 70; m += m < 9 ? 1 : 61)
            if (check(m, n))
                return 1;
    return 0;
}
C
build loops.c filled.o -o loops
./loops || failed 'not what loops give'
nothing_left
