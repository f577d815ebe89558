/* SPDX-License-Identifier: Apache-2.0
 *
 * report_figure: draws the figures of one target by one gnuplot: speed, the cost model, regret, progress.
 */
#define _GNU_SOURCE /* qsort_r */
#include <math.h>
#include <stdlib.h>
#include "gen/base/order.h"
#include "gen/report/report_private.h"
#include "gen/report/shares.h"
#include "gen/report/words.h"

enum { LINE_POINTS = 160 };          /* of a panel's line, about */
static const double OVER_ROOF = 1.5; /* predictions stretch a panel's y axis to so many times the roofline at most */

/* ---- speed ---- */

static bool has_speed(const Report *r) { return words_speed(r->spec, r->spec->instance[0].extent, 1) > 0; }

/* GFLOP/s or GB/s; of an op without floating-point operations the time in microseconds instead. */
static double speed_of(const Report *r, const Instance *inst, double ns)
{
    return has_speed(r) ? words_speed(r->spec, inst->extent, ns) : ns * 1e-3;
}

static double chosen_ns(const Report *r, int64_t i) { return choice_ns(r->in, i); }
static double general_ns(const Report *r, int64_t i) { return report_cost(r, i, r->assignment->general); }

/* The chosen kernel's own time there, on a tuned shape or one held out; 0: none. Where nothing was measured, the
 * model's on a tuned shape. */
static double measured_ns(const Report *r, int64_t i)
{
    const Instance *inst = &r->spec->instance[i];
    if (r->study->device->modelled)
        return study_tunes(r->study, inst) ? chosen_ns(r, i) : 0;
    return choice_measured_ns(r->in, inst, r->assignment->chosen[i]);
}

/* The least time that was measured there; 0: none. */
static double best_ns(const Report *r, int64_t i)
{
    const Instance *inst = &r->spec->instance[i];
    const int64_t place = study_place(r->study, inst);
    if (r->study->device->modelled)
        return study_tunes(r->study, inst) ? r->assignment->oracle_ns[i] : 0;
    const double best = place >= 0 ? study_best(r->study, place, NULL) : 0;
    return isfinite(best) ? best : 0;
}

/* The least time that arithmetic and memory allow; 0: not known, or of the full shape alone. */
static double bound_ns(const Report *r, int64_t i)
{
    const Instance *inst = &r->spec->instance[i];
    Bound b;
    return roofline_bound(r->study->roofline, inst->extent, inst->threads, &b) && !b.by_data ? b.ns : 0;
}

static double library_ns(const Report *r, int64_t i)
{
    const int64_t place = study_place(r->study, &r->spec->instance[i]);
    return place >= 0 ? study_library(r->study, place) : 0;
}

/* One thing that a panel shows. */
typedef struct {
    const char *name;
    double (*time)(const Report *, int64_t instance);
    bool measured; /* it is shown where it was measured alone: elsewhere `time` is 0 */
    const char *style;
    int look;
} Series;

/* In the order in which a panel draws them. */
static const Series SERIES[] = { { "roof", bound_ns, false, "lines", LOOK_ROOF },
                                 { "general", general_ns, false, "lines", LOOK_GENERAL },
                                 { "library", library_ns, true, "lines", LOOK_LIBRARY },
                                 { "library_dot", library_ns, true, "points pt 7 ps 0.45", LOOK_LIBRARY_DOT },
                                 { "line", chosen_ns, false, "lines", LOOK_CHOSEN },
                                 { "best", best_ns, true, "points pt 6 ps 0.82", LOOK_BEST },
                                 { "dot", measured_ns, true, "points pt 7 ps 0.51", LOOK_DOT } };
enum { NSERIES = LENGTH(SERIES) };

/* Adds the points of a series: those that were measured; or those on a group's tuned shapes and, unless only_tuned, on
 * others, about LINE_POINTS at most, evenly on a logarithmic scale. Widens *y to hold them. False: there is none. */
static bool add_series(const Report *r, Plot *p, const Series *s, const Group *g, bool only_tuned, Range *y)
{
    double first = report_varying(r, g->at[0]), last = report_varying(r, g->at[g->n - 1]);
    double step = log(last / first) / LINE_POINTS, next = 0;
    bool any = false;
    plot_data(p, s->name);
    for (int64_t i = 0; i < g->n; i++) {
        const Instance *inst = &r->spec->instance[g->at[i]];
        const double x = report_varying(r, g->at[i]), ns = s->time(r, g->at[i]);
        const double v = ns > 0 ? speed_of(r, inst, ns) : 0;
        const bool crowded = log(x / first) < next && i + 1 < g->n;
        if (!s->measured && !study_tunes(r->study, inst) && (only_tuned || crowded))
            continue;
        if (plot_point(p, x, v)) {
            range_add(y, v);
            any = true;
        }
        next = log(x / first) + step;
    }
    plot_data_end(p);
    return any;
}

/* The y range of all panels. It holds all that was measured, and all values of tuned shapes. Predictions for shapes far
 * from any measured one may be absurd, so they stretch it to OVER_ROOF times the roofline at most. */
static Range shared_y(const Report *r)
{
    Plot unused = { .script = { .arena = r->arena } };
    Range line = RANGE_NOTHING, tuned = RANGE_NOTHING, roof = RANGE_NOTHING;
    for (int i = 0; i < r->groups.ngroup; i++)
        for (const Series *s = SERIES; r->groups.group[i].panel && s < SERIES + NSERIES; s++) {
            const bool is_roof = s->time == bound_ns;
            add_series(r, &unused, s, &r->groups.group[i], !is_roof, is_roof ? &roof : &tuned);
            if (s->time == chosen_ns)
                add_series(r, &unused, s, &r->groups.group[i], false, &line);
        }
    if (roof.lo <= roof.hi && has_speed(r))
        line.hi = fmin(line.hi, OVER_ROOF * roof.hi);
    return (Range){ fmin(fmin(line.lo, tuned.lo), roof.lo), fmax(fmax(line.hi, tuned.hi), roof.hi) };
}

/* Does a panel show a time that is less than the machine allows? */
static bool beats_roof(const Report *r, const Group *g)
{
    bool beats = false;
    for (int64_t i = 0; i < g->n; i++) {
        const Instance *inst = &r->spec->instance[g->at[i]];
        Bound b;
        if (!roofline_bound(r->study->roofline, inst->extent, inst->threads, &b))
            continue;
        for (const Series *s = SERIES; s < SERIES + NSERIES; s++) {
            const double ns = s->time(r, g->at[i]);
            beats = beats || (ns > 0 && !shares_exist(&b, ns));
        }
    }
    return beats;
}

static void draw_panel(Report *r, int group, Range x, Range y)
{
    const Group *g = &r->groups.group[group];
    Range unused = RANGE_NOTHING;
    Plot *p = report_plot(r, "speed_figures", arena_printf(r->arena, "panel-%d", group), g->label, 440, 270);
    plot_label(p, 'x', r->spec->op->extent[g->axis].name);
    plot_label(p, 'y', has_speed(r) ? words_speed_unit(r->spec) : "time, microseconds");
    plot_axis_log(p, 'x', range_widened(x, 1.08), 8);
    plot_axis_log(p, 'y', range_widened(y, 1.12), 6);
    r->is_over_roof = r->is_over_roof || beats_roof(r, g);
    for (const Series *s = SERIES; s < SERIES + NSERIES; s++)
        if (add_series(r, p, s, g, false, &unused)) {
            plot_draw(p, s->name, s->style, s->look);
            r->has_roof = r->has_roof || s->look == LOOK_ROOF;
            r->has_library = r->has_library || s->look == LOOK_LIBRARY;
        }
}

/* ---- what the cost model predicts, against what was measured ---- */

/* About CLOUD_POINTS pairs are drawn. SPREAD, a prime, spreads them over trials and shapes: modulo any number that it
 * does not divide, its multiples come to every number. */
enum { CLOUD_POINTS = 1500, SPREAD = 7919 };
static const double MOST_RATIO = 4; /* what is further off is drawn at the edge */

static int64_t count_measured_pairs(const Study *s)
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

/* Adds the point of one measured pair, and widens *range to hold it. False: it was left out. */
typedef bool AddPair(const Report *r, Plot *p, int64_t trial, int64_t shape, Range *range);

/* Draws the measured pairs of the package's kernels (kept), or of the others about CLOUD_POINTS of npair, spread over
 * all shapes (every n-th pair might be of the same few shapes). False: there is none. */
static bool add_cloud(const Report *r, Plot *p, AddPair *add, bool kept, int64_t npair, Range *range)
{
    const Study *s = r->study;
    const char *name = kept ? "kept" : "cloud";
    const int64_t cycle = npair + (npair % SPREAD == 0);
    bool any = false;
    int64_t seen = 0;
    plot_data(p, name);
    for (int64_t i = 0; i < s->ntrial; i++) {
        if (!trial_usable(&s->trial[i]) || (select_kernel_of(r->assignment, i) >= 0) != kept)
            continue;
        for (int64_t j = 0; j < s->nshape; j++)
            if (s->trial[i].ns[j] > 0 && (kept || seen++ * SPREAD % cycle < CLOUD_POINTS))
                any = add(r, p, i, j, range) || any;
    }
    plot_data_end(p);
    if (any)
        plot_draw(p, name, kept ? "points pt 7 ps 0.45" : "points pt 7 ps 0.33", kept ? LOOK_KEPT : LOOK_CLOUD);
    return any;
}

/* Draws the guide, over it pairs of other kernels, and over these pairs of the package's. False: there is no pair. */
static bool add_clouds(const Report *r, Plot *p, AddPair *add, int64_t npair, Range *range)
{
    plot_draw(p, "guide", "lines", LOOK_GUIDE);
    const bool others = add_cloud(r, p, add, false, npair, range);
    return add_cloud(r, p, add, true, npair, range) || others;
}

/* The point: measured and predicted time in microseconds. */
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

/* The point: the extent on the x axis, and the ratio of predicted and measured time. */
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
    text_add(&p->script, "set lmargin 11\nset rmargin 3\n");
    plot_axis_log(p, 'x', range, 6);
    plot_axis_log(p, 'y', range, 6);
    text_printf(&p->script, "$guide << END\n%.9g %.9g\n%.9g %.9g\nEND\n", range.lo, range.lo, range.hi, range.hi);
}

/* Draws predicted / measured against the varying extent, which shows on which shapes the model is off. */
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

static void draw_model(Report *r)
{
    const int64_t npair = count_measured_pairs(r->study);
    if (npair == 0 || r->in->cost->nmeasure == 0)
        return;
    draw_scatter(r, npair);
    draw_residuals(r, npair);
}

/* ---- how far the choice is from the best, by the code that a package may have ---- */

static const double MOST_PERCENT = 200; /* what is further off is drawn there */
static const double LABEL_PIXELS = 17;  /* labels of points are that far apart at least */

static double percent_of(double above) { return fmin(fmax(100 * above, 0), MOST_PERCENT); }

static void set_percent_axis(Plot *p, double top)
{
    plot_label(p, 'y', "above best known, %");
    plot_axis_linear(p, 'y', (Range){ 0, fmax(top * 1.12, 0.5) }, 6, 0.1);
}

static double kib_of(const CurvePoint *c) { return (double)c->bytes / 1024; }

static void add_curve_points(const Assignment *as, Plot *p, const char *name, int from, int to)
{
    plot_data(p, name);
    for (int i = from; i < to; i++)
        text_printf(&p->script, "%.7g %.7g\n", kib_of(&as->curve[i]), percent_of(as->curve[i].above));
    plot_data_end(p);
}

/* Labels the points with their numbers of kernels: the one that was taken, and others where there is room. */
static void label_points(const Assignment *as, Plot *p, double pixels_per_kib, double pixels_per_percent)
{
    double x = -INFINITY, y = -INFINITY;
    for (int i = 0; i < as->ncurve; i++) {
        const double at_x = pixels_per_kib * kib_of(&as->curve[i]);
        const double at_y = pixels_per_percent * percent_of(as->curve[i].above);
        if (i != as->kept && hypot(at_x - x, at_y - y) < LABEL_PIXELS)
            continue;
        text_printf(&p->script, "set label '%d' at %.7g,%.7g center offset 0,0.8 front textcolor rgb '#%06x'\n",
                    as->curve[i].kernels, kib_of(&as->curve[i]), percent_of(as->curve[i].above), LOOK_TEXT);
        x = at_x;
        y = at_y;
    }
}

static void draw_curve(Report *r)
{
    const Assignment *as = r->assignment;
    /* Kernels that another function has too cost nothing: the axis has a length for those alone, too. */
    double top = 0, most_kib = 1;
    if (as->ncurve < 2 || as->kept < 0)
        return;
    for (int i = 0; i < as->ncurve; i++) {
        top = fmax(top, percent_of(as->curve[i].above));
        most_kib = fmax(most_kib, kib_of(&as->curve[i]));
    }
    Plot *p = report_plot(r, "curve_figure", "curve", "What less or more code would bring", 440, 270);
    plot_label(p, 'x', "machine code, KiB");
    plot_axis_linear(p, 'x', (Range){ 0, most_kib * 1.06 }, 8, 1);
    set_percent_axis(p, top);
    label_points(as, p, 360 / (most_kib * 1.06), 210 / fmax(top * 1.12, 0.5)); /* pixels between the axes' ends */
    add_curve_points(as, p, "within", 0, as->kept + 1);
    add_curve_points(as, p, "beyond", as->kept, as->ncurve);
    add_curve_points(as, p, "mark", as->kept, as->kept + 1);
    plot_draw(p, "beyond", "lines", LOOK_GENERAL);
    plot_draw(p, "beyond", "points pt 7 ps 0.33", LOOK_CLOUD);
    plot_draw(p, "within", "lines", LOOK_CHOSEN);
    plot_draw(p, "within", "points pt 7 ps 0.51", LOOK_DOT);
    plot_draw(p, "mark", "points pt 6 ps 0.82", LOOK_BEST);
}

/* ---- how far the best kernels so far are from the best of all, while the search goes on ---- */

/* percent: the y axis ends there, as the first kernels are so slow that nothing else could be seen beside them */
static const double MOST_PROGRESS = 50;

static int by_record_order(const void *x, const void *y, void *study)
{
    const Trial *trial = ((const Study *)study)->trial;
    return order_number(&trial[*(const int64_t *)x].n, &trial[*(const int64_t *)y].n);
}

/* Writes the tuned target's trials in the order in which they were recorded, and returns how many. 0: the records lack
 * that order. */
static int64_t search_order(const Study *s, int64_t *order)
{
    int64_t n = 0;
    for (int64_t i = 0; i < s->ntrial; i++) {
        if (s->trial[i].c.target != s->target)
            continue;
        if (!s->trial[i].n)
            return 0;
        order[n++] = i;
    }
    qsort_r(order, (size_t)n, sizeof *order, by_record_order, (void *)s);
    return n;
}

/* After each of n trials, the weighted mean over tuned shapes of best so far / best of all - 1; INFINITY while a shape
 * has no time. */
static void work_out_progress(const Report *r, const int64_t *order, int64_t n, double *percent)
{
    const Study *s = r->study;
    double *best = ARENA_ARRAY(r->arena, (size_t)s->nshape + 1, double);
    double *known = ARENA_ARRAY(r->arena, (size_t)s->nshape + 1, double);
    for (int64_t j = 0; j < s->nshape; j++) {
        best[j] = INFINITY;
        known[j] = study_best(s, j, NULL);
    }
    for (int64_t i = 0; i < n; i++) {
        const Trial *t = &s->trial[order[i]];
        double sum = 0, weight = 0;
        for (int64_t j = 0; j < s->nshape; j++) {
            if (trial_usable(t) && t->ns[j] > 0)
                best[j] = fmin(best[j], t->ns[j]);
            double w = s->shape[j]->weight;
            sum += w > 0 ? w * best[j] / known[j] : 0;
            weight += w;
        }
        percent[i] = 100 * (sum / weight - 1);
    }
}

static void draw_progress(Report *r)
{
    int64_t *order = ARENA_ARRAY(r->arena, (size_t)r->study->ntrial + 1, int64_t), n = search_order(r->study, order);
    double *percent = ARENA_ARRAY(r->arena, (size_t)n, double), top = 0;
    work_out_progress(r, order, n, percent);
    if (n < 2 || !isfinite(percent[n - 1]))
        return;
    for (int64_t i = 0; i < n; i++)
        if (isfinite(percent[i]))
            top = fmax(top, fmin(percent[i], MOST_PROGRESS));
    Plot *p = report_plot(r, "progress_figure", "progress", "Best so far", 440, 270);
    plot_label(p, 'x', "kernels measured");
    plot_axis_linear(p, 'x', (Range){ 1, (double)n }, 8, 1);
    set_percent_axis(p, top);
    plot_data(p, "line");
    for (int64_t i = 0; i < n; i++)
        if (isfinite(percent[i]))
            text_printf(&p->script, "%lld %.7g\n", (long long)(1 + i), fmax(percent[i], 0));
    plot_data_end(p);
    plot_draw(p, "line", "steps", LOOK_CHOSEN);
}

bool report_draw(Report *r, const char **err)
{
    const Range x = report_shared_x(r), y = shared_y(r);
    for (int i = 0; i < r->groups.ngroup; i++)
        if (r->groups.group[i].panel && x.lo < x.hi && y.lo <= y.hi)
            draw_panel(r, i, x, y);
    report_draw_log(r);
    report_draw_maps(r);
    draw_model(r);
    draw_curve(r);
    draw_progress(r);
    return plot_run(r->arena, r->plot, r->nplot, err);
}
