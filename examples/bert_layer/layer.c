/* SPDX-License-Identifier: MIT-0
 *
 * layer: the eight calls of an encoder layer, and the memory between them. Nothing is transposed or copied: queries, keys and values of all heads
 * lie side by side in the rows that qkv writes, and the package's functions are told the strides.
 */
#include "layer.h"

#include <stdlib.h>
#include <string.h>
#include "bert_layer.h"
#include "bert_layer_pool.h"
#include "reference.h"

enum { HIDDEN = 768, HEADS = 12, HEAD = 64, INNER = 3072, QKV = 3 * HIDDEN };

typedef struct {
    int64_t batch, T;
    const float *weight[BERT_NWEIGHT];
    void *packed[4]; /* the four matrices */
    float *qkv, *scores, *probabilities, *context, *sum, *attended, *inner;
    bert_layer_pool *pool;
    bert_layer_exec exec;
} Layer;

static float *floats(int64_t n) { return aligned_alloc(64, ((size_t)n * sizeof(float) + 63) / 64 * 64 + 64); }

/* Packs a matrix [N][K]; `bytes` and `pack` are the package's. */
static void *packed(size_t bytes(int64_t, int64_t), int pack(int64_t, int64_t, const float *, void *), int64_t N, int64_t K, const float *w)
{
    void *p = aligned_alloc(64, (bytes(N, K) + 63) / 64 * 64);
    if (p && pack(N, K, w, p) != bert_layer_OK) {
        free(p);
        return NULL;
    }
    return p;
}

void bert_layer_example_free(void *state)
{
    Layer *l = state;
    if (!l)
        return;
    bert_layer_pool_stop(l->pool);
    for (int i = 0; i < 4; i++)
        free(l->packed[i]);
    free(l->qkv);
    free(l->scores);
    free(l->probabilities);
    free(l->context);
    free(l->sum);
    free(l->attended);
    free(l->inner);
    free(l);
}

void *bert_layer_example_new(int batch, int T, int threads, const float *const *weights)
{
    const int64_t M = (int64_t)batch * T, pairs = (int64_t)batch * HEADS * T * T;
    Layer *l = calloc(1, sizeof *l);
    if (!l)
        return NULL;
    l->batch = batch;
    l->T = T;
    memcpy(l->weight, weights, sizeof l->weight);
    l->packed[0] = packed(bert_layer_qkv_packed_bytes, bert_layer_qkv_pack, QKV, HIDDEN, weights[BERT_WQKV]);
    l->packed[1] = packed(bert_layer_projection_packed_bytes, bert_layer_projection_pack, HIDDEN, HIDDEN, weights[BERT_WPROJ]);
    l->packed[2] = packed(bert_layer_up_packed_bytes, bert_layer_up_pack, INNER, HIDDEN, weights[BERT_WUP]);
    l->packed[3] = packed(bert_layer_down_packed_bytes, bert_layer_down_pack, HIDDEN, INNER, weights[BERT_WDOWN]);
    l->qkv = floats(M * QKV);
    l->scores = floats(pairs);
    l->probabilities = floats(pairs);
    l->context = floats(M * HIDDEN);
    l->sum = floats(M * HIDDEN);
    l->attended = floats(M * HIDDEN);
    l->inner = floats(M * INNER);
    if (threads > 1 && (l->pool = bert_layer_pool_start(threads)))
        l->exec = (bert_layer_exec){ .threads = threads, .parallel_for = bert_layer_pool_run, .ctx = l->pool };
    if (l->packed[0] && l->packed[1] && l->packed[2] && l->packed[3] && l->qkv && l->scores && l->probabilities && l->context && l->sum &&
        l->attended && l->inner && (threads < 2 || l->pool))
        return l;
    bert_layer_example_free(l);
    return NULL;
}

int bert_layer_example_run(void *state, const float *x, const int32_t *lengths, float *y)
{
    const Layer *l = state;
    const bert_layer_exec *exec = &l->exec;
    const float *const *w = l->weight;
    const int64_t B = l->batch, T = l->T, M = B * T;
    const float *q = l->qkv, *k = l->qkv + HIDDEN, *v = l->qkv + 2 * HIDDEN;
    const int64_t in_rows[] = { T * QKV, HEAD, QKV }, in_context[] = { T * HIDDEN, HEAD, HIDDEN }; /* to the next sequence, head, token */
    int code = bert_layer_qkv(M, QKV, HIDDEN, x, l->packed[0], w[BERT_BQKV], l->qkv, NULL, exec);
    if (!code)
        code = bert_layer_scores(B, HEADS, T, T, HEAD, q, in_rows, k, in_rows, l->scores, NULL, NULL, exec);
    if (!code)
        code = bert_layer_softmax(B, HEADS, T, T, lengths, l->scores, l->probabilities, NULL, exec);
    if (!code)
        code = bert_layer_values(B, HEADS, T, HEAD, T, l->probabilities, NULL, v, in_rows, l->context, in_context, NULL, exec);
    if (!code)
        code = bert_layer_projection(M, HIDDEN, HIDDEN, l->context, l->packed[1], w[BERT_BPROJ], x, l->sum, NULL, exec);
    if (!code)
        code = bert_layer_norm(M, HIDDEN, l->sum, w[BERT_GAMMA1], w[BERT_BETA1], l->attended, NULL, exec);
    if (!code)
        code = bert_layer_up(M, INNER, HIDDEN, l->attended, l->packed[2], w[BERT_BUP], l->inner, NULL, exec);
    if (!code)
        code = bert_layer_down(M, HIDDEN, INNER, l->inner, l->packed[3], w[BERT_BDOWN], l->attended, l->sum, NULL, exec);
    if (!code)
        code = bert_layer_norm(M, HIDDEN, l->sum, w[BERT_GAMMA2], w[BERT_BETA2], y, NULL, exec);
    return code;
}
