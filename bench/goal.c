/* SPDX-License-Identifier: Apache-2.0
 *
 * goal: computes a goal from the lines of the table: a ratio to a peer, or to the machine's limit, over all shapes.
 */
#include "bench/goal.h"

#include <math.h>
#include <stdlib.h>
#include "bench/contest.h"
#include "bench/stats.h"

static double value_of(const Goal *g, const Line *line)
{
    if (line->wrong)
        return 0; /* the worst there is */
    switch (g->kind) {
    case GOAL_LIMIT_WORST:
        return line->limit_share;
    case GOAL_SPEEDUP_WORST:
        return line->speedup;
    default:
        return g->column == BEST ? line->best.ratio : line->cell[g->column].ratio;
    }
}

double goal_value(const Goal *g, const Line *line, int nline)
{
    double *x = malloc(sizeof *x * (nline + 1));
    int n = 0;
    for (int i = 0; i < nline; i++) {
        const double v = value_of(g, &line[i]);
        const int64_t at = line[i].extent[contest.op->along];
        if (at >= g->from && at <= g->to && !isnan(v))
            x[n++] = v;
    }
    const double result = n == 0 ? NAN : g->kind == GOAL_GEOMEAN ? stats_geomean(x, n) : stats_min(x, n);
    free(x);
    return result;
}

bool goal_applies(const Goal *g, int threads)
{
    return g->packed == contest.spec->packed && g->many_threads == (threads > 1);
}

Verdict goal_verdict(const Goal *g, double value)
{
    return isnan(value) ? GOAL_UNJUDGED : value >= g->at_least ? GOAL_MET : GOAL_MISSED;
}
