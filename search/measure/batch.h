/* SPDX-License-Identifier: Apache-2.0
 *
 * batch: trials that are built together. Gives their shared objects and what compilers told of them; a kernel whose code does not fit its
 * registers counts as not built.
 */
#ifndef DCGEN_BATCH_H
#define DCGEN_BATCH_H

#include "search/measure/stopwatch.h"

typedef struct {
    int n;
    bool begun; /* its builds run in the background */
    int64_t trial[STOPWATCH_MOST];
    Build build[STOPWATCH_MOST];
    int nfact[STOPWATCH_MOST]; /* what compiler and emulator told of each */
    Param fact[STOPWATCH_MOST][RECORD_MAX_FACT];
} Batch;

/* A fact of its member i; dropped where there are too many. */
void batch_fact(Batch *b, int i, const char *name, int64_t value);
/* Starts to build all members in the background. */
bool batch_begin(Lab *l, Batch *b, const char **err);
/* Builds all, or waits for those that were begun: builds in the background that are not done by until_s are not wanted any more, and
 * nothing is left of the batch. False with *err: interrupted, or this machine cannot build. */
bool batch_build(Lab *l, Batch *b, double until_s, const char **err);

#endif
