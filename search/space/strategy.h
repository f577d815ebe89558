/* SPDX-License-Identifier: Apache-2.0
 *
 * strategy: which candidates a search looks at next. The joint search is the product's; the others are what it is judged against.
 */
#ifndef DCGEN_STRATEGY_H
#define DCGEN_STRATEGY_H

#include "search/space/propose.h"

typedef enum { STRATEGY_JOINT, STRATEGY_RANDOM, STRATEGY_EXHAUSTIVE, STRATEGY_COUNT } StrategyKind;

typedef struct {
    const char *name;
    bool models;       /* asks for a model; else m is NULL */
    bool compares_all; /* in the end all kernels near a shape's best, not the finalists alone */
    /* As propose(). */
    int (*propose)(Arena *a, const Study *s, const Space *space, const CostModel *m, Rng *rng, Proposal *out, int n);
} Strategy;

extern const Strategy strategies[STRATEGY_COUNT];

#endif
