/* SPDX-License-Identifier: Apache-2.0
 *
 * report_fit: what the cost model predicts, against what was measured.
 */
#include <math.h>
#include "gen/report/report_private.h"

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

/* The measured pairs of the kept kernels, or of the others about CLOUD_POINTS of npair, spread over all shapes (a stride might meet the same
 * shapes again and again). False: there is none. */
static bool add_cloud(const Report *r, Plot *p, AddPair *add, bool kept, int64_t npair, Range *range)
{
    const Study *s = r->study;
    const char *name = kept ? "kept" : "cloud";
    bool any = false;
    int64_t seen = 0;
    plot_data(p, name);
    for (int64_t i = 0; i < s->ntrial; i++)
        for (int64_t j = 0; trial_usable(&s->trial[i]) && is_kept(r, i) == kept && j < s->nshape; j++) {
            if (!(s->trial[i].ns[j] > 0) || (!kept && seen++ * SPREAD % npair >= CLOUD_POINTS))
                continue;
            any = add(r, p, i, j, range) || any;
        }
    plot_data_end(p);
    if (any)
        plot_draw(p, name, kept ? "points pt 7 ps 0.45" : "points pt 7 ps 0.33", kept ? LOOK_KEPT : LOOK_CLOUD);
    return any;
}

/* Behind the guide the other kernels, before them those of the package. */
static bool add_clouds(const Report *r, Plot *p, AddPair *add, int64_t npair, Range *range)
{
    plot_draw(p, "guide", "lines", LOOK_GUIDE);
    const bool others = add_cloud(r, p, add, false, npair, range);
    return add_cloud(r, p, add, true, npair, range) || others;
}

/* Microseconds, measured and predicted. */
static bool add_times(const Report *r, Plot *p, int64_t trial, int64_t shape, Range *range)
{
    const double us = r->study->trial[trial].ns[shape] * 1e-3, predicted = predicted_ns(r, trial, shape) * 1e-3;
    const bool good = plot_point(p, us, predicted);
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
    return plot_point(p, report_varying(r, report_instance(r, shape)), ratio);
}

static void draw_scatter(Report *r, int64_t npair)
{
    Range range = RANGE_NOTHING;
    Plot *p = report_plot(r, "scatter_figure", "scatter", "Time predicted and measured", 440, 360);
    if (!add_clouds(r, p, add_times, npair, &range)) {
        r->nplot--;
        return;
    }
    range = range_widened(range, 1.2);
    plot_label(p, 'x', "measured, microseconds");
    plot_label(p, 'y', "predicted, microseconds");
    /* ticks have up to six digits, and gnuplot drops a label that has no room */
    text_add(&p->script, "set lmargin 11\n");
    plot_axis_log(p, 'x', range, 6);
    plot_axis_log(p, 'y', range, 6);
    text_printf(&p->script, "$guide << END\n%.9g %.9g\n%.9g %.9g\nEND\n", range.lo, range.lo, range.hi, range.hi);
}

/* The same pairs shape by shape: where the model is off. */
static void draw_residuals(Report *r, int64_t npair)
{
    const Range x = range_widened(report_shared_x(r), 1.08);
    Range ratio = { 0.8, 1.25 };
    if (!(x.lo * 1.2 < x.hi))
        return;
    Plot *p = report_plot(r, "residual_figure", "residual", "How far predictions are off, by shape", 440, 270);
    add_clouds(r, p, add_ratio, npair, &ratio);
    plot_label(p, 'x', r->groups.axes);
    plot_label(p, 'y', "predicted / measured");
    plot_axis_log(p, 'x', x, 8);
    plot_axis_log(p, 'y', range_widened(ratio, 1.05), 7);
    text_printf(&p->script, "$guide << END\n%.9g 1\n%.9g 1\nEND\n", x.lo, x.hi);
}

void report_draw_model(Report *r)
{
    const int64_t npair = measured_pairs(r->study);
    if (npair == 0 || r->in->cost->nmeasure == 0)
        return;
    draw_scatter(r, npair);
    draw_residuals(r, npair);
}
