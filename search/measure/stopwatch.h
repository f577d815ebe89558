/* SPDX-License-Identifier: Apache-2.0
 *
 * stopwatch: times of built kernels on one shape, beside the anchor and, where asked for, the library; what was measured becomes records. On
 * a machine that others use too it waits for a moment at rest (pace.h), within limits.
 */
#ifndef DCGEN_STOPWATCH_H
#define DCGEN_STOPWATCH_H

#include "search/measure/lab.h"

#define STOPWATCH_SAMPLE_NS 300e3 /* a sample is as many calls as take so long, at least one */
enum {
    STOPWATCH_MOST = 64,    /* kernels in a request */
    STOPWATCH_OVERHEAD = 3, /* what verification and warm-up cost, in samples */
};

/* The kernels of a request. */
typedef struct {
    int n;
    const char *key[STOPWATCH_MOST], *so[STOPWATCH_MOST];
    int at[STOPWATCH_MOST]; /* the place of each in a list of the caller's; -1: in none */
} Kernels;

/* Adds one and gives its place. -1: there is no room. */
int kernels_add(Kernels *k, const char *key, const char *so, int at);

/* How long so many requests will take, `ns` being one sample of all their kernels: from what requests of this run took so far. */
double stopwatch_expect_s(const Lab *l, double requests, double ns, int repeats);

/* How long the runner may be silent before that counts as a hang. */
double stopwatch_deadline_s(const Lab *l);

/* Records a measurement as one of the study's device. What counts is what the file says, rounded: a search that reads its own records back
 * comes to the same ends. A kernel that failed for what the machine lacks stays out of this run, and nothing is recorded. */
bool stopwatch_take(Lab *l, MeasureRecord *m, const char **err);

/* Times the kernels and the anchor in turn, in a last comparison the library too.
 * ns (may be NULL): gets the times of the kernels, each at its place in the caller's list, 0 for one that failed. *put_off becomes true where
 * something disturbed the machine, so that nothing was recorded and all is to be done again. Where put_off is NULL, what was measured counts, as
 * parts of the anchor's time at rest. */
bool stopwatch_time(Lab *l, Arena *scratch, const Instance *inst, const Kernels *k, int repeats, bool final, double *ns,
                    bool *put_off, const char **err);

/* Times the anchor alone on those of n shapes that it is not known on, pass by pass until its times agree: what disturbs a machine is over
 * some seconds later. Nothing of it is recorded. */
bool stopwatch_learn(Lab *l, Arena *scratch, const Instance *const *inst, int64_t n, const char **err);

#endif
