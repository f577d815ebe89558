/* SPDX-License-Identifier: Apache-2.0
 *
 * select: which few kernels the package keeps, and which of them serves which instance.
 *
 * Minimises the weighted mean of t(chosen) / t(best known) (each shape counts by its weight, not by its size), half of
 * it over all shapes and half over the tuned ones, under the budget of kernels and of the code bytes that they add to
 * the package: greedy forward choice, after each step exchanges while one lowers the sum. Measured times where there
 * are any, else the model's, each taken to be as much worse as it may be off (cost_doubt in search/space/cost.h). Gains
 * that the noise may make are not taken: fewer kernels win ties. The tree that serves shapes may leave kernels without
 * any; then the choice is that of a budget of so many as it leaves. Where none of them serves every call, one that does
 * comes on top of the budget: calls that a kernel does not serve go there, and cost what it takes. A choice follows
 * from records alone.
 */
#ifndef DCGEN_SELECT_H
#define DCGEN_SELECT_H

#include "model/tree.h"
#include "search/space/cost.h"

/* The best choice of so many kernels, if each shape is served by its best kernel rather than by the tree's choice. */
typedef struct {
    int kernels;
    int64_t bytes; /* that they add to the package */
    double above;  /* weighted mean of time / best known time, less 1 */
} CurvePoint;

/* SELECT_MAX_KERNEL: with one on top of the budget */
enum { SELECT_MAX_KERNEL = 256 + 1, SELECT_MAX_FEATURE = OP_MAX_EXTENT + 2 };

typedef struct {
    int nkernel;
    int64_t *kernel;    /* trial of each kernel, by descending weight served */
    int64_t code_bytes; /* of all of them */
    double *cost;       /* ninstance x nkernel: time in ns, measured or predicted */
    int *chosen;        /* one an instance: the kernel that the dispatch tree chooses */
    int *best;          /* one an instance: the cheapest of the kernels */
    /* one an instance: best known time; measured of any trial on a tuned one, of the kernels elsewhere */
    double *oracle_ns;
    int general;     /* the kernel for shapes outside the declared ranges */
    TreeNode *tree;  /* over select_features */
    bool asks_align; /* some of the kernels serve calls of some alignment alone (spec_align) */
    int nfeature;
    double regret; /* weighted mean of t(chosen) / oracle - 1 over all instances */
    /* The best 1, 2, ... kernels. `kept` is the point that was taken, which has nkernel kernels: a smaller budget of
     * kernels takes one before it; those behind it are beyond the budget, or not worth it. */
    int ncurve, kept;
    CurvePoint curve[SELECT_MAX_KERNEL];
    const char *fewer; /* why there are fewer kernels than the budget allows; NULL: there are as many */
} Assignment;

/* What the tree looks at, at most SELECT_MAX_FEATURE numbers: the extents; their alignment, where kernels ask for it;
 * then, on a CPU when the spec has several thread counts, the parts that such a call runs in. Calls with different
 * thread counts that run in equally many parts are one point. Returns how many numbers. */
int select_features(const Study *s, const Assignment *as, const int64_t *extent, int threads, int64_t *x);
/* The name of one of these numbers: an extent's, "align" or "threads". */
const char *select_feature_name(const Op *op, const Assignment *as, int feature);
/* The kernel that a call gets where the tree chooses kernel k: k if it serves that, else the first that does. */
int select_serving(const Study *s, const Assignment *as, const int64_t *extent, int k);

/* NULL when no trial is usable, or the budget has no room for any. */
Assignment *select_kernels(Arena *a, const Study *s, const CostModel *m);
/* The place of a trial among the chosen kernels; -1: it was not chosen. */
int select_kernel_of(const Assignment *as, int64_t trial);
/* Why there is no choice though kernels work ("no kernel that works fits 13 KiB of code ..."). NULL: else. */
const char *select_why_none(Arena *a, const Study *s);

#endif
