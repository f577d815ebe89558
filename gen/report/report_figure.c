/* SPDX-License-Identifier: Apache-2.0
 *
 * report_figure: speed against the varying extent, one panel a group of shapes; and all figures by one gnuplot.
 */
#include <math.h>
#include "gen/report/choice.h"
#include "gen/report/report_axis.h"

enum { LINE_POINTS = 160 };
static const double OVER_ROOF = 1.5;

static bool has_flops(const Report *r) { return spec_flops(r->spec, r->spec->instance[0].extent) > 0; }

/* GFLOP/s, or for an op without such work the time in us. */
static double speed(const Report *r, const Instance *inst, double ns)
{
    double flops = spec_flops(r->spec, inst->extent);
    return flops > 0 ? flops / ns : ns * 1e-3;
}

double report_varying(const Report *r, int64_t instance)
{
    const Instance *inst = &r->spec->instance[instance];
    return (double)inst->extent[r->groups.axis[inst->decl]];
}

static double chosen_ns(const Report *r, int64_t i) { return report_cost(r, i, r->assignment->chosen[i]); }
static double general_ns(const Report *r, int64_t i) { return report_cost(r, i, r->assignment->general); }
static double oracle_ns(const Report *r, int64_t i) { return r->assignment->oracle_ns[i]; }

/* The least that arithmetic and memory allow; 0: not known. */
static double bound_ns(const Report *r, int64_t i)
{
    const Instance *inst = &r->spec->instance[i];
    Bound b;
    return roofline_bound(&r->roofline, inst->extent, inst->threads, &b) ? b.ns : 0;
}

static double library_ns(const Report *r, int64_t i)
{
    const Instance *inst = &r->spec->instance[i];
    const int64_t shape = study_shape(r->study, inst->extent, inst->threads);
    return shape >= 0 ? study_library(r->study, shape) : 0;
}

typedef double TimeOf(const Report *, int64_t instance);

/* Points of a group: tuned ones, or all but at most about LINE_POINTS, evenly on a logarithmic scale. */
static int add_series(const Report *r, Plot *p, const char *name, const Group *g, TimeOf *time, bool tuned, Range *y)
{
    double first = report_varying(r, g->at[0]), last = report_varying(r, g->at[g->n - 1]);
    double step = log(last / first) / LINE_POINTS, next = 0;
    int n = 0;
    data_begin(p, name);
    for (int64_t i = 0; i < g->n; i++) {
        const Instance *inst = &r->spec->instance[g->at[i]];
        const double x = report_varying(r, g->at[i]), ns = time(r, g->at[i]);
        const double v = ns > 0 ? speed(r, inst, ns) : 0;
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

/* Of all panels, so that they can be compared. */
Range report_shared_x(const Report *r)
{
    Range x = RANGE_NOTHING;
    for (int i = 0; i < r->groups.ngroup; i++)
        for (int64_t k = 0; r->groups.group[i].bar && k < r->groups.group[i].n; k++)
            if (report_varying(r, r->groups.group[i].at[k]) > 0)
                range_add(&x, report_varying(r, r->groups.group[i].at[k]));
    return x;
}

/* What the model says of shapes far from any that was measured may be absurd: for that the axis ends a little above the roofline. What
 * tuned shapes have is always on it. */
static Range shared_y(const Report *r)
{
    Plot unused = { .script = { .arena = r->arena } };
    Range line = RANGE_NOTHING, tuned = RANGE_NOTHING, roof = RANGE_NOTHING;
    for (int i = 0; i < r->groups.ngroup; i++)
        if (r->groups.group[i].panel) {
            add_series(r, &unused, "x", &r->groups.group[i], chosen_ns, false, &line);
            add_series(r, &unused, "x", &r->groups.group[i], chosen_ns, true, &tuned);
            add_series(r, &unused, "x", &r->groups.group[i], oracle_ns, true, &tuned);
            add_series(r, &unused, "x", &r->groups.group[i], general_ns, true, &tuned);
            add_series(r, &unused, "x", &r->groups.group[i], library_ns, true, &tuned);
            add_series(r, &unused, "x", &r->groups.group[i], bound_ns, false, &roof);
        }
    if (roof.lo <= roof.hi && has_flops(r))
        line.hi = fmin(line.hi, OVER_ROOF * roof.hi);
    return (Range){ fmin(fmin(line.lo, tuned.lo), roof.lo), fmax(fmax(line.hi, tuned.hi), roof.hi) };
}

static void draw_panel(Report *r, const Group *g, int *index, Range x, Range y)
{
    Range seen = RANGE_NOTHING;
    Plot *p = figure_begin(r, index, 440, 270);
    figure_label(p, 'x', r->spec->op->axis[g->axis].name);
    figure_label(p, 'y', has_flops(r) ? "GFLOP/s" : "time, microseconds");
    axis_log(p, 'x', range_widened(x, 1.08), 8);
    axis_log(p, 'y', range_widened(y, 1.12), 6);
    int nroof = add_series(r, p, "roof", g, bound_ns, false, &seen);
    int nlibrary = add_series(r, p, "library", g, library_ns, true, &seen);
    int ngeneral = add_series(r, p, "general", g, general_ns, false, &seen);
    int nline = add_series(r, p, "line", g, chosen_ns, false, &seen);
    int nbest = add_series(r, p, "best", g, oracle_ns, true, &seen);
    int ndot = add_series(r, p, "dot", g, chosen_ns, true, &seen);
    const struct {
        int n;
        const char *data, *style;
        int look;
    } row[] = { { nroof, "$roof", "lines", LOOK_ROOF },
                { ngeneral, "$general", "lines", LOOK_GENERAL },
                { nlibrary, "$library", "lines", LOOK_LIBRARY },
                { nlibrary, "$library", "points pt 7 ps 0.45", LOOK_LIBRARY_DOT },
                { nline, "$line", "lines", LOOK_CHOSEN },
                { nbest, "$best", "points pt 6 ps 0.82", LOOK_BEST },
                { ndot, "$dot", "points pt 7 ps 0.51", LOOK_DOT } };
    bool first = true;
    r->has_roof = r->has_roof || nroof;
    r->has_library = r->has_library || nlibrary;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++)
        if (row[i].n) {
            figure_draw(p, first, row[i].data, row[i].style, row[i].look);
            first = false;
        }
    text_add(&p->script, "\n");
}

static void draw_panels(Report *r)
{
    Range x = report_shared_x(r), y = shared_y(r);
    for (int i = 0; i < r->groups.ngroup; i++)
        if (r->groups.group[i].panel && x.lo < x.hi && y.lo <= y.hi)
            draw_panel(r, &r->groups.group[i], &r->panel[i], x, y);
}

bool report_draw(Report *r, const char **err)
{
    draw_panels(r);
    report_draw_maps(r);
    report_draw_model(r);
    report_draw_search(r);
    return plot_run(r->arena, r->plot, r->nplot, err);
}
