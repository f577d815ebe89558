/* SPDX-License-Identifier: Apache-2.0
 *
 * spec_formula: what a function computes for each element: the formula with the types and extents of what it brings,
 * and how exact that must be. What its integers may be is worked out in spec_reach.c.
 */
#include <math.h>
#include <string.h>
#include "gen/base/name.h"
#include "gen/spec/spec_private.h"

/* Element types of operands that the formula brings. */
static void read_types(SpecReader *r, FormulaText *text)
{
    const ConfSetting *group = conf_group(r->conf, r->group, "types");
    if (conf_length(group) > OP_MAX_OPERAND) {
        diag_error(r->diag, group->name_at, "'types' names more than %d operands", OP_MAX_OPERAND);
        return;
    }
    OperandType types[OPERAND_TYPE_MOST];
    const int ntype = operand_types(types);
    for (int i = 0; i < conf_length(group); i++) {
        const ConfSetting *s = conf_elem(group, i);
        int type = 0;
        if (!conf_choice(r->conf, s, NULL, "dtype", NAMES(types, ntype), &type))
            continue;
        text->operand[text->ntype] = s->name;
        text->type_at[text->ntype] = s->at;
        text->stored[text->ntype++] = types[type].stored;
    }
}

/* Extents of operands that the formula brings. */
static void read_extents(SpecReader *r, FormulaText *text)
{
    const ConfSetting *group = conf_group(r->conf, r->group, "extents");
    if (conf_length(group) > OP_MAX_OPERAND) {
        diag_error(r->diag, group->name_at, "'extents' names more than %d operands", OP_MAX_OPERAND);
        return;
    }
    for (int i = 0; i < conf_length(group); i++) {
        const ConfSetting *s = conf_elem(group, i);
        FormulaExtents *e = &text->extents[text->nextents];
        *e = (FormulaExtents){ .operand = s->name, .at = s->name_at };
        const char *unused[OP_MAX_RANK];
        bool ok = conf_strings(r->conf, s, NULL, unused, OP_MAX_RANK, &e->rank);
        if (ok && !e->rank)
            diag_error(r->diag, s->at, "'%s': expected its extents, outermost first, as in [\"V\", \"N\"]", s->name);
        for (int k = 0; ok && k < e->rank; k++)
            ok = conf_expr(r->conf, conf_elem(s, k), NULL, &e->extent[k]);
        e->rank = ok ? e->rank : 0;
        text->nextents++;
    }
}

static bool is_sequence(const ConfSetting *s) { return s->type == CONF_ARRAY || s->type == CONF_LIST; }

/* Reads the formula, or, where the op computes something, words of the short form. False: an error, or nothing. */
static bool read_formula_text(SpecReader *r, const ConfSetting *s, bool computes, FormulaText *text)
{
    Expr *expr = NULL;
    if (s->type != CONF_STRING && !(computes && is_sequence(s)))
        return diag_error(r->diag, s->at, "'%s': expected a formula in quotes%s, found %s", s->name,
                          computes ? ", or words in [ ]" : "", conf_type_text(s->type));
    if (s->type == CONF_STRING) {
        const bool ok = conf_formula(r->conf, s, NULL, &expr);
        text->expr = expr;
        return ok;
    }
    if (!conf_strings(r->conf, s, NULL, text->word, OP_MAX_NAME, &text->nword))
        return false;
    for (int i = 0; i < text->nword; i++) {
        text->at[i] = conf_elem(s, i)->at;
        conf_twice(r->conf, s, i, "");
    }
    return text->nword > 0;
}

/* How far results may be off, of this function or of all: a word of the op, or a number. A word for all is for those
 * whose op has it. */
static void read_accuracy(SpecReader *r)
{
    const ConfSetting *own = conf_member(r->group, "accuracy"), *s = own ? own : conf_member(r->root, "accuracy");
    const Op *op = r->spec->op;
    double *accuracy = &r->spec->accuracy;
    int word = 0;
    *accuracy = 1;
    if (!s || !op)
        return;
    if (s->type == CONF_STRING && !own && r->group != r->root &&
        names_find(NAMES(op->accuracy, op->naccuracy), s->text) < 0)
        return;
    if (s->type == CONF_STRING && op->naccuracy == 0)
        diag_error(r->diag, s->at, "the op '%s' has no words for accuracies; expected a number from 1 to %d", op->name,
                   OP_MAX_ACCURACY);
    else if (s->type == CONF_STRING) {
        if (conf_choice(r->conf, s, NULL, "accuracy", NAMES(op->accuracy, op->naccuracy), &word))
            *accuracy = op->accuracy[word].factor;
    } else if (conf_real(r->conf, s, NULL, accuracy) && !(*accuracy >= 1 && *accuracy <= OP_MAX_ACCURACY))
        diag_error(r->diag, s->at,
                   "'accuracy': expected how many times the rounding error of plain sums results may be off, from 1 to "
                   "%d; found %g",
                   OP_MAX_ACCURACY, *accuracy);
}

/* "acc and gate, as in epilogue = [\"gated_silu\"];" */
static const char *sums_text(Arena *a, const Op *op)
{
    const char *names = names_join(a, NAMES(op->sum, op->nsum), " and ");
    return op->nepilogue ? arena_printf(a, "%s, as in epilogue = [\"%s\"];", names, op->epilogue->name) : names;
}

/* Numbers that the formula uses, and the op lacks. */
static void read_sizes(SpecReader *r, FormulaText *text)
{
    const ConfSetting *s = conf_member(r->group, "sizes");
    if (!s || !conf_strings(r->conf, s, NULL, text->size, OP_MAX_NAME, &text->nsize))
        return;
    for (int i = 0; i < text->nsize; i++) {
        text->size_at[i] = conf_elem(s, i)->at;
        conf_twice(r->conf, s, i, "'sizes': ");
    }
}

/* From here on the op has the operands of the formula, which one that computes something has as its epilogue. */
void spec_read_formula(SpecReader *r)
{
    Spec *spec = r->spec;
    const bool computes = !spec->op || spec->op->reference;
    const ConfSetting *epilogue = conf_member(r->group, "epilogue"), *formula = conf_member(r->group, "formula"),
                      *types = conf_member(r->group, "types"), *extents = conf_member(r->group, "extents"),
                      *s = computes ? epilogue : formula;
    FormulaText text = { 0 };
    read_accuracy(r);
    read_types(r, &text);
    read_extents(r, &text);
    read_sizes(r, &text);
    if ((types || extents) && (!s || (is_sequence(s) && s->n == 0)))
        diag_error(r->diag, (types ? types : extents)->name_at,
                   "'%s' are of operands that a formula brings, and there is none", types ? "types" : "extents");
    if (computes && formula)
        diag_error(r->diag, formula->name_at,
                   "'formula' belongs to ops that compute nothing by themselves; expected 'epilogue', of acc");
    if (!computes && epilogue)
        diag_error(r->diag, epilogue->name_at, "the op '%s' computes nothing by itself; expected 'formula'",
                   spec->op->name);
    else if (!computes && !formula)
        diag_error(r->diag, r->group->at,
                   "missing key 'formula': what op '%s' computes, as in formula = \"softmax[n](x[m,n])\";",
                   spec->op->name);
    if (computes && spec->op && spec->op->nsum > 1 && (!s || (is_sequence(s) && s->n == 0)))
        diag_error(r->diag, s ? s->at : r->group->at, "%s: what op '%s' makes of its sums, %s",
                   s ? "'epilogue' is empty" : "missing key 'epilogue'", spec->op->name, sums_text(r->arena, spec->op));
    if (s && read_formula_text(r, s, computes, &text) && spec->op)
        spec->formula = formula_read(r->arena, spec->op, &text, &spec->op, r->diag);
    if (!computes && !spec->formula)
        spec->op = NULL; /* nothing is known of it */
}

/* ---- one number for several places ---- */

/* Is it an element of an operand as large as the output, at the output's own places but for the last one? */
static bool is_of_output(const Op *op, const Layout *out, const FormulaNode *node, const FormulaNode *v)
{
    const Layout *l = op->operand[v->at].layout;
    bool same = v->kind == FORMULA_ELEMENT && l->rank == out->rank && !op->operand[v->at].strided;
    if (same && op->operand[v->at].role == ROLE_OUT)
        return true;
    for (int i = 0; same && i < out->rank; i++)
        same = strcmp(expr_text(l->extent[i]), expr_text(out->extent[i])) == 0 &&
               (i + 1 == out->rank || (node[v->arg[i]].kind == FORMULA_INDEX &&
                                       node[v->arg[i]].at == op_axis(op, expr_text(out->extent[i]))));
    return same;
}

/* The place that the i-th extent of the output has as an axis. */
static int place_of(const Spec *s, const Layout *out, int i) { return op_axis(s->op, expr_text(out->extent[i])); }

bool spec_formula_is_flat(const Spec *s)
{
    const Formula *f = s->formula;
    if (!f)
        return false;
    const Layout *out = spec_layout(s, (int)(spec_output(s) - s->op->operand));
    const int last = place_of(s, out, out->rank - 1);
    bool flat = f->node[f->nnode - 1].kind != FORMULA_INDEX || f->node[f->nnode - 1].at == last;
    for (int i = 0; i < f->nnode; i++)
        for (int k = 0; k < f->node[i].narg; k++) {
            const FormulaNode *place = &f->node[f->node[i].arg[k]];
            if (place->kind == FORMULA_INDEX && place->at != last)
                flat = flat && is_of_output(s->op, out, f->node, &f->node[i]);
        }
    return flat;
}

/* The same element at the output's own places, the last one too? */
static bool is_at_own_places(const Op *op, const Layout *out, const FormulaNode *node, const FormulaNode *v, int last)
{
    const FormulaNode *at = v->kind == FORMULA_ELEMENT ? &node[v->arg[formula_rank(v) - 1]] : NULL;
    return is_of_output(op, out, node, v) &&
           (op->operand[v->at].role == ROLE_OUT || (at->kind == FORMULA_INDEX && at->at == last));
}

bool spec_formula_is_of_planes(const Spec *s)
{
    const Formula *f = s->formula;
    const Layout *out = f ? spec_layout(s, (int)(spec_output(s) - s->op->operand)) : NULL;
    if (!out || out->rank < 2)
        return false;
    const int last = place_of(s, out, out->rank - 1), before = place_of(s, out, out->rank - 2);
    const FormulaNode *result = &f->node[f->nnode - 1];
    bool joined = result->kind != FORMULA_INDEX || (result->at != last && result->at != before);
    for (int i = 0; i < f->nnode; i++)
        for (int k = 0; k < f->node[i].narg; k++) {
            const FormulaNode *v = &f->node[i], *place = &f->node[v->arg[k]];
            if (place->kind == FORMULA_INDEX && (place->at == last || place->at == before))
                joined = joined && is_at_own_places(s->op, out, f->node, v, last) && k < formula_rank(v);
        }
    return joined;
}
