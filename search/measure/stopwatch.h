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

/* How long a request there will take, `ns` being one sample of all its kernels: by what requests took so far. */
double stopwatch_expect_s(const Lab *l, const Instance *inst, double ns);

/* How long the runner may be silent before that counts as a hang. */
double stopwatch_deadline_s(const Lab *l);

/* Records a measurement as one of the study's device. What counts is what the file says, rounded: a search that reads
 * its records back comes to the same. What failed for what the machine lacks stays out, and is not recorded. */
bool stopwatch_take(Lab *l, MeasureRecord *m, const char **err);

/* Puts a request into the queue that times kernels and the anchor in turn on one shape. Gives the list that the kernels
 * are added to before agents work. race: all kernels get all of their samples, and the library takes part as long as it
 * was seldom timed there; else slow ones get fewer. tunes: the shape counts as tuned from here on. After until_s it is
 * not begun any more, unless nothing is known yet. */
Kernels *stopwatch_ask(Lab *l, Arena *scratch, const Instance *inst, bool race, bool tunes, double until_s);

#endif
