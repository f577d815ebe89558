/* SPDX-License-Identifier: Apache-2.0
 *
 * explain_private: an explanation, which explain.c finds out and explain_say.c prints.
 */
#ifndef DCGEN_EXPLAIN_PRIVATE_H
#define DCGEN_EXPLAIN_PRIVATE_H

#include "gen/report/choice.h"
#include "gen/report/explain.h"
#include "gen/report/shares.h"

/* Where a shape lies: tuned; declared, but not tuned; within the box of the declared ranges, but not declared; outside
 * that box. */
typedef enum { PLACE_TUNED, PLACE_HELD_OUT, PLACE_DECLARED, PLACE_BETWEEN, PLACE_OUTSIDE, PLACE_COUNT } Place;

/* One test on the way through the tree. */
typedef struct {
    const char *name; /* of what is compared: "T", "threads" */
    int64_t value, threshold;
    bool below; /* value <= threshold */
} Step;

/* All that is said of one shape. */
typedef struct {
    Instance inst; /* extents and threads; dims and decl when the shape was given by dims */
    Place place;
    int nstep;
    Step *step;         /* none for a shape outside the box */
    const Trial *trial; /* of the chosen kernel */
    Choice choice;
    bool has_factors;
    double pad, occ; /* f_pad and f_occ; with has_factors */
    double model_ns; /* by the model alone, as if this kernel had never been measured; INFINITY: not known */
    bool has_bound;
    Bound bound;     /* the least time that the machine allows; with has_bound */
    bool has_shares; /* the bound is known, and allows the kernel's time */
    Shares shares;   /* what keeps the kernel from the bound; with has_shares */
    int64_t near;    /* if the kernel was not measured on this shape, the nearest tuned one where it was; -1: none */
} Answer;

typedef struct {
    Arena *arena;
    const ExplainBinding *binding; /* the words of the command line */
    int nbinding;
    FILE *err;
    const Study *study;
    const CostModel *model;
    const Assignment *assignment;
    int first;                 /* the package's number of the assignment's first kernel */
    bool by_dims;              /* the words give values of dims, not extents */
    int64_t dim[SPEC_MAX_DIM]; /* with by_dims */
    int nanswer;
    Answer *answer;
} Explanation;

void explain_text(const Explanation *x, FILE *out);
void explain_json(const Explanation *x, FILE *out);

#endif
