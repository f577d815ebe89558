/* SPDX-License-Identifier: Apache-2.0
 *
 * race: kernels of a package and their rivals, built here and timed side by side on one shape. A regret is the ratio of
 * their times (samples_time); what slows the machine for a while is waited for (search/runner/timing.c).
 */
#ifndef DCGEN_RACE_H
#define DCGEN_RACE_H

#include "gen/command/replay.h"
#include "gen/command/tools.h"
#include "search/choose/match.h"

typedef struct {
    Arena *arena;
    const Result *out;
    Tools *tools;
    const char **so; /* one a trial; NULL: not built */
    const volatile int *stop;
} Track;

typedef struct {
    Match who; /* the chosen one first */
    double chosen_ns, best_ns, regret;
    /* How far the chosen one's time, or that of the best other, may be off, whichever is more: samples_error. */
    double spread;
    int64_t best;
} Race;

/* All with few samples, then the chosen one and those nearest to the best with `repeats` (at most RECORD_MAX_SAMPLE), then, where one of
 * them was faster, the chosen one and that one: their times are what is told. False with *err set, and
 * *wrong when it is the chosen kernel that fails. */
bool race_hold(const Track *t, Race *r, int repeats, bool *wrong, const char **err);

#endif
