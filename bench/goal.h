/* SPDX-License-Identifier: Apache-2.0
 *
 * goal: what a package is held to, as a table.
 */
#ifndef BENCH_GOAL_H
#define BENCH_GOAL_H

#include "bench/contest.h"

typedef struct Goal {
    const char *text;
    bool packed;       /* for packages that pack W, or for those that do not */
    bool many_threads; /* judged on the lines with all threads, or on those with one */
    double (*value)(const struct Goal *g, const Line *line, int nline); /* NaN: nothing to judge */
    int column;                                                         /* for ratios */
    int64_t from_M, to_M;
    double at_least;
} Goal;

extern const Goal goals[];
extern const int ngoal;

typedef enum { GOAL_MISSED, GOAL_MET, GOAL_UNJUDGED } Verdict;

/* line: those of one thread count. */
double goal_ratio_geomean(const Goal *g, const Line *line, int nline);
double goal_ratio_worst(const Goal *g, const Line *line, int nline);
bool goal_applies(const Goal *g, int threads);
Verdict goal_verdict(const Goal *g, double value);

/* The choice of a kernel must cost next to nothing. */
enum { GOAL_DISPATCH_NS = 20 };

#endif
