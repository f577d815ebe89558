/* SPDX-License-Identifier: Apache-2.0
 *
 * spec_formula: what a function computes for each element: the formula with the types and extents of what it brings,
 * and how exact that must be.
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
        if (!conf_strings(r->conf, s, NULL, e->extent, OP_MAX_RANK, &e->rank))
            continue;
        if (!e->rank)
            diag_error(r->diag, s->at, "'%s': expected its extents, outermost first, as in [\"V\", \"N\"]", s->name);
        for (int k = 0; k < e->rank; k++)
            e->extent_at[k] = conf_elem(s, k)->at;
        text->nextents += e->rank > 0;
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

/* How far results may be off, of this function or of all: a word of the op, or a number. */
static void read_accuracy(SpecReader *r)
{
    const ConfSetting *own = conf_member(r->group, "accuracy"), *s = own ? own : conf_member(r->root, "accuracy");
    const Op *op = r->spec->op;
    double *accuracy = &r->spec->accuracy;
    int word = 0;
    *accuracy = 1;
    if (!s || !op)
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
    if (s && read_formula_text(r, s, computes, &text) && spec->op)
        spec->formula = formula_read(r->arena, spec->op, &text, &spec->op, r->diag);
    if (!computes && !spec->formula)
        spec->op = NULL; /* nothing is known of it */
}

/* ---- integers of formulas fit 32 bits ---- */

/* The least and the largest value of an integer, in the declared ranges. */
typedef struct {
    double least, most;
} Range;

static Range range_joined(Range a, Range b) { return (Range){ fmin(a.least, b.least), fmax(a.most, b.most) }; }

/* From 0 to what a place along the extent may be, or what is one more than that. */
static Range range_along(const Spec *s, int extent, int more)
{
    return (Range){ 0, fmax(0, (double)(s->box.max[extent] - 1 + more)) };
}

static Range range_product(Range a, Range b)
{
    return range_joined(
        range_joined((Range){ a.least * b.least, a.least * b.least }, (Range){ a.least * b.most, a.least * b.most }),
        range_joined((Range){ a.most * b.least, a.most * b.least }, (Range){ a.most * b.most, a.most * b.most }));
}

static Range range_applied(const FormulaNode *v, const Range *of)
{
    const Range a = of[v->arg[0]], b = v->narg > 1 ? of[v->arg[1]] : a;
    switch (v->op) {
    case FORMULA_ADD:
        return (Range){ a.least + b.least, a.most + b.most };
    case FORMULA_SUB:
        return (Range){ a.least - b.most, a.most - b.least };
    case FORMULA_MUL:
        return range_product(a, b);
    case FORMULA_NEG:
        return (Range){ -a.most, -a.least };
    case FORMULA_MIN:
        return (Range){ fmin(a.least, b.least), fmin(a.most, b.most) };
    case FORMULA_MAX:
        return (Range){ fmax(a.least, b.least), fmax(a.most, b.most) };
    default: /* a choice */
        return range_joined(b, of[v->arg[2]]);
    }
}

static Range range_of(const Spec *s, const FormulaNode *v, const Range *of)
{
    const Operand *o = v->kind == FORMULA_ELEMENT ? &s->op->operand[v->at] : NULL;
    switch (v->kind) {
    case FORMULA_NUMBER:
        return (Range){ v->real, v->real };
    case FORMULA_EXTENT:
        return (Range){ (double)s->box.min[v->at], (double)s->box.max[v->at] };
    case FORMULA_INDEX:
    case FORMULA_REDUCE: /* argmax */
        return range_along(s, v->at, 0);
    case FORMULA_ELEMENT: /* of what an extent bounds; others are what verification draws, at least */
        if (o->data == DATA_BITS)
            return (Range){ INT32_MIN, INT32_MAX };
        return o->of < 0 ? (Range){ -4, 4 }
                         : range_along(s, o->of, o->data != DATA_PLACES && o->data != DATA_PERMUTATION);
    default:
        return range_applied(v, of);
    }
}

void spec_check_formula(SpecReader *r)
{
    const Spec *s = r->spec;
    Range of[FORMULA_MAX_NODE];
    for (int i = 0; s->formula && i < s->formula->nnode; i++) {
        const FormulaNode *v = &s->formula->node[i];
        if (v->type != FORMULA_INT)
            continue;
        of[i] = range_of(s, v, of);
        const double largest = of[i].most > -of[i].least ? of[i].most : of[i].least;
        if (fabs(largest) <= INT32_MAX)
            continue;
        diag_error(r->diag, v->at_text,
                   "this may be %.0f in the declared ranges, beyond 32 bits; with a real number, such as 2.0, it is "
                   "computed in floats",
                   largest);
        of[i] = (Range){ 0, 0 }; /* reported once */
    }
}

/* ---- one number for all places ---- */

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

bool spec_formula_is_flat(const Spec *s)
{
    const Formula *f = s->formula;
    if (!f)
        return false;
    const Layout *out = spec_layout(s, (int)(spec_output(s) - s->op->operand));
    const int last = op_axis(s->op, expr_text(out->extent[out->rank - 1]));
    bool flat = f->node[f->nnode - 1].kind != FORMULA_INDEX || f->node[f->nnode - 1].at == last;
    for (int i = 0; i < f->nnode; i++)
        for (int k = 0; k < f->node[i].narg; k++) {
            const FormulaNode *place = &f->node[f->node[i].arg[k]];
            if (place->kind == FORMULA_INDEX && place->at != last)
                flat = flat && is_of_output(s->op, out, f->node, &f->node[i]);
        }
    return flat;
}
