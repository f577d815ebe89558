/* SPDX-License-Identifier: Apache-2.0
 *
 * pace: what a run learns of the machine that it measures on.
 *
 * Pace is what requests for times will take, learnt from those before. A request takes a + b x seconds, x being what its samples would take
 * on a machine at rest: a is starting, waiting for rest and verifying small shapes, b the neighbours, other clocks and large shapes' data. Both
 * are fitted by least squares, with a prior that some requests outweigh.
 *
 * Quiet is what the anchor takes on each shape when nothing else uses the machine, and so whether something else did when a time was taken.
 * Neighbours on a shared processor slow a kernel to half its speed for tenths of a second up to some seconds, and each kernel by another
 * part, so that a time taken then is of no use as a part of the anchor's. Two things are no disturbance: a lower clock at the moment, and a
 * machine that has become slower for good (heat): where none of the latest times was near the least of its shape, the best of them counts
 * as at rest.
 */
#ifndef DCGEN_PACE_H
#define DCGEN_PACE_H

#include <stdbool.h>
#include "gen/base/arena.h"
#include "gen/spec/spec.h"

/* Sums over n requests: of x as above, of y, the seconds that each took, and of x * x and x * y. */
typedef struct {
    double n, x, y, xx, xy;
} Pace;

/* Gives a pace that knows the prior alone. */
Pace pace_new(void);
/* Learns how long a request with x_s of samples took. */
void pace_learn(Pace *p, double x_s, double took_s);
/* What so many requests will take, with x_s of samples in all. */
double pace_expect_s(const Pace *p, double requests, double x_s);

/* ---- at rest ---- */

enum { QUIET_RECENT = 32 };

typedef struct {
    const Instance *inst;
    double least, second; /* ns, of the times taken so far; second: +inf before there were two */
    double clock;         /* of the core when it took the least; 0: not known */
} QuietTime;

typedef struct {
    Arena *arena; /* at first all else is 0 */
    int64_t n;
    QuietTime *time; /* one a shape */
    int64_t ntaken;
    double recent[QUIET_RECENT]; /* the latest times, as parts of the least of their shapes; a ring */
} Quiet;

/* Takes a time of the anchor on a shape, at that clock of the core (MeasureRecord.clock; 0: not known). */
void quiet_take(Quiet *q, const Instance *inst, double ns, double clock);
/* What the anchor is expected to take on a shape at rest. clock 0: at the clock of its least time. Gives 0 where that is not known. */
double quiet_ns(const Quiet *q, const Instance *inst, double clock);
/* True if a time is longer than at rest by more than noise. False where that is not known, and for calls so long (SAMPLES_REST_NS) that nobody
 * can say. */
bool quiet_disturbed(const Quiet *q, const Instance *inst, double ns, double clock);
/* True if the two least times on a shape agree, so that the least is what the anchor takes at rest. */
bool quiet_known(const Quiet *q, const Instance *inst);

#endif
