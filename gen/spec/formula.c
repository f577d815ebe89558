/* SPDX-License-Identifier: Apache-2.0
 *
 * formula: gives the tree of a formula its meaning. Names are looked up, each value gets a type (formula_nodes.c),
 * functions that are short for others are put in (formula_functions.c), and operands that the formula brings become
 * operands of the function (formula_operands.c).
 */
#include "gen/spec/formula.h"

#include <ctype.h>
#include <float.h>
#include <math.h>
#include <string.h>
#include "gen/base/conf.h"
#include "gen/base/name.h"
#include "gen/base/text.h"
#include "gen/spec/formula_private.h"

Loc formula_place_of(const FormulaReader *r, const Node *n)
{
    if (r->frame)
        return r->frame->at;
    return n->kind == NAME || n->kind >= CALL ? (n->kind == CHOICE ? formula_place_of(r, n->list[0]) : n->name.at)
                                              : loc_in(r->expr->at, r->expr->source, n->offset, 1);
}

/* ---- names and operators ---- */

int formula_place_named(const FormulaReader *r, const char *name)
{
    if (r->frame && r->frame->of->reduces && strcmp(name, "i") == 0)
        return r->frame->axis;
    for (int i = 0; i < r->op->nextent; i++) {
        const char *extent = r->op->extent[i].name, *lower = text_letters(arena_strdup(r->arena, extent), tolower);
        const bool has_places = r->op->extent[i].kind != EXTENT_ATTRIBUTE || r->places >> i & 1;
        if (has_places && strcmp(lower, extent) != 0 && strcmp(lower, name) == 0)
            return i;
    }
    return -1;
}

/* The places that there are here: "m, n". */
static const char *places_text(const FormulaReader *r)
{
    Text t = { .arena = r->arena };
    for (int i = 0; i < r->op->nextent; i++)
        if (r->places >> i & 1)
            text_printf(&t, "%s%s", t.len ? ", " : "",
                        text_letters(arena_strdup(r->arena, r->op->extent[i].name), tolower));
    return text_str(&t);
}

static int read_index(FormulaReader *r, const Node *n, int extent)
{
    if (!(r->places >> extent & 1))
        return FAIL(r, n,
                    "the output has no extent %s, and no reduction goes along it here; expected one of the places %s",
                    r->op->extent[extent].name, places_text(r));
    return formula_add(
        r, n, (FormulaNode){ .kind = FORMULA_INDEX, .type = FORMULA_INT, .at = extent, .along = 1u << extent });
}

static int fail_name(FormulaReader *r, const Node *n)
{
    const char *name = n->name.name;
    const Operand *o = names_row(NAMES(r->op->operand, r->op->noperand), name);
    if (o && formula_is_own(r, o))
        return formula_fail_own(r, n, o);
    if (o)
        return FAIL(r, n, "'%s' is an operand; its element is written with places in brackets, as in %s[n]", name,
                    name);
    if (names_find(NAMES(r->op->epilogue, r->op->nepilogue), name) >= 0 || formula_is_word(name))
        return FAIL(r, n, "'%s' stands alone only among words, as in epilogue = [\"%s\"]", name, name);
    if (formula_is_function(name))
        return FAIL(r, n, "'%s' is a function; its values stand in parentheses behind it", name);
    if (strcmp(name, "acc") == 0)
        return FAIL(r, n, "the op '%s' computes nothing by itself: its formulas have no 'acc'", r->op->name);
    return FAIL(r, n,
                "unknown name '%s'; expected %s%sinf, a place such as n, an extent such as N, or an operand with "
                "places in brackets, as in %s[n]",
                name, r->acc < 0 ? "" : names_join(r->arena, NAMES(r->op->sum, r->op->nsum), ", "),
                r->acc < 0 ? "" : ", ", name);
}

/* A sum of the op. */
static int add_sum(FormulaReader *r, int sum)
{
    const FormulaNode node = { .kind = FORMULA_ACC, .type = FORMULA_REAL, .at = sum, .along = r->places };
    return formula_add(r, NULL, node);
}

static int read_name(FormulaReader *r, const Node *n)
{
    const char *name = n->name.name;
    for (int i = 0; r->frame && i < r->frame->of->narg; i++)
        if (strcmp(r->frame->of->args[i], name) == 0)
            return r->frame->value[i];
    const int sum = r->acc < 0 ? -1 : names_find(NAMES(r->op->sum, r->op->nsum), name);
    if (sum >= 0)
        return sum ? add_sum(r, sum) : r->acc;
    if (strcmp(name, "inf") == 0)
        return formula_add_number(r, n, (double)INFINITY, FORMULA_REAL);
    const int place = formula_place_named(r, name), extent = op_axis(r->op, name);
    if (place >= 0)
        return read_index(r, n, place);
    if (extent >= 0)
        return formula_add(r, n, (FormulaNode){ .kind = FORMULA_EXTENT, .type = FORMULA_INT, .at = extent });
    return fail_name(r, n);
}

bool formula_read_values(FormulaReader *r, const Node *n, int first, int *arg)
{
    for (int i = first; i < n->nlist; i++)
        if ((arg[i - first] = formula_read_node(r, n->list[i])) < 0)
            return false;
    return true;
}

static int read_operator(FormulaReader *r, const Node *n)
{
    const int narg = n->arg[1] ? 2 : 1;
    int arg[2];
    for (int i = 0; i < narg; i++)
        if ((arg[i] = formula_read_node(r, n->arg[i])) < 0)
            return -1;
    int op = formula_find(n->op->text, narg, false);
    if (op == FORMULA_DIV && r->in_index && formula_type(r, arg[0]) == FORMULA_INT &&
        formula_type(r, arg[1]) == FORMULA_INT)
        op = FORMULA_QUOTIENT;
    return op >= 0 ? formula_apply(r, n, (FormulaOp)op, arg, narg) : FAIL(r, n, "formulas have no '%s'", n->op->text);
}

static int read_choice(FormulaReader *r, const Node *n)
{
    int arg[3];
    return formula_read_values(r, n, 0, arg) ? formula_apply(r, n, FORMULA_CHOOSE, arg, 3) : -1;
}

/* Kernels compute in floats and in integers of 32 bits. */
static int read_number(FormulaReader *r, const Node *n)
{
    if (n->kind == INT && n->value > INT32_MAX)
        return FAIL(r, n, "this integer does not fit 32 bits; as a real number it is written %lld.0",
                    (long long)n->value);
    if (n->kind == REAL && (n->real > (double)FLT_MAX || (n->real > 0 && n->real < (double)FLT_MIN)))
        return FAIL(r, n, "no float is near this number: they go from %.2g to %.2g", (double)FLT_MIN, (double)FLT_MAX);
    return n->kind == INT ? formula_add_number(r, n, (double)n->value, FORMULA_INT)
                          : formula_add_number(r, n, n->real, FORMULA_REAL);
}

static int read_any(FormulaReader *r, const Node *n)
{
    switch (n->kind) {
    case INT:
    case REAL:
        return read_number(r, n);
    case NAME:
        return read_name(r, n);
    case APPLY:
        return read_operator(r, n);
    case CALL:
        return formula_read_call(r, n);
    case ELEMENT:
        return formula_read_element(r, n);
    case REDUCE:
        return formula_read_reduction(r, n);
    case CHOICE:
        return read_choice(r, n);
    }
    return -1;
}

int formula_read_node(FormulaReader *r, const Node *n)
{
    if (++r->depth > EXPR_MAX_DEPTH)
        return FAIL(r, n, "the formula is nested too deeply");
    const int id = read_any(r, n);
    r->depth--;
    return id;
}

/* ---- words ---- */

/* Applies a word to what those before it gave: the op's own, or a function of one value. -1 after an error. */
static int read_word(FormulaReader *r, const char *word, Loc at)
{
    const Op *op = r->op;
    const Node named = { .kind = CALL, .name = { word, at, -1, NULL } };
    const int own = names_find(NAMES(op->epilogue, op->nepilogue), word), function = formula_find(word, 1, false);
    const ShortForm *s = formula_find_short(word, false);
    if (own >= 0) {
        r->expr = op->epilogue[own].expr;
        const int id = formula_read_node(r, r->expr->root);
        return id < 0 ? -1 : formula_to_real(r, &named, id);
    }
    if (s && s->narg == 1)
        return formula_expand(r, &named, s, &r->acc, -1);
    if (function >= FORMULA_ABS)
        return formula_apply(r, &named, (FormulaOp)function, &r->acc, 1);
    if (name_fault(word))
        return diag_error(r->diag, at,
                          "expected a word such as gelu; a formula stands by itself, as in epilogue = \"gelu(acc)\""),
               -1;
    if (!formula_is_named(word, false) && formula_is_named(word, true))
        return diag_error(r->diag, at, "'%s' reduces along an axis, which no epilogue can; the op 'rows' can", word),
               -1;
    if (formula_is_function(word))
        return diag_error(r->diag, at,
                          "'%s' is no function of one value; it stands in a formula, as in epilogue = \"max(acc, 0)\"",
                          word),
               -1;
    const char *name[OP_MAX_NAME + FORMULA_FUNCTION_COUNT + SHORT_FORM_COUNT];
    size_t n = 0;
    for (int i = 0; i < op->nepilogue; i++)
        name[n++] = op->epilogue[i].name;
    for (int i = FORMULA_ABS; i < FORMULA_SUM; i++)
        if (formula_functions[i].narg == 1)
            name[n++] = formula_functions[i].name;
    for (int i = 0; i < SHORT_FORM_COUNT; i++)
        if (!formula_short_forms[i].reduces && formula_short_forms[i].narg == 1)
            name[n++] = formula_short_forms[i].name;
    return conf_lookup(r->diag, at, "epilogue", word, (Names){ name, sizeof *name, n });
}

/* Reads what the text says into nodes. -1 after errors. */
static int read_text(FormulaReader *r)
{
    const FormulaText *t = r->text;
    if (r->op->reference)
        r->acc = add_sum(r, 0);
    r->expr = t->expr;
    if (t->expr) {
        r->f->text = expr_text(t->expr);
        return formula_read_node(r, t->expr->root);
    }
    for (int i = 0; i < t->nword; i++) {
        const int id = read_word(r, t->word[i], t->at[i]);
        r->acc = id < 0 ? r->acc : id;
    }
    r->f->text = names_join(r->arena, NAMES(t->word, t->nword), ", ");
    return r->acc;
}

/* ---- the whole ---- */

/* Operands with a type or with extents of their own must be in the formula. */
static void check_named(const FormulaReader *r)
{
    const FormulaText *t = r->text;
    for (int i = 0; i < t->ntype + t->nextents; i++) {
        const char *name = i < t->ntype ? t->operand[i] : t->extents[i - t->ntype].operand;
        const Operand *o = names_row(NAMES(r->op->operand, r->op->noperand), name);
        if (!o || !(o->of_formula || (i < t->ntype && o->role == ROLE_OUT && !r->op->reference)))
            diag_error(r->diag, i < t->ntype ? t->type_at[i] : t->extents[i - t->ntype].at,
                       "the formula has no operand '%s'", name);
    }
}

static bool has_no_fraction(const FormulaNode *v)
{
    return v->kind == FORMULA_APPLY && v->op >= FORMULA_FLOOR && v->op <= FORMULA_ROUND;
}

/* The root as the output stores it. Of an op that computes nothing by itself the spec may say the output's type. */
static int of_output_type(FormulaReader *r, int root)
{
    const Node *n = r->text->expr ? r->text->expr->root : NULL;
    Operand *out = &r->op->operand[r->out];
    if (!r->op->reference && formula_storage_of(r, out->name))
        out->stored = formula_storage_of(r, out->name);
    if (!out->stored || !storage_is_whole(out->stored))
        return formula_to_real(r, n, root);
    if (formula_type(r, root) == FORMULA_INT)
        return root;
    if (!has_no_fraction(&r->f->node[root]))
        return FAIL(
            r, n, "expected an integer, as '%s' is of type %s, or what floor, ceil, trunc or round gives; found %s",
            out->name, out->stored->name, formula_type(r, root) == FORMULA_REAL ? "a real number" : "a comparison");
    const FormulaNode whole = {
        .kind = FORMULA_APPLY, .type = FORMULA_INT, .op = FORMULA_TO_INT, .narg = 1, .arg = { root }
    };
    return formula_add(r, n, whole);
}

/* Kernels go along the output's last extent, whose places need a name, as those of axes and derived extents have. */
static bool check_output(const FormulaReader *r)
{
    const Operand *out = &r->op->operand[r->out];
    for (const Layout *l = out->layout; l < out->layout + out->nlayout; l++) {
        const char *last = expr_text(l->extent[l->rank - 1]);
        if (op_axis(r->op, last) < 0)
            return diag_error(r->diag, formula_start(r->text),
                              "the op '%s' can have no formula: '%s', the last extent of its output, has no name; "
                              "op.cfg would give it one under 'derived'",
                              r->op->name, last);
    }
    return true;
}

const Formula *formula_read(Arena *a, const Op *op, const FormulaText *text, const Op **of, Diag *d)
{
    const int nerror = diag_nerror(d);
    FormulaReader r = {
        .arena = a, .diag = d, .op = ARENA_NEW(a, Op), .text = text, .f = ARENA_NEW(a, Formula), .acc = -1
    };
    *r.op = *op;
    *r.f = (Formula){ .text = "" };
    r.out = (int)(op_output(op) - op->operand);
    if (!check_output(&r))
        return NULL;
    const Layout *out = r.op->operand[r.out].layout;
    for (int i = 0; i < out->rank; i++) {
        const int extent = op_axis(op, expr_text(out->extent[i]));
        r.places |= extent < 0 ? 0 : 1u << extent;
    }
    int root = formula_add_extents(&r) ? read_text(&r) : -1;
    *of = r.op;
    if (root >= 0)
        root = of_output_type(&r, root);
    if (root >= 0) /* else not all operands may have been read */
        check_named(&r);
    if (root < 0 || diag_nerror(d) > nerror || !formula_know(&r, root))
        return NULL;
    return r.f;
}
