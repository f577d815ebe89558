/* SPDX-License-Identifier: Apache-2.0
 *
 * pace: least squares of what requests took, with a prior.
 */
#include "search/measure/pace.h"

#include <math.h>

/* Requests that the prior stands for, half of them empty: each takes this long, and its samples what they would. */
static const double PRIOR_N = 4, PRIOR_X_S = 0.5, PRIOR_START_S = 0.05;
/* what is left of it where all requests were alike, and nothing can be told of x */
static const double LEAST_SLOPE = 0.5;

Pace pace_new(void)
{
    Pace p = { 0 };
    for (int i = 0; i < PRIOR_N; i++) {
        const double x_s = i % 2 ? PRIOR_X_S : 0;
        pace_learn(&p, x_s, PRIOR_START_S + x_s);
    }
    return p;
}

void pace_learn(Pace *p, double x_s, double took_s)
{
    p->n++;
    p->x += x_s;
    p->y += took_s;
    p->xx += x_s * x_s;
    p->xy += x_s * took_s;
}

double pace_expect_s(const Pace *p, double requests, double x_s)
{
    double slope = (p->n * p->xy - p->x * p->y) / (p->n * p->xx - p->x * p->x);
    if (slope * p->x > p->y) /* it would start in no time at all, and less */
        slope = p->xy / p->xx;
    slope = fmax(LEAST_SLOPE, slope);
    return fmax(0, (p->y - slope * p->x) / p->n) * requests + slope * x_s;
}
