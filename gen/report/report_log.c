/* SPDX-License-Identifier: Apache-2.0
 *
 * report_log: what the page shows of a log of shapes: for each extent which share of the calls, and of their time, has
 * no more than that; and the most frequent shapes.
 */
#include <string.h>
#include "gen/base/number.h"
#include "gen/report/report_private.h"

static const double STEP = 0.004; /* of a share: a curve leaves out what rises by less */

static const double quantile[] = { 0, 0.1, 0.5, 0.9, 0.99, 1 };

/* ---- figures ---- */

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

/* ---- tables ---- */

static void add_spread_row(Report *r, const Spread *s)
{
    FillScope *row = fill_row(r->words);
    report_word(row, "SPREAD_OF", r->spec->op->extent[s->extent].name);
    fill_list(row, "quantiles");
    for (size_t i = 0; i < LENGTH(quantile); i++)
        fill_number(fill_row(row), "UP_TO", spread_quantile(s, s->calls, quantile[i]));
    fill_number(row, "HALF_OF_TIME", spread_quantile(s, s->time, 0.5));
}

static void add_frequent_row(Report *r, const Distribution *d, int64_t i)
{
    const Assignment *as = r->assignment;
    const Instance *inst = &r->spec->instance[i];
    FillScope *row = report_shape_row(r, inst);
    REPORT_WORDS(row, WORD("CALLS", number_count(r->arena, (int64_t)inst->weight)),
                 WORD("CALLS_SHARE", number_percent(r->arena, inst->weight / d->calls)),
                 WORD("TIME_SHARE", number_percent(r->arena, distribution_ns(r->study, as, i) / d->ns)),
                 WORD("SERVED_BY", report_kernel(r, as->chosen[i])),
                 WORD("HOW_KNOWN", study_tunes(r->study, inst) ? "tuned" : "held out"));
}

void report_log_words(Report *r)
{
    const Distribution *d = r->distribution;
    fill_number(r->words, "HAS_LOG", d != NULL);
    if (!d)
        return;
    REPORT_WORDS(r->words, WORD("LOG_CALLS", number_count(r->arena, r->spec->log->calls)),
                 WORD("LOG_ROWS", number_count(r->arena, r->spec->log->n)),
                 WORD("TUNED_CALLS", number_percent(r->arena, d->tuned_calls)),
                 WORD("TUNED_TIME", number_percent(r->arena, d->tuned_time)), WORD("HAS_SPREADS", d->nspread > 0),
                 WORD("NFREQUENT", d->nfrequent));
    fill_list(r->words, "spreads");
    for (int i = 0; i < d->nspread; i++)
        add_spread_row(r, &d->spread[i]);
    fill_list(r->words, "frequent");
    for (int i = 0; i < d->nfrequent; i++)
        add_frequent_row(r, d, d->frequent[i]);
}
