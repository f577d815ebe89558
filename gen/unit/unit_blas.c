/* SPDX-License-Identifier: Apache-2.0
 *
 * unit_blas: what of a function's formula libraries of linear algebra do by themselves. Behind a product they add a
 * matrix, and a vector to each row; some then take the larger of the sum and 0, or gelu_tanh of it. Whatever else a
 * formula says is computed by a kernel behind theirs.
 */
#include <string.h>
#include "gen/unit/unit.h"

/* Of a sum: operands that are added to acc, -1: none is; whether anything else is. */
typedef struct {
    int nacc, bias, addend;
    bool other;
} Sum;

/* Is index i of the element the place along extent `at`? */
static bool goes_along(const Formula *f, const FormulaNode *element, int i, int at)
{
    const FormulaNode *index = &f->node[element->arg[i]];
    return index->kind == FORMULA_INDEX && index->at == at;
}

static int out_extent(const Spec *s, int i) { return op_axis(s->op, expr_text(spec_output(s)->layout->extent[i])); }

/* Has the operand's element the places of the output's last `n` extents, and is it stored as the output is? */
static bool lies_as_output(const Spec *s, const FormulaNode *v, int n)
{
    const Operand *o = &s->op->operand[v->at];
    const int rank = spec_output(s)->layout->rank;
    bool same = v->narg == n && spec_element(s, o) == spec_element(s, spec_output(s));
    for (int i = 0; same && i < n; i++)
        same = goes_along(s->formula, v, i, out_extent(s, rank - n + i));
    return same;
}

static void take_term(const Spec *s, const FormulaNode *v, Sum *sum)
{
    const int rank = spec_output(s)->layout->rank;
    if (v->kind == FORMULA_APPLY && v->op == FORMULA_ADD) {
        take_term(s, &s->formula->node[v->arg[0]], sum);
        take_term(s, &s->formula->node[v->arg[1]], sum);
    } else if (v->kind == FORMULA_ACC)
        sum->nacc++;
    else if (v->kind == FORMULA_ELEMENT && sum->bias < 0 && lies_as_output(s, v, 1))
        sum->bias = v->at;
    else if (v->kind == FORMULA_ELEMENT && sum->addend < 0 && lies_as_output(s, v, rank))
        sum->addend = v->at;
    else
        sum->other = true;
}

static bool is_zero(const FormulaNode *v) { return v->kind == FORMULA_NUMBER && v->real == 0; }

/* What the root does to the sum below it, which *sum becomes. */
typedef enum { AS_IT_IS, RELU, GELU_TANH } Activation;

static Activation activation_of(const Formula *f, const FormulaNode **sum)
{
    const FormulaNode *root = *sum = &f->node[f->nnode - 1];
    if (root->kind == FORMULA_APPLY && root->op == FORMULA_GELU_TANH) {
        *sum = &f->node[root->arg[0]];
        return GELU_TANH;
    }
    for (int i = 0; root->kind == FORMULA_APPLY && root->op == FORMULA_MAX && i < 2; i++)
        if (is_zero(&f->node[root->arg[i]])) {
            *sum = &f->node[root->arg[1 - i]];
            return RELU;
        }
    return AS_IT_IS;
}

void unit_blas_words(FillScope *s, const Spec *spec)
{
    Sum sum = { .bias = -1, .addend = -1 };
    const FormulaNode *below = NULL;
    const Activation activation = spec->formula ? activation_of(spec->formula, &below) : AS_IT_IS;
    if (below)
        take_term(spec, below, &sum);
    const bool is_sum = below && sum.nacc == 1 && !sum.other;
    FILL_WORDS(s, WORD("IS_BIAS", spec->formula && spec->formula->bias >= 0),
               WORD("BIAS_PLACE", is_sum ? sum.bias : -1), WORD("HAS_SUM_BIAS", is_sum && sum.bias >= 0),
               WORD("ADDEND_PLACE", is_sum ? sum.addend : -1), WORD("HAS_ADDEND", is_sum && sum.addend >= 0),
               WORD("IS_RELU", is_sum && activation == RELU), WORD("IS_GELU_TANH", is_sum && activation == GELU_TANH),
               WORD("HAS_OTHER_FORMULA", spec->formula && !is_sum));
}
