/* SPDX-License-Identifier: MIT-0
 *
 * reference: plain loops. A function a step of the layer; the steps' names are those of the spec's functions, where there is one.
 *
 *   qkv = x Wqkv^T + bqkv                            middle = layernorm(x + attended Wproj^T + bproj)
 *   attended = softmax(queries keys^T / 8) values    y      = layernorm(middle + gelu(middle Wup^T + bup) Wdown^T + bdown)
 */
#include "reference.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>

enum { HIDDEN = 768, HEADS = 12, DEPTH = 64, INNER = 3072, QKV = 3 * HIDDEN, LANES = 8 };
static const double EPSILON = 1e-12;

/* Eight sums side by side, which a compiler may keep in a vector; n is a multiple of 8. */
static double dot(int n, const double *a, const float *b)
{
    double sum[LANES] = { 0 };
    for (int i = 0; i < n; i += LANES)
        for (int lane = 0; lane < LANES; lane++)
            sum[lane] += a[i + lane] * (double)b[i + lane];
    return ((sum[0] + sum[1]) + (sum[2] + sum[3])) + ((sum[4] + sum[5]) + (sum[6] + sum[7]));
}

/* y[rows][out] = x[rows][in] W^T + b */
static void dense(int rows, int out, int in, const double *x, const float *W, const float *b, double *y)
{
    for (int m = 0; m < rows; m++)
        for (int n = 0; n < out; n++)
            y[(ptrdiff_t)m * out + n] = dot(in, x + (ptrdiff_t)m * in, W + (ptrdiff_t)n * in) + (double)b[n];
}

static double gelu(double x) { return 0.5 * x * (1 + erf(x / sqrt(2))); }

/* x = layernorm(x + residual), each row by itself */
static void add_and_norm(int rows, double *x, const double *residual, const float *gamma, const float *beta)
{
    for (int m = 0; m < rows; m++, x += HIDDEN, residual += HIDDEN) {
        double mean = 0, variance = 0;
        for (int i = 0; i < HIDDEN; i++)
            mean += (x[i] += residual[i]) / HIDDEN;
        for (int i = 0; i < HIDDEN; i++)
            variance += (x[i] - mean) * (x[i] - mean) / HIDDEN;
        for (int i = 0; i < HIDDEN; i++)
            x[i] = (x[i] - mean) / sqrt(variance + EPSILON) * (double)gamma[i] + (double)beta[i];
    }
}

/* p = softmax of n scores */
static void softmax(int n, double *p)
{
    double max = p[0], sum = 0;
    for (int j = 1; j < n; j++)
        max = p[j] > max ? p[j] : max;
    for (int j = 0; j < n; j++)
        sum += p[j] = exp(p[j] - max);
    for (int j = 0; j < n; j++)
        p[j] /= sum;
}

/* One query of one head; keys and values are those of its sequence, a row each QKV elements. p has room for `length`. */
static void attend(int length, const double *query, const double *keys, const double *values, double *p, double *out)
{
    for (int j = 0; j < length; j++) {
        p[j] = 0;
        for (int d = 0; d < DEPTH; d++)
            p[j] += query[d] * keys[(ptrdiff_t)j * QKV + d] / 8;
    }
    softmax(length, p);
    for (int d = 0; d < DEPTH; d++)
        out[d] = 0;
    for (int j = 0; j < length; j++)
        for (int d = 0; d < DEPTH; d++)
            out[d] += p[j] * values[(ptrdiff_t)j * QKV + d];
}

static void attention(int batch, int T, const int32_t *lengths, const double *qkv, double *p, double *attended)
{
    for (int b = 0; b < batch; b++)
        for (int t = 0; t < T; t++)
            for (int h = 0; h < HEADS; h++) {
                const double *sequence = qkv + (ptrdiff_t)b * T * QKV + h * DEPTH;
                attend(lengths[b], sequence + (ptrdiff_t)t * QKV, sequence + HIDDEN, sequence + 2 * HIDDEN, p,
                       attended + ((ptrdiff_t)b * T + t) * HIDDEN + h * DEPTH);
            }
}

/* middle and y have HIDDEN elements a row; wide has INNER, and holds queries, keys and values first. input is x as double. */
static void layer(int batch, int T, const float *const *w, const double *input, const int32_t *lengths, double *wide,
                  double *p, double *middle, double *y)
{
    const int rows = batch * T;
    dense(rows, QKV, HIDDEN, input, w[BERT_WQKV], w[BERT_BQKV], wide);
    attention(batch, T, lengths, wide, p, y);
    dense(rows, HIDDEN, HIDDEN, y, w[BERT_WPROJ], w[BERT_BPROJ], middle);
    add_and_norm(rows, middle, input, w[BERT_GAMMA1], w[BERT_BETA1]);
    dense(rows, INNER, HIDDEN, middle, w[BERT_WUP], w[BERT_BUP], wide);
    for (ptrdiff_t i = 0; i < (ptrdiff_t)rows * INNER; i++)
        wide[i] = gelu(wide[i]);
    dense(rows, HIDDEN, INNER, wide, w[BERT_WDOWN], w[BERT_BDOWN], y);
    add_and_norm(rows, y, middle, w[BERT_GAMMA2], w[BERT_BETA2]);
}

int bert_layer_reference(int batch, int T, const float *const *weights, const float *x, const int32_t *lengths,
                         double *y)
{
    const size_t n = (size_t)batch * (size_t)T;
    double *wide = malloc(n * INNER * sizeof *wide), *middle = malloc(n * HIDDEN * sizeof *middle);
    double *input = malloc(n * HIDDEN * sizeof *input), *p = malloc((size_t)T * sizeof *p);
    const int code = wide && middle && input && p ? 0 : -1;
    for (size_t i = 0; code == 0 && i < n * HIDDEN; i++)
        input[i] = (double)x[i];
    if (code == 0)
        layer(batch, T, weights, input, lengths, wide, p, middle, y);
    free(wide);
    free(middle);
    free(input);
    free(p);
    return code;
}

double bert_layer_error(int batch, int T, const int32_t *lengths, const float *got, const double *expected)
{
    double worst = 0;
    for (int b = 0; b < batch; b++)
        for (ptrdiff_t i = (ptrdiff_t)b * T * HIDDEN; i < ((ptrdiff_t)b * T + lengths[b]) * HIDDEN; i++) {
            const double error = fabs((double)got[i] - expected[i]);
            if (isnan(error))
                return error;
            worst = error > worst ? error : worst;
        }
    return worst;
}
