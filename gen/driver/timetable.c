/* SPDX-License-Identifier: Apache-2.0
 *
 * timetable: what the end takes is known of the jobs that are over; for each of the others it is taken to be the mean
 * of these, and before any is over a first guess.
 */
#include "gen/driver/timetable.h"

#include <math.h>
#include <stdbool.h>

static const double ENDING_S = 0.3, EACH_S = 2e-5; /* of a job, before any is over, and of each of its instances */

static double ending_s(const Timetable *t)
{
    return t->done ? t->ending_s * t->n / t->done : ENDING_S * t->n + EACH_S * (double)t->ninstance;
}

double timetable_share(const Timetable *t, double elapsed_s)
{
    double sum = 0;
    for (int i = t->done; i < t->n; i++)
        sum += t->weight[i];
    const double left_s = t->seconds - elapsed_s - ending_s(t);
    return sum > 0 ? fmax(left_s, 0) * t->weight[t->done] / sum : 0;
}

double timetable_expected(const Timetable *t, double elapsed_s)
{
    const double each_s = t->done ? elapsed_s / t->done : 0;
    const bool is_up = timetable_share(t, elapsed_s) <= 0;
    return is_up ? fmax(t->seconds, elapsed_s + each_s * (t->n - t->done) + ending_s(t)) : t->seconds;
}
