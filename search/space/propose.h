/* SPDX-License-Identifier: Apache-2.0
 *
 * propose: chooses which candidates to build next, and on which shapes to measure them. It takes the candidates with
 * the largest expected gain over all weighted shapes, so that one measurement serves every shape. A shape is a tuned
 * instance of the study. The first candidates of a search are chosen otherwise (cover.c).
 *
 * Gain of candidate c: sum over shapes of weight * E[max(0, 1 - t(c)/best)], with log t(c) normal around the model's
 * prediction (expected improvement, Jones et al. 1998). The candidates of a batch are chosen one after the other; each
 * choice assumes that those before take the times that the model predicts. Part of a batch serves single shapes, those
 * with few measurements first: for such a shape times are drawn from the model's distributions, and the fastest
 * candidate is taken (Thompson sampling). One that is fixed for an extent is proposed for shapes that have it, and
 * measured on no others. Candidates come from the space at random, from the neighbourhood (one or two parameters
 * changed) of the best trials, and from a few generations of crossing and changing those with the largest expected
 * gain.
 */
#ifndef DCGEN_PROPOSE_H
#define DCGEN_PROPOSE_H

#include "gen/base/rng.h"
#include "search/space/cost.h"
#include "search/space/space.h"

enum { PROPOSE_SHAPES = 5, PROPOSE_MAX_SHAPES = 64 };

typedef struct {
    Candidate c;
    int nshape;
    int64_t shape[PROPOSE_MAX_SHAPES]; /* tuned instances to measure it on, most promising first */
    /* the largest gain that was expected of any candidate when this one was chosen: 0.01 is one per cent over all
     * shapes; 1 or more: this one is to be tried in any case */
    double gain;
} Proposal;

/* True if the proposal is to be measured on this shape. */
bool proposal_has(const Proposal *p, int64_t shape);
/* Has it measured there too, unless it has `most` shapes already. */
void proposal_add(Proposal *p, int64_t shape, int most);

/* A way to choose candidates. The joint search is the product's; the others are what it is judged against. */
typedef struct {
    const char *name;
    bool models; /* it asks for a model; else m is NULL */
    /* Does what propose() does. */
    int (*propose)(Arena *a, const Study *s, const Space *space, const CostModel *m, Rng *rng, Proposal *out, int n);
} Strategy;

typedef enum { STRATEGY_JOINT, STRATEGY_RANDOM, STRATEGY_EXHAUSTIVE, STRATEGY_COUNT } StrategyKind;

extern const Strategy strategies[STRATEGY_COUNT];

/* Fills out[0..n-1], best first; returns how many there are (fewer when the space is used up). */
int propose(Arena *a, const Study *s, const Space *space, const CostModel *m, Rng *rng, Proposal *out, int n);

/* ---- cover.c: what a search tries first: for small, middle and large calls of every shape that the spec lists, the
 * kernels that are predicted to be the fastest there. One that ends early then has a kernel for each of them. */

enum { COVER_TRIALS = 24 }; /* candidates that are tried, general kernels included, before others are proposed */

/* Fills out[] with at most n candidates that are not in the study, and returns how many. 0: COVER_TRIALS were tried, or
 * each place has had its turns. No chance is involved. */
int cover(Arena *a, const Study *s, const Space *space, const CostModel *m, Proposal *out, int n);

#endif
