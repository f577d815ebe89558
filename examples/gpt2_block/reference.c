/* SPDX-License-Identifier: MIT-0
 *
 * reference: a block of GPT-2 by plain loops, of a whole text at once.
 *
 *   qkv    = layernorm(x) Wqkv + bqkv                    middle = x + attended Wproj + bproj
 *   attended = softmax(queries keys^T / 8) values        y      = middle + gelu(layernorm(middle) Wup + bup) Wdown + bdown
 *
 * A token sees those before it and itself; gelu is the form with tanh.
 */
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include "block.h"

enum { HIDDEN = GPT2_HIDDEN, HEADS = GPT2_HEADS, DEPTH = GPT2_DEPTH, INNER = GPT2_INNER, QKV = GPT2_QKV };

/* y[rows][out] = x[rows][in] W + b */
static void dense(int rows, int out, int in, const double *x, const float *W, const float *b, double *y)
{
    for (int m = 0; m < rows; m++, x += in, y += out) {
        for (int n = 0; n < out; n++)
            y[n] = (double)b[n];
        for (int k = 0; k < in; k++)
            for (int n = 0; n < out; n++)
                y[n] += x[k] * (double)W[(ptrdiff_t)k * out + n];
    }
}

static void layernorm(int rows, const double *x, const float *gamma, const float *beta, double *y)
{
    for (int m = 0; m < rows; m++, x += HIDDEN, y += HIDDEN) {
        double mean = 0, variance = 0;
        for (int i = 0; i < HIDDEN; i++)
            mean += x[i] / HIDDEN;
        for (int i = 0; i < HIDDEN; i++)
            variance += (x[i] - mean) * (x[i] - mean) / HIDDEN;
        for (int i = 0; i < HIDDEN; i++)
            y[i] = (x[i] - mean) / sqrt(variance + 1e-5) * (double)gamma[i] + (double)beta[i];
    }
}

/* One head of token t, the last one that it sees; rows of qkv are those of the text. p has room for t + 1. */
static void attend(int t, const double *qkv, double *p, double *out)
{
    const double *query = qkv + (ptrdiff_t)t * QKV;
    double most = -INFINITY, sum = 0;
    for (int j = 0; j <= t; j++) {
        const double *key = qkv + (ptrdiff_t)j * QKV + HIDDEN;
        p[j] = 0;
        for (int d = 0; d < DEPTH; d++)
            p[j] += query[d] * key[d] / 8;
        most = p[j] > most ? p[j] : most;
    }
    for (int j = 0; j <= t; j++)
        sum += p[j] = exp(p[j] - most);
    for (int d = 0; d < DEPTH; d++)
        out[d] = 0;
    for (int j = 0; j <= t; j++)
        for (int d = 0; d < DEPTH; d++)
            out[d] += p[j] / sum * qkv[(ptrdiff_t)j * QKV + 2 * HIDDEN + d];
}

int gpt2_block_reference(int T, const float *const *w, const float *x, double *y)
{
    const size_t n = (size_t)T * HIDDEN;
    double *middle = calloc(n, sizeof *middle), *normed = malloc(n * sizeof *normed), *wide = malloc(4 * n * sizeof *wide);
    double *p = malloc((size_t)T * sizeof *p);
    const int code = middle && normed && wide && p ? 0 : -1;
    if (code == 0) {
        for (size_t i = 0; i < n; i++)
            y[i] = (double)x[i];
        layernorm(T, y, w[GPT2_GAMMA1], w[GPT2_BETA1], normed);
        dense(T, QKV, HIDDEN, normed, w[GPT2_WQKV], w[GPT2_BQKV], wide);
        for (int t = 0; t < T; t++)
            for (int h = 0; h < HEADS; h++)
                attend(t, wide + (ptrdiff_t)h * DEPTH, p, normed + (ptrdiff_t)t * HIDDEN + (ptrdiff_t)h * DEPTH);
        dense(T, HIDDEN, HIDDEN, normed, w[GPT2_WPROJ], w[GPT2_BPROJ], middle);
        for (size_t i = 0; i < n; i++)
            middle[i] += y[i];
        layernorm(T, middle, w[GPT2_GAMMA2], w[GPT2_BETA2], normed);
        dense(T, INNER, HIDDEN, normed, w[GPT2_WUP], w[GPT2_BUP], wide);
        for (size_t i = 0; i < 4 * n; i++)
            wide[i] = wide[i] / 2 * (1 + tanh(sqrt(2 / acos(-1)) * (wide[i] + 0.044715 * wide[i] * wide[i] * wide[i])));
        dense(T, HIDDEN, INNER, wide, w[GPT2_WDOWN], w[GPT2_BDOWN], y);
        for (size_t i = 0; i < n; i++)
            y[i] += middle[i];
    }
    free(middle);
    free(normed);
    free(wide);
    free(p);
    return code;
}
