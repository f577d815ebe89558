/* SPDX-License-Identifier: Apache-2.0
 *
 * cost: one model of time for all candidates and all shapes, after DietCode (MLSys 2022, section 4.2):
 *
 *   log2 t = log2(serial_flops) + bound + r . features + p log2(padded/flops) + o log2(threads*serial/padded) + c
 *            '---- f_adapt: work as the shape forces it ----'   '---- f_MK: what the kernel makes of it ----'
 *
 * serial_flops, padded_flops, bound and the features are expressions in the template's head; f_adapt's closed form enters with
 * exponent 1, and p and o are how far the fitted exponents of padding and of load balance differ from it. r, p, o and c come from
 * one ridge regression over all records (model/ridge.h); fast measurements weigh more, as the choice is made among them.
 * A candidate that was measured on some shapes is predicted on others with its own residuals, weighted by nearness of shapes.
 */
#ifndef DCGEN_COST_H
#define DCGEN_COST_H

#include <stdint.h>
#include "gen/arena.h"
#include "search/study.h"

typedef struct CostModel CostModel;

/* The templates' own closed forms, whatever was measured: for cost_predict alone. */
CostModel *cost_analytic(Arena *a, const Study *s, const TemplateList *templates);
/* With no measurement at all the model is the same. */
CostModel *cost_fit(Arena *a, const Study *s, const TemplateList *templates);

/* Of a candidate never measured, in ns. */
double cost_predict(const CostModel *m, const Candidate *c, const int64_t *extent, int threads);
/* Of a trial on any shape: the measured time on a tuned one, else the prediction corrected by its residuals; INFINITY when unusable. */
double cost_trial(const CostModel *m, int64_t trial, const Instance *inst);
/* Standard deviation of log2(predicted / true) for a candidate never measured, on tuned instance `shape`: that of the leave-one-out
 * errors there and on shapes near it. */
double cost_sigma(const CostModel *m, int64_t shape);

typedef struct {
    int64_t nmeasure; /* measurements fitted */
    int nfeature;
    double lambda;
    double loo_rmse; /* leave-one-measurement-out, log2 */
    double error;    /* median of |predicted / measured - 1| when the predicted candidate was left out of the fit */
    double rank;     /* Spearman correlation of the same, mean over shapes */
    double pad_exponent, occ_exponent;
} CostReport;
/* Fits again without each candidate in turn (by tenths when there are many). */
CostReport cost_report(Arena *a, const Study *s, const TemplateList *templates);

#endif
