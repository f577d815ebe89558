/* SPDX-License-Identifier: MIT-0
 *
 * block: one block of Llama, computed with the package llama_block (specs/llama_block.cfg), which has the sizes of TinyLlama-1.1B. Tokens come in pieces
 * of any length; keys and values of those before are kept.
 */
#ifndef LLAMA_BLOCK_EXAMPLE_H
#define LLAMA_BLOCK_EXAMPLE_H

#include <stdint.h>

/* heads of queries share kv_heads of keys and values, heads / kv_heads each; depth: of a head, even. A token's place turns pairs of a head's elements:
 * i and i + depth / 2 with halves, as in files of Hugging Face, else 2 i and 2 i + 1, as in Llama's own. */
typedef struct {
    int64_t hidden, heads, kv_heads, depth, inner;
    int halves;
} LlamaSizes;

/* The order of the weights; a matrix is [out][in], as Llama's files have it. */
enum {
    LLAMA_NORM1,
    LLAMA_WQ, /* [heads * depth][hidden] */
    LLAMA_WK, /* [kv_heads * depth][hidden] */
    LLAMA_WV, /* the same */
    LLAMA_WO, /* [hidden][heads * depth] */
    LLAMA_NORM2,
    LLAMA_WGATE, /* [inner][hidden] */
    LLAMA_WUP,   /* the same */
    LLAMA_WDOWN, /* [hidden][inner] */
    LLAMA_NWEIGHT
};

enum { LLAMA_MOST = 897 }; /* tokens of a text */

typedef struct LlamaBlock LlamaBlock;

/* A block for a text of at most `most` tokens, LLAMA_MOST or fewer; halves: as in LlamaSizes. Matrices but WV are packed; WV and the norms are used where
 * they lie and must stay. NULL: no memory. */
LlamaBlock *llama_block_new(int64_t most, int halves, const float *const *weights);
/* T more tokens: x and y are [T][hidden]. 0, or what the package returned. */
int llama_block_feed(LlamaBlock *b, int64_t T, const float *x, float *y);
void llama_block_free(LlamaBlock *b);

/* reference.c: the same by its definition in double precision, of a whole text of T tokens. y [T][hidden]. 0; -1: no memory. */
int llama_block_reference(const LlamaSizes *sizes, int64_t T, const float *const *weights, const float *x, double *y);

#endif
