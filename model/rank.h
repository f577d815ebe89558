/* SPDX-License-Identifier: Apache-2.0
 *
 * rank: things in the order of a number, and how well a predicted order agrees with the true one. Knows no dcgen type.
 */
#ifndef DCGEN_RANK_H
#define DCGEN_RANK_H

#include <stdint.h>
#include "gen/base/arena.h"

typedef struct {
    double key;
    int64_t at; /* whose key it is */
} Ranked;

/* For qsort: ascending by key, of equal ones by at. */
int ranked_compare(const void *x, const void *y);

/* Puts a thing into a list of n that ascends by key, behind those with the same key. Of more than `most` the last one
 * leaves. Gives how many there are then. */
int ranked_insert(Ranked *list, int n, int most, double key, int64_t at);

/* Things in the order of their true numbers, and in that of their predicted ones. */
typedef struct {
    int64_t n, most; /* at is below most */
    Ranked *truth, *predicted;
} RankOrder;

RankOrder rank_new(Arena *a, int64_t most);
void rank_add(RankOrder *o, double truth, double predicted, int64_t at);
void rank_sort(RankOrder *o); /* once all are in; the two below need it */

/* Spearman's correlation; n >= 2. */
double rank_spearman(Arena *a, const RankOrder *o);
/* The part of the `top` truly least things that is among the `top` least by prediction. */
double rank_recall(const RankOrder *o, int top);

#endif
