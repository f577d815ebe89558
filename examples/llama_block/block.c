/* SPDX-License-Identifier: MIT-0
 *
 * block: the calls of a block, and the memory between them. What is kept of earlier tokens:
 *
 *   keys     [most][kv_heads][depth], turned: a row a token, which `rotate` writes to its place
 *   values   [kv_heads][most][depth]: a matrix a head, into which `value` writes rows through the strides of its output
 *
 * Queries are [T][heads][depth]; heads are seen as [kv_heads][group], and all of a group read one head of keys and values.
 */
#include "block.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "llama_block.h"

struct LlamaBlock {
    LlamaSizes s;
    int64_t most, L; /* tokens that fit, tokens that are there */
    const float *weight[LLAMA_NWEIGHT];
    void *packed[LLAMA_NWEIGHT]; /* NULL: used as it is */
    float *keys, *values;
    float *cosine, *sine;    /* [most][depth] */
    int32_t *turned, *place; /* [depth], [most] */
    float *normed, *queries, *turned_queries, *new_keys, *scores, *probabilities, *context, *attended, *up, *inner;
};

static void *take(int64_t n, size_t bytes) { return aligned_alloc(64, ((size_t)n * bytes + 63) / 64 * 64 + 64); }
static float *floats(int64_t n) { return take(n, sizeof(float)); }

typedef size_t PackedBytes(int64_t, int64_t);
typedef int Pack(int64_t, int64_t, const float *, void *);

/* Packs a matrix [N][K]; `bytes` and `pack` are the package's. */
static void *packed(PackedBytes *bytes, Pack *pack, int64_t N, int64_t K, const float *w)
{
    void *p = take((int64_t)bytes(N, K), 1);
    if (p && pack(N, K, w, p) != llama_block_OK) {
        free(p);
        return NULL;
    }
    return p;
}

void llama_block_free(LlamaBlock *b)
{
    if (!b)
        return;
    for (int i = 0; i < LLAMA_NWEIGHT; i++)
        free(b->packed[i]);
    void *const taken[] = { b->keys,           b->values,   b->cosine, b->sine,
                            b->turned,         b->place,    b->normed, b->queries,
                            b->turned_queries, b->new_keys, b->scores, b->probabilities,
                            b->context,        b->attended, b->up,     b->inner };
    for (size_t i = 0; i < sizeof taken / sizeof *taken; i++)
        free(taken[i]);
    free(b);
}

/* Tables of the rotary embedding. Element n of a head becomes cosine[p][n] times itself plus sine[p][n] times element turned[n], the other one of its pair;
 * so the sine is negative for the first of a pair. */
static void make_tables(LlamaBlock *b)
{
    const int64_t half = b->s.depth / 2;
    for (int64_t p = 0; p < b->most; p++)
        b->place[p] = (int32_t)p;
    for (int64_t i = 0; i < half; i++) {
        const int64_t first = b->s.halves ? i : 2 * i, second = b->s.halves ? i + half : 2 * i + 1;
        b->turned[first] = (int32_t)second;
        b->turned[second] = (int32_t)first;
        for (int64_t p = 0; p < b->most; p++) {
            const double angle = (double)p * pow(10000, -(double)i / (double)half);
            float *cosine = b->cosine + p * b->s.depth, *sine = b->sine + p * b->s.depth;
            cosine[first] = cosine[second] = (float)cos(angle);
            sine[second] = (float)sin(angle);
            sine[first] = -sine[second];
        }
    }
}

LlamaBlock *llama_block_new(const LlamaSizes *s, int64_t most, const float *const *weights)
{
    const int64_t width = s->heads * s->depth, kept = s->kv_heads * s->depth;
    LlamaBlock *b = calloc(1, sizeof *b);
    if (!b)
        return NULL;
    b->s = *s;
    b->most = most;
    memcpy(b->weight, weights, sizeof b->weight);
    b->packed[LLAMA_WQ] =
        packed(llama_block_linear_packed_bytes, llama_block_linear_pack, width, s->hidden, weights[LLAMA_WQ]);
    b->packed[LLAMA_WK] =
        packed(llama_block_linear_packed_bytes, llama_block_linear_pack, kept, s->hidden, weights[LLAMA_WK]);
    b->packed[LLAMA_WO] =
        packed(llama_block_add_packed_bytes, llama_block_add_pack, s->hidden, width, weights[LLAMA_WO]);
    b->packed[LLAMA_WGATE] =
        packed(llama_block_gate_packed_bytes, llama_block_gate_pack, s->inner, s->hidden, weights[LLAMA_WGATE]);
    b->packed[LLAMA_WUP] =
        packed(llama_block_linear_packed_bytes, llama_block_linear_pack, s->inner, s->hidden, weights[LLAMA_WUP]);
    b->packed[LLAMA_WDOWN] =
        packed(llama_block_add_packed_bytes, llama_block_add_pack, s->hidden, s->inner, weights[LLAMA_WDOWN]);
    b->turned = take(s->depth, sizeof *b->turned);
    b->place = take(most, sizeof *b->place);
    struct {
        float **p;
        int64_t n;
    } const room[] = {
        { &b->keys, most * kept },
        { &b->values, most * kept },
        { &b->cosine, most * s->depth },
        { &b->sine, most * s->depth },
        { &b->normed, most * s->hidden },
        { &b->queries, most * width },
        { &b->turned_queries, most * width },
        { &b->new_keys, most * kept },
        { &b->scores, s->heads * most * most },
        { &b->probabilities, s->heads * most * most },
        { &b->context, most * width },
        { &b->attended, most * s->hidden },
        { &b->up, most * s->inner },
        { &b->inner, most * s->inner },
    };
    int ok = b->packed[LLAMA_WQ] && b->packed[LLAMA_WK] && b->packed[LLAMA_WO] && b->packed[LLAMA_WGATE] &&
             b->packed[LLAMA_WUP] && b->packed[LLAMA_WDOWN] && b->turned && b->place;
    for (size_t i = 0; i < sizeof room / sizeof *room; i++)
        ok = (*room[i].p = floats(room[i].n)) && ok;
    if (ok) {
        make_tables(b);
        return b;
    }
    llama_block_free(b);
    return NULL;
}

/* Queries of T tokens at their places, and keys and values to where they are kept. */
static int project(LlamaBlock *b, int64_t T)
{
    const LlamaSizes *s = &b->s;
    const int64_t width = s->heads * s->depth, kept = s->kv_heads * s->depth, all = b->L + T;
    const int64_t same_rows[] = { 0, 0, s->hidden },
                  of_head[] = { 0, b->most * s->depth, s->depth }; /* to the next text, head, token */
    const int32_t *place = b->place + b->L;
    int code = llama_block_linear(T, width, s->hidden, b->normed, b->packed[LLAMA_WQ], b->queries, NULL, NULL);
    if (!code)
        code = llama_block_linear(T, kept, s->hidden, b->normed, b->packed[LLAMA_WK], b->new_keys, NULL, NULL);
    if (!code)
        code = llama_block_rotate(1, T, s->heads, s->depth, all, b->queries, place, b->cosine, b->turned, b->sine,
                                  b->turned_queries, NULL, NULL);
    if (!code)
        code = llama_block_rotate(1, T, s->kv_heads, s->depth, all, b->new_keys, place, b->cosine, b->turned, b->sine,
                                  b->keys + b->L * kept, NULL, NULL);
    if (!code)
        code = llama_block_value(1, s->kv_heads, T, s->depth, s->hidden, b->normed, same_rows, b->weight[LLAMA_WV],
                                 NULL, b->values + b->L * s->depth, of_head, NULL, NULL);
    return code;
}

/* Attention of T tokens to all that are there. All heads of a group read the same keys and values. Queries of several tokens are a matrix a head, and from
 * one's keys to the next one's the stride is 0. Those of one token are a row a head: a matrix for all of the group, which reads keys once. */
static int attend(LlamaBlock *b, int64_t T)
{
    const LlamaSizes *s = &b->s;
    const int64_t width = s->heads * s->depth, kept = s->kv_heads * s->depth, group = s->heads / s->kv_heads;
    const int64_t all = b->L + T, matrices = T == 1 ? 1 : group, rows = T == 1 ? group : T;
    /* to the next head of keys, to the next matrix that shares it, to the next row */
    const int64_t query[] = { group * s->depth, s->depth, T == 1 ? s->depth : width };
    const int64_t key[] = { s->depth, 0, kept }, value[] = { b->most * s->depth, 0, s->depth };
    int code = llama_block_scores(s->kv_heads, matrices, rows, all, s->depth, b->turned_queries, query, b->keys, key,
                                  b->scores, NULL, NULL, NULL);
    if (!code)
        code = llama_block_softmax(s->kv_heads, group, T, all, b->scores, b->probabilities, NULL, NULL);
    if (!code)
        code = llama_block_values(s->kv_heads, matrices, rows, s->depth, all, b->probabilities, NULL, b->values, value,
                                  b->context, query, NULL, NULL);
    return code;
}

int llama_block_run(LlamaBlock *b, int64_t T, const float *x, float *y)
{
    const LlamaSizes *s = &b->s;
    const float *const *w = b->weight;
    void *const *p = b->packed;
    if (T < 1 || b->L + T > b->most)
        return -1;
    int code = llama_block_norm(T, s->hidden, x, w[LLAMA_NORM1], b->normed, NULL, NULL);
    if (!code)
        code = project(b, T);
    if (!code)
        code = attend(b, T);
    if (!code)
        code = llama_block_add(T, s->hidden, s->heads * s->depth, b->context, p[LLAMA_WO], x, b->attended, NULL, NULL);
    if (!code)
        code = llama_block_norm(T, s->hidden, b->attended, w[LLAMA_NORM2], b->normed, NULL, NULL);
    if (!code)
        code = llama_block_linear(T, s->inner, s->hidden, b->normed, p[LLAMA_WUP], b->up, NULL, NULL);
    if (!code)
        code = llama_block_gate(T, s->inner, s->hidden, b->normed, p[LLAMA_WGATE], b->up, b->inner, NULL, NULL);
    if (!code)
        code = llama_block_add(T, s->hidden, s->inner, b->inner, p[LLAMA_WDOWN], b->attended, y, NULL, NULL);
    if (!code)
        b->L += T;
    return code;
}
