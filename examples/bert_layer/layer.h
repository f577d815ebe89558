/* SPDX-License-Identifier: MIT-0
 *
 * layer: one encoder layer of BERT-base, computed with the package bert_layer (specs/bert_layer.cfg) for any batch and any number of tokens.
 */
#ifndef BERT_LAYER_EXAMPLE_H
#define BERT_LAYER_EXAMPLE_H

#include <stdint.h>

/* A layer for batch sequences of T tokens, on so many threads. weights: reference.h has their order; they are packed or used where they lie, so the
 * small ones must stay. NULL: no memory, or a size that the package refuses. */
void *bert_layer_example_new(int batch, int T, int threads, const float *const *weights);
/* x, y [batch*T][768]; lengths [batch], from 1 to T: tokens that each sequence has. 0, or what a function of the package returned. */
int bert_layer_example_run(void *state, const float *x, const int32_t *lengths, float *y);
void bert_layer_example_free(void *state);

#endif
