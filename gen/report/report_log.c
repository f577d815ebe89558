/* SPDX-License-Identifier: Apache-2.0
 *
 * report_log: draws how the calls of a log of shapes are spread: for each extent which share of the calls, and of their
 * time, has no more than that.
 */
#include "gen/report/report_private.h"

static const double STEP = 0.004; /* of a share: a curve leaves out what rises by less */

/* Adds a curve of steps: the share up to each value, in percent. */
static void add_curve(Plot *p, const char *name, const Spread *s, const double *share, int look)
{
    double last = -1;
    plot_data(p, name);
    for (int64_t i = 0; i < s->n; i++)
        if (s->value[i] > 0 && (share[i] - last >= STEP || i + 1 == s->n)) {
            text_printf(&p->script, "%lld %.5g\n", (long long)s->value[i], 100 * share[i]);
            last = share[i];
        }
    plot_data_end(p);
    plot_draw(p, name, "steps", look);
}

void report_draw_log(Report *r)
{
    if (!r->spec->log)
        return;
    Distribution *d = ARENA_NEW(r->arena, Distribution);
    *d = distribution_of(r->arena, r->study, r->assignment);
    r->distribution = d;
    for (const Spread *s = d->spread; s < d->spread + d->nspread; s++) {
        const char *name = r->spec->op->extent[s->extent].name;
        const Range x = { (double)(s->value[0] > 0 ? s->value[0] : 1), (double)s->value[s->n - 1] };
        if (x.lo >= x.hi)
            continue;
        Plot *p = report_plot(r, "log_figures", arena_printf(r->arena, "log-%s", name), name, 440, 230);
        plot_label(p, 'x', arena_printf(r->arena, "%s, up to", name));
        plot_label(p, 'y', "share, percent");
        plot_axis_log(p, 'x', range_widened(x, 1.08), 8);
        plot_axis_linear(p, 'y', (Range){ 0, 100 }, 6, 1);
        add_curve(p, "time", s, s->time, LOOK_GENERAL);
        add_curve(p, "calls", s, s->calls, LOOK_CHOSEN);
    }
}

void report_log_words(Report *r)
{
    fill_number(r->words, "HAS_LOG", r->distribution != NULL);
    if (r->distribution)
        distribution_words(r->words, r->study, r->assignment, r->in->first, r->distribution);
}
