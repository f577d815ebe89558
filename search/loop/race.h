/* SPDX-License-Identifier: Apache-2.0
 *
 * race: measurements that a choice rests on. Takes a choice, and shapes that it serves; times kernels side by side
 * there, and always those next whose times are most likely to change what is best. It ends when no further measurement
 * is worth its time, or the time is up.
 *
 * On a shape, let t be the time of the chosen kernel and of another, e their standard errors (trial_error of a measured
 * time, cost_doubt of a predicted one) and n how often they were measured. One more measurement moves each by e /
 * sqrt(n + 1), one standard deviation; both together by s. What it is expected to gain, as a part of the time on this
 * shape, is (knowledge gradient, Frazier, Powell, Dayanik, SIAM J. Control Optim. 2008)
 *
 *   gain = s (phi(z) - z Phi(-z)),   z = |log(t / t')| / s
 *
 * A shape is worth its largest gain, times its weight, over the seconds that the measurement takes. What the package
 * will state counts as well (contract.h): where the chosen kernel was not measured, or met nobody, its error comes on
 * top; where the regret is not resolved, what one more measurement takes off its spread.
 */
#ifndef DCGEN_RACE_H
#define DCGEN_RACE_H

#include "model/rank.h"
#include "search/choose/select.h"
#include "search/measure/lab.h"

enum { RACE_MOST = 6 }; /* kernels that meet on a shape */

/* A choice and its model. Its study may be another than the lab's, with the same trials in order. */
typedef struct {
    const Assignment *as;
    const CostModel *m;
    double took_s; /* making it; a round lasts several times as long */
} Selection;

/* The kernels that should meet on a shape: the chosen one, the best others, those of large gains. */
typedef struct {
    const Instance *inst;
    int n;
    int64_t trial[RACE_MOST];
    double gain; /* the largest one, and that of what is stated */
    double ns;   /* what a sample of each takes, all together */
} Heat;

/* tunes: a shape that is not tuned yet is to be; until then the choice knows none of its times. all: study_noise(s) */
Heat race_heat(const Study *s, const Selection *c, const Instance *inst, bool tunes, double all);

/* Lists at most `most` instances that are held out, on which measuring the kernels of the package gains most, times
 * their weight: `at` is their place in the spec. Returns how many are worth it. */
int race_doubtful(const Study *s, const Selection *c, int most, Ranked *out);

/* One round on n of the spec's instances, which count as tuned from then on if it `tunes`: holds the heats that are
 * worth most, one after the other, for about as long as a choice is good for. No heat is begun that would not be over
 * at until_s. *held: how many were held; 0: no other is worth its time, or there is none left. */
bool race_round(Lab *l, Arena *scratch, const Selection *c, const Instance *const *inst, int64_t n, bool tunes,
                double until_s, int64_t *held, const char **err);

#endif
