/* SPDX-License-Identifier: MIT-0
 *
 * block: one block of GPT-2 (124M), computed with the package gpt2_block (specs/gpt2_block.cfg). Tokens come in pieces of any length; keys and values
 * of those before are kept.
 */
#ifndef GPT2_BLOCK_EXAMPLE_H
#define GPT2_BLOCK_EXAMPLE_H

#include <stdint.h>

enum { GPT2_HIDDEN = 768, GPT2_HEADS = 12, GPT2_DEPTH = 64, GPT2_INNER = 3072, GPT2_QKV = 3 * GPT2_HIDDEN, GPT2_MOST = 897 };

/* The order of the weights; a matrix is [in][out], as GPT-2's files have it. */
enum {
    GPT2_GAMMA1,
    GPT2_BETA1,
    GPT2_WQKV, /* [768][2304]: queries, keys, values */
    GPT2_BQKV,
    GPT2_WPROJ, /* [768][768] */
    GPT2_BPROJ,
    GPT2_GAMMA2,
    GPT2_BETA2,
    GPT2_WUP, /* [768][3072] */
    GPT2_BUP,
    GPT2_WDOWN, /* [3072][768] */
    GPT2_BDOWN,
    GPT2_NWEIGHT
};

typedef struct GptBlock GptBlock;

/* A block for a text of at most `most` tokens, GPT2_MOST or fewer. Matrices are packed; the other weights are used where they lie and must stay. NULL: no
 * memory. */
GptBlock *gpt2_block_new(int most, const float *const *weights);
/* T more tokens: x and y are [T][768]. 0, or what the package returned. */
int gpt2_block_feed(GptBlock *b, int T, const float *x, float *y);
void gpt2_block_free(GptBlock *b);

/* reference.c: the same by its definition in double precision, of a whole text of T tokens. y [T][768]. 0; -1: no memory. */
int gpt2_block_reference(int T, const float *const *weights, const float *x, double *y);

#endif
