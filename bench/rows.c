/* SPDX-License-Identifier: Apache-2.0
 *
 * rows: who is compared with a package of the operators rows and batch_rows. They read and write much and compute
 * little, so what counts is the part of a copy's speed that they reach.
 */
#include "bench/rows.h"

#include <string.h>
#include "bench/operator.h"

/* Formulas as specs write them. */
static const struct {
    const char *text;
    RowsSetup *setup;
} known[] = { { "softmax[n](x[m,n])", dnnl_softmax_setup },
              { "softmax[n](x[b0,b1,m,n])", dnnl_softmax_setup },
              { "layernorm[n](x[m,n], 1e-12) * gamma[n] + beta[n]", dnnl_layernorm_setup } };

RowsSetup *rows_known(const Spec *spec)
{
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(spec_formula_text(spec), known[i].text) == 0)
            return known[i].setup;
    return NULL;
}

static int64_t value_of(const Expr *e, const int64_t *extent)
{
    double value = 0;
    return expr_real_at(e, extent, &value) == EXPR_OK ? (int64_t)value : 0;
}

DnnlRows rows_of(const Problem *p)
{
    return (DnnlRows){ .rows = value_of(p->spec->op->rows, p->extent),
                       .columns = value_of(p->spec->op->row_elems, p->extent),
                       .X = p->operand[0],
                       .Y = problem_operand(p, "Y"),
                       .gamma = problem_operand(p, "gamma"),
                       .beta = problem_operand(p, "beta"),
                       .epsilon = 1e-12F };
}

#define COLUMNS \
    { "oneDNN", &rows_dnnl, PLAIN }, { "copy", &rows_copy, PLAIN }

const Operator rows_operator = { .name = "rows",
                                 .along = 1,
                                 .quick = { 1, 5, 16, 43, 128, 768 },
                                 .ncolumn = 2,
                                 .column = { COLUMNS },
                                 .limit = &rows_copy };
const Operator batch_rows_operator = { .name = "batch_rows",
                                       .along = 3,
                                       .quick = { 1, 5, 16, 43, 128, 768 },
                                       .ncolumn = 2,
                                       .column = { COLUMNS },
                                       .limit = &rows_copy };
