/* SPDX-License-Identifier: MIT-0
 *
 * reference: a block of Llama by plain loops, of a whole text at once.
 *
 *   h = rmsnorm(x)    queries = turned(h Wq)    keys = turned(h Wk)    values = h Wv    middle = x + softmax(queries keys^T / sqrt(depth)) values Wo
 *   g = rmsnorm(middle)    y = middle + (silu(g Wgate) * g Wup) Wdown
 *
 * A token sees those before it and itself. Pairs of elements are turned as complex numbers, by the token's place times 10000^(-pair / (depth / 2)).
 */
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include "block.h"

static double *doubles(int64_t n) { return calloc((size_t)n, sizeof(double)); }

/* y[rows][out] = x[rows][in] W^T */
static void linear(int64_t rows, int64_t out, int64_t in, const double *x, const float *W, double *y)
{
    for (int64_t m = 0; m < rows; m++)
        for (int64_t n = 0; n < out; n++) {
            double sum = 0;
            for (int64_t k = 0; k < in; k++)
                sum += x[m * in + k] * (double)W[n * in + k];
            y[m * out + n] = sum;
        }
}

static void rmsnorm(int64_t rows, int64_t width, const double *x, const float *gamma, double *y)
{
    for (int64_t m = 0; m < rows; m++, x += width, y += width) {
        double squares = 0;
        for (int64_t i = 0; i < width; i++)
            squares += x[i] * x[i] / (double)width;
        for (int64_t i = 0; i < width; i++)
            y[i] = x[i] / sqrt(squares + 1e-5) * (double)gamma[i];
    }
}

/* x [T][heads][depth] */
static void turn(int64_t T, int64_t heads, int64_t depth, int halves, double *x)
{
    for (int64_t i = 0; i < T * heads; i++, x += depth)
        for (int64_t pair = 0; pair < depth / 2; pair++) {
            const double angle = (double)(i / heads) / pow(10000, (double)pair / (double)(depth / 2));
            double *re = x + (halves ? pair : 2 * pair), *im = re + (halves ? depth / 2 : 1);
            const double was = *re;
            *re = was * cos(angle) - *im * sin(angle);
            *im = was * sin(angle) + *im * cos(angle);
        }
}

/* One head of token t; keys and values of its head, `stride` from one token to the next. p has room for t + 1. */
static void attend(int64_t t, int64_t depth, int64_t stride, const double *query, const double *key,
                   const double *value, double *p, double *out)
{
    double most = -INFINITY, sum = 0;
    for (int64_t j = 0; j <= t; j++) {
        p[j] = 0;
        for (int64_t d = 0; d < depth; d++)
            p[j] += query[d] * key[j * stride + d] / sqrt((double)depth);
        most = fmax(most, p[j]);
    }
    for (int64_t j = 0; j <= t; j++)
        sum += p[j] = exp(p[j] - most);
    for (int64_t d = 0; d < depth; d++) {
        out[d] = 0;
        for (int64_t j = 0; j <= t; j++)
            out[d] += p[j] / sum * value[j * stride + d];
    }
}

int llama_block_reference(const LlamaSizes *s, int64_t T, const float *const *w, const float *x, double *y)
{
    const int64_t width = s->heads * s->depth, kept = s->kv_heads * s->depth, n = T * s->hidden;
    double *from = doubles(n), *normed = doubles(n), *middle = doubles(n), *queries = doubles(T * width),
           *keys = doubles(T * kept);
    double *values = doubles(T * kept), *context = doubles(T * width), *p = doubles(T), *gate = doubles(T * s->inner),
           *up = doubles(T * s->inner);
    const int code = from && normed && middle && queries && keys && values && context && p && gate && up ? 0 : -1;
    if (code == 0) {
        for (int64_t i = 0; i < n; i++)
            from[i] = (double)x[i];
        rmsnorm(T, s->hidden, from, w[LLAMA_NORM1], normed);
        linear(T, width, s->hidden, normed, w[LLAMA_WQ], queries);
        linear(T, kept, s->hidden, normed, w[LLAMA_WK], keys);
        linear(T, kept, s->hidden, normed, w[LLAMA_WV], values);
        turn(T, s->heads, s->depth, s->halves, queries);
        turn(T, s->kv_heads, s->depth, s->halves, keys);
        for (int64_t i = 0; i < T * s->heads; i++) {
            const int64_t of_kept = i % s->heads / (s->heads / s->kv_heads) * s->depth;
            attend(i / s->heads, s->depth, kept, queries + i * s->depth, keys + of_kept, values + of_kept, p,
                   context + i * s->depth);
        }
        linear(T, s->hidden, width, context, w[LLAMA_WO], middle);
        for (int64_t i = 0; i < n; i++)
            middle[i] += from[i];
        rmsnorm(T, s->hidden, middle, w[LLAMA_NORM2], normed);
        linear(T, s->inner, s->hidden, normed, w[LLAMA_WGATE], gate);
        linear(T, s->inner, s->hidden, normed, w[LLAMA_WUP], up);
        for (int64_t i = 0; i < T * s->inner; i++)
            gate[i] *= up[i] / (1 + exp(-gate[i]));
        linear(T, s->hidden, s->inner, gate, w[LLAMA_WDOWN], y);
        for (int64_t i = 0; i < n; i++)
            y[i] += middle[i];
    }
    double *const taken[] = { from, normed, middle, queries, keys, values, context, p, gate, up };
    for (size_t i = 0; i < sizeof taken / sizeof *taken; i++)
        free(taken[i]);
    return code;
}
