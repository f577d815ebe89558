/* SPDX-License-Identifier: Apache-2.0
 *
 * unit_reach: the conditions, as C over a call's extents, under which no index of a formula lies outside of its operand
 * and no divisor is 0 (gen/spec/spec_reach.c asks the same of declared shapes). What a part may be is a call of a
 * function of templates/package/ranges.h.
 */
#include <string.h>
#include "gen/unit/formula_print.h"

static const char *extent_name(const Spec *s, int i) { return s->op->extent[i].name; }

static const char *range_text(Arena *a, const Spec *s, int i);

/* Of an element that nothing bounds: what verification draws, at least. */
static const char *element_range(Arena *a, const Spec *s, const FormulaNode *v)
{
    const Operand *o = &s->op->operand[v->at];
    const bool places = o->data == DATA_PLACES || o->data == DATA_PERMUTATION;
    const char *values = o->data == DATA_BITS ? "of(-INT32_MAX, INT32_MAX)"
                         : o->of < 0          ? "of(-4, 4)"
                         : places             ? arena_printf(a, "places(%s)", extent_name(s, o->of))
                                              : arena_printf(a, "of(0, %s)", extent_name(s, o->of));
    const char *range = arena_printf(a, "%s_range_%s", s->package, values);
    return v->guarded ? arena_printf(a, "%s_range_either(%s, %s)", s->package, range,
                                     range_text(a, s, v->arg[formula_rank(v)]))
                      : range;
}

static const char *range_text(Arena *a, const Spec *s, int i)
{
    static const char *const function[FORMULA_FUNCTION_COUNT] = {
        [FORMULA_ADD] = "sum",     [FORMULA_SUB] = "difference",    [FORMULA_MUL] = "product",
        [FORMULA_NEG] = "minus",   [FORMULA_QUOTIENT] = "quotient", [FORMULA_REMAINDER] = "remainder",
        [FORMULA_MIN] = "smaller", [FORMULA_MAX] = "larger",        [FORMULA_CHOOSE] = "either",
    };
    const FormulaNode *v = &s->formula->node[i];
    Text t = { .arena = a };
    switch (v->kind) {
    case FORMULA_NUMBER:
        return arena_printf(a, "%s_range_just(%.0f)", s->package, v->real);
    case FORMULA_EXTENT:
        return arena_printf(a, "%s_range_just(%s)", s->package, extent_name(s, v->at));
    case FORMULA_INDEX:
    case FORMULA_REDUCE: /* argmax */
        return arena_printf(a, "%s_range_places(%s)", s->package, extent_name(s, v->at));
    case FORMULA_ELEMENT:
        return element_range(a, s, v);
    default:
        break;
    }
    text_printf(&t, "%s_range_%s(", s->package, function[v->op]);
    for (int k = v->op == FORMULA_CHOOSE; k < v->narg; k++)
        text_printf(&t, "%s%s", k > (v->op == FORMULA_CHOOSE) ? ", " : "", range_text(a, s, v->arg[k]));
    text_add(&t, ")");
    return arena_strdup(a, text_str(&t));
}

/* What must hold for index i of an element. */
static const char *index_condition(Arena *a, const Spec *s, const FormulaNode *v, int i)
{
    const char *extent = expr_c_int(a, s->op->operand[v->at].layout->extent[i], s->package);
    return arena_printf(a, "%s_range_%s(%s, %s)", s->package, v->guarded ? "known" : "within",
                        range_text(a, s, v->arg[i]), extent);
}

/* Adds a condition, unless it is there already. */
static void add_once(FillScope *s, const char **there, int *n, const char *condition)
{
    for (int i = 0; i < *n; i++)
        if (strcmp(there[i], condition) == 0)
            return;
    there[(*n)++] = condition;
    fill_word(fill_row(s), "CONDITION", condition);
}

void unit_reach_words(FillScope *s, const Spec *spec)
{
    const Formula *f = spec->formula;
    const bool has = f && formula_has_limits(f, spec->op);
    const char **there = has ? ARENA_ARRAY(s->arena, FORMULA_MAX_NODE * OP_MAX_RANK, const char *) : NULL;
    int n = 0;
    fill_number(s, "HAS_REACH", has);
    fill_list(s, "reach");
    for (int i = 0; has && i < f->nnode; i++) {
        const FormulaNode *v = &f->node[i];
        if (v->kind == FORMULA_APPLY && (v->op == FORMULA_QUOTIENT || v->op == FORMULA_REMAINDER) &&
            f->node[v->arg[1]].kind != FORMULA_NUMBER)
            add_once(s, there, &n, arena_printf(s->arena, "%s.least >= 1", range_text(s->arena, spec, v->arg[1])));
        for (int k = 0; v->kind == FORMULA_ELEMENT && k < formula_rank(v); k++)
            if (formula_is_computed(f, spec->op, v, k))
                add_once(s, there, &n, index_condition(s->arena, spec, v, k));
    }
}
