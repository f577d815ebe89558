/* SPDX-License-Identifier: Apache-2.0
 *
 * goal: what a package is held to, a table for each operator.
 */
#ifndef BENCH_GOAL_H
#define BENCH_GOAL_H

#include <stdbool.h>
#include <stdint.h>

typedef struct Line Line;

typedef enum { GOAL_GEOMEAN, GOAL_WORST, GOAL_LIMIT_WORST, GOAL_SPEEDUP_WORST } GoalKind;

typedef struct {
    const char *text;
    GoalKind kind;     /* ratio to a column, over all shapes or the worst; share of the limit; speed over one thread */
    bool packed;       /* for packages that pack the constant operand, or for those that do not */
    bool many_threads; /* judged on the lines with all threads, or on those with one */
    int column;        /* for ratios; BEST: the fastest of all, shape by shape */
    int64_t from, to;  /* of the extent that the operator goes along */
    double at_least;
} Goal;

enum { BEST = -1, ANY = 1 << 30 };

typedef enum { GOAL_MISSED, GOAL_MET, GOAL_UNJUDGED } Verdict;

/* line: those of one thread count. NaN: nothing to judge. */
double goal_value(const Goal *g, const Line *line, int nline);
bool goal_applies(const Goal *g, int threads);
Verdict goal_verdict(const Goal *g, double value);

/* The choice of a kernel must cost next to nothing. */
enum { GOAL_DISPATCH_NS = 10 };

#endif
