/* SPDX-License-Identifier: MIT-0
 *
 * reference: one encoder layer of BERT-base by its definition, in double precision, to check the example with.
 */
#ifndef BERT_LAYER_REFERENCE_H
#define BERT_LAYER_REFERENCE_H

#include <stdint.h>

/* The order of the weights; a matrix is [out][in]. */
enum {
    BERT_WQKV, /* [2304][768]: queries, keys, values */
    BERT_BQKV,
    BERT_WPROJ, /* [768][768] */
    BERT_BPROJ,
    BERT_GAMMA1,
    BERT_BETA1,
    BERT_WUP, /* [3072][768] */
    BERT_BUP,
    BERT_WDOWN, /* [768][3072] */
    BERT_BDOWN,
    BERT_GAMMA2,
    BERT_BETA2,
    BERT_NWEIGHT
};

/* x [batch*T][768]; lengths [batch], from 1 to T: keys at or beyond its length are no part of a sequence. y [batch*T][768]: also the rows beyond
 * a length are computed, though they mean nothing. 0: done; -1: no memory. */
int bert_layer_reference(int batch, int T, const float *const *weights, const float *x, const int32_t *lengths,
                         double *y);

/* The largest |got - expected| of the rows that mean something; NaN when an element is.
 *
 * layernorm makes y's elements about 1 in size. Its largest sums have 3072 products; a float sum of K of mixed signs is off by some 2^-24 * K of the
 * typical product, and what the layer's six sums add up to is a standard deviation of 1e-5 in y, of elements in their millions 6e-5. */
#define BERT_LAYER_TOLERANCE 1e-4
double bert_layer_error(int batch, int T, const int32_t *lengths, const float *got, const double *expected);

#endif
