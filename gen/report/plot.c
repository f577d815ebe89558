/* SPDX-License-Identifier: Apache-2.0
 *
 * plot: runs gnuplot. The script is handed over in memory as its standard input; no shell, no file, no settings of the
 * user.
 */
#define _GNU_SOURCE
#include "gen/report/plot.h"

#include <errno.h>
#include <string.h>
#include "gen/base/process.h"

static const double DEADLINE_S = 30;
enum { OUTPUT_MAX = 64 << 20 };

static const char *whole_script(Arena *a, const Plot *plot, int n)
{
    Text t = { .arena = a };
    for (int i = 0; i < n; i++) {
        text_printf(&t, "reset\nset terminal svg size %d,%d font 'sans-serif,13' noenhanced name '%s'\n", plot[i].width,
                    plot[i].height, plot[i].name);
        text_add(&t, text_str(&plot[i].script));
    }
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

/* A document is a group that begins with definitions of the point symbols, which would have the same ids in each: the page has them once
 * (templates/package/report.html). */
static bool split(Arena *a, const char *text, Plot *plot, int n)
{
    static const char before[] = "</defs>";
    for (int i = 0; i < n; i++) {
        const char *begin = strstr(text, before), *end = begin ? strstr(begin, "</svg>") : NULL;
        const char *close = end ? memrchr(begin, '<', (size_t)(end - begin)) : NULL; /* of the group */
        if (!close || close == begin)
            return false;
        begin += sizeof before - 1;
        plot[i].svg = arena_strndup(a, begin, (size_t)(close - begin));
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
    if (!*why && !split(a, text_str(&out), plot, n))
        *why = "gnuplot's output was not understood";
    for (int i = 0; *why && i < n; i++)
        plot[i].svg = NULL;
    return !*why;
}
