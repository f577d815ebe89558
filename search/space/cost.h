/* SPDX-License-Identifier: Apache-2.0
 *
 * cost: one model of time for all candidates and all shapes, after DietCode (MLSys 2022, section 4.2):
 *
 *   log2 t = log2(sum_k price_k term_k)   + p log2(padded/flops) + o log2(threads*serial/padded) + r . features + c
 *            '-- f_adapt: work as the shape forces it, cache levels, padding, load balance --'   '-- f_MK --'
 *
 * Terms, padded_flops, serial_flops and the features are expressions in the template's head or in its family's text. The prices of the
 * terms are fitted for the device (model/additive.h). The terms know padding and load balance:
 * p and o are how far the fitted exponents differ from theirs. r, p, o and c come from one ridge regression over what the prices leave
 * (model/ridge.h); fast measurements weigh more, as the choice is made among them.
 * A candidate that was measured on some shapes is predicted on others with its own residuals, weighted by nearness of shapes.
 */
#ifndef DCGEN_COST_H
#define DCGEN_COST_H

#include <stdint.h>
#include "gen/base/arena.h"
#include "model/ridge.h"
#include "search/record/study.h"

enum { COST_NADAPT = 2 }; /* padding and load balance come first in a row of features */

typedef struct {
    Arena *arena;
    const Study *study;
    const TemplateList *templates;
    int *first;                         /* of each template, the column of its first feature */
    double (*price)[TEMPLATE_MAX_TERM]; /* of each template, of its terms; all 1: nothing measured */
    int nfeature;
    double *row;  /* one row of features, which every prediction fills anew */
    Ridge *ridge; /* NULL: nothing measured */
    /* One a tuned shape: standard deviation of log2(predicted / true) for a candidate never measured there, which is that of the
     * leave-one-out errors there and on shapes near it. */
    double *sigma;
    double *residual; /* per trial and tuned shape, log2(measured / predicted); NAN where not measured */
} CostModel;

/* Measurements that are left out of a fit: those of every trial_stride-th trial from `trial` on, and of every shape_stride-th shape from
 * `shape` on; stride 0: none. */
typedef struct {
    int64_t trial_stride, trial, shape_stride, shape;
} CostLeave;

bool cost_left_out(CostLeave leave, int64_t trial, int64_t shape);
bool cost_measured(const Trial *t, int64_t shape);

/* The templates' own closed forms, whatever was measured: for cost_predict alone. */
CostModel *cost_analytic(Arena *a, const Study *s, const TemplateList *templates);
/* With no measurement at all the model is the same. */
CostModel *cost_fit(Arena *a, const Study *s, const TemplateList *templates);
/* Without some kernels it is for cost_predict alone, without some shapes for cost_carried too. */
CostModel *cost_fit_without(Arena *a, const Study *s, const TemplateList *templates, CostLeave leave);

/* What the regression sees of a candidate on a shape: row[0..nfeature-1]; the result is log2 of the closed form's ns. */
double cost_features(const CostModel *m, const Candidate *c, KernelFacts facts, const int64_t *extent, int threads,
                     double *row);
/* Of a measurement in the fit: those near the best of their shape weigh 1, slow ones less. */
double cost_weight(double best, double ns);

/* Of a candidate never measured, in ns. */
double cost_predict(const CostModel *m, const Candidate *c, const int64_t *extent, int threads);
/* Of a usable trial on any shape: the prediction corrected by its residuals, also where it was measured. */
double cost_carried(const CostModel *m, int64_t trial, const Instance *inst);
/* Of a trial on any shape: the measured time on a tuned one, else cost_carried's; INFINITY when unusable. */
double cost_trial(const CostModel *m, int64_t trial, const Instance *inst);

/* Predictions of a tuned shape's measurements, each by a model that did not see the kernel: mean and root mean square of
 * log2(measured / predicted). */
typedef struct {
    int64_t n;
    double bias, rms;
} CostResidual;

/* The same over pairs of kernel and shape that f_adapt treats alike. */
typedef struct {
    const char *of; /* "padding", "balance", "bytes" */
    /* of padded / flops, of threads * serial / padded, of the bytes of all operands: edges are the device's caches */
    double from, to;
    CostResidual residual;
} CostAdapt;

/* What a unit of a template's term costs on the device. */
typedef struct {
    const Template *t;
    int term;
    double ns;
} CostPrice;

/* How well predictions order the kernels that were measured on a shape. */
typedef struct {
    double rank;   /* Spearman's correlation, mean over shapes with at least 4 kernels */
    double recall; /* of the COST_TOP fastest kernels, the part that is among the COST_TOP predicted to be; mean over
                      shapes with at least twice as many. NAN: there is none */
    double regret; /* geomean over shapes: measured time of the kernel predicted to be fastest / fastest - 1 */
} CostOrder;

typedef struct {
    int64_t nmeasure; /* measurements fitted */
    int nfeature;
    double lambda;
    double loo_rmse;    /* leave-one-measurement-out, log2 */
    double error;       /* median of |predicted / measured - 1| when the predicted kernel was left out of the fit */
    CostOrder order;    /* of the same predictions */
    CostOrder analytic; /* of cost_analytic's: what a package made without any measurement goes by */
    double held_out;    /* median of |predicted / measured - 1| when all measurements on the shape were left out */
    double pad_exponent, occ_exponent;
    int nprice;
    CostPrice *price; /* of templates that were measured */
    int nadapt;
    CostAdapt *adapt;
    CostResidual *shape; /* one a tuned shape */
} CostReport;

enum { COST_TOP = 8 };

/* Fits again without each candidate in turn (by tenths when there are many), and without each shape (by fifths). */
CostReport cost_report(Arena *a, const Study *s, const TemplateList *templates);

#endif
