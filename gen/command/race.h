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

/* All with few samples, then the chosen one, which comes first, and those nearest to the best with `repeats` (at most RECORD_MAX_SAMPLE),
 * then, where one of them was faster, the chosen one and that one: their times are what is told. Afterwards the rivals stand in the order
 * of their times. out: gets times, regret and spread. False with *err set, and *wrong when it is the chosen kernel that fails. */
bool race_hold(const Track *t, Match *m, int repeats, ContractShape *out, bool *wrong, const char **err);

#endif
