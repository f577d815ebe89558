/* SPDX-License-Identifier: MIT-0
 *
 * llama_block [T [MORE [small|halves]]]: computes a block of Llama with random weights for a text of T tokens, then for MORE tokens one by one, as a text grows;
 * checks all against the definition in double precision, and prints times. The sizes are those of TinyLlama-1.1B, or, for a package of other sizes, small
 * ones, with pairs as in Llama's own files or with halves. Exit code 0: right, 1: wrong, 2: bad usage.
 */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "block.h"

static const LlamaSizes tiny_llama = {
    .hidden = 2048, .heads = 32, .kv_heads = 4, .depth = 64, .inner = 5632, .halves = 1
};
static const LlamaSizes small = { .hidden = 96, .heads = 6, .kv_heads = 2, .depth = 16, .inner = 160 };
/* y is about 2 in size; its largest sums have 5632 products. A float sum of K products of mixed signs is off by some 2^-24 * K of a typical one. */
static const double tolerance = 1e-4;
static uint32_t seed = 1;

/* Around `middle`, up to `size` away. */
static float *random_floats(int64_t n, float size, float middle)
{
    float *p = malloc((size_t)n * sizeof *p);
    for (int64_t i = 0; p && i < n; i++) {
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

static int64_t number(int argc, char **argv, int i, long usual, long least)
{
    const long v = i < argc ? strtol(argv[i], NULL, 10) : usual;
    if (v < least || v > LLAMA_MOST || argc > 4 || (argc > 3 && strcmp(argv[3], "small") != 0 && strcmp(argv[3], "halves") != 0)) {
        fprintf(stderr, "usage: llama_block [T [MORE [small|halves]]], T from 1 and MORE from 0, %d together at most\n", LLAMA_MOST);
        exit(2);
    }
    return v;
}

/* Feeds T tokens; the time that it takes is added. */
static int feed(LlamaBlock *block, int64_t T, const float *x, float *y, double *seconds)
{
    const double begin = now();
    const int code = llama_block_feed(block, T, x, y);
    *seconds += now() - begin;
    if (code)
        fprintf(stderr, "llama_block: a call returned %d\n", code);
    return code;
}

int main(int argc, char **argv)
{
    const int64_t T = number(argc, argv, 1, 43, 1), more = number(argc, argv, 2, 20, 0), all = T + more;
    LlamaSizes s = argc > 3 ? small : tiny_llama;
    s.halves |= argc > 3 && strcmp(argv[3], "halves") == 0;
    const int64_t width = s.heads * s.depth, kept = s.kv_heads * s.depth, n = all * s.hidden;
    const int64_t elems[LLAMA_NWEIGHT] = { s.hidden,           width * s.hidden,   kept * s.hidden,
                                           kept * s.hidden,    width * s.hidden,   s.hidden,
                                           s.inner * s.hidden, s.inner * s.hidden, s.inner * s.hidden };
    const float *weight[LLAMA_NWEIGHT];
    float *x = random_floats(n, 1, 0), *y = malloc((size_t)n * sizeof *y);
    double *expected = malloc((size_t)n * sizeof *expected), first = 0, rest = 0, worst = 0;
    int ok = x && y && expected;
    for (int i = 0; i < LLAMA_NWEIGHT; i++) {
        const int is_norm = i == LLAMA_NORM1 || i == LLAMA_NORM2;
        weight[i] = random_floats(elems[i], is_norm ? 0.04F : 2 / sqrtf((float)s.hidden), (float)is_norm);
        ok = ok && weight[i];
    }
    LlamaBlock *block = ok ? llama_block_new(all, s.halves, weight) : NULL;
    if (!block || llama_block_reference(&s, all, weight, x, expected) != 0) {
        fprintf(stderr, "llama_block: no memory\n");
        return 1;
    }
    if (feed(block, T, x, y, &first))
        return 1;
    for (int64_t t = T; t < all; t++)
        if (feed(block, 1, x + t * s.hidden, y + t * s.hidden, &rest))
            return 1;
    for (int64_t i = 0; i < n; i++) {
        const double error = fabs((double)y[i] - expected[i]);
        worst = error > worst || isnan(error) ? error : worst; /* NaN stays */
    }
    printf("%d tokens: %.3f ms; %d more: %.3f ms each; largest error %.2g\n", (int)T, 1e3 * first, (int)more,
           more ? 1e3 * rest / (double)more : 0, worst);
    llama_block_free(block);
    return !(worst <= tolerance);
}
