/* SPDX-License-Identifier: Apache-2.0
 *
 * report_axis: see report_axis.h.
 */
#include "gen/report/report_axis.h"

#include <math.h>
#include <string.h>
#include "gen/base/quote.h"

enum { MAX_TICK = 9 };

void range_add(Range *r, double v)
{
    r->lo = fmin(r->lo, v);
    r->hi = fmax(r->hi, v);
}

Plot *figure_begin(Report *r, int *index, int width, int height)
{
    Plot *p = &r->plot[r->nplot];
    *index = r->nplot++;
    *p = (Plot){ .name = arena_printf(r->arena, "%s_%d", r->study->target->name, *index),
                 .width = width,
                 .height = height,
                 .script = { .arena = r->arena } };
    text_printf(&p->script,
                "set border 3 back lw 1 lc rgb '#%06x'\nset grid lt 1 lw 1 dt 1 lc rgb '#%06x'\n"
                "set tics nomirror scale 0.5,0 textcolor rgb '#%06x'\nset key off\n"
                "set rmargin 1.5\nset tmargin 0.8\nset lmargin 8\nset bmargin 3\n",
                LOOK_AXIS, LOOK_GRID, LOOK_TEXT);
    return p;
}

void figure_label(Plot *p, char axis, const char *text)
{
    text_printf(&p->script, "set %clabel %s offset %s textcolor rgb '#%06x'\n", axis,
                quote_gnuplot(p->script.arena, text), axis == 'x' ? "0,0.4" : "0.8,0", LOOK_TEXT);
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

void axis_log(Plot *p, char axis, Range r, int max_tick)
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

void axis_linear(Plot *p, char axis, Range r, int max_tick, double least_step)
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

void data_begin(Plot *p, const char *name) { text_printf(&p->script, "$%s << END\n", name); }

bool data_add(Plot *p, double x, double y)
{
    bool ok = isfinite(x) && isfinite(y) && x > 0 && y > 0;
    if (ok)
        text_printf(&p->script, "%.7g %.7g\n", x, y);
    return ok;
}

void data_end(Plot *p) { text_add(&p->script, "END\n"); }

void figure_draw(Plot *p, bool first, const char *data, const char *style, int look)
{
    text_printf(&p->script, "%s%s using 1:2 notitle with %s lc rgb '#%06x'", first ? "plot " : ", ", data, style, look);
}

Range range_widened(Range r, double factor) { return (Range){ r.lo / factor, r.hi * factor }; }
