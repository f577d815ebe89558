/* SPDX-License-Identifier: Apache-2.0
 *
 * explain_private: explain.c finds out, explain_say.c tells.
 */
#ifndef DCGEN_EXPLAIN_PRIVATE_H
#define DCGEN_EXPLAIN_PRIVATE_H

#include "gen/report/choice.h"
#include "gen/report/explain.h"
#include "gen/report/roofline.h"

typedef enum { PLACE_TUNED, PLACE_DECLARED, PLACE_BETWEEN, PLACE_OUTSIDE, PLACE_COUNT } Place;

typedef struct {
    const char *name; /* "M", "threads" */
    int64_t value, threshold;
    bool below; /* value <= threshold */
} Step;

/* All that is said of one shape. */
typedef struct {
    Instance inst; /* extents and threads; dims and decl when the shape was given by dims */
    Place place;
    int nstep;
    Step *step;         /* through the tree; none when outside */
    const Trial *trial; /* of the kernel */
    Choice choice;
    double flops; /* 0: none */
    bool has_factors;
    double pad, occ;
    double model_ns; /* by the model alone, as if this kernel had never been measured; INFINITY: not known */
    bool has_bound;
    bool has_shares; /* the bound is known, and the time is none that it rules out */
    Bound bound;
    Shares shares; /* of the bound in the time; with has_shares */
    int64_t near;  /* the nearest tuned shape on which the kernel was measured; -1: none */
} Answer;

typedef struct {
    Arena *arena;
    const ExplainBinding *binding; /* the words of the command line */
    int nbinding;
    FILE *err;
    const Study *study;
    const CostModel *model;
    const Assignment *assignment;
    int first; /* the package's number of its kernel 0 */
    Roofline roofline;
    bool by_dims;
    int64_t dim[SPEC_MAX_DIM];
    int nanswer;
    Answer *answer;
} Explanation;

void explain_text(const Explanation *x, FILE *out);
void explain_json(const Explanation *x, FILE *out);

#endif
