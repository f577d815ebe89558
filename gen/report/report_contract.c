/* SPDX-License-Identifier: Apache-2.0
 *
 * report_contract: how far the choice is from the best known kernel, on the shapes that it was made for and on shapes that it never saw, and
 * the bound that the package states for both.
 */
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include "gen/base/number.h"
#include "gen/report/html.h"
#include "gen/report/report_private.h"

static void sum_row(Report *r, const char *name, const ContractSum *s)
{
    const double number[] = { s->mean, s->mean_bound, s->worst, s->worst_bound };
    table_row_head(r, name);
    table_cell(r, "num",
               s->nsaid == s->nshape ? number_count(r->arena, s->nshape)
                                     : arena_printf(r->arena, "%s of %s", number_count(r->arena, s->nsaid),
                                                    number_count(r->arena, s->nshape)));
    for (size_t i = 0; i < sizeof number / sizeof *number; i++)
        table_cell(r, "num", s->nsaid ? number_percent(r->arena, number[i]) : "-");
    table_row_end(r);
}

static void sum_table(Report *r, const Contract *c)
{
    static const char *const head[] = { "shapes said", "mean", "bound of the mean", "worst", "bound of the worst" };
    table_begin(r, "Regret", NULL);
    table_head_begin(r);
    table_head(r, NULL, "regret");
    for (size_t i = 0; i < sizeof head / sizeof *head; i++)
        table_head(r, "num", head[i]);
    table_head_end(r);
    sum_row(r, "tuned shapes", &c->tuned);
    sum_row(r, "shapes held out", &c->held_out);
    table_end(r);
}

static const char *time_text(Report *r, double ns)
{
    char *text = number_time(r->arena, ns), *us = strstr(text, " us");
    return us ? arena_printf(r->arena, "%.*s \xc2\xb5s", (int)(us - text), text) : text;
}

static void shape_row(Report *r, const ContractShape *s)
{
    const Spec *spec = r->spec;
    text_add(&r->out, "<tr>");
    for (int x = 0; x < spec->op->naxis; x++)
        table_cell(r, "num", arena_printf(r->arena, "%" PRId64, s->inst->extent[x]));
    if (spec->nthread > 1)
        table_cell(r, "num", arena_printf(r->arena, "%d", s->inst->threads));
    table_cell(r, "num", report_kernel(r, s->kernel));
    table_cell(r, "num", time_text(r, s->chosen_ns));
    table_cell(r, "num", time_text(r, s->best_ns));
    table_cell(r, "num", report_above_text(r, s->regret, !s->said));
    table_cell(r, "num", report_spread_text(r, s));
    table_cell(r, "num", arena_printf(r->arena, "%d", s->nmet));
    table_row_end(r);
}

static void shape_table(Report *r, const Contract *c)
{
    static const char *const head[] = { "kernel", "time", "best", "regret", "times differ", "met" };
    const Spec *s = r->spec;
    table_begin(r, "Shapes held out", NULL);
    table_head_begin(r);
    for (int x = 0; x < s->op->naxis; x++)
        table_head(r, "num", s->op->axis[x].name);
    if (s->nthread > 1)
        table_head(r, "num", "threads");
    for (size_t i = 0; i < sizeof head / sizeof *head; i++)
        table_head(r, "num", head[i]);
    table_head_end(r);
    for (int64_t i = 0; i < c->nshape; i++)
        if (!c->shape[i].inst->tuned && c->shape[i].measured)
            shape_row(r, &c->shape[i]);
    table_end(r);
}

void report_contract(Report *r)
{
    const Contract *c = r->contract;
    if (!c || c->modelled) {
        html_element(&r->out, "p", NULL, "Nothing was measured: the package states no bound.");
        return;
    }
    html_element(
        &r->out, "p", NULL,
        "Regret is the time of the chosen kernel over that of the best known one, less one, both measured side "
        "by side. Shapes held out had no part in search, model or choice. \xe2\x80\x9c"
        "dcgen bench FOLDER --regret\xe2\x80\x9d measures all of it again, and fails above the bounds.");
    sum_table(r, c);
    const int64_t unsaid = contract_unsaid(c);
    if (unsaid)
        html_element(&r->out, "p",
                     contract_is_vague(&c->tuned) || contract_is_vague(&c->held_out) ? "note warn" : "note",
                     arena_printf(r->arena,
                                  "Of %s shape%s nothing can be said, as the times of one kernel differ by too much "
                                  "there (\xe2\x80\xa0): no bound "
                                  "is for %s.%s",
                                  number_count(r->arena, unsaid), number_plural(unsaid), unsaid == 1 ? "it" : "them",
                                  contract_is_vague(&c->tuned) || contract_is_vague(&c->held_out)
                                      ? " These are most: the machine was too busy."
                                      : ""));
    if (!c->held_out.nmeasured)
        return;
    text_add(&r->out, "<h3>Shapes held out</h3>\n");
    shape_table(r, c);
    html_element(&r->out, "p", "note", "met: how many kernels were timed there, the chosen one among them.");
}
