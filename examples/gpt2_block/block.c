/* SPDX-License-Identifier: MIT-0
 *
 * block: the nine calls of a block, and the memory between them. Queries, keys and values of all tokens lie in rows as qkv writes them: what is kept
 * of earlier tokens are their rows, and nothing is copied.
 */
#include "block.h"

#include <stdlib.h>
#include <string.h>
#include "gpt2_block.h"

enum { HIDDEN = GPT2_HIDDEN, HEADS = GPT2_HEADS, DEPTH = GPT2_DEPTH, INNER = GPT2_INNER, QKV = GPT2_QKV };

struct GptBlock {
    int64_t most, P; /* tokens that fit, tokens that are there */
    const float *weight[GPT2_NWEIGHT];
    void *packed[4]; /* the four matrices */
    float *qkv;      /* [most][QKV] */
    float *normed, *scores, *probabilities, *context, *attended, *inner;
};

static float *floats(int64_t n) { return aligned_alloc(64, ((size_t)n * sizeof(float) + 63) / 64 * 64 + 64); }

/* Packs a matrix [K][N]; `bytes` and `pack` are the package's. */
static void *packed(size_t bytes(int64_t, int64_t), int pack(int64_t, int64_t, const float *, void *), int64_t N, int64_t K, const float *w)
{
    void *p = aligned_alloc(64, (bytes(N, K) + 63) / 64 * 64);
    if (p && pack(N, K, w, p) != gpt2_block_OK) {
        free(p);
        return NULL;
    }
    return p;
}

void gpt2_block_free(GptBlock *b)
{
    if (!b)
        return;
    for (int i = 0; i < 4; i++)
        free(b->packed[i]);
    free(b->qkv);
    free(b->normed);
    free(b->scores);
    free(b->probabilities);
    free(b->context);
    free(b->attended);
    free(b->inner);
    free(b);
}

GptBlock *gpt2_block_new(int most, const float *const *weights)
{
    GptBlock *b = calloc(1, sizeof *b);
    if (!b)
        return NULL;
    b->most = most;
    memcpy(b->weight, weights, sizeof b->weight);
    b->packed[0] = packed(gpt2_block_qkv_packed_bytes, gpt2_block_qkv_pack, QKV, HIDDEN, weights[GPT2_WQKV]);
    b->packed[1] = packed(gpt2_block_projection_packed_bytes, gpt2_block_projection_pack, HIDDEN, HIDDEN, weights[GPT2_WPROJ]);
    b->packed[2] = packed(gpt2_block_up_packed_bytes, gpt2_block_up_pack, INNER, HIDDEN, weights[GPT2_WUP]);
    b->packed[3] = packed(gpt2_block_down_packed_bytes, gpt2_block_down_pack, HIDDEN, INNER, weights[GPT2_WDOWN]);
    b->qkv = floats(b->most * QKV);
    b->normed = floats(b->most * HIDDEN);
    b->scores = floats(HEADS * b->most * b->most);
    b->probabilities = floats(HEADS * b->most * b->most);
    b->context = floats(b->most * HIDDEN);
    b->attended = floats(b->most * HIDDEN);
    b->inner = floats(b->most * INNER);
    if (b->packed[0] && b->packed[1] && b->packed[2] && b->packed[3] && b->qkv && b->normed && b->scores && b->probabilities && b->context &&
        b->attended && b->inner)
        return b;
    gpt2_block_free(b);
    return NULL;
}

int gpt2_block_run(GptBlock *b, int T, const float *x, float *y)
{
    const float *const *w = b->weight;
    const int64_t all = b->P + T, one[] = { 0, DEPTH, QKV }, context[] = { 0, DEPTH, HIDDEN }; /* to the next text, head, token */
    float *rows = b->qkv + b->P * QKV;
    const float *keys = b->qkv + HIDDEN, *values = b->qkv + 2 * HIDDEN;
    if (T < 1 || all > b->most)
        return -1;
    int code = gpt2_block_norm(T, HIDDEN, x, w[GPT2_GAMMA1], w[GPT2_BETA1], b->normed, NULL, NULL);
    if (!code)
        code = gpt2_block_qkv(T, QKV, HIDDEN, b->normed, b->packed[0], w[GPT2_BQKV], rows, NULL, NULL);
    if (!code)
        code = gpt2_block_scores(1, HEADS, T, all, DEPTH, rows, one, keys, one, b->scores, NULL, NULL, NULL);
    if (!code)
        code = gpt2_block_softmax(1, HEADS, T, all, b->scores, b->probabilities, NULL, NULL);
    if (!code)
        code = gpt2_block_values(1, HEADS, T, DEPTH, all, b->probabilities, NULL, values, one, b->context, context, NULL, NULL);
    if (!code)
        code = gpt2_block_projection(T, HIDDEN, HIDDEN, b->context, b->packed[1], w[GPT2_BPROJ], x, b->attended, NULL, NULL);
    if (!code)
        code = gpt2_block_norm(T, HIDDEN, b->attended, w[GPT2_GAMMA2], w[GPT2_BETA2], b->normed, NULL, NULL);
    if (!code)
        code = gpt2_block_up(T, INNER, HIDDEN, b->normed, b->packed[2], w[GPT2_BUP], b->inner, NULL, NULL);
    if (!code)
        code = gpt2_block_down(T, HIDDEN, INNER, b->inner, b->packed[3], w[GPT2_BDOWN], b->attended, y, NULL, NULL);
    if (!code)
        b->P = all;
    return code;
}
