/* SPDX-License-Identifier: Apache-2.0
 *
 * models: the ridge regression against boosted trees, both fitted to the same few measurements of a table and asked for
 * all of it.
 */
#ifndef BENCH_TUNING_MODELS_H
#define BENCH_TUNING_MODELS_H

#include "bench/tuning/contest.h"

/* Of one model, over the shapes shown and those held out. */
typedef struct {
    double error;      /* median of |predicted / true - 1| over kernels not measured */
    double rank;       /* Spearman correlation with the truth, mean over shapes */
    double recall;     /* of the 8 best kernels of a shape, how many are among the 8 predicted to be, mean */
    double regret;     /* geomean of true time of the kernel predicted to be best / best - 1 */
    double top_regret; /* the same of the best among the 8 predicted to be */
} ModelScore;

typedef enum { MODEL_RIDGE, MODEL_BOOSTED, MODEL_CLOSED, MODEL_COUNT } ModelKind;
extern const char *const model_name[MODEL_COUNT];

/* Fitted to nkernel random kernels, each on a few random shapes of those shown. score[0]: shapes shown, score[1]: held
 * out. False: this model cannot be had. */
bool models_score(const Contest *c, ModelKind kind, int nkernel, uint64_t seed, ModelScore score[2]);

#endif
