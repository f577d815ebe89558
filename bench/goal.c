/* SPDX-License-Identifier: Apache-2.0
 *
 * goal: computes each goal from the lines of the table: a ratio to a peer, or to the machine's limit, over all shapes.
 */
#include "bench/goal.h"

#include <math.h>
#include <stdlib.h>
#include "bench/stats.h"

enum { ANY_M = 1 << 30 };

typedef double LineValue(const Goal *g, const Line *line);
typedef double Fold(const double *x, int n);

static double ratio_of(const Goal *g, const Line *line) { return line->cell[g->column].ratio; }
static double limit_of(const Goal *g, const Line *line)
{
    (void)g;
    return line->limit_share;
}
static double speedup_of(const Goal *g, const Line *line)
{
    (void)g;
    return line->speedup;
}

/* Folds the values of the lines within the goal's M. A wrong result is the worst there is. */
static double fold_lines(const Goal *g, const Line *line, int nline, LineValue *value_of, Fold *fold)
{
    double *x = malloc(sizeof *x * (nline + 1));
    int n = 0;
    for (int i = 0; i < nline; i++) {
        double v = line[i].wrong ? 0 : value_of(g, &line[i]);
        if (line[i].shape.M >= g->from_M && line[i].shape.M <= g->to_M && !isnan(v))
            x[n++] = v;
    }
    double result = n ? fold(x, n) : NAN;
    free(x);
    return result;
}

double goal_ratio_geomean(const Goal *g, const Line *line, int nline)
{
    return fold_lines(g, line, nline, ratio_of, stats_geomean);
}

double goal_ratio_worst(const Goal *g, const Line *line, int nline)
{
    return fold_lines(g, line, nline, ratio_of, stats_min);
}

static double limit_worst(const Goal *g, const Line *line, int nline)
{
    return fold_lines(g, line, nline, limit_of, stats_min);
}

static double speedup_worst(const Goal *g, const Line *line, int nline)
{
    return fold_lines(g, line, nline, speedup_of, stats_min);
}

const Goal goals[] = {
    { "geomean against oneDNN packed", true, false, goal_ratio_geomean, COLUMN_DNNL_PACKED, 1, ANY_M, 1.05 },
    { "geomean against OpenBLAS", true, false, goal_ratio_geomean, COLUMN_OPENBLAS, 1, ANY_M, 1.7 },
    { "worst against oneDNN packed", true, false, goal_ratio_worst, COLUMN_DNNL_PACKED, 1, ANY_M, 0.97 },
    { "worst share of the FMA peak, M >= 5", true, false, limit_worst, 0, 5, ANY_M, 0.97 },
    { "worst share of the limit, M <= 4", true, false, limit_worst, 0, 1, 4, 0.95 },
    { "worst speed over one thread, M >= 32", true, true, speedup_worst, 0, 32, ANY_M, 1.9 },
    { "worst speed over one thread, any M (0.98: noise)", true, true, speedup_worst, 0, 1, ANY_M, 0.98 },
    { "geomean against oneDNN, W plain", false, false, goal_ratio_geomean, COLUMN_DNNL, 1, ANY_M, 1.0 },
};

const int ngoal = sizeof goals / sizeof goals[0];

bool goal_applies(const Goal *g, int threads)
{
    return g->packed == package.w_packed && g->many_threads == (threads > 1);
}

Verdict goal_verdict(const Goal *g, double value)
{
    return isnan(value) ? GOAL_UNJUDGED : value >= g->at_least ? GOAL_MET : GOAL_MISSED;
}
