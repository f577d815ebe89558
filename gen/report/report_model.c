/* SPDX-License-Identifier: Apache-2.0
 *
 * report_model: the cost model in figures: how good it is of what it was not shown, what its parts cost on this device, and how far they
 * are off where padding and load balance differ.
 */
#include <math.h>
#include <string.h>
#include "gen/base/number.h"
#include "gen/report/report_private.h"

void report_table_model(Report *r)
{
    const CostReport *c = r->in->cost;
    Arena *a = r->arena;
    const struct {
        const char *name, *value, *meaning;
    } row[] = { { "measurements", number_count(a, c->nmeasure),
                  "pairs of kernel and shape that the model was fitted to" },
                { "features", arena_printf(a, "%d", c->nfeature), "numbers that describe a kernel on a shape" },
                { "penalty", number_sig(a, c->lambda, 2), "lambda of the ridge regression, chosen by leave-one-out" },
                { "leave-one-out error", number_percent(a, exp2(c->loo_rmse) - 1),
                  arena_printf(a, "root mean square, when one measurement is left out (%s in log2 of the time)",
                               number_sig(a, c->loo_rmse, 3)) },
                { "error on an unseen kernel", number_percent(a, c->error),
                  "median, when all measurements of the kernel are left out" },
                { "rank correlation", number_sig(a, c->order.rank, 3),
                  "Spearman's, of the same predictions, mean over shapes: 1 is the right order" },
                { "recall of the best", isnan(c->order.recall) ? "-" : number_sig(a, c->order.recall, 3),
                  arena_printf(a, "of the %d fastest kernels of a shape, the part that it predicts among its %d",
                               COST_TOP, COST_TOP) },
                { "regret of its best", number_percent(a, c->order.regret),
                  "of the kernel that it predicts to be a shape's fastest, geometric mean" },
                { "rank correlation without any time", number_sig(a, c->analytic.rank, 3),
                  "of what the templates' closed forms say alone, as --offline does" },
                { "regret without any time", number_percent(a, c->analytic.regret),
                  "of the kernel that they say is a shape's fastest" },
                { "error on an unseen shape", number_percent(a, c->held_out),
                  "median, when all measurements on the shape are left out" },
                { "exponent of padding", number_sig(a, c->pad_exponent, 3), "fitted; 1 is the closed form" },
                { "exponent of occupancy", number_sig(a, c->occ_exponent, 3), "fitted; 1 is the closed form" } };
    if (c->nmeasure == 0)
        return;
    table_begin(r, "The cost model", NULL);
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        table_row(r);
        table_cell(r, NULL, "row", row[i].name);
        table_cell(r, NULL, "num", row[i].value);
        table_cell(r, NULL, NULL, row[i].meaning);
    }
    table_end(r);
}

static void price_table(Report *r)
{
    const CostReport *c = r->in->cost;
    table_begin(r, "Prices of terms", NULL);
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

static void residual_table(Report *r)
{
    const CostReport *c = r->in->cost;
    table_begin(r, "Residuals of f_adapt", NULL);
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

void report_table_adapt(Report *r)
{
    if (r->in->cost->nprice) {
        text_add(&r->out, "<h3>What the parts of a call cost</h3>\n");
        html_element(
            &r->out, "p", "note",
            "Fitted for this device: ns for each unit of the template's own count, which is about a cycle. A price "
            "far above the others is what this machine is slow at; 0: the measurements show no such part.");
        price_table(r);
    }
    int64_t n = 0;
    for (int i = 0; i < r->in->cost->nadapt; i++)
        n += r->in->cost->adapt[i].residual.n;
    if (!n)
        return;
    text_add(&r->out, "<h3>What padding, balance and caches leave unexplained</h3>\n");
    html_element(
        &r->out, "p", "note",
        "Measured over predicted when the kernel was left out of the fit, by the work done over the work asked for "
        "(padding), the time of the busiest thread over the mean (balance), and the cache that holds all operands "
        "(bytes).");
    residual_table(r);
}
