/* SPDX-License-Identifier: Apache-2.0
 *
 * stopwatch: times of built kernels on one shape, beside the anchor and, in a race, the library; what was measured
 * becomes records.
 */
#ifndef DCGEN_STOPWATCH_H
#define DCGEN_STOPWATCH_H

#include "search/measure/lab.h"

#define STOPWATCH_SAMPLE_NS 300e3 /* a sample is as many calls as take so long, at least one */
enum {
    STOPWATCH_MOST = 64,    /* kernels in a request */
    STOPWATCH_REPEATS = 5,  /* samples of each; of long calls fewer */
    STOPWATCH_OVERHEAD = 1, /* what the warm-up costs, in samples */
};

/* The kernels of a request. */
typedef struct {
    int n;
    const char *key[STOPWATCH_MOST], *so[STOPWATCH_MOST];
    int at[STOPWATCH_MOST]; /* the place of each in a list of the caller's; -1: in none */
} Kernels;

/* Adds one and gives its place. -1: there is no room. */
int kernels_add(Kernels *k, const char *key, const char *so, int at);

/* How long a request on an instance will take, `ns` being one sample of all its kernels: from what requests of this run
 * took so far. */
double stopwatch_expect_s(const Lab *l, const Instance *inst, double ns);

/* How long the runner may be silent before that counts as a hang. */
double stopwatch_deadline_s(const Lab *l);

/* Records a measurement as one of the study's device. What counts is what the file says, rounded: a search that reads
 * its own records back comes to the same ends. A kernel that failed for what the machine lacks stays out of this run,
 * and nothing is recorded. */
bool stopwatch_take(Lab *l, MeasureRecord *m, const char **err);

/* Times the kernels and the anchor in turn. race: all kernels get all of their samples, and the library takes part as
 * long as it was seldom timed there; else slow ones get fewer. tunes: the shape counts as tuned from here on. */
bool stopwatch_time(Lab *l, Arena *scratch, const Instance *inst, const Kernels *k, bool race, bool tunes,
                    const char **err);

#endif
