/* SPDX-License-Identifier: Apache-2.0
 *
 * formula_functions: the functions of formulas, those that are short for others, and how calls are read.
 */
#include <ctype.h>
#include <string.h>
#include "gen/spec/formula_private.h"

#define REALS FORMULA_REAL
#define TRUTHS FORMULA_TRUTH

const FormulaFunction formula_functions[FORMULA_FUNCTION_COUNT] = {
    [FORMULA_ADD] = { "+", 2, true, REALS, false },
    [FORMULA_SUB] = { "-", 2, true, REALS, false },
    [FORMULA_MUL] = { "*", 2, true, REALS, false },
    [FORMULA_DIV] = { "/", 2, false, REALS, false },
    [FORMULA_NEG] = { "-", 1, true, REALS, false },
    [FORMULA_MIN] = { "min", 2, true, REALS, false },
    [FORMULA_MAX] = { "max", 2, true, REALS, false },
    [FORMULA_QUOTIENT] = { "div", 2, true, FORMULA_INT, false },
    [FORMULA_REMAINDER] = { "%", 2, true, FORMULA_INT, false },
    [FORMULA_LT] = { "<", 2, false, TRUTHS, false },
    [FORMULA_LE] = { "<=", 2, false, TRUTHS, false },
    [FORMULA_GT] = { ">", 2, false, TRUTHS, false },
    [FORMULA_GE] = { ">=", 2, false, TRUTHS, false },
    [FORMULA_EQ] = { "==", 2, false, TRUTHS, false },
    [FORMULA_NE] = { "!=", 2, false, TRUTHS, false },
    [FORMULA_AND] = { "&&", 2, false, TRUTHS, false },
    [FORMULA_OR] = { "||", 2, false, TRUTHS, false },
    [FORMULA_NOT] = { "!", 1, false, TRUTHS, false },
    [FORMULA_CHOOSE] = { "?", 3, true, REALS, false },
    [FORMULA_TO_REAL] = { "", 1, false, REALS, false },
    [FORMULA_TO_INT] = { "", 1, false, FORMULA_INT, false },
    [FORMULA_ABS] = { "abs", 1, false, REALS, false },
    [FORMULA_SQRT] = { "sqrt", 1, false, REALS, false },
    [FORMULA_RSQRT] = { "rsqrt", 1, false, REALS, true },
    [FORMULA_EXP] = { "exp", 1, false, REALS, true },
    [FORMULA_LOG] = { "log", 1, false, REALS, true },
    [FORMULA_TANH] = { "tanh", 1, false, REALS, true },
    [FORMULA_ERF] = { "erf", 1, false, REALS, true },
    [FORMULA_SIGMOID] = { "sigmoid", 1, false, REALS, true },
    [FORMULA_SILU] = { "silu", 1, false, REALS, true },
    [FORMULA_GELU] = { "gelu", 1, false, REALS, true },
    [FORMULA_GELU_TANH] = { "gelu_tanh", 1, false, REALS, true },
    [FORMULA_SIN] = { "sin", 1, false, REALS, true },
    [FORMULA_COS] = { "cos", 1, false, REALS, true },
    [FORMULA_POW] = { "pow", 2, false, REALS, true },
    [FORMULA_FLOOR] = { "floor", 1, false, REALS, false },
    [FORMULA_CEIL] = { "ceil", 1, false, REALS, false },
    [FORMULA_TRUNC] = { "trunc", 1, false, REALS, false },
    [FORMULA_ROUND] = { "round", 1, false, REALS, false },
    [FORMULA_F16] = { "f16", 1, false, REALS, true },
    [FORMULA_BF16] = { "bf16", 1, false, REALS, true },
    [FORMULA_OFF] = { "_off", 2, false, REALS, false },
    [FORMULA_CENTRED] = { "_centred", 2, false, REALS, false },
    [FORMULA_VARIANCE] = { "_variance", 2, false, REALS, false },
    [FORMULA_SUM] = { "sum", 1, false, REALS, false },
    [FORMULA_GREATEST] = { "max", 1, false, REALS, false },
    [FORMULA_LEAST] = { "min", 1, false, REALS, false },
    [FORMULA_ARGMAX] = { "argmax", 1, false, FORMULA_INT, false },
};

/* A mean of floats is off by a little, which is much where the row's spread is less. So centre and layernorm take it as
 * a place near the row: d is how far each element is off, almost without an error, and the mean of all d is what the
 * place is off by:
 *
 *   x - mean   is  d - mean(d)
 *   variance   is  mean(d * d) - mean(d) * mean(d)
 *
 * The sums of d and of its squares are of one pass. Names with _ are for these forms alone: d, d - mean(d), and the
 * variance of both means. */
#define OFF "_off(x, mean[i](x))"
#define SQUARES "mean[i](" OFF " * " OFF ")"
#define MEAN_OFF "mean[i](" OFF ")"

const ShortForm formula_short_forms[SHORT_FORM_COUNT] = {
    { "relu", 1, false, { "x" }, "max(x, 0)" },
    { "clamp", 3, false, { "x", "least", "most" }, "min(max(x, least), most)" },
    { "wrap", 2, false, { "x", "n" }, "x < 0 ? x + n : x" },
    { "mean", 1, true, { "x" }, "sum[i](x) / sum[i](1)" },
    { "softmax", 1, true, { "x" }, "exp(x - max[i](x)) / sum[i](exp(x - max[i](x)))" },
    { "log_softmax", 1, true, { "x" }, "x - max[i](x) - log(sum[i](exp(x - max[i](x))))" },
    { "centre", 1, true, { "x" }, "_centred(" OFF ", " MEAN_OFF ")" },
    { "layernorm",
      2,
      true,
      { "x", "eps" },
      "centre[i](x) * rsqrt(max(_variance(" SQUARES ", " MEAN_OFF "), 0) + eps)" },
    { "rmsnorm", 2, true, { "x", "eps" }, "x * rsqrt(mean[i](x * x) + eps)" },
};

int formula_find(const char *name, int narg, bool reduces)
{
    for (int i = reduces ? FORMULA_SUM : 0; i < (reduces ? FORMULA_FUNCTION_COUNT : FORMULA_SUM); i++)
        if (formula_functions[i].narg == narg && strcmp(formula_functions[i].name, name) == 0)
            return i;
    return -1;
}

const ShortForm *formula_find_short(const char *name, bool reduces)
{
    for (int i = 0; i < SHORT_FORM_COUNT; i++)
        if (formula_short_forms[i].reduces == reduces && strcmp(formula_short_forms[i].name, name) == 0)
            return &formula_short_forms[i];
    return NULL;
}

bool formula_is_word(const char *name)
{
    const ShortForm *s = formula_find_short(name, false);
    return formula_find(name, 1, false) >= FORMULA_ABS || (s && s->narg == 1);
}

bool formula_is_named(const char *name, bool reduces)
{
    for (int i = reduces ? FORMULA_SUM : FORMULA_MIN; i < (reduces ? FORMULA_FUNCTION_COUNT : FORMULA_SUM); i++)
        if (isalpha((unsigned char)*name) && strcmp(formula_functions[i].name, name) == 0)
            return true;
    return formula_find_short(name, reduces) != NULL;
}

bool formula_is_function(const char *name) { return formula_is_named(name, false) || formula_is_named(name, true); }

int formula_expand(FormulaReader *r, const Node *n, const ShortForm *s, const int *value, int axis)
{
    Diag *unheard = diag_new(r->arena);
    const FormulaFrame frame = { s, value, axis, formula_place_of(r, n) };
    const FormulaFrame *outer = r->frame;
    const Expr *expr = r->expr;
    r->expr = expr_parse_formula(r->arena, s->is, (Loc){ 0 }, unheard);
    r->frame = &frame;
    const int id = formula_read_node(r, r->expr->root);
    r->frame = outer;
    r->expr = expr;
    return id;
}

/* Reports a call of a function that there is not, or with another number of values. */
static int fail_call(FormulaReader *r, const Node *n, int narg)
{
    const char *name[FORMULA_FUNCTION_COUNT + SHORT_FORM_COUNT];
    const bool reduces = n->kind == REDUCE;
    size_t k = 0;
    for (int i = reduces ? FORMULA_SUM : FORMULA_MIN; i < (reduces ? FORMULA_FUNCTION_COUNT : FORMULA_SUM); i++) {
        const FormulaFunction *f = &formula_functions[i];
        if (!isalpha((unsigned char)f->name[0]))
            continue;
        if (strcmp(f->name, n->name.name) == 0)
            return FAIL(r, n, "'%s' takes %d value%s, found %d", f->name, f->narg, f->narg == 1 ? "" : "s", narg);
        name[k++] = f->name;
    }
    for (int i = 0; i < SHORT_FORM_COUNT; i++)
        if (formula_short_forms[i].reduces == reduces)
            name[k++] = formula_short_forms[i].name;
    const ShortForm *s = formula_find_short(n->name.name, reduces);
    if (s)
        return FAIL(r, n, "'%s' takes %d value%s, found %d", s->name, s->narg, s->narg == 1 ? "" : "s", narg);
    if (!reduces && (formula_find(n->name.name, 1, true) >= 0 || formula_find_short(n->name.name, true)))
        return FAIL(r, n, "'%s' needs the axis that it goes along, as in %s[n](x)", n->name.name, n->name.name);
    const char *near = diag_nearest(n->name.name, NAMES(name, k));
    if (near)
        return FAIL(r, n, "unknown function '%s'; did you mean '%s'?", n->name.name, near);
    return FAIL(r, n, "unknown function '%s'; there are %s", n->name.name, names_join(r->arena, NAMES(name, k), ", "));
}

int formula_read_call(FormulaReader *r, const Node *n)
{
    int arg[FORMULA_MAX_ARG];
    if (n->nlist > FORMULA_MAX_ARG)
        return fail_call(r, n, n->nlist);
    if (!formula_read_values(r, n, 0, arg))
        return -1;
    const int op = r->frame || isalpha((unsigned char)*n->name.name) ? formula_find(n->name.name, n->nlist, false) : -1;
    const ShortForm *s = formula_find_short(n->name.name, false);
    if (s && s->narg == n->nlist)
        return formula_expand(r, n, s, arg, -1);
    return op >= FORMULA_MIN ? formula_apply(r, n, (FormulaOp)op, arg, n->nlist) : fail_call(r, n, n->nlist);
}

int formula_read_reduction(FormulaReader *r, const Node *n)
{
    const Node *axis = n->list[0];
    const int extent = axis->kind == NAME ? formula_place_named(r, axis->name.name) : -1;
    const unsigned places = r->places;
    const bool in_index = r->in_index;
    int arg[FORMULA_MAX_ARG];
    if (extent < 0)
        return FAIL(r, axis, "expected the places that '%s' goes along, as in %s[n](...)", n->name.name, n->name.name);
    if (r->op->reference)
        return FAIL(r, n, "an epilogue of op '%s' sees one element at a time and cannot reduce; the op 'rows' can",
                    r->op->name);
    if (r->op->extent[extent].kind > AXIS_REDUCE)
        return FAIL(r, axis, "reductions go along an axis of the op");
    if (n->nlist > FORMULA_MAX_ARG)
        return fail_call(r, n, n->nlist - 1);
    r->places |= 1u << extent;
    r->in_index = false;
    const bool ok = formula_read_values(r, n, 1, arg);
    r->places = places;
    r->in_index = in_index;
    if (!ok)
        return -1;
    const int narg = n->nlist - 1, op = formula_find(n->name.name, narg, true);
    const ShortForm *s = formula_find_short(n->name.name, true);
    if (s && s->narg == narg) {
        r->places |= 1u << extent;
        const int id = formula_expand(r, n, s, arg, extent);
        r->places = places;
        if (id >= 0 && r->f->node[id].along & ~places)
            return FAIL(r, n, "'%s' gives a value for each place along %s, which the output does not have", s->name,
                        r->op->extent[extent].name);
        return id;
    }
    if (op < 0)
        return fail_call(r, n, narg);
    const int value = formula_to_real(r, n, arg[0]);
    return value < 0 ? -1
                     : formula_add(r, n,
                                   (FormulaNode){ .kind = FORMULA_REDUCE,
                                                  .type = formula_functions[op].value,
                                                  .at = extent,
                                                  .op = (FormulaOp)op,
                                                  .narg = 1,
                                                  .arg = { value } });
}
