/* SPDX-License-Identifier: Apache-2.0
 *
 * report_contract: how far the choice is from the best known kernel, on the shapes that it was made for and on shapes that it never saw, and
 * the bound that the package states for both.
 */
#include "gen/base/number.h"
#include "gen/report/report_private.h"

static void sum_row(Report *r, const char *name, const ContractSum *s)
{
    Arena *a = r->arena;
    const char *all = number_count(a, s->nshape);
    const struct {
        const char *heading;
        double value;
    } column[] = { { "mean", s->mean },
                   { "bound of the mean", s->mean_bound },
                   { "worst", s->worst },
                   { "bound of the worst", s->worst_bound } };
    table_row(r);
    table_cell(r, "regret", "row", name);
    table_cell(r, "shapes said", "num",
               s->nsaid == s->nshape ? all : arena_printf(a, "%s of %s", number_count(a, s->nsaid), all));
    for (size_t i = 0; i < sizeof column / sizeof *column; i++)
        table_cell(r, column[i].heading, "num", s->nsaid ? number_percent(a, column[i].value) : "-");
}

static void sum_table(Report *r, const Contract *c)
{
    table_begin(r, "Regret", NULL);
    sum_row(r, "tuned shapes", &c->tuned);
    sum_row(r, "shapes held out", &c->held_out);
    table_end(r);
}

static void shape_table(Report *r, const Contract *c)
{
    table_begin(r, "Shapes held out", NULL);
    for (const ContractShape *s = c->shape; s < c->shape + c->nshape; s++) {
        if (s->inst->tuned || !s->measured)
            continue;
        table_row(r);
        table_extents(r, s->inst);
        table_cell(r, "kernel", "num", report_kernel(r, s->kernel));
        table_cell(r, "time", "num", report_time_text(r, s->chosen_ns));
        table_cell(r, "best", "num", report_time_text(r, s->best_ns));
        table_cell(r, "regret", "num", report_above_text(r, s->regret, !s->said));
        table_cell(r, "times differ", "num", report_spread_text(r, s));
        table_cell(r, "met", "num", arena_printf(r->arena, "%d", s->nmet));
    }
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
    const bool vague = contract_is_vague(&c->tuned) || contract_is_vague(&c->held_out);
    if (unsaid)
        html_element(&r->out, "p", vague ? "note warn" : "note",
                     arena_printf(r->arena,
                                  "Of %s shape%s nothing can be said, as the times of one kernel differ by too much "
                                  "there (\xe2\x80\xa0): no bound "
                                  "is for %s.%s",
                                  number_count(r->arena, unsaid), number_plural(unsaid), unsaid == 1 ? "it" : "them",
                                  vague ? " These are most: the machine was too busy." : ""));
    if (!c->held_out.nmeasured)
        return;
    text_add(&r->out, "<h3>Shapes held out</h3>\n");
    shape_table(r, c);
    html_element(&r->out, "p", "note", "met: how many kernels were timed there, the chosen one among them.");
}
