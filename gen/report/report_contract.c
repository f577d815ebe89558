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

static const Contract *stated(const Report *r) { return r->contract && !r->contract->modelled ? r->contract : NULL; }

void report_table_sums(Report *r)
{
    const Contract *c = stated(r);
    if (!c)
        return;
    table_begin(r, "Regret");
    sum_row(r, "tuned shapes", &c->tuned);
    sum_row(r, "shapes held out", &c->held_out);
    table_end(r);
}

void report_table_held_out(Report *r)
{
    const Contract *c = stated(r);
    table_begin(r, "Shapes held out");
    for (int64_t i = 0; c && i < c->nshape; i++) {
        const ContractShape *s = &c->shape[i];
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

void report_contract_words(Report *r)
{
    const Contract *c = stated(r);
    const int64_t unsaid = c ? contract_unsaid(c) : 0;
    const bool vague = c && (contract_is_vague(&c->tuned) || contract_is_vague(&c->held_out));
    fill_number(r->words, "HAS_CONTRACT", c != NULL);
    fill_number(r->words, "HAS_HELD_OUT", c && c->held_out.nmeasured);
    fill_number(r->words, "NUNSAID", unsaid);
    fill_number(r->words, "IS_VAGUE", vague);
    fill_word(r->words, "UNSAID_CLASS", vague ? "note warn" : "note");
    report_wordf(r, "UNSAID_SHAPES", "%s shape%s", number_count(r->arena, unsaid), number_plural(unsaid));
    fill_word(r->words, "UNSAID_THEM", unsaid == 1 ? "it" : "them");
}
