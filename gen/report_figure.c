/* SPDX-License-Identifier: Apache-2.0
 *
 * report_figure: the figures' scripts for gnuplot. Numbers go into data blocks, ranges and ticks are chosen here, so
 * that no version of gnuplot has a choice to make.
 */
#include <math.h>
#include <string.h>
#include "gen/choice.h"
#include "gen/number.h"
#include "gen/report_private.h"

enum { LINE_POINTS = 160, CLOUD_POINTS = 1500, MAX_TICK = 9, BAR_HEIGHT = 44 };

typedef struct {
    double lo, hi;
} Range;

static const Range NOTHING = { INFINITY, -INFINITY };

static void range_add(Range *r, double v)
{
    r->lo = fmin(r->lo, v);
    r->hi = fmax(r->hi, v);
}

static Plot *plot_begin(Report *r, int *index, int width, int height)
{
    Plot *p = &r->plot[r->nplot];
    *index = r->nplot++;
    *p = (Plot){ .width = width, .height = height, .script = { .arena = r->arena } };
    text_printf(&p->script,
                "set border 3 lw 1 lc rgb '#%06x'\nset grid lt 1 lw 1 dt 1 lc rgb '#%06x'\n"
                "set tics nomirror scale 0.5,0 textcolor rgb '#%06x'\nset key off\n"
                "set rmargin 1.5\nset tmargin 0.8\nset lmargin 8\nset bmargin 3\n",
                LOOK_AXIS, LOOK_GRID, LOOK_TEXT);
    return p;
}

static void label(Plot *p, char axis, const char *text)
{
    text_printf(&p->script, "set %clabel '%s' offset %s textcolor rgb '#%06x'\n", axis,
                plot_word(p->script.arena, text), axis == 'x' ? "0,0.4" : "0.8,0", LOOK_TEXT);
}

/* ---- ticks ---- */

static int ticks_log(Range r, const double *mantissa, int nmantissa, double *out)
{
    int n = 0;
    for (double decade = pow(10, floor(log10(r.lo))); decade <= r.hi; decade *= 10)
        for (int i = 0; i < nmantissa; i++)
            if (decade * mantissa[i] >= r.lo && decade * mantissa[i] <= r.hi) {
                if (n == MAX_TICK)
                    return n + 1;
                out[n++] = decade * mantissa[i];
            }
    return n;
}

static void set_ticks(Plot *p, char axis, const double *at, int n, double unit)
{
    text_printf(&p->script, "set %ctics (", axis);
    for (int i = 0; i < n; i++)
        text_printf(&p->script, "%s'%.6g' %.9g", i ? ", " : "", at[i] / unit, at[i]);
    text_add(&p->script, ")\n");
}

/* A logarithmic axis with the densest ticks of one sort that leave room for their numbers. */
static void axis_log(Plot *p, char axis, Range r, int max_tick)
{
    static const struct {
        int n;
        double mantissa[6];
    } density[] = { { 6, { 1, 1.5, 2, 3, 5, 7 } }, { 3, { 1, 2, 5 } }, { 2, { 1, 3 } }, { 1, { 1 } } };
    double at[MAX_TICK], decades[MAX_TICK];
    int n = 0;
    for (size_t i = 0; i < sizeof density / sizeof *density; i++) {
        n = ticks_log(r, density[i].mantissa, density[i].n, at);
        if (n <= max_tick)
            break;
    }
    if (n > MAX_TICK) { /* very many decades: every second or third one */
        int step = 1 + (int)(log10(r.hi / r.lo) / (MAX_TICK - 2));
        n = 0;
        for (double v = pow(10, ceil(log10(r.lo))); v <= r.hi && n < MAX_TICK; v *= pow(10, step))
            decades[n++] = v;
        memcpy(at, decades, sizeof at);
    }
    text_printf(&p->script, "set logscale %c\nset %crange [%.9g:%.9g]\n", axis, axis, r.lo, r.hi);
    set_ticks(p, axis, at, n, 1);
}

/* A linear axis from 0 or another whole start, in steps of 1, 2 or 5 times a power of ten. */
static void axis_linear(Plot *p, char axis, Range r, int max_tick, double least_step)
{
    double at[MAX_TICK + 1], step = fmax(pow(10, floor(log10((r.hi - r.lo) / max_tick))), least_step);
    for (int i = 0; (r.hi - r.lo) / step > max_tick; i++)
        step *= i % 3 == 1 ? 2.5 : 2;
    int n = 0;
    for (double v = ceil(r.lo / step) * step; v <= r.hi * (1 + 1e-9) && n <= MAX_TICK; v += step)
        at[n++] = v;
    text_printf(&p->script, "set %crange [%.9g:%.9g]\n", axis, r.lo, r.hi);
    set_ticks(p, axis, at, n, 1);
}

/* ---- data ---- */

static void data_begin(Plot *p, const char *name) { text_printf(&p->script, "$%s << END\n", name); }

static int data_add(Plot *p, double x, double y)
{
    bool ok = isfinite(x) && isfinite(y) && x > 0 && y > 0;
    if (ok)
        text_printf(&p->script, "%.7g %.7g\n", x, y);
    return ok;
}

static void data_end(Plot *p) { text_add(&p->script, "END\n"); }

/* One piece of the plot command; style: "lines lw 2", "points pt 7". */
static void draw(Plot *p, bool first, const char *data, const char *style, int look)
{
    text_printf(&p->script, "%s%s using 1:2 with %s lc rgb '#%06x'", first ? "plot " : ", ", data, style, look);
}

/* ---- speed: one panel a group ---- */

static bool has_flops(const Report *r) { return choice_flops(r->in->spec, r->in->spec->instance[0].extent) > 0; }

/* GFLOP/s, or for an op without such work the time in us. */
static double speed(const Report *r, const Instance *inst, double ns)
{
    double flops = choice_flops(r->in->spec, inst->extent);
    return flops > 0 ? flops / ns : ns * 1e-3;
}

static double varying(const Report *r, int64_t instance)
{
    return (double)r->in->spec->instance[instance].extent[r->groups.axis];
}

static double chosen_ns(const Report *r, int64_t i) { return report_cost(r, i, r->in->assignment->chosen[i]); }
static double general_ns(const Report *r, int64_t i) { return report_cost(r, i, r->in->assignment->general); }
static double oracle_ns(const Report *r, int64_t i) { return r->in->assignment->oracle_ns[i]; }

typedef double TimeOf(const Report *, int64_t instance);

/* Points of a group: tuned ones, or all but at most about LINE_POINTS, evenly on a logarithmic scale. */
static int add_series(const Report *r, Plot *p, const char *name, const Group *g, TimeOf *time, bool tuned, Range *y)
{
    double first = varying(r, g->at[0]), last = varying(r, g->at[g->n - 1]);
    double step = log(last / first) / LINE_POINTS, next = 0;
    int n = 0;
    data_begin(p, name);
    for (int64_t i = 0; i < g->n; i++) {
        const Instance *inst = &r->in->spec->instance[g->at[i]];
        double x = varying(r, g->at[i]), v = speed(r, inst, time(r, g->at[i]));
        if (tuned ? !inst->tuned : log(x / first) < next && i + 1 < g->n && !inst->tuned)
            continue;
        if (data_add(p, x, v)) {
            range_add(y, v);
            n++;
        }
        next = log(x / first) + step;
    }
    data_end(p);
    return n;
}

static Range widened(Range r, double factor) { return (Range){ r.lo / factor, r.hi * factor }; }

/* Of all panels, so that they can be compared. */
static Range shared_x(const Report *r)
{
    Range x = NOTHING;
    for (int i = 0; i < r->groups.ngroup; i++)
        for (int64_t k = 0; r->groups.group[i].bar && k < r->groups.group[i].n; k++)
            if (varying(r, r->groups.group[i].at[k]) > 0)
                range_add(&x, varying(r, r->groups.group[i].at[k]));
    return x;
}

static Range shared_y(const Report *r)
{
    Plot unused = { .script = { .arena = r->arena } };
    Range y = NOTHING;
    for (int i = 0; i < r->groups.ngroup; i++)
        if (r->groups.group[i].panel) {
            add_series(r, &unused, "x", &r->groups.group[i], chosen_ns, false, &y);
            add_series(r, &unused, "x", &r->groups.group[i], oracle_ns, false, &y);
            add_series(r, &unused, "x", &r->groups.group[i], general_ns, true, &y);
        }
    return y;
}

static void draw_panel(Report *r, const Group *g, int *index, Range x, Range y)
{
    Range seen = NOTHING;
    Plot *p = plot_begin(r, index, 440, 270);
    label(p, 'x', r->in->spec->op->axis[r->groups.axis].name);
    label(p, 'y', has_flops(r) ? "GFLOP/s" : "time, microseconds");
    axis_log(p, 'x', widened(x, 1.08), 8);
    axis_log(p, 'y', widened(y, 1.12), 6);
    int ngeneral = add_series(r, p, "general", g, general_ns, false, &seen);
    int nline = add_series(r, p, "line", g, chosen_ns, false, &seen);
    int nbest = add_series(r, p, "best", g, oracle_ns, true, &seen);
    int ndot = add_series(r, p, "dot", g, chosen_ns, true, &seen);
    const struct {
        int n;
        const char *data, *style;
        int look;
    } row[] = { { ngeneral, "$general", "lines", LOOK_GENERAL },
                { nline, "$line", "lines", LOOK_CHOSEN },
                { nbest, "$best", "points pt 6", LOOK_BEST },
                { ndot, "$dot", "points pt 7", LOOK_DOT } };
    bool first = true;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++)
        if (row[i].n) {
            draw(p, first, row[i].data, row[i].style, row[i].look);
            first = false;
        }
    text_add(&p->script, "\n");
}

static void draw_panels(Report *r)
{
    Range x = shared_x(r), y = shared_y(r);
    for (int i = 0; i < r->groups.ngroup; i++)
        if (r->groups.group[i].panel && x.lo < x.hi && y.lo <= y.hi)
            draw_panel(r, &r->groups.group[i], &r->panel[i], x, y);
}

/* ---- the map: one bar a group, one piece a run of shapes with one kernel ---- */

static void add_run(Plot *p, Text *labels, double left, double right, double bottom, int kernel, double pixels)
{
    text_printf(&p->script, "%.7g %.7g %.7g %.7g %.7g %.7g %d\n", sqrt(left * right), bottom + 0.25, left, right,
                bottom + 0.05, bottom + 0.45, LOOK_KERNEL + kernel % LOOK_NKERNEL);
    if (pixels > (kernel < 10 ? 20 : 28))
        text_printf(labels, "set label 'k%d' at %.7g,%.7g center front textcolor rgb '#%06x'\n", kernel,
                    sqrt(left * right), bottom + 0.25, LOOK_LABEL);
}

/* Runs meet half-way between their shapes. */
static void add_bar(const Report *r, Plot *p, Text *labels, const Group *g, double bottom, double pixels_per_log)
{
    const int *chosen = r->in->assignment->chosen;
    double left = varying(r, g->at[0]) / 1.03;
    for (int64_t i = 0; i < g->n; i++) {
        double x = varying(r, g->at[i]), right = i + 1 < g->n ? sqrt(x * varying(r, g->at[i + 1])) : x * 1.03;
        if (i + 1 < g->n && chosen[g->at[i]] == chosen[g->at[i + 1]])
            continue;
        add_run(p, labels, left, right, bottom, chosen[g->at[i]], pixels_per_log * log(right / left));
        left = right;
    }
}

static void draw_map(Report *r, int *index, int width)
{
    Range x = shared_x(r);
    if (!(x.lo < x.hi))
        return;
    int row = r->groups.nbar;
    Plot *p = plot_begin(r, index, width, 58 + BAR_HEIGHT * row);
    Text labels = { .arena = r->arena };
    x = widened(x, 1.08);
    text_add(&p->script, "unset grid\nset border 1\nset lmargin 1.5\nset tmargin 0\nunset ytics\n"
                         "set style fill solid 1 noborder\n");
    label(p, 'x', r->in->spec->op->axis[r->groups.axis].name);
    axis_log(p, 'x', x, 9);
    text_printf(&p->script, "set yrange [0:%d]\n", row);
    data_begin(p, "run");
    for (int i = 0; i < r->groups.ngroup; i++)
        if (r->groups.group[i].bar) {
            add_bar(r, p, &labels, &r->groups.group[i], --row, (width - 25) / log(x.hi / x.lo));
            text_printf(&labels, "set label '%s' at graph 0, first %.7g offset 0.3,0 textcolor rgb '#%06x'\n",
                        plot_word(r->arena, r->groups.group[i].label), row + 0.63, LOOK_TEXT);
        }
    data_end(p);
    text_add(&p->script, text_str(&labels));
    text_add(&p->script, "plot $run using 1:2:3:4:5:6:7 with boxxyerror lc rgb variable\n");
}

/* ---- predicted against measured ---- */

static bool is_kept(const Report *r, int64_t trial)
{
    for (int k = 0; k < r->in->assignment->nkernel; k++)
        if (r->in->assignment->kernel[k] == trial)
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

/* Times in us of every stride-th measured pair, of the kept kernels or of the others. */
static int add_cloud(const Report *r, Plot *p, const char *name, bool kept, int64_t stride, Range *range)
{
    const Study *s = r->in->study;
    int n = 0;
    int64_t seen = 0;
    data_begin(p, name);
    for (int64_t i = 0; i < s->ntrial; i++)
        for (int64_t j = 0; trial_usable(&s->trial[i]) && is_kept(r, i) == kept && j < s->nshape; j++) {
            if (!(s->trial[i].ns[j] > 0) || seen++ % stride)
                continue;
            const Instance *inst = s->shape[j];
            double us = s->trial[i].ns[j] * 1e-3;
            double predicted = cost_predict(r->in->model, &s->trial[i].c, inst->extent, inst->threads) * 1e-3;
            if (data_add(p, us, predicted)) {
                range_add(range, us);
                range_add(range, predicted);
                n++;
            }
        }
    data_end(p);
    return n;
}

static void draw_scatter(Report *r)
{
    int64_t n = measured_pairs(r->in->study);
    Range range = NOTHING;
    if (n == 0 || r->in->cost.nmeasure == 0)
        return;
    Plot *p = plot_begin(r, &r->scatter, 440, 360);
    int ncloud = add_cloud(r, p, "cloud", false, n / CLOUD_POINTS + 1, &range);
    int nkept = add_cloud(r, p, "kept", true, n / CLOUD_POINTS + 1, &range);
    if (ncloud + nkept == 0) {
        r->scatter = -1;
        r->nplot--;
        return;
    }
    range = widened(range, 1.2);
    label(p, 'x', "measured, microseconds");
    label(p, 'y', "predicted, microseconds");
    axis_log(p, 'x', range, 6);
    axis_log(p, 'y', range, 6);
    text_printf(&p->script, "$guide << END\n%.9g %.9g\n%.9g %.9g\nEND\n", range.lo, range.lo, range.hi, range.hi);
    draw(p, true, "$guide", "lines", LOOK_GUIDE);
    if (ncloud)
        draw(p, false, "$cloud", "points pt 7", LOOK_CLOUD);
    if (nkept)
        draw(p, false, "$kept", "points pt 7", LOOK_KEPT);
    text_add(&p->script, "\n");
}

/* ---- time above the best known, in percent, against kernels kept and against trials ---- */

static void draw_percent(Report *r, int *index, const char *x_label, const double *percent, int64_t n, int64_t first,
                         int64_t marked)
{
    double top = 0;
    for (int64_t i = 0; i < n; i++)
        if (isfinite(percent[i]))
            top = fmax(top, fmin(percent[i], 200));
    Plot *p = plot_begin(r, index, 440, 270);
    label(p, 'x', x_label);
    label(p, 'y', "above best known, %");
    double room = marked > 0 ? 0.2 : 0; /* for the dots */
    axis_linear(p, 'x', (Range){ (double)first - room, (double)(first + n - 1) + room }, 8, 1);
    axis_linear(p, 'y', (Range){ 0, fmax(top * 1.08, 0.5) }, 6, 0.1);
    data_begin(p, "line");
    for (int64_t i = 0; i < n; i++)
        if (isfinite(percent[i]))
            text_printf(&p->script, "%lld %.7g\n", (long long)(first + i), fmax(percent[i], 0));
    data_end(p);
    if (marked > 0)
        text_printf(&p->script, "$mark << END\n%lld %.7g\nEND\n", (long long)marked, fmax(percent[marked - first], 0));
    draw(p, true, "$line", marked > 0 ? "lines" : "steps", LOOK_CHOSEN);
    if (marked > 0) {
        draw(p, false, "$line", "points pt 7", LOOK_DOT);
        draw(p, false, "$mark", "points pt 6", LOOK_BEST);
    }
    text_add(&p->script, "\n");
}

static void draw_curve(Report *r)
{
    const Assignment *as = r->in->assignment;
    double percent[64];
    for (int i = 0; i < as->ncurve; i++)
        percent[i] = as->curve[i] * 100;
    if (as->ncurve > 1)
        draw_percent(r, &r->curve, "kernels kept", percent, as->ncurve, 1,
                     as->nkernel <= as->ncurve ? as->nkernel : as->ncurve);
}

/* After each trial, the weighted mean over tuned shapes of best so far / best of all - 1; INFINITY while a shape has
 * no time yet. */
static void progress_of(const Report *r, double *percent)
{
    const Study *s = r->in->study;
    double *best = ARENA_ARRAY(r->arena, (size_t)s->nshape + 1, double);
    double *known = ARENA_ARRAY(r->arena, (size_t)s->nshape + 1, double);
    for (int64_t j = 0; j < s->nshape; j++) {
        best[j] = INFINITY;
        known[j] = study_best(s, j, NULL);
    }
    for (int64_t i = 0; i < r->in->norder; i++) {
        const Trial *t = &s->trial[r->in->order[i]];
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
    int64_t n = r->in->norder;
    if (!r->in->order || n < 2)
        return;
    double *percent = ARENA_ARRAY(r->arena, (size_t)n, double);
    progress_of(r, percent);
    if (isfinite(percent[n - 1]))
        draw_percent(r, &r->progress, "kernels measured", percent, n, 1, 0);
}

void report_draw(Report *r)
{
    draw_panels(r);
    draw_map(r, &r->map, 900);
    draw_map(r, &r->narrow_map, 440); /* for a phone's screen */
    draw_scatter(r);
    draw_curve(r);
    draw_progress(r);
    plot_run(r->arena, r->plot, r->nplot, &r->no_plot);
}
