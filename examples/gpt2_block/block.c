/* SPDX-License-Identifier: MIT-0
 *
 * block: the graph of specs/gpt2_block.cfg as the package runs it. What stays from call to call are the rows of queries, keys and values of all tokens.
 */
#include "block.h"

#include <stdlib.h>
#include <string.h>
#include "gpt2_block_model.h"

enum { PIECE = 128, ROWS = 1024 /* tokens of a call at most, and rows of the state, as the spec has them */ };

struct GptBlock {
    gpt2_block_model model;
    gpt2_block_state state;
    int64_t P; /* tokens that are there */
    void *packed, *workspace;
};

static void *memory(size_t bytes) { return bytes ? aligned_alloc(64, (bytes + 63) / 64 * 64) : NULL; }

/* Weights are given in the order in which the model has them. */
static const void *find(void *weights, const char *name, size_t bytes)
{
    const float *const *all = weights;
    int i = 0;
    (void)bytes;
    while (strcmp(gpt2_block_weight_at(i)->name, name) != 0)
        i++;
    return all[i];
}

GptBlock *gpt2_block_new(int most, const float *const *weights)
{
    const gpt2_block_dims largest = { .T = most < PIECE ? most : PIECE, .P = most - 1 };
    GptBlock *b = calloc(1, sizeof *b);
    if (!b)
        return NULL;
    b->packed = memory(gpt2_block_model_bytes());
    b->workspace = memory(gpt2_block_run_bytes(&largest, NULL));
    b->state.rows = memory(sizeof(float) * ROWS * GPT2_QKV);
    if (b->workspace && b->state.rows && gpt2_block_load_from(&b->model, find, (void *)weights, b->packed) == gpt2_block_OK)
        return b;
    gpt2_block_free(b);
    return NULL;
}

int gpt2_block_feed(GptBlock *b, int T, const float *x, float *y)
{
    int code = gpt2_block_OK;
    for (int piece; T > 0 && code == gpt2_block_OK; T -= piece, x += piece * GPT2_HIDDEN, y += piece * GPT2_HIDDEN) {
        piece = T < PIECE ? T : PIECE;
        const gpt2_block_dims dims = { .T = piece, .P = b->P };
        const gpt2_block_inputs inputs = { .x = x };
        const gpt2_block_outputs outputs = { .y = y };
        code = gpt2_block_run(&b->model, &dims, &inputs, &b->state, &outputs, b->workspace, NULL);
        b->P += piece;
    }
    return code;
}

void gpt2_block_free(GptBlock *b)
{
    if (!b)
        return;
    free(b->packed);
    free(b->workspace);
    free(b->state.rows);
    free(b);
}
