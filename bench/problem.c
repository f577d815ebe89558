/* SPDX-License-Identifier: Apache-2.0
 *
 * problem: normal random numbers from fixed seeds; the reference adds in double precision. A result of K float
 * additions and multiplications in any order is off by at most about K * 2^-24 * (sum of |terms|).
 */
#include "bench/problem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "gen/base/rng.h"

static double draw_unit(Rng *r)
{ /* in (0, 1] */
    return (double)((rng_next(r) >> 11) + 1) * 0x1p-53;
}

static void fill_normal(float *x, size_t n, uint64_t seed)
{ /* Box-Muller */
    Rng rng = { seed };
    for (size_t i = 0; i < n; i += 2) {
        double r = sqrt(-2 * log(draw_unit(&rng))), turn = 2 * M_PI * draw_unit(&rng);
        x[i] = (float)(r * cos(turn));
        if (i + 1 < n)
            x[i + 1] = (float)(r * sin(turn));
    }
}

static float *take_normal(Memory *mem, int64_t n, uint64_t seed)
{
    float *x = memory_take(mem, sizeof *x * n);
    fill_normal(x, n, seed);
    return x;
}

Problem problem_make(Shape z, bool has_bias, Memory *mem)
{
    float *nk = take_normal(mem, z.N * z.K, 2), *kn = memory_take(mem, sizeof *kn * z.N * z.K);
    for (int64_t n = 0; n < z.N; n++)
        for (int64_t k = 0; k < z.K; k++)
            kn[k * z.N + n] = nk[n * z.K + k];
    return (Problem){
        .shape = z,
        .X = take_normal(mem, z.M * z.K, 1),
        .W_nk = nk,
        .W_kn = kn,
        .bias = has_bias ? take_normal(mem, z.N, 3) : NULL,
        .Y = memory_take(mem, sizeof(float) * z.M * z.N),
        .mem = mem,
    };
}

static void choose_rows(Expected *e, int64_t M)
{
    Rng rng = { 4 };
    e->nrow = M < CHECK_ROWS ? (int)M : CHECK_ROWS;
    for (int i = 0; i < e->nrow; i++)
        e->row[i] = M <= CHECK_ROWS ? i : rng_below(&rng, M);
    e->row[0] = 0;
    e->row[e->nrow - 1] = M - 1;
}

static void reference_row(const Problem *p, int64_t m, double *y, double *bound)
{
    for (int64_t n = 0; n < p->shape.N; n++) {
        y[n] = p->bias ? p->bias[n] : 0;
        bound[n] = fabs(y[n]);
    }
    for (int64_t k = 0; k < p->shape.K; k++) {
        const float *w = p->W_kn + k * p->shape.N;
        double x = p->X[m * p->shape.K + k];
        for (int64_t n = 0; n < p->shape.N; n++) {
            y[n] += x * w[n];
            bound[n] += fabs(x * w[n]);
        }
    }
}

Expected expected_make(const Problem *p)
{
    int64_t N = p->shape.N;
    Expected e = { .y = malloc(sizeof(double) * CHECK_ROWS * N), .bound = malloc(sizeof(double) * CHECK_ROWS * N) };
    choose_rows(&e, p->shape.M);
    for (int i = 0; i < e.nrow; i++)
        reference_row(p, e.row[i], e.y + i * N, e.bound + i * N);
    return e;
}

void expected_free(Expected *e)
{
    free(e->y);
    free(e->bound);
    *e = (Expected){ 0 };
}

void problem_spoil(const Problem *p) { memset(p->Y, 0xff, sizeof(float) * p->shape.M * p->shape.N); }

static bool row_is_right(const Problem *p, int64_t m, const double *y, const double *bound)
{
    double unit = (double)(p->shape.K + 1) * 0x1p-24;
    for (int64_t n = 0; n < p->shape.N; n++)
        if (!(fabs(p->Y[m * p->shape.N + n] - y[n]) <= unit * bound[n]))
            return false;
    return true;
}

bool problem_is_right(const Problem *p, const Expected *e)
{
    for (int64_t i = 0; i < p->shape.M * p->shape.N; i++)
        if (!isfinite(p->Y[i]))
            return false;
    for (int i = 0; i < e->nrow; i++)
        if (!row_is_right(p, e->row[i], e->y + i * p->shape.N, e->bound + i * p->shape.N))
            return false;
    return true;
}
