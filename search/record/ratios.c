/* SPDX-License-Identifier: Apache-2.0
 *
 * ratios: what several measurements of a kernel on a place say together, and how far they are off.
 */
#include "search/record/study.h"

#include <math.h>

static const double RATIO_ERROR =
    0.01; /* the least standard error of a measurement: of what its own samples do not show */
/* A measurement is off by this part of what its anchor was slower than at best: others are slowed by another factor. */
static const double ANCHOR_PART = 0.5;
static const double NOISE_ROWS =
    4; /* in the noise of a place, the noise of all places counts like so many measurements */
static const double NOISE_OWN = 2;    /* in the error of a kernel, the noise of its place counts like so many */
static const double NOISE_MOST = 0.3; /* of one measurement: more is an accident, and says nothing of the others */
static const double NOISE_UNKNOWN = 0.02;

typedef struct {
    double part;     /* their weighted median */
    double weight;   /* sum of their weights: 1 / weight is the squared error that they admit themselves */
    double n;        /* so many that weigh the same would tell as much */
    double variance; /* of a single one, as they differ; 0: there is one alone */
} Middle;

static double squared(double x) { return x * x; }

static double weight_of(const Ratio *r, double least_ns)
{
    const double slower = r->anchor_ns > 0 ? r->anchor_ns / least_ns - 1 : 0;
    return 1 / (squared(RATIO_ERROR) + squared(r->error) + squared(ANCHOR_PART * slower));
}

/* The parts ascend. What weighs less than half of all together lies on either side of the median; where some lie on one
 * side and some on the other, half and half, it is between the two in the middle. */
static double median_of(const Ratio *r, int n, double least_ns, double half)
{
    double sum = 0;
    int i = 0;
    while (i < n - 1 && (sum += weight_of(&r[i], least_ns)) < half * (1 - 1e-9))
        i++;
    return i < n - 1 && sum <= half * (1 + 1e-9) ? (r[i].part + r[i + 1].part) / 2 : r[i].part;
}

static Middle middle_of(const Study *s, const Trial *t, int64_t place)
{
    const Ratio *r = t->taken[place];
    const double least_ns = s->anchor[place].ns;
    const int n = t->count[place];
    double squares = 0, deviations = 0;
    Middle m = { 0 };
    for (int i = 0; i < n; i++) {
        m.weight += weight_of(&r[i], least_ns);
        squares += squared(weight_of(&r[i], least_ns));
    }
    m.n = squared(m.weight) / squares;
    m.part = median_of(r, n, least_ns, m.weight / 2);
    for (int i = 0; i < n; i++)
        deviations += weight_of(&r[i], least_ns) * fmin(squared(r[i].part / m.part - 1), squared(NOISE_MOST));
    m.variance = n > 1 ? deviations / m.weight * n / (n - 1) : 0;
    return m;
}

double trial_part(const Study *s, const Trial *t, int64_t place) { return middle_of(s, t, place).part; }

/* Squared deviations of measurements from the mean of their kernel, and how many they tell as much as. */
typedef struct {
    double sum, n;
} Squares;

static Squares squares_at(const Study *s, int64_t place)
{
    Squares q = { 0 };
    for (const Trial *t = s->trial; t < s->trial + s->ntrial; t++) {
        const int more = trial_usable(t) ? t->count[place] - 1 : 0;
        if (more < 1)
            continue;
        const Middle m = middle_of(s, t, place);
        const bool is_anchor = m.part == 1 && m.variance == 0; /* it is always as fast as itself */
        q.sum += more * m.variance;
        q.n += is_anchor ? 0 : more;
    }
    return q;
}

double study_noise(const Study *s)
{
    Squares all = { 0 };
    for (int64_t j = 0; j < s->nplace; j++) {
        const Squares q = squares_at(s, j);
        all.sum += q.sum;
        all.n += q.n;
    }
    return all.n > 0 ? sqrt(all.sum / all.n) : NOISE_UNKNOWN;
}

double study_noise_at(const Study *s, int64_t place, double all)
{
    const Squares q = squares_at(s, place);
    return sqrt((q.sum + NOISE_ROWS * all * all) / (q.n + NOISE_ROWS));
}

double trial_error(const Study *s, const Trial *t, int64_t place, double noise)
{
    const double more = t->count[place] - 1;
    if (more < 0)
        return noise;
    const Middle m = middle_of(s, t, place);
    const double variance = (more * m.variance + NOISE_OWN * squared(noise)) / (more + NOISE_OWN);
    return sqrt(fmax(variance / m.n, 1 / m.weight));
}

void trial_range(const Study *s, const Trial *t, int64_t place, double *least_ns, double *most_ns)
{
    *least_ns = t->taken[place][0].part * s->anchor[place].ns;
    *most_ns = t->taken[place][t->count[place] - 1].part * s->anchor[place].ns;
}
