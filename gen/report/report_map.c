/* SPDX-License-Identifier: Apache-2.0
 *
 * report_map: which kernel serves which shape: bars where one extent varies, planes where two do.
 */
#define _GNU_SOURCE
#include <math.h>
#include <string.h>
#include <stdlib.h>
#include "gen/base/order.h"
#include "gen/base/quote.h"
#include "gen/report/report_private.h"
#include "gen/report/words.h"

/* BAR_HEIGHT: pixels; MAX_ROW: rows of a plane that are drawn, about; MAX_NAMED: the first so many kernels may have a
 * name in a plane */
enum { BAR_HEIGHT = 44, MAX_ROW = 48, MAX_NAMED = 64 };

/* ---- boxes ---- */

/* Adds a line of data: the middle of a box, its edges, and its kernel's colour. */
static void add_box(Plot *p, Range x, Range y, double middle_y, int kernel)
{
    text_printf(&p->script, "%.7g %.7g %.7g %.7g %.7g %.7g %d\n", sqrt(x.lo * x.hi), middle_y, x.lo, x.hi, y.lo, y.hi,
                LOOK_KERNEL + kernel % LOOK_NKERNEL);
}

static void add_kernel_name(const Report *r, Text *t, int kernel, double x, double y)
{
    text_printf(t, "set label '%s' at %.7g,%.7g center front textcolor rgb '#%06x'\n", report_kernel(r, kernel), x, y,
                LOOK_LABEL);
}

static void draw_boxes(Plot *p, const char *data)
{
    text_printf(&p->drawing, "plot $%s using 1:2:3:4:5:6:7 notitle with boxxyerror lc rgb variable", data);
}

/* ---- one varying extent: one bar a group, one piece a run of shapes with one kernel ---- */

/* Adds the bar of a group, a box a run; boxes meet half-way between shapes. A name takes about 8 pixels a letter. */
static void add_bar(const Report *r, Plot *p, Text *labels, const Group *g, double bottom, double pixels_per_log)
{
    const int *chosen = r->assignment->chosen;
    double left = report_varying(r, g->at[0]) / 1.03;
    for (int64_t i = 0; i < g->n; i++) {
        const int kernel = chosen[g->at[i]];
        const double x = report_varying(r, g->at[i]),
                     right = i + 1 < g->n ? sqrt(x * report_varying(r, g->at[i + 1])) : x * 1.03;
        if (i + 1 < g->n && kernel == chosen[g->at[i + 1]])
            continue;
        add_box(p, (Range){ left, right }, (Range){ bottom + 0.05, bottom + 0.45 }, bottom + 0.25, kernel);
        if (pixels_per_log * log(right / left) > 4 + 8 * (double)strlen(report_kernel(r, kernel)))
            add_kernel_name(r, labels, kernel, sqrt(left * right), bottom + 0.25);
        left = right;
    }
}

static void draw_map(Report *r, const char *word, const char *id, int width)
{
    Range x = report_shared_x(r);
    if (!(x.lo < x.hi))
        return;
    int row = r->groups.nbar;
    Plot *p =
        report_plot(r, word, id, arena_printf(r->arena, "Kernel by %s", r->groups.axes), width, 58 + BAR_HEIGHT * row);
    Text labels = { .arena = r->arena };
    x = range_widened(x, 1.08);
    text_add(&p->script, "unset grid\nset border 1\nset lmargin 1.5\nset tmargin 0\nunset ytics\n"
                         "set style fill solid 1 noborder\n");
    plot_label(p, 'x', r->groups.axes);
    plot_axis_log(p, 'x', x, 9);
    text_printf(&p->script, "set yrange [0:%d]\n", row);
    plot_data(p, "run");
    for (int i = 0; i < r->groups.ngroup; i++)
        if (r->groups.group[i].bar) {
            add_bar(r, p, &labels, &r->groups.group[i], --row, (width - 25) / log(x.hi / x.lo));
            text_printf(&labels, "set label %s at graph 0, first %.7g offset 0.3,0 textcolor rgb '#%06x'\n",
                        quote_gnuplot(r->arena, r->groups.group[i].label), row + 0.63, LOOK_TEXT);
        }
    plot_data_end(p);
    text_add(&p->script, text_str(&labels));
    draw_boxes(p, "run");
}

/* ---- two varying extents: a plane of them for each declared shape that has both ---- */

/* The instances of a declared shape that have one number of threads. */
typedef struct {
    const Report *r;
    int x, y; /* the extents on its axes */
    int64_t n;
    int64_t *at; /* instances, by y, then x */
} Plane;

static double extent_of(const Plane *q, int64_t i, int axis)
{
    return (double)q->r->spec->instance[q->at[i]].extent[axis];
}

static int by_row(const void *pa, const void *pb, void *ctx)
{
    const Plane *q = ctx;
    const Instance *inst = q->r->spec->instance;
    const int64_t *a = inst[*(const int64_t *)pa].extent, *b = inst[*(const int64_t *)pb].extent;
    return order_numbers((int64_t[]){ a[q->y], a[q->x] }, (int64_t[]){ b[q->y], b[q->x] }, 2);
}

/* Gives the plane these two axes, sorts its instances by them, and returns how many different points there are. */
static int64_t set_axes(Plane *q, int x, int y)
{
    int64_t n = 0;
    q->x = x;
    q->y = y;
    qsort_r(q->at, (size_t)q->n, sizeof *q->at, by_row, q);
    for (int64_t i = 0; i < q->n; i++)
        n += i == 0 || by_row(&q->at[i - 1], &q->at[i], q) != 0;
    return n;
}

/* Gives the plane its axes, of those that are axes of the op: the extent with the most values, and, of those that vary
 * independently of it, the one with the most values. False: no other extent varies independently. */
static bool choose_axes(Plane *q)
{
    const int naxis = q->r->spec->op->naxis;
    int64_t most = 1, second = 1;
    int x = 0, y = -1;
    for (int axis = 0; axis < naxis; axis++) {
        const int64_t n = set_axes(q, axis, axis);
        if (n > most) {
            most = n;
            x = axis;
        }
    }
    for (int axis = 0; axis < naxis; axis++) {
        const int64_t n = axis == x ? 1 : set_axes(q, axis, axis);
        if (n > second && set_axes(q, x, axis) > most) {
            second = n;
            y = axis;
        }
    }
    return y >= 0 && set_axes(q, x, y) > most;
}

/* The range that a value stands for. It ends half-way to its neighbours (0: there is none) on a logarithmic scale;
 * where one neighbour is missing, it reaches as far as on the other side. */
static Range range_around(double before, double v, double after)
{
    const double down = before > 0 ? before / v : after > 0 ? v / after : 1 / 1.21;
    const double up = after > 0 ? after / v : before > 0 ? v / before : 1.21;
    return (Range){ v * sqrt(down), v * sqrt(up) };
}

/* What is drawn of a plane so far. */
typedef struct {
    Plot *p;
    Range range_x, range_y;
    double pixels_x, pixels_y; /* how long a factor of e is */
    double largest[MAX_NAMED]; /* of each kernel the size of its largest box so far; 0: none has room for its name */
    double x[MAX_NAMED], y[MAX_NAMED]; /* the middle of that box */
} Canvas;

static Range range_within(Range r, Range bounds) { return (Range){ fmax(r.lo, bounds.lo), fmin(r.hi, bounds.hi) }; }

/* Adds the box of a run within a row. Its kernel's name may stand in the largest of its boxes that is wide enough. */
static void add_cell(Canvas *c, int kernel, Range x, Range y)
{
    x = range_within(x, c->range_x);
    y = range_within(y, c->range_y);
    const double width = c->pixels_x * log(x.hi / x.lo), height = c->pixels_y * log(y.hi / y.lo);
    const double middle_x = sqrt(x.lo * x.hi), middle_y = sqrt(y.lo * y.hi);
    add_box(c->p, x, y, middle_y, kernel);
    if (kernel < MAX_NAMED && width > 24 && width * fmin(height, 16) > c->largest[kernel]) {
        c->largest[kernel] = width * fmin(height, 16);
        c->x[kernel] = middle_x;
        c->y[kernel] = middle_y;
    }
}

/* Is instance j in the row of i, its neighbour? */
static bool same_row(const Plane *q, int64_t i, int64_t j)
{
    return j >= 0 && j < q->n && extent_of(q, i, q->y) == extent_of(q, j, q->y);
}

/* Adds the row that begins at instance i. y: the range that the row's value stands for. */
static void add_row(const Plane *q, Canvas *c, int64_t i, Range y)
{
    const int *chosen = q->r->assignment->chosen;
    double before = 0, left = 0;
    for (bool more = true; more; i++) {
        more = same_row(q, i, i + 1);
        const double at = extent_of(q, i, q->x);
        const Range x = range_around(before, at, more ? extent_of(q, i + 1, q->x) : 0);
        before = at;
        left = left > 0 ? left : x.lo;
        if (more && chosen[q->at[i]] == chosen[q->at[i + 1]])
            continue;
        add_cell(c, chosen[q->at[i]], (Range){ left, x.hi }, y);
        left = x.hi;
    }
}

/* Writes where each row that is drawn begins, and returns how many. Rows too close to the one below are left out, but
 * not the topmost. */
static int64_t row_starts(const Plane *q, int64_t *start)
{
    const double bottom = extent_of(q, 0, q->y), step = log(extent_of(q, q->n - 1, q->y) / bottom) / MAX_ROW;
    double next = 0;
    int64_t n = 0;
    for (int64_t i = 0; i < q->n; i++) {
        const double y = extent_of(q, i, q->y);
        if (same_row(q, i, i - 1) || (log(y / bottom) < next && y < extent_of(q, q->n - 1, q->y)))
            continue;
        start[n++] = i;
        next = log(y / bottom) + step;
    }
    return n;
}

static Range range_of(const Plane *q, int axis)
{
    Range range = RANGE_NOTHING;
    for (int64_t i = 0; i < q->n; i++)
        range_add(&range, extent_of(q, i, axis));
    return range_widened(range, 1.1);
}

/* True if no kernel with a smaller number has its name there. */
static bool has_room(const Canvas *c, int kernel)
{
    for (int k = 0; k < kernel; k++)
        if (c->largest[k] > 0 && fabs(c->pixels_x * log(c->x[k] / c->x[kernel])) < 24 &&
            fabs(c->pixels_y * log(c->y[k] / c->y[kernel])) < 14)
            return false;
    return true;
}

static void draw_plane(Report *r, Plane *q, int number, const char *text)
{
    const Range x = range_of(q, q->x), y = range_of(q, q->y);
    int64_t *start = ARENA_ARRAY(r->arena, (size_t)q->n + 1, int64_t), n = row_starts(q, start);
    Plot *p = report_plot(r, "plane_figures", arena_printf(r->arena, "plane-%d", number), text, 440, 320);
    Canvas c = {
        .p = p, .range_x = x, .range_y = y, .pixels_x = 370 / log(x.hi / x.lo), .pixels_y = 265 / log(y.hi / y.lo)
    };
    text_add(&p->script, "unset grid\nset style fill solid 1 noborder\n");
    plot_label(p, 'x', r->spec->op->extent[q->x].name);
    plot_label(p, 'y', r->spec->op->extent[q->y].name);
    plot_axis_log(p, 'x', x, 8);
    plot_axis_log(p, 'y', y, 8);
    plot_data(p, "cell");
    for (int64_t i = 0; i < n; i++)
        add_row(q, &c, start[i],
                range_around(i > 0 ? extent_of(q, start[i - 1], q->y) : 0, extent_of(q, start[i], q->y),
                             i + 1 < n ? extent_of(q, start[i + 1], q->y) : 0));
    plot_data_end(p);
    for (int k = 0; k < MAX_NAMED; k++)
        if (c.largest[k] > 0 && has_room(&c, k))
            add_kernel_name(r, &p->script, k, c.x[k], c.y[k]);
    draw_boxes(p, "cell");
}

/* Draws planes, one for each number of threads and declared shape with two independent extents. Returns how many. */
static int draw_planes(Report *r)
{
    const Spec *s = r->spec;
    Plane q = { .r = r, .at = ARENA_ARRAY(r->arena, (size_t)s->ninstance + 1, int64_t) };
    int nplane = 0;
    for (int t = 0; t < s->nthread; t++)
        for (int decl = 0; decl < s->nshape && nplane < REPORT_MAX_PLANE; decl++) {
            q.n = 0;
            for (int64_t i = 0; i < s->ninstance; i++)
                if (s->instance[i].decl == decl && s->instance[i].threads == s->threads[t] &&
                    !choice_is_empty(s, s->instance[i].extent)) /* logarithmic axes have no place for 0 */
                    q.at[q.n++] = i;
            if (q.n > 1 && choose_axes(&q))
                draw_plane(r, &q, nplane++,
                           words_shape_values(r->arena, s->op, spec_shape_texts(r->arena, s, decl),
                                              s->nthread > 1 ? s->threads[t] : 0));
        }
    return nplane;
}

void report_draw_maps(Report *r)
{
    if (draw_planes(r))
        return;
    draw_map(r, "map_figure", "map", 900);
    draw_map(r, "narrow_map_figure", "narrow-map", 440); /* for a phone's screen */
}
