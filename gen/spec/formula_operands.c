/* SPDX-License-Identifier: Apache-2.0
 *
 * formula_operands: elements of operands in a formula. A name that the op does not know becomes an operand of the
 * function, whose extents are those that its places go along, or those that the spec says. An index may be an element
 * of an integer operand, which then holds places, or be computed of places and extents: whether it can lie outside is
 * known once the shapes are (spec_reach.c).
 */
#include <ctype.h>
#include <string.h>
#include "gen/base/conf.h"
#include "gen/base/name.h"
#include "gen/base/text.h"
#include "gen/spec/formula_private.h"

bool formula_is_own(const FormulaReader *r, const Operand *o)
{
    return o->role == ROLE_OUT || (r->op->reference && !o->of_formula);
}

/* The output at its own places, as in "Y[m,n]". */
static const char *output_text(FormulaReader *r)
{
    const Operand *out = &r->op->operand[r->out];
    Text t = { .arena = r->arena };
    for (int i = 0; i < out->layout->rank; i++)
        text_printf(&t, "%s%s", i ? "," : "",
                    text_letters(arena_strdup(r->arena, expr_text(out->layout->extent[i])), tolower));
    return arena_printf(r->arena, "%s[%s]", out->name, text_str(&t));
}

int formula_fail_own(FormulaReader *r, const Node *n, const Operand *o)
{
    if (o->role == ROLE_OUT)
        return FAIL(r, n, "'%s' is the output, which a formula reads at its own places alone: %s", o->name,
                    output_text(r));
    return FAIL(r, n, "'%s' is the op's own operand; a formula may not read it", o->name);
}

static const char *extent_list(FormulaReader *r, const Expr *const *extent, int rank)
{
    Text t = { .arena = r->arena };
    for (int i = 0; i < rank; i++)
        text_printf(&t, "[%s]", expr_text(extent[i]));
    return arena_strdup(r->arena, text_str(&t));
}

const Storage *formula_storage_of(const FormulaReader *r, const char *operand)
{
    const int i = names_find(NAMES(r->text->operand, r->text->ntype), operand);
    return i < 0 ? NULL : r->text->stored[i];
}

/* Why the formula cannot bring an operand of this name; NULL: it can. */
static const char *operand_fault(const FormulaReader *r, const char *name)
{
    const char *why = name_argument_fault(name);
    if (why)
        return why;
    const int extent = op_axis(r->op, name);
    if (extent >= 0 && r->op->extent[extent].kind == EXTENT_ATTRIBUTE)
        return "has the name of an attribute of the op";
    if (extent >= 0 || formula_place_named(r, name) >= 0)
        return "has the name of an extent or of a place along one";
    if (strcmp(name, "acc") == 0 || strcmp(name, "inf") == 0 || names_find(NAMES(r->op->sum, r->op->nsum), name) >= 0)
        return "has the name of a number in formulas";
    return formula_is_function(name) ? "has the name of a function, whose values stand in parentheses" : NULL;
}

/* Why an operand cannot bring an extent of this name. */
static const char *extent_fault(const FormulaReader *r, const char *name)
{
    return names_row(NAMES(r->op->operand, r->op->noperand), name) ? "has the name of an operand"
                                                                   : operand_fault(r, name);
}

/* Adds a number that shapes give, and the op does not have. False after an error. */
static bool add_attribute(FormulaReader *r, const char *name, int64_t least, Loc at, const char *doc)
{
    const Extent x = {
        .name = name, .kind = EXTENT_ATTRIBUTE, .least = least, .most = OP_MAX_NUMBER, .loc = at, .doc = doc
    };
    if (op_axis(r->op, name) >= 0)
        return true;
    if (!conf_check_name(r->diag, at, "extent", name, extent_fault(r, name)))
        return false;
    return op_add_attribute(r->op, &x) ||
           diag_error(r->diag, at, "more than %d extents, the op's own among them", OP_MAX_EXTENT);
}

/* Adds the names of an extent that the op does not have. False after an error. */
static bool add_names(FormulaReader *r, const FormulaExtents *e, const Expr *extent)
{
    if (!expr_c_int(r->arena, extent, "") || expr_c_calls(extent))
        return diag_error(r->diag, expr_loc(extent),
                          "an extent of '%s' is made of extents and whole numbers by + - * / and %%", e->operand);
    for (const ExprName *n = expr_names(extent); n; n = n->next)
        if (!add_attribute(r, n->name, 1, n->at, arena_printf(r->arena, "an extent of %s", e->operand)))
            return false;
    return true;
}

bool formula_add_extents(FormulaReader *r)
{
    for (int i = 0; i < r->text->nsize; i++)
        if (!add_attribute(r, r->text->size[i], 0, r->text->size_at[i], "a number that the formula uses"))
            return false;
    for (int i = 0; i < r->text->nextents; i++)
        for (int k = 0; k < r->text->extents[i].rank; k++)
            if (!add_names(r, &r->text->extents[i], r->text->extents[i].extent[k]))
                return false;
    return true;
}

bool formula_is_plain(const Formula *f, const Op *op, const FormulaNode *v, int i)
{
    const FormulaNode *index = &f->node[v->arg[i]];
    const Expr *extent = op->operand[v->at].layout->extent[i];
    return index->kind == FORMULA_INDEX && strcmp(expr_text(extent), op->extent[index->at].name) == 0;
}

bool formula_is_computed(const Formula *f, const Op *op, const FormulaNode *v, int i)
{
    return op->operand[v->at].of_formula && !formula_is_plain(f, op, v, i) &&
           (v->guarded || f->node[v->arg[i]].kind != FORMULA_ELEMENT);
}

bool formula_has_limits(const Formula *f, const Op *op)
{
    bool has = false;
    for (const FormulaNode *v = f->node; v < f->node + f->nnode; v++) {
        has = has || (v->kind == FORMULA_APPLY && (v->op == FORMULA_QUOTIENT || v->op == FORMULA_REMAINDER) &&
                      f->node[v->arg[1]].kind != FORMULA_NUMBER);
        for (int i = 0; v->kind == FORMULA_ELEMENT && i < formula_rank(v); i++)
            has = has || formula_is_computed(f, op, v, i);
    }
    return has;
}

/* The extent that a place goes along where the operand is read somewhere below a node, as its i-th index of `rank`; -1:
 * there is no place. */
static int place_in(const FormulaReader *r, const Node *n, const char *operand, int rank, int i)
{
    int extent = -1;
    if (n->kind == ELEMENT && n->nlist == rank && n->list[i]->kind == NAME && strcmp(n->name.name, operand) == 0)
        extent = formula_place_named(r, n->list[i]->name.name);
    for (int k = 0; extent < 0 && k < n->nlist; k++)
        extent = place_in(r, n->list[k], operand, rank, i);
    for (int k = 0; extent < 0 && k < 2 && n->arg[k]; k++)
        extent = place_in(r, n->arg[k], operand, rank, i);
    return extent;
}

/* The extents that the indices go along, here or elsewhere in the formula, or those that the spec says. False after an
 * error. */
static bool find_extents(FormulaReader *r, const Node *n, const int *index, Layout *l)
{
    const FormulaExtents *own = names_row(NAMES(r->text->extents, r->text->nextents), n->name.name);
    l->rank = own ? own->rank : n->nlist;
    if (!l->rank)
        return false;
    for (int i = 0; i < l->rank; i++) {
        const bool is_place = !own && r->f->node[index[i]].kind == FORMULA_INDEX;
        const int extent = is_place ? r->f->node[index[i]].at
                           : own    ? -1
                                    : place_in(r, r->expr->root, n->name.name, n->nlist, i);
        if (!own && extent < 0)
            return FAIL(r, n->list[i],
                        "expected a place such as n: what extent '%s' has here is not known; the spec may say it, as "
                        "in extents = { %s = [\"N\"]; };",
                        n->name.name, n->name.name) >= 0;
        l->extent[i] = own ? own->extent[i] : expr_name(r->arena, r->op->extent[extent].name);
        expr_bind(l->extent[i], NAMES(r->op->extent, r->op->nextent));
    }
    return true;
}

/* What a header says of an operand. which: what it holds. */
static const char *operand_doc(FormulaReader *r, const Operand *o, const char *which)
{
    const Layout *l = o->layout;
    return arena_printf(r->arena, "%s, in the formula%s", extent_list(r, (const Expr *const *)l->extent, l->rank),
                        which);
}

/* Adds an operand before the output. -1 after an error. */
static int add_operand(FormulaReader *r, const Node *n, const int *index)
{
    const char *name = n->name.name;
    Op *op = r->op;
    if (r->frame || !conf_check_name(r->diag, n->name.at, "operand", name, operand_fault(r, name)))
        return -1;
    if (op->noperand == OP_MAX_OPERAND)
        return FAIL(r, n, "more than %d operands, the op's own among them", OP_MAX_OPERAND);
    const Storage *stored = formula_storage_of(r, name);
    Operand o = {
        .name = name, .role = ROLE_IN, .of = -1, .stored = stored, .nlayout = 1, .of_formula = true, .loc = n->name.at
    };
    o.layout[0] = (Layout){ .name = "" };
    if (stored && storage_is_whole(stored))
        o.role = ROLE_INDEX, o.data = DATA_INTEGERS;
    if (!find_extents(r, n, index, &o.layout[0]))
        return -1;
    o.elems = op_elements(r->arena, op, &o.layout[0]);
    o.doc = operand_doc(r, &o, "");
    memmove(&op->operand[r->out + 1], &op->operand[r->out], (size_t)(op->noperand - r->out) * sizeof *op->operand);
    op->operand[r->out] = o;
    op->noperand++;
    for (FormulaNode *v = r->f->node; v < r->f->node + r->f->nnode; v++)
        v->at += v->kind == FORMULA_ELEMENT && v->at >= r->out; /* the output was read before */
    return r->out++;
}

/* From now on the integers that an operand holds are places along an extent. */
static void hold_places(FormulaReader *r, Operand *o, int of, const char *which)
{
    o->data = DATA_PLACES;
    o->of = of;
    o->doc = operand_doc(r, o, which);
}

/* An index that is an element: its operand holds places along the extent. False after an error. */
static bool check_gathered(FormulaReader *r, const Node *at, const FormulaNode *index, const char *extent)
{
    Operand *o = &r->op->operand[index->at];
    const int of = op_axis(r->op, extent);
    if (of < 0)
        return FAIL(r, at, "'%s' would hold places along %s, which needs a name: one more key of each shape", o->name,
                    extent) >= 0;
    if (o->data == DATA_PLACES && o->of != of)
        return FAIL(r, at, "'%s' holds places along %s; here it would need those along %s", o->name,
                    r->op->extent[o->of].name, extent) >= 0;
    if (!o->of_formula)
        return o->data == DATA_PLACES || FAIL(r, at, "the op's '%s' holds no places along %s", o->name, extent) >= 0;
    if (!r->op->extent[of].least && !(r->places >> of & 1))
        return FAIL(r, at, "%s may be 0: then '%s' could hold no place along it", extent, o->name) >= 0;
    hold_places(r, o, of, arena_printf(r->arena, "; from 0 to %s - 1, which nothing checks", extent));
    return true;
}

/* The element e in e < 0 ? e + E : e, a place along E that counts from the end where it is negative; NULL: it is none.
 */
static const FormulaNode *counted_from_end(const FormulaReader *r, const FormulaNode *v, int extent)
{
    const FormulaNode *node = r->f->node, *is = &node[v->arg[0]], *sum = &node[v->arg[1]], *e = &node[v->arg[2]];
    if (v->kind != FORMULA_APPLY || v->op != FORMULA_CHOOSE || e->kind != FORMULA_ELEMENT || extent < 0)
        return NULL;
    const bool tests = is->kind == FORMULA_APPLY && is->op == FORMULA_LT && is->arg[0] == v->arg[2] &&
                       node[is->arg[1]].kind == FORMULA_NUMBER && node[is->arg[1]].real == 0;
    const bool adds = sum->kind == FORMULA_APPLY && sum->op == FORMULA_ADD && sum->arg[0] == v->arg[2] &&
                      node[sum->arg[1]].kind == FORMULA_EXTENT && node[sum->arg[1]].at == extent;
    return tests && adds ? e : NULL;
}

/* Places that may count from the end are drawn as others are. */
static void note_counted_from_end(FormulaReader *r, const FormulaNode *index, const char *extent)
{
    const int of = op_axis(r->op, extent);
    const FormulaNode *e = counted_from_end(r, index, of);
    Operand *o = e ? &r->op->operand[e->at] : NULL;
    if (!o || !o->of_formula || o->data != DATA_INTEGERS || (!r->op->extent[of].least && !(r->places >> of & 1)))
        return;
    hold_places(r, o, of,
                arena_printf(r->arena, "; from -%s to %s - 1: what is negative counts from the end", extent, extent));
}

/* Is an element of an operand in it? What reductions are of does not count: they give places. */
static bool has_element(const FormulaReader *r, int id)
{
    const FormulaNode *v = &r->f->node[id];
    bool has = v->kind == FORMULA_ELEMENT;
    for (int i = 0; !has && v->kind == FORMULA_APPLY && i < v->narg; i++)
        has = has_element(r, v->arg[i]);
    return has;
}

/* May it be an index there? A place along another extent is a slip where the operand's extents follow from its places.
 */
static bool check_index(FormulaReader *r, const Node *at, const Operand *o, int i, const FormulaNode *node)
{
    const FormulaNode *v = &r->f->node[node->arg[i]];
    const char *extent = expr_text(o->layout->extent[i]);
    const bool says_extents = names_find(NAMES(r->text->extents, r->text->nextents), o->name) >= 0;
    if (v->kind == FORMULA_INDEX && !says_extents && strcmp(extent, r->op->extent[v->at].name) != 0)
        return FAIL(r, at, "'%s' has the extents %s: expected a place along %s", o->name,
                    extent_list(r, (const Expr *const *)o->layout->extent, o->layout->rank), extent) >= 0;
    if (node->guarded)
        note_counted_from_end(r, v, extent);
    if (node->guarded || !o->of_formula)
        return true;
    if (v->kind == FORMULA_ELEMENT)
        return check_gathered(r, at, v, extent);
    return !has_element(r, node->arg[i]) ||
           FAIL(r, at,
                "what an operand holds may lie outside of %s; expected a value for what is there, as in %s[...; 0]",
                extent, o->name) >= 0;
}

/* Reads the indices of an element and, where it is given, what it is outside of its operand. */
static bool read_arguments(FormulaReader *r, const Node *n, FormulaNode *node)
{
    const bool in_index = r->in_index;
    r->in_index = true;
    bool ok = formula_read_values(r, n, 0, node->arg);
    r->in_index = false;
    if (ok && n->arg[0]) {
        ok = (node->arg[n->nlist] = formula_read_node(r, n->arg[0])) >= 0;
        node->guarded = true;
        node->narg++;
    }
    r->in_index = in_index;
    return ok;
}

/* What an element is outside of its operand becomes of the operand's type. */
static bool convert_outside(FormulaReader *r, const Node *n, FormulaNode *node)
{
    int *outside = &node->arg[formula_rank(node)];
    if (!node->guarded)
        return true;
    if (node->type == FORMULA_INT && formula_type(r, *outside) != FORMULA_INT)
        return FAIL(r, n->arg[0], "expected an integer, as '%s' holds integers", n->name.name) >= 0;
    return node->type == FORMULA_INT || (*outside = formula_to_real(r, n->arg[0], *outside)) >= 0;
}

/* Are the indices the output's own places, in the order of one of its layouts? */
static bool is_own_place(const FormulaReader *r, const Layout *l, const int *index, int n)
{
    bool is = n == l->rank;
    for (int i = 0; is && i < n; i++) {
        const FormulaNode *v = &r->f->node[index[i]];
        is = v->kind == FORMULA_INDEX && strcmp(expr_text(l->extent[i]), r->op->extent[v->at].name) == 0;
    }
    return is;
}

/* What the element of the output holds before the call. Its places are kept in the order of the first layout. */
static int read_output(FormulaReader *r, const Node *n)
{
    Operand *out = &r->op->operand[r->out];
    FormulaNode node = { .kind = FORMULA_ELEMENT, .at = r->out, .narg = out->layout->rank };
    int index[OP_MAX_RANK];
    bool is = n->nlist <= OP_MAX_RANK && !r->frame;
    if (is && !formula_read_values(r, n, 0, index))
        return -1;
    const Layout *l = out->layout;
    while (is && l < out->layout + out->nlayout && !is_own_place(r, l, index, n->nlist))
        l++;
    if (!is || l == out->layout + out->nlayout)
        return formula_fail_own(r, n, out);
    for (int i = 0; i < out->layout->rank; i++)
        for (int k = 0; k < l->rank; k++)
            if (strcmp(expr_text(out->layout->extent[i]), expr_text(l->extent[k])) == 0)
                node.arg[i] = index[k];
    out->is_read = true;
    node.type = out->stored && storage_is_whole(out->stored) ? FORMULA_INT : FORMULA_REAL;
    return formula_add(r, n, node);
}

int formula_read_element(FormulaReader *r, const Node *n)
{
    FormulaNode node = { .kind = FORMULA_ELEMENT, .type = FORMULA_REAL, .narg = n->nlist };
    node.at = names_find(NAMES(r->op->operand, r->op->noperand), n->name.name);
    if (node.at >= 0 && r->op->operand[node.at].role == ROLE_OUT)
        return read_output(r, n);
    if (node.at >= 0 && formula_is_own(r, &r->op->operand[node.at]))
        return formula_fail_own(r, n, &r->op->operand[node.at]);
    if (n->nlist > OP_MAX_RANK)
        return FAIL(r, n, "more than %d places", OP_MAX_RANK);
    if (!read_arguments(r, n, &node))
        return -1;
    for (int i = 0; i < n->nlist; i++)
        if (formula_type(r, node.arg[i]) != FORMULA_INT)
            return FAIL(r, n->list[i],
                        "expected an integer: a place such as n, or an element of an operand of type s32");
    node.at = names_find(NAMES(r->op->operand, r->op->noperand), n->name.name);
    if (node.at < 0 && (node.at = add_operand(r, n, node.arg)) < 0)
        return -1;
    const Operand *o = &r->op->operand[node.at];
    if (o->layout->rank != n->nlist)
        return FAIL(r, n, "'%s' has %d extent%s, found %d place%s", o->name, o->layout->rank,
                    o->layout->rank == 1 ? "" : "s", n->nlist, n->nlist == 1 ? "" : "s");
    for (int i = 0; i < n->nlist; i++)
        if (!check_index(r, n->list[i], o, i, &node))
            return -1;
    node.type = o->role == ROLE_INDEX ? FORMULA_INT : FORMULA_REAL;
    return convert_outside(r, n, &node) ? formula_add(r, n, node) : -1;
}
