/* SPDX-License-Identifier: Apache-2.0
 *
 * cost: one model of time for all candidates and all shapes, after DietCode (MLSys 2022, section 4.2):
 *
 *   log2 t = log2(sum_k price_k term_k)   + p log2(padded/flops) + o log2(threads*serial/padded) + r . features + c
 *            '-- f_adapt: work as the shape forces it, cache levels, padding, load balance --'   '-- f_MK --'
 *
 * Terms, padded_flops, serial_flops and the features are expressions in the template's head or in its family's text.
 * The prices of the terms are fitted for the device (model/additive.h). The terms know padding and load balance: p and
 * o are how far the fitted exponents differ from theirs. r, p, o and c come from one ridge regression over what the
 * prices leave (model/ridge.h); fast measurements weigh more, as the choice is made among them. A candidate that was
 * measured on some shapes is predicted on others with its own residuals, weighted by nearness of shapes. Once anything
 * was measured, no prediction is below the roofline.
 */
#ifndef DCGEN_COST_H
#define DCGEN_COST_H

#include "model/ridge.h"
#include "search/record/study.h"

enum { COST_NADAPT = 2 }; /* padding and load balance come first in a row of features */

typedef struct {
    Arena *arena;
    const Study *study;
    const TemplateList *templates;
    int *first;                         /* of each template, the column of its first feature */
    double (*price)[TEMPLATE_MAX_TERM]; /* of each term of each template; all 1: nothing measured */
    int nfeature;
    double *row;  /* one row of features, which every prediction fills anew */
    Ridge *ridge; /* NULL: nothing measured */
    /* One a tuned shape: standard deviation of log2(predicted / true) for a candidate never measured there, which is
     * that of the leave-one-out errors there and on shapes near it. */
    double *sigma;
    double *noise;                 /* one a tuned shape: study_noise_at */
    double *residual;              /* per trial and tuned shape, log2(measured / predicted); NAN where not measured */
    const struct CostTable *table; /* what it was fitted to; NULL: cost_analytic's was to nothing */
    struct Nearness *near;         /* of the instance that was last asked for */
} CostModel;

/* Measurements that are left out of a fit: those of every trial_stride-th trial from `trial` on, and of every
 * shape_stride-th shape from `shape` on; stride 0: none. */
typedef struct {
    int64_t trial_stride, trial, shape_stride, shape;
} CostLeave;

bool cost_left_out(CostLeave leave, int64_t trial, int64_t shape);
/* Is it a measurement that models are fitted to and judged by? */
bool cost_counts(const Study *s, int64_t trial, int64_t shape);

/* The model of the templates' own closed forms, whatever was measured. It serves cost_predict alone. */
CostModel *cost_analytic(Arena *a, const Study *s, const TemplateList *templates);
/* The model fitted to all measurements. Where there is none it predicts as cost_analytic's does. */
CostModel *cost_fit(Arena *a, const Study *s, const TemplateList *templates);
/* The model fitted to the other measurements of those that cost_fit gave m for. Without some kernels it serves
 * cost_predict alone, without some shapes cost_carried too. */
CostModel *cost_fit_without(const CostModel *m, CostLeave leave);

/* What the regression sees of a candidate on a shape: row[0..nfeature-1]; gives log2 of the closed form's ns. */
double cost_features(const CostModel *m, const Candidate *c, KernelFacts facts, const int64_t *extent, int threads,
                     double *row);
/* The weight of a measurement in the fit: the best of a shape weighs 1, slower ones weigh less. */
double cost_weight(double best, double ns);

/* The predicted time of a candidate that was never measured, in ns; INFINITY: it does not serve such calls. */
double cost_predict(const CostModel *m, const Candidate *c, const int64_t *extent, int threads);
/* The predicted time of a usable trial on any shape, corrected by its residuals, also where it was measured. */
double cost_carried(const CostModel *m, int64_t trial, const Instance *inst);
/* The time of a trial on any shape: the measured one if there is one, else cost_carried's; INFINITY: unusable. */
double cost_trial(const CostModel *m, int64_t trial, const Instance *inst);
/* How far cost_trial's time may be off, one standard deviation as a part of it: of a measured time its own error; of a
 * predicted one the model's, the less the more of the trial's measurements are near. */
double cost_doubt(const CostModel *m, int64_t trial, const Instance *inst);

/* How far n predictions are off, each by a model that did not see the kernel: log2(measured / predicted). */
typedef struct {
    int64_t n;
    double bias, rms; /* mean, root mean square */
} CostResidual;

/* The residual of the pairs of kernel and shape that f_adapt treats alike: their value lies between two edges. */
typedef struct {
    const char *of; /* "padding", "balance", "bytes" */
    /* of padded / flops, of threads * serial / padded, or of the bytes of all operands, whose edges are the caches */
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
    double rank; /* Spearman's correlation, mean over shapes with at least 4 kernels; NAN: there is no such shape */
    /* the part of the COST_TOP fastest kernels that is among the COST_TOP predicted to be; mean over shapes with at
     * least twice as many kernels. NAN: there is no such shape */
    double recall;
    /* measured time of the kernel predicted to be fastest / least measured time - 1, geometric mean over shapes */
    double regret;
} CostOrder;

typedef struct {
    int64_t nmeasure; /* measurements fitted */
    int nfeature;
    double lambda;
    double loo_rmse; /* leave-one-measurement-out, log2 */
    /* median of |predicted / measured - 1| when the kernel was left out; NAN: of fewer than 3 kernels */
    double error;
    CostOrder order;    /* of the predictions that `error` is of */
    CostOrder analytic; /* of cost_analytic's predictions, which a package made without any measurement goes by */
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
