/* SPDX-License-Identifier: Apache-2.0
 *
 * report_curve: time above the best known, in percent, against the code that a package may have, and against the kernels that
 * the search has measured.
 */
#define _GNU_SOURCE /* qsort_r */
#include <math.h>
#include <stdlib.h>
#include "gen/base/order.h"
#include "gen/report/report_private.h"

static const double MOST_PERCENT = 200, LABEL_PIXELS = 17;
/* percent: the first kernels are so slow that nothing else could be seen beside them */
static const double MOST_PROGRESS = 50;

static double percent_of(double above) { return fmin(fmax(100 * above, 0), MOST_PERCENT); }

static void percent_axis(Plot *p, double top)
{
    plot_label(p, 'y', "above best known, %");
    plot_axis_linear(p, 'y', (Range){ 0, fmax(top * 1.12, 0.5) }, 6, 0.1);
}

/* ---- the budget ---- */

static double kib_of(const CurvePoint *c) { return (double)c->bytes / 1024; }

static void add_points(const Assignment *as, Plot *p, const char *name, int from, int to)
{
    plot_data(p, name);
    for (int i = from; i < to; i++)
        text_printf(&p->script, "%.7g %.7g\n", kib_of(&as->curve[i]), percent_of(as->curve[i].above));
    plot_data_end(p);
}

/* The number of kernels at each point that has room for it. */
static void name_points(const Assignment *as, Plot *p, double pixels_per_kib, double pixels_per_percent)
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
    double top = 0, most = 0;
    if (as->ncurve < 2 || as->kept < 0)
        return;
    for (int i = 0; i < as->ncurve; i++) {
        top = fmax(top, percent_of(as->curve[i].above));
        most = fmax(most, kib_of(&as->curve[i]));
    }
    Plot *p = report_plot(r, "curve_figure", "curve", "What less or more code would bring", 440, 270);
    plot_label(p, 'x', "machine code, KiB");
    plot_axis_linear(p, 'x', (Range){ 0, most * 1.06 }, 8, 1);
    percent_axis(p, top);
    name_points(as, p, 360 / (most * 1.06), 210 / fmax(top * 1.12, 0.5));
    add_points(as, p, "within", 0, as->kept + 1);
    add_points(as, p, "beyond", as->kept, as->ncurve);
    add_points(as, p, "mark", as->kept, as->kept + 1);
    plot_draw(p, "beyond", "lines", LOOK_GENERAL);
    plot_draw(p, "beyond", "points pt 7 ps 0.33", LOOK_CLOUD);
    plot_draw(p, "within", "lines", LOOK_CHOSEN);
    plot_draw(p, "within", "points pt 7 ps 0.51", LOOK_DOT);
    plot_draw(p, "mark", "points pt 6 ps 0.82", LOOK_BEST);
}

/* ---- the search ---- */

static int by_n(const void *x, const void *y, void *study)
{
    const Trial *trial = ((const Study *)study)->trial;
    return order_number(&trial[*(const int64_t *)x].n, &trial[*(const int64_t *)y].n);
}

/* The tuned target's trials as they were recorded, one after the other; how many. 0: of some the records do not tell. */
static int64_t search_order(const Study *s, int64_t *order)
{
    int64_t n = 0;
    for (int64_t i = 0; i < s->ntrial; i++) {
        if (s->trial[i].c.target == s->target && !s->trial[i].n)
            return 0;
        if (s->trial[i].c.target == s->target)
            order[n++] = i;
    }
    qsort_r(order, (size_t)n, sizeof *order, by_n, (void *)s);
    return n;
}

/* After each of n trials, the weighted mean over tuned shapes of best so far / best of all - 1; INFINITY while a shape has
 * no time yet. */
static void progress_of(const Report *r, const int64_t *order, int64_t n, double *percent)
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
    progress_of(r, order, n, percent);
    if (n < 2 || !isfinite(percent[n - 1]))
        return;
    for (int64_t i = 0; i < n; i++)
        if (isfinite(percent[i]))
            top = fmax(top, fmin(percent[i], MOST_PROGRESS));
    Plot *p = report_plot(r, "progress_figure", "progress", "Best so far", 440, 270);
    plot_label(p, 'x', "kernels measured");
    plot_axis_linear(p, 'x', (Range){ 1, (double)n }, 8, 1);
    percent_axis(p, top);
    plot_data(p, "line");
    for (int64_t i = 0; i < n; i++)
        if (isfinite(percent[i]))
            text_printf(&p->script, "%lld %.7g\n", (long long)(1 + i), fmax(percent[i], 0));
    plot_data_end(p);
    plot_draw(p, "line", "steps", LOOK_CHOSEN);
}

void report_draw_search(Report *r)
{
    draw_curve(r);
    draw_progress(r);
}
