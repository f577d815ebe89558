/* SPDX-License-Identifier: MIT-0
 *
 * gpt2_block [T [MORE]]: computes a block of GPT-2 with random weights for a text of T tokens, then for MORE tokens one by one, as a text grows; checks
 * all against the definition in double precision, and prints times. Exit code 0: right, 1: wrong, 2: bad usage.
 */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include "block.h"

enum { HIDDEN = GPT2_HIDDEN, INNER = GPT2_INNER };
/* y is about 2 in size; its largest sums have 3072 products. A float sum of K products of mixed signs is off by some 2^-24 * K of a typical one. */
static const double tolerance = 1e-4;
static uint32_t seed = 1;

/* Around `middle`, up to `size` away. */
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

static int number(int argc, char **argv, int i, int usual, int least)
{
    const long v = i < argc ? strtol(argv[i], NULL, 10) : usual;
    if (v < least || v > GPT2_MOST) {
        fprintf(stderr, "usage: gpt2_block [T [MORE]], T from 1 and MORE from 0, %d together at most\n", GPT2_MOST);
        exit(2);
    }
    return (int)v;
}

/* Feeds T tokens; the time that it takes is added. */
static int feed(GptBlock *block, int T, const float *x, float *y, double *seconds)
{
    const double begin = now();
    const int code = gpt2_block_feed(block, T, x, y);
    *seconds += now() - begin;
    if (code)
        fprintf(stderr, "gpt2_block: a call returned %d\n", code);
    return code;
}

int main(int argc, char **argv)
{
    const int T = number(argc, argv, 1, 43, 1), more = number(argc, argv, 2, 20, 0), all = T + more;
    static const size_t elems[GPT2_NWEIGHT] = { HIDDEN, HIDDEN, 3 * HIDDEN * HIDDEN, 3 * HIDDEN,     HIDDEN * HIDDEN, HIDDEN,
                                                HIDDEN, HIDDEN, HIDDEN * INNER,      INNER,          INNER * HIDDEN,  HIDDEN };
    const float *weight[GPT2_NWEIGHT];
    const size_t n = (size_t)all * HIDDEN;
    float *x = random_floats(n, 1, 0), *y = malloc(n * sizeof *y);
    double *expected = malloc(n * sizeof *expected), first = 0, rest = 0, worst = 0;
    int ok = x && y && expected;
    for (int i = 0; i < GPT2_NWEIGHT; i++) {
        weight[i] = random_floats(elems[i], 0.04f, i == GPT2_GAMMA1 || i == GPT2_GAMMA2 ? 1 : 0);
        ok = ok && weight[i];
    }
    GptBlock *block = ok ? gpt2_block_new(all, weight) : NULL;
    if (!block || gpt2_block_reference(all, weight, x, expected) != 0) {
        fprintf(stderr, "gpt2_block: no memory\n");
        return 1;
    }
    if (feed(block, T, x, y, &first))
        return 1;
    for (int t = T; t < all; t++)
        if (feed(block, 1, x + (size_t)t * HIDDEN, y + (size_t)t * HIDDEN, &rest))
            return 1;
    for (size_t i = 0; i < n; i++) {
        const double error = fabs((double)y[i] - expected[i]);
        worst = error > worst || isnan(error) ? error : worst; /* NaN stays */
    }
    printf("%d tokens: %.3f ms; %d more: %.3f ms each; largest error %.2g\n", T, 1e3 * first, more, more ? 1e3 * rest / more : 0, worst);
    gpt2_block_free(block);
    return !(worst <= tolerance);
}
