/* SPDX-License-Identifier: MIT-0
 *
 * bert_layer [BATCH [T [THREADS]]]: computes an encoder layer of BERT-base with random weights, checks it against its definition in double precision,
 * and prints its time. Exit code 0: right, 1: wrong, 2: bad usage.
 */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include "layer.h"
#include "reference.h"

enum { HIDDEN = 768, INNER = 3072, RUNS = 20 };

static uint32_t seed = 1;

/* From -size to size. */
static float *random_floats(size_t n, float size, float middle)
{
    float *p = malloc(n * sizeof *p);
    for (size_t i = 0; p && i < n; i++) {
        seed = seed * 1664525 + 1013904223;
        p[i] = middle + size * ((float)(seed >> 8) / 8388608 - 1);
    }
    return p;
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int number(int argc, char **argv, int i, int usual)
{
    const long v = i < argc ? strtol(argv[i], NULL, 10) : usual;
    if (v < 1 || v > 4096) {
        fprintf(stderr, "usage: bert_layer [BATCH [T [THREADS]]], each from 1 to 4096\n");
        exit(2);
    }
    return (int)v;
}

int main(int argc, char **argv)
{
    const int batch = number(argc, argv, 1, 2), T = number(argc, argv, 2, 43), threads = number(argc, argv, 3, 1);
    static const size_t elems[BERT_NWEIGHT] = { 3 * HIDDEN * HIDDEN, 3 * HIDDEN, HIDDEN * HIDDEN, HIDDEN, HIDDEN, HIDDEN,
                                                INNER * HIDDEN,      INNER,      HIDDEN * INNER,  HIDDEN, HIDDEN, HIDDEN };
    const float *weight[BERT_NWEIGHT];
    const size_t n = (size_t)batch * (size_t)T * HIDDEN;
    float *x = random_floats(n, 1, 0), *y = malloc(n * sizeof *y);
    double *expected = malloc(n * sizeof *expected), best = 1e30;
    int32_t *lengths = malloc((size_t)batch * sizeof *lengths);
    for (int i = 0; i < BERT_NWEIGHT; i++)
        weight[i] = random_floats(elems[i], 0.04f, i == BERT_GAMMA1 || i == BERT_GAMMA2 ? 1 : 0);
    for (int b = 0; lengths && b < batch; b++)
        lengths[b] = T - b % T;
    void *layer = bert_layer_example_new(batch, T, threads, weight);
    if (!layer || !x || !y || !expected || !lengths || bert_layer_reference(batch, T, weight, x, lengths, expected) != 0) {
        fprintf(stderr, "bert_layer: no memory\n");
        return 1;
    }
    for (int i = 0; i < RUNS; i++) {
        const double begin = now();
        const int code = bert_layer_example_run(layer, x, lengths, y);
        const double end = now();
        if (code != 0) {
            fprintf(stderr, "bert_layer: a call returned %d\n", code);
            return 1;
        }
        best = end - begin < best ? end - begin : best;
    }
    const double error = bert_layer_error(batch, T, lengths, y, expected), m = (double)batch * T;
    const double flops = 2 * m * HIDDEN * (3.0 * HIDDEN + HIDDEN + 2.0 * INNER) + 4 * m * T * HIDDEN;
    printf("batch %d, T %d, threads %d: %.3f ms, %.1f GFLOP/s; largest error %.2g\n", batch, T, threads, 1e3 * best, 1e-9 * flops / best, error);
    bert_layer_example_free(layer);
    return !(error <= BERT_LAYER_TOLERANCE);
}
