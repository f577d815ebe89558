/* SPDX-License-Identifier: Apache-2.0
 *
 * report_fit: what the cost model predicts, against what was measured.
 */
#include <math.h>
#include "gen/report/report_axis.h"

enum { CLOUD_POINTS = 1500, SPREAD = 7919 };
static const double MOST_RATIO = 4; /* what is further off is drawn at the edge */

static bool is_kept(const Report *r, int64_t trial)
{
    for (int k = 0; k < r->assignment->nkernel; k++)
        if (r->assignment->kernel[k] == trial)
            return true;
    return false;
}

static int64_t measured_pairs(const Study *s)
{
    int64_t n = 0;
    for (int64_t i = 0; i < s->ntrial; i++)
        for (int64_t j = 0; trial_usable(&s->trial[i]) && j < s->nshape; j++)
            n += s->trial[i].ns[j] > 0;
    return n;
}

static double predicted_ns(const Report *r, int64_t trial, int64_t shape)
{
    const Instance *inst = r->study->shape[shape];
    return cost_predict(r->model, &r->study->trial[trial].c, inst->extent, inst->threads);
}

/* Adds a point of one measured pair. */
typedef bool AddPair(const Report *r, Plot *p, int64_t trial, int64_t shape, Range *range);

/* The measured pairs of the kept kernels, or of the others about CLOUD_POINTS, spread over all shapes (a stride might meet the same
 * shapes again and again). */
static int add_cloud(const Report *r, Plot *p, const char *name, AddPair *add, bool kept, int64_t npair, Range *range)
{
    const Study *s = r->study;
    int n = 0;
    int64_t seen = 0;
    data_begin(p, name);
    for (int64_t i = 0; i < s->ntrial; i++)
        for (int64_t j = 0; trial_usable(&s->trial[i]) && is_kept(r, i) == kept && j < s->nshape; j++) {
            if (!(s->trial[i].ns[j] > 0) || (!kept && seen++ * SPREAD % npair >= CLOUD_POINTS))
                continue;
            n += add(r, p, i, j, range);
        }
    data_end(p);
    return n;
}

/* Microseconds, measured and predicted. */
static bool add_times(const Report *r, Plot *p, int64_t trial, int64_t shape, Range *range)
{
    const double us = r->study->trial[trial].ns[shape] * 1e-3, predicted = predicted_ns(r, trial, shape) * 1e-3;
    const bool good = data_add(p, us, predicted);
    if (good) {
        range_add(range, us);
        range_add(range, predicted);
    }
    return good;
}

/* Predicted over measured, at the extent that varies most. */
static bool add_ratio(const Report *r, Plot *p, int64_t trial, int64_t shape, Range *range)
{
    double ratio = predicted_ns(r, trial, shape) / r->study->trial[trial].ns[shape];
    ratio = fmin(fmax(ratio, 1 / MOST_RATIO), MOST_RATIO);
    range_add(range, ratio);
    return data_add(p, report_varying(r, report_instance(r, shape)), ratio);
}

/* The guide, then the other kernels, then those of the package. */
static void draw_cloud(Plot *p, int ncloud, int nkept)
{
    figure_draw(p, true, "$guide", "lines", LOOK_GUIDE);
    if (ncloud)
        figure_draw(p, false, "$cloud", "points pt 7 ps 0.33", LOOK_CLOUD);
    if (nkept)
        figure_draw(p, false, "$kept", "points pt 7 ps 0.45", LOOK_KEPT);
    text_add(&p->script, "\n");
}

static void draw_scatter(Report *r)
{
    int64_t n = measured_pairs(r->study);
    Range range = RANGE_NOTHING;
    if (n == 0 || r->in->cost->nmeasure == 0)
        return;
    Plot *p = figure_begin(r, &r->scatter, 440, 360);
    int ncloud = add_cloud(r, p, "cloud", add_times, false, n, &range);
    int nkept = add_cloud(r, p, "kept", add_times, true, n, &range);
    if (ncloud + nkept == 0) {
        r->scatter = -1;
        r->nplot--;
        return;
    }
    range = range_widened(range, 1.2);
    figure_label(p, 'x', "measured, microseconds");
    figure_label(p, 'y', "predicted, microseconds");
    text_add(&p->script,
             "set lmargin 11\n"); /* ticks have up to six digits, and gnuplot drops a label that has no room */
    axis_log(p, 'x', range, 6);
    axis_log(p, 'y', range, 6);
    text_printf(&p->script, "$guide << END\n%.9g %.9g\n%.9g %.9g\nEND\n", range.lo, range.lo, range.hi, range.hi);
    draw_cloud(p, ncloud, nkept);
}

/* The same pairs shape by shape: where the model is off. */
static void draw_residuals(Report *r)
{
    int64_t n = measured_pairs(r->study);
    const Range x = range_widened(report_shared_x(r), 1.08);
    Range ratio = { 0.8, 1.25 };
    if (n == 0 || r->in->cost->nmeasure == 0 || !(x.lo * 1.2 < x.hi))
        return;
    Plot *p = figure_begin(r, &r->residual, 440, 270);
    int ncloud = add_cloud(r, p, "cloud", add_ratio, false, n, &ratio);
    int nkept = add_cloud(r, p, "kept", add_ratio, true, n, &ratio);
    figure_label(p, 'x', r->groups.axes);
    figure_label(p, 'y', "predicted / measured");
    axis_log(p, 'x', x, 8);
    axis_log(p, 'y', range_widened(ratio, 1.05), 7);
    text_printf(&p->script, "$guide << END\n%.9g 1\n%.9g 1\nEND\n", x.lo, x.hi);
    draw_cloud(p, ncloud, nkept);
}

void report_draw_model(Report *r)
{
    draw_scatter(r);
    draw_residuals(r);
}
