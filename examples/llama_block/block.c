/* SPDX-License-Identifier: MIT-0
 *
 * block: the graph of specs/llama_block.cfg as the package runs it. What stays from call to call are keys and values; constants besides the weights are
 * the tables of the rotary embedding.
 */
#include "block.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "llama_block_model.h"

enum { PIECE = 128 /* tokens of a call at most, as the spec has it */ };

enum { COSINE = LLAMA_NWEIGHT, SINE, TURNED, PLACES, NCONSTANT };

struct LlamaBlock {
    llama_block_model model;
    llama_block_state state;
    const void *constant[NCONSTANT]; /* in the order in which the model has them */
    float *cosine, *sine;            /* [most][depth] */
    int32_t *turned, *place;         /* [depth], [most] */
    void *packed, *workspace;
    int64_t L; /* tokens that are there */
};

static void *memory(size_t bytes) { return bytes ? aligned_alloc(64, (bytes + 63) / 64 * 64) : NULL; }

/* Tables of the rotary embedding. Element n of a head becomes cosine[p][n] times itself plus sine[p][n] times element turned[n], the other one of its pair;
 * so the sine is negative for the first of a pair. */
static void make_tables(LlamaBlock *b, int64_t most, int64_t depth, int halves)
{
    const int64_t half = depth / 2;
    for (int64_t p = 0; p < most; p++)
        b->place[p] = (int32_t)p;
    for (int64_t i = 0; i < half; i++) {
        const int64_t first = halves ? i : 2 * i, second = halves ? i + half : 2 * i + 1;
        b->turned[first] = (int32_t)second;
        b->turned[second] = (int32_t)first;
        for (int64_t p = 0; p < most; p++) {
            const double angle = (double)p * pow(10000, -(double)i / (double)half);
            float *cosine = b->cosine + p * depth, *sine = b->sine + p * depth;
            cosine[first] = cosine[second] = (float)cos(angle);
            sine[second] = (float)sin(angle);
            sine[first] = -sine[second];
        }
    }
}

static const void *find(void *block, const char *name, size_t bytes)
{
    const LlamaBlock *b = block;
    int i = 0;
    (void)bytes;
    while (strcmp(llama_block_weight_at(i)->name, name) != 0)
        i++;
    return b->constant[i];
}

LlamaBlock *llama_block_new(int64_t most, int halves, const float *const *weights)
{
    const llama_block_dims largest = { .T = most < PIECE ? most : PIECE, .L = most - 1 };
    const int64_t room = llama_block_weight_at(COSINE)->extent[0], depth = llama_block_weight_at(COSINE)->extent[1];
    const size_t kept = sizeof(float) * (size_t)(room * llama_block_weight_at(LLAMA_WK)->extent[0]), table = sizeof(float) * (size_t)(room * depth);
    LlamaBlock *b = calloc(1, sizeof *b);
    if (!b)
        return NULL;
    for (int i = 0; i < LLAMA_NWEIGHT; i++)
        b->constant[i] = weights[i];
    b->constant[COSINE] = b->cosine = memory(table);
    b->constant[SINE] = b->sine = memory(table);
    b->constant[TURNED] = b->turned = memory(sizeof *b->turned * (size_t)depth);
    b->constant[PLACES] = b->place = memory(sizeof *b->place * (size_t)room);
    b->state.keys = memory(kept);
    b->state.values_kept = memory(kept);
    b->packed = memory(llama_block_model_bytes());
    b->workspace = memory(llama_block_run_bytes(&largest, NULL));
    const int ok = b->cosine && b->sine && b->turned && b->place && b->state.keys && b->state.values_kept && b->workspace;
    if (ok && llama_block_load_from(&b->model, find, b, b->packed) == llama_block_OK) {
        make_tables(b, room, depth, halves);
        return b;
    }
    llama_block_free(b);
    return NULL;
}

int llama_block_feed(LlamaBlock *b, int64_t T, const float *x, float *y)
{
    const int64_t hidden = llama_block_weight_at(LLAMA_NORM1)->extent[0];
    int code = llama_block_OK;
    for (int64_t piece; T > 0 && code == llama_block_OK; T -= piece, x += piece * hidden, y += piece * hidden) {
        piece = T < PIECE ? T : PIECE;
        const llama_block_dims dims = { .T = piece, .L = b->L };
        const llama_block_inputs inputs = { .x = x };
        const llama_block_outputs outputs = { .y = y };
        code = llama_block_run(&b->model, &dims, &inputs, &b->state, &outputs, b->workspace, NULL);
        b->L += piece;
    }
    return code;
}

void llama_block_free(LlamaBlock *b)
{
    if (!b)
        return;
    free(b->cosine);
    free(b->sine);
    free(b->turned);
    free(b->place);
    free(b->state.keys);
    free(b->state.values_kept);
    free(b->packed);
    free(b->workspace);
    free(b);
}
