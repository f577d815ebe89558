/* SPDX-License-Identifier: Apache-2.0
 *
 * cost_private: what cost.c fits and quality.c judges.
 */
#ifndef DCGEN_COST_PRIVATE_H
#define DCGEN_COST_PRIVATE_H

#include "model/ridge.h"
#include "search/space/cost.h"

enum { NADAPT = 2 }; /* padding and load balance come first in a row */

struct CostModel {
    Arena *arena;
    const Study *study;
    const TemplateList *templates;
    int *first;     /* of each template, the column of its first feature */
    double **price; /* of each template, of its terms; all 1: nothing measured */
    int nfeature;
    double *row;       /* scratch: one row of features */
    Ridge *ridge;      /* NULL: nothing measured */
    double *sigma;     /* per tuned shape */
    double **residual; /* per trial and tuned shape, log2(measured / predicted); NAN where not measured */
};

/* Measurements that are left out of a fit: those of every trial_stride-th trial from `trial` on, and of every shape_stride-th shape from
 * `shape` on; stride 0: none. */
typedef struct {
    int64_t trial_stride, trial, shape_stride, shape;
} CostLeave;

/* Without some kernels it is for cost_predict alone, without some shapes for cost_carried too. */
CostModel *cost_fit_without(Arena *a, const Study *s, const TemplateList *templates, CostLeave leave);
bool cost_measured(const Trial *t, int64_t shape);
/* Of a usable trial: the prediction corrected by its residuals, also on a shape where it was measured. */
double cost_carried(const CostModel *m, int64_t trial, const Instance *inst);

#endif
