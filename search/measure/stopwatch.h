/* SPDX-License-Identifier: Apache-2.0
 *
 * stopwatch: requests for times of built kernels on one shape, beside the anchor and, in a race, the library; what was
 * measured becomes records.
 */
#ifndef DCGEN_STOPWATCH_H
#define DCGEN_STOPWATCH_H

#include "search/measure/lab.h"

#define STOPWATCH_SAMPLE_NS 300e3 /* a sample is as many calls as take so long, at least one */
enum {
    STOPWATCH_REPEATS = 5,  /* samples of each; of long calls fewer */
    STOPWATCH_OVERHEAD = 1, /* what the warm-up costs, in samples */
};

/* How long a request on an instance will take, `ns` being one sample of all its kernels: from what requests of this run
 * took so far. */
double stopwatch_expect_s(const Lab *l, const Instance *inst, double ns);

/* How long the runner may be silent before that counts as a hang. */
double stopwatch_deadline_s(const Lab *l);

/* Records a measurement as one of the study's device. What counts is what the file says, rounded: a search that reads
 * its own records back comes to the same ends. A kernel that failed for what the machine lacks stays out of this run,
 * and nothing is recorded. */
bool stopwatch_take(Lab *l, MeasureRecord *m, const char **err);

/* A request that times kernels and the anchor in turn on one shape. */
typedef struct {
    Request q;
    Lab *lab;
    const Instance *inst;
    bool race; /* all kernels get all of their samples, and the library takes part as long as it was seldom timed there;
                 * else slow ones get fewer */
    bool tunes;             /* the shape counts as tuned from here on */
    int n, anchor, library; /* kernels but for the library; places of these two among them, -1: it is not there */
    double until_s, began_s;
} Timing;

/* Puts one into the queue, to which its kernels are added then. It is not begun after until_s, unless nothing is known
 * yet: there has to be some time when the time is up. */
Timing *stopwatch_ask(Lab *l, Arena *scratch, const Instance *inst, bool race, bool tunes, double until_s);

#endif
