/* SPDX-License-Identifier: Apache-2.0
 *
 * plot: writes the parts of scripts for gnuplot, and runs it. The script is handed over in memory as its standard
 * input; no shell, no file, no settings of the user.
 */
#define _GNU_SOURCE
#include "gen/report/plot.h"

#include <errno.h>
#include <string.h>
#include "gen/base/process.h"
#include "gen/base/quote.h"

static const double DEADLINE_S = 30;
enum { OUTPUT_MAX = 64 << 20, MAX_TICK = 9 };

void range_add(Range *r, double v)
{
    r->lo = fmin(r->lo, v);
    r->hi = fmax(r->hi, v);
}

Range range_widened(Range r, double factor) { return (Range){ r.lo / factor, r.hi * factor }; }

void plot_label(Plot *p, char axis, const char *text)
{
    text_printf(&p->script, "set %clabel %s offset %s textcolor rgb '#%06x'\n", axis,
                quote_gnuplot(p->script.arena, text), axis == 'x' ? "0,0.4" : "0.8,0", LOOK_TEXT);
}

/* Writes the ticks within r, each a mantissa times a power of ten, and returns how many; MAX_TICK + 1: too many. */
static int find_log_ticks(Range r, const double *mantissa, int nmantissa, double *out)
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

static void set_range_and_ticks(Plot *p, char axis, Range r, const double *tick, int n)
{
    text_printf(&p->script, "set %crange [%.9g:%.9g]\nset %ctics (", axis, r.lo, r.hi, axis);
    for (int i = 0; i < n; i++)
        text_printf(&p->script, "%s'%.6g' %.9g", i ? ", " : "", tick[i], tick[i]);
    text_add(&p->script, ")\n");
}

void plot_axis_log(Plot *p, char axis, Range r, int max_tick)
{
    static const struct {
        int n;
        double mantissa[6];
    } density[] = { { 6, { 1, 1.5, 2, 3, 5, 7 } }, { 3, { 1, 2, 5 } }, { 2, { 1, 3 } }, { 1, { 1 } } };
    double at[MAX_TICK];
    int n = max_tick + 1;
    for (size_t i = 0; n > max_tick && i < LENGTH(density); i++)
        n = find_log_ticks(r, density[i].mantissa, density[i].n, at);
    if (n > MAX_TICK) { /* very many decades: every second or third one */
        const int step = 1 + (int)(log10(r.hi / r.lo) / (MAX_TICK - 2));
        n = 0;
        for (double v = pow(10, ceil(log10(r.lo))); v <= r.hi && n < MAX_TICK; v *= pow(10, step))
            at[n++] = v;
    }
    text_printf(&p->script, "set logscale %c\n", axis);
    set_range_and_ticks(p, axis, r, at, n);
}

void plot_axis_linear(Plot *p, char axis, Range r, int max_tick, double least_step)
{
    double at[MAX_TICK + 1], step = fmax(pow(10, floor(log10((r.hi - r.lo) / max_tick))), least_step);
    for (int i = 0; (r.hi - r.lo) / step > max_tick; i++)
        step *= i % 3 == 1 ? 2.5 : 2;
    int n = 0;
    for (double v = ceil(r.lo / step) * step; v <= r.hi * (1 + 1e-9) && n <= MAX_TICK; v += step)
        at[n++] = v;
    set_range_and_ticks(p, axis, r, at, n);
}

void plot_data(Plot *p, const char *name) { text_printf(&p->script, "$%s << END\n", name); }

bool plot_point(Plot *p, double x, double y)
{
    bool ok = isfinite(x) && isfinite(y) && x > 0 && y > 0;
    if (ok)
        text_printf(&p->script, "%.7g %.7g\n", x, y);
    return ok;
}

void plot_data_end(Plot *p) { text_add(&p->script, "END\n"); }

void plot_draw(Plot *p, const char *data, const char *style, int look)
{
    text_printf(&p->drawing, "%s$%s using 1:2 notitle with %s lc rgb '#%06x'", p->drawing.len ? ", " : "plot ", data,
                style, look);
}

static const char *whole_script(Arena *a, const Plot *plot, int n)
{
    Text t = { .arena = a };
    for (int i = 0; i < n; i++)
        text_printf(&t, "reset\nset terminal svg size %d,%d font 'sans-serif,13' noenhanced name '%s'\n%s%s\n",
                    plot[i].width, plot[i].height, plot[i].name, text_str(&plot[i].script), text_str(&plot[i].drawing));
    return text_str(&t);
}

static const char not_found[] =
    "gnuplot was not found, which draws the figures of report.html: install it (on Debian and Ubuntu the package "
    "gnuplot-nox), or leave the report out by --no-report";

bool plot_check(Arena *a, const char **why)
{
    if (process_find(a, "gnuplot"))
        return true;
    *why = not_found;
    return false;
}

static const char *run_gnuplot(Arena *a, const char *script, Text *out)
{
    static const char *const argv[] = { "gnuplot", "-d", NULL };
    static const char *const env[] = { "LC_ALL=C", "HOME=/", "GNUTERM=svg", "GNUPLOT_LIB=", NULL };
    const ProcessPlan plan = { .argv = argv, .env = env, .text = script, .out = PROCESS_KEEP, .most = OUTPUT_MAX };
    const ProcessEnd e = process_run(a, &plan, DEADLINE_S, NULL);
    *out = e.out;
    if (e.error)
        return e.error == ENOENT ? not_found : "gnuplot cannot be started";
    return process_is_well(&e) && e.out.len < OUTPUT_MAX
               ? NULL
               : "gnuplot failed to draw the figures of report.html; --no-report leaves it out";
}

/* Cuts gnuplot's output into the figures. Each is a group that begins with definitions of the point symbols. These have
 * the same ids in all figures, so they are left out: the page has them once (templates/package/report.html). False: the
 * output is not as expected. */
static bool split_figures(Arena *a, const char *text, Plot *plot, int n)
{
    static const char definitions_end[] = "</defs>";
    for (int i = 0; i < n; i++) {
        const char *begin = strstr(text, definitions_end), *end = begin ? strstr(begin, "</svg>") : NULL;
        const char *group_end = end ? memrchr(begin, '<', (size_t)(end - begin)) : NULL;
        if (!group_end || group_end == begin)
            return false;
        begin += sizeof definitions_end - 1;
        plot[i].svg = arena_strndup(a, begin, (size_t)(group_end - begin));
        text = end;
    }
    return !strstr(text, "<svg");
}

bool plot_run(Arena *a, Plot *plot, int n, const char **why)
{
    *why = NULL;
    if (n == 0)
        return true;
    Text out;
    *why = run_gnuplot(a, whole_script(a, plot, n), &out);
    if (!*why && !split_figures(a, text_str(&out), plot, n))
        *why = "gnuplot's output was not understood";
    for (int i = 0; *why && i < n; i++)
        plot[i].svg = NULL;
    return !*why;
}
