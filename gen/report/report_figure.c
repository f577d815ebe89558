/* SPDX-License-Identifier: Apache-2.0
 *
 * report_figure: speed against the varying extent, one panel a group of shapes; and all figures by one gnuplot.
 */
#include <math.h>
#include "gen/report/report_private.h"

enum { LINE_POINTS = 160 };
static const double OVER_ROOF = 1.5;

Plot *report_plot(Report *r, const char *word, const char *id, const char *caption, int width, int height)
{
    Plot *p = &r->plot[r->nplot];
    *p = (Plot){ .name = arena_printf(r->arena, "%s_%d", r->study->target->name, r->nplot++),
                 .width = width,
                 .height = height,
                 .script = { .arena = r->arena },
                 .drawing = { .arena = r->arena },
                 .word = word,
                 .id = id,
                 .caption = caption };
    text_printf(&p->script,
                "set border 3 back lw 1 lc rgb '#%06x'\nset grid lt 1 lw 1 dt 1 lc rgb '#%06x'\n"
                "set tics nomirror scale 0.5,0 textcolor rgb '#%06x'\nset key off\n"
                "set rmargin 1.5\nset tmargin 0.8\nset lmargin 8\nset bmargin 3\n",
                LOOK_AXIS, LOOK_GRID, LOOK_TEXT);
    return p;
}

/* ---- speed ---- */

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

/* What a panel shows, in the order in which it is drawn. */
typedef struct {
    const char *name;
    double (*time)(const Report *, int64_t instance);
    bool tuned; /* of tuned shapes alone */
    const char *style;
    int look;
} Series;

static const Series SERIES[] = { { "roof", bound_ns, false, "lines", LOOK_ROOF },
                                 { "general", general_ns, false, "lines", LOOK_GENERAL },
                                 { "library", library_ns, true, "lines", LOOK_LIBRARY },
                                 { "library_dot", library_ns, true, "points pt 7 ps 0.45", LOOK_LIBRARY_DOT },
                                 { "line", chosen_ns, false, "lines", LOOK_CHOSEN },
                                 { "best", oracle_ns, true, "points pt 6 ps 0.82", LOOK_BEST },
                                 { "dot", chosen_ns, true, "points pt 7 ps 0.51", LOOK_DOT } };
enum { NSERIES = sizeof SERIES / sizeof *SERIES };

/* Points of a group: tuned ones, or all but at most about LINE_POINTS, evenly on a logarithmic scale. False: there is none. */
static bool add_series(const Report *r, Plot *p, const Series *s, const Group *g, bool tuned, Range *y)
{
    double first = report_varying(r, g->at[0]), last = report_varying(r, g->at[g->n - 1]);
    double step = log(last / first) / LINE_POINTS, next = 0;
    bool any = false;
    plot_data(p, s->name);
    for (int64_t i = 0; i < g->n; i++) {
        const Instance *inst = &r->spec->instance[g->at[i]];
        const double x = report_varying(r, g->at[i]), ns = s->time(r, g->at[i]);
        const double v = ns > 0 ? speed(r, inst, ns) : 0;
        if (tuned ? !inst->tuned : log(x / first) < next && i + 1 < g->n && !inst->tuned)
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
    Range line = RANGE_NOTHING, always = RANGE_NOTHING, roof = RANGE_NOTHING;
    for (int i = 0; i < r->groups.ngroup; i++)
        for (const Series *s = SERIES; r->groups.group[i].panel && s < SERIES + NSERIES; s++) {
            const bool is_roof = s->time == bound_ns;
            add_series(r, &unused, s, &r->groups.group[i], !is_roof, is_roof ? &roof : &always);
            if (s->time == chosen_ns)
                add_series(r, &unused, s, &r->groups.group[i], false, &line);
        }
    if (roof.lo <= roof.hi && has_flops(r))
        line.hi = fmin(line.hi, OVER_ROOF * roof.hi);
    return (Range){ fmin(fmin(line.lo, always.lo), roof.lo), fmax(fmax(line.hi, always.hi), roof.hi) };
}

static void draw_panel(Report *r, int group, Range x, Range y)
{
    const Group *g = &r->groups.group[group];
    Range seen = RANGE_NOTHING;
    Plot *p = report_plot(r, "speed_figures", arena_printf(r->arena, "panel-%d", group), g->label, 440, 270);
    plot_label(p, 'x', r->spec->op->axis[g->axis].name);
    plot_label(p, 'y', has_flops(r) ? "GFLOP/s" : "time, microseconds");
    plot_axis_log(p, 'x', range_widened(x, 1.08), 8);
    plot_axis_log(p, 'y', range_widened(y, 1.12), 6);
    for (const Series *s = SERIES; s < SERIES + NSERIES; s++)
        if (add_series(r, p, s, g, s->tuned, &seen)) {
            plot_draw(p, s->name, s->style, s->look);
            r->has_roof = r->has_roof || s->look == LOOK_ROOF;
            r->has_library = r->has_library || s->look == LOOK_LIBRARY;
        }
}

static void draw_panels(Report *r)
{
    Range x = report_shared_x(r), y = shared_y(r);
    for (int i = 0; i < r->groups.ngroup; i++)
        if (r->groups.group[i].panel && x.lo < x.hi && y.lo <= y.hi)
            draw_panel(r, i, x, y);
}

bool report_draw(Report *r, const char **err)
{
    draw_panels(r);
    report_draw_maps(r);
    report_draw_model(r);
    report_draw_search(r);
    return plot_run(r->arena, r->plot, r->nplot, err);
}
