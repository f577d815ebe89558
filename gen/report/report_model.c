/* SPDX-License-Identifier: Apache-2.0
 *
 * report_model: the cost model in figures: how good it is of what it was not shown, what its parts cost on this device, and how far they
 * are off where padding and load balance differ.
 */
#include <math.h>
#include <string.h>
#include "gen/base/number.h"
#include "gen/report/report_private.h"

void report_model_words(Report *r)
{
    const CostReport *c = r->in->cost;
    Arena *a = r->arena;
    int64_t nresidual = 0;
    for (int i = 0; i < c->nadapt; i++)
        nresidual += c->adapt[i].residual.n;
    const struct {
        const char *name, *text;
    } row[] = { { "MODEL_MEASUREMENTS", number_count(a, c->nmeasure) },
                { "MODEL_LAMBDA", number_sig(a, c->lambda, 2) },
                { "MODEL_LOO", number_percent(a, exp2(c->loo_rmse) - 1) },
                { "MODEL_LOO_LOG2", number_sig(a, c->loo_rmse, 3) },
                { "MODEL_ERROR", number_percent(a, c->error) },
                { "MODEL_RANK", number_sig(a, c->order.rank, 3) },
                { "MODEL_RECALL", isnan(c->order.recall) ? "-" : number_sig(a, c->order.recall, 3) },
                { "MODEL_REGRET", number_percent(a, c->order.regret) },
                { "ANALYTIC_RANK", number_sig(a, c->analytic.rank, 3) },
                { "ANALYTIC_REGRET", number_percent(a, c->analytic.regret) },
                { "MODEL_HELD_OUT", number_percent(a, c->held_out) },
                { "PAD_EXPONENT", number_sig(a, c->pad_exponent, 3) },
                { "OCC_EXPONENT", number_sig(a, c->occ_exponent, 3) } };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++)
        report_word(r, row[i].name, row[i].text);
    fill_number(r->words, "MODEL_FEATURES", c->nfeature);
    fill_number(r->words, "MODEL_TOP", COST_TOP);
    fill_number(r->words, "HAS_MODEL", c->nmeasure > 0);
    fill_number(r->words, "HAS_PRICES", c->nprice > 0);
    fill_number(r->words, "HAS_RESIDUALS", nresidual > 0);
}

void report_table_prices(Report *r)
{
    const CostReport *c = r->in->cost;
    table_begin(r, "Prices of terms");
    for (int i = 0; i < c->nprice; i++) {
        const NamedExpr *term = &c->price[i].t->term[c->price[i].term];
        table_row(r);
        table_cell(r, "template", "row", c->price[i].t->name);
        table_cell(r, "part of the time", "line", term->name);
        table_cell(r, "price", "num", number_sig(r->arena, c->price[i].ns, 3));
        table_cell(r, "what it is", "need", term->doc);
    }
    table_end(r);
}

static const char *edge_text(Report *r, const CostAdapt *f, double edge)
{
    if (isinf(edge))
        return "-";
    return strcmp(f->of, "bytes") == 0 ? number_bytes(r->arena, (int64_t)edge) : number_sig(r->arena, edge, 3);
}

void report_table_residuals(Report *r)
{
    const CostReport *c = r->in->cost;
    table_begin(r, "Residuals of f_adapt");
    for (const CostAdapt *f = c->adapt; f < c->adapt + c->nadapt; f++) {
        if (!f->residual.n)
            continue;
        table_row(r);
        table_cell(r, "factor", "row", f->of);
        table_cell(r, "from", "num", edge_text(r, f, f->from));
        table_cell(r, "to", "num", edge_text(r, f, f->to));
        table_cell(r, "measurements", "num", number_count(r->arena, f->residual.n));
        table_cell(r, "mean", "num", report_signed_percent(r, exp2(f->residual.bias) - 1));
        table_cell(r, "spread", "num", number_percent(r->arena, exp2(f->residual.rms) - 1));
    }
    table_end(r);
}
