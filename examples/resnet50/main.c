/* SPDX-License-Identifier: MIT-0
 *
 * resnet50 [BATCH [PIXELS [THREADS]]]: computes the convolutions of ResNet-50 with random weights, checks them against their definition in double
 * precision, and prints their time. Exit code 0: right, 1: wrong, 2: bad usage.
 */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include "network.h"
#include "reference.h"

enum { RUNS = 10 };

static uint32_t seed = 1;

/* From middle - size to middle + size. */
static float *random_floats(size_t n, float size, float middle)
{
    float *p = malloc(n * sizeof *p);
    for (size_t i = 0; p && i < n; i++) {
        seed = seed * 1664525 + 1013904223;
        p[i] = middle + size * ((float)(seed >> 8) / 8388608 - 1);
    }
    return p;
}

/* Filters whose outputs have about the mean square of their inputs, by the rule of He et al. (2015): variance 2 / products where a relu follows, which
 * halves the mean square. The last layer of a block is small, as each block adds to the sum; so activations stay between 1 and 3 in size.
 * 0, or -1: no memory. */
static int random_weights(const Resnet50Layer *l, Resnet50Weights *w)
{
    static const double gains[] = { [RESNET50_STEM] = 2,  [RESNET50_REDUCE] = 2,    [RESNET50_SPATIAL] = 2,
                                    [RESNET50_HALVE] = 2, [RESNET50_EXPAND] = 0.25, [RESNET50_SHORTCUT] = 1 };
    const int products = l->size * l->size * l->C;
    w->filters = random_floats((size_t)l->K * (size_t)products, (float)sqrt(3 * gains[l->kind] / products), 0);
    w->scale = random_floats((size_t)l->K, 0.1f, 1);
    w->shift = random_floats((size_t)l->K, 0.1f, 0);
    return w->filters && w->scale && w->shift ? 0 : -1;
}

static void free_weights(Resnet50Weights *w)
{
    for (int i = 0; i < RESNET50_LAYERS; i++) {
        free((void *)w[i].filters);
        free((void *)w[i].scale);
        free((void *)w[i].shift);
    }
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
    if (v < 1 || v > 1024) {
        fprintf(stderr, "usage: resnet50 [BATCH [PIXELS [THREADS]]], each from 1 to 1024\n");
        exit(2);
    }
    return (int)v;
}

/* The shortest time of a run in seconds; negative: one failed. */
static double best_time(const Resnet50 *net, const float *images, float *y)
{
    double best = 1e30;
    for (int i = 0; i < RUNS; i++) {
        const double begin = now();
        const int code = resnet50_run(net, images, y);
        const double end = now();
        if (code != 0) {
            fprintf(stderr, "resnet50: a call returned %d\n", code);
            return -1;
        }
        best = end - begin < best ? end - begin : best;
    }
    return best;
}

int main(int argc, char **argv)
{
    const int batch = number(argc, argv, 1, 1), pixels = number(argc, argv, 2, 65), threads = number(argc, argv, 3, 1);
    Resnet50Layer layer[RESNET50_LAYERS];
    Resnet50Weights weights[RESNET50_LAYERS];
    double flops = 0; /* products with padding are counted too */
    int code = 0;
    resnet50_layers(pixels, layer);
    for (int i = 0; i < RESNET50_LAYERS; i++) {
        const Resnet50Layer *l = &layer[i];
        code |= random_weights(l, &weights[i]);
        flops += 2.0 * batch * l->out * l->out * l->K * l->size * l->size * l->C;
    }
    const Resnet50Layer *last = &layer[RESNET50_LAYERS - 1];
    const size_t n = (size_t)batch * (size_t)last->out * (size_t)last->out * (size_t)last->K;
    float *images = random_floats((size_t)batch * (size_t)pixels * (size_t)pixels * 3, 1.7f, 0), *y = malloc(n * sizeof *y);
    double *expected = malloc(n * sizeof *expected);
    Resnet50 *net = code == 0 && images && y && expected ? resnet50_new(batch, pixels, threads, weights) : NULL;
    if (!net || resnet50_reference(batch, pixels, weights, images, expected) != 0) {
        fprintf(stderr, "resnet50: no memory\n");
        return 1;
    }
    const double best = best_time(net, images, y);
    if (best < 0)
        return 1;
    const double error = resnet50_error(n, y, expected);
    printf("batch %d, pixels %d, threads %d: %.3f ms, %.1f GFLOP/s; largest error %.2g\n", batch, pixels, threads, 1e3 * best, 1e-9 * flops / best,
           error);
    resnet50_free(net);
    free_weights(weights);
    free(images);
    free(y);
    free(expected);
    return !(error <= RESNET50_TOLERANCE);
}
