/* SPDX-License-Identifier: Apache-2.0
 *
 * spec_reach: what the integers of a formula may be, by the interval arithmetic of templates/package/ranges.h, which a
 * package asks at each call too. In the declared ranges they must fit 32 bits; at each declared shape an index must lie
 * within its operand, unless the formula says what is outside, and what integers are divided by must be above 0.
 */
#include <inttypes.h>
#include <string.h>
#include "gen/spec/spec_private.h"
#include "templates/package/ranges.h"

typedef PACKAGE_int_range Range;

/* From 0 to what a place along the extent may be, or what is one more than that. */
static Range range_along(const Box *box, int extent, int more)
{
    const Range r = PACKAGE_range_places(box->max[extent]);
    return box->max[extent] > 0 ? PACKAGE_range_of(0, r.most + more) : r;
}

static Range range_applied(const FormulaNode *v, const Range *of)
{
    if (v->op == FORMULA_TO_INT) /* of a real number, of which there is no range */
        return PACKAGE_range_of(-INT32_MAX, INT32_MAX);
    const Range a = of[v->arg[0]], b = v->narg > 1 ? of[v->arg[1]] : a;
    switch (v->op) {
    case FORMULA_ADD:
        return PACKAGE_range_sum(a, b);
    case FORMULA_SUB:
        return PACKAGE_range_difference(a, b);
    case FORMULA_MUL:
        return PACKAGE_range_product(a, b);
    case FORMULA_QUOTIENT:
        return PACKAGE_range_quotient(a, b);
    case FORMULA_REMAINDER:
        return PACKAGE_range_remainder(a, b);
    case FORMULA_NEG:
        return PACKAGE_range_minus(a);
    case FORMULA_MIN:
        return PACKAGE_range_smaller(a, b);
    case FORMULA_MAX:
        return PACKAGE_range_larger(a, b);
    default: /* a choice */
        return PACKAGE_range_either(b, of[v->arg[2]]);
    }
}

/* Of an element that nothing bounds: what verification draws, at least. */
static Range range_of_element(const Operand *o, const Box *box)
{
    if (o->data == DATA_BITS)
        return PACKAGE_range_of(-INT32_MAX, INT32_MAX);
    return o->of < 0 ? PACKAGE_range_of(-4, 4)
                     : range_along(box, o->of, o->data != DATA_PLACES && o->data != DATA_PERMUTATION);
}

/* Where the extents are in the box. */
static Range range_of(const Spec *s, const FormulaNode *v, const Box *box, const Range *of)
{
    Range r;
    switch (v->kind) {
    case FORMULA_NUMBER:
        return PACKAGE_range_just((int64_t)v->real);
    case FORMULA_EXTENT:
        return PACKAGE_range_of(box->min[v->at], box->max[v->at]);
    case FORMULA_INDEX:
    case FORMULA_REDUCE: /* argmax */
        return range_along(box, v->at, 0);
    case FORMULA_ELEMENT:
        r = range_of_element(&s->op->operand[v->at], box);
        return v->guarded ? PACKAGE_range_either(r, of[v->arg[formula_rank(v)]]) : r;
    default:
        return range_applied(v, of);
    }
}

static void check_32_bits(SpecReader *r)
{
    const Spec *s = r->spec;
    Range of[FORMULA_MAX_NODE];
    for (int i = 0; i < s->formula->nnode; i++) {
        const FormulaNode *v = &s->formula->node[i];
        if (v->type != FORMULA_INT)
            continue;
        of[i] = range_of(s, v, &s->box, of);
        if (PACKAGE_range_fits(of[i]))
            continue;
        if (of[i].most < INT64_MAX) /* else a divisor is not above 0, which is told of its shape */
            diag_error(r->diag, v->at_text,
                       "this may be %" PRId64 " in the declared ranges, beyond 32 bits; with a real number, such as "
                       "2.0, it is computed in floats",
                       of[i].most > -of[i].least ? of[i].most : of[i].least);
        of[i] = PACKAGE_range_just(0); /* reported once */
    }
}

/* ---- indices ---- */

/* Where something lies outside of an operand: an element and its index, or a divisor. */
typedef struct {
    const FormulaNode *node;
    int index; /* of a divisor 1 */
    Range is;
    int64_t extent; /* of the operand there */
} Fault;

static bool divides(const FormulaNode *v)
{
    return v->kind == FORMULA_APPLY && (v->op == FORMULA_QUOTIENT || v->op == FORMULA_REMAINDER);
}

/* Of integers alone: what may be wrong with one node at a call. `of` is what the nodes before may be. */
static bool has_fault(const Spec *s, const FormulaNode *v, const int64_t *extent, const Range *of, Fault *fault)
{
    *fault = (Fault){ .node = v, .index = 1 };
    if (divides(v)) {
        fault->is = of[v->arg[1]];
        return fault->is.least < 1;
    }
    for (int i = 0; v->kind == FORMULA_ELEMENT && i < formula_rank(v); i++) {
        if (!formula_is_computed(s->formula, s->op, v, i))
            continue;
        const Expr *along = s->op->operand[v->at].layout->extent[i];
        *fault = (Fault){ .node = v, .index = i, .is = of[v->arg[i]], .extent = -1 };
        const bool known = expr_int_at(along, extent, &fault->extent) == EXPR_OK && fault->extent >= 0;
        if (!known || !(v->guarded ? PACKAGE_range_known(fault->is, fault->extent)
                                   : PACKAGE_range_within(fault->is, fault->extent)))
            return true;
    }
    return false;
}

/* A call of these extents, whose nodes are looked at up to the next one. */
typedef struct {
    const Spec *spec;
    Box box;
    int next;
    Range of[FORMULA_MAX_NODE];
} Call;

static void begin_call(Call *c, const Spec *s, const int64_t *extent)
{
    c->spec = s;
    c->next = 0;
    memcpy(c->box.min, extent, sizeof c->box.min);
    memcpy(c->box.max, extent, sizeof c->box.max);
}

/* The next node with which something is wrong. */
static bool next_fault(Call *c, Fault *fault)
{
    while (c->next < c->spec->formula->nnode) {
        const int i = c->next++;
        const FormulaNode *v = &c->spec->formula->node[i];
        if (v->type == FORMULA_INT)
            c->of[i] = range_of(c->spec, v, &c->box, c->of);
        if (!has_fault(c->spec, v, c->box.min, c->of, fault))
            continue;
        c->of[i] = PACKAGE_range_just(0); /* reported once */
        return true;
    }
    return false;
}

bool spec_is_legal(const Spec *s, int64_t *extent)
{
    Fault unused;
    Call c;
    if (!op_derive(s->op, extent))
        return false;
    if (!s->formula || !formula_has_limits(s->formula, s->op) || !spec_has_output(s, extent))
        return true;
    begin_call(&c, s, extent);
    return !next_fault(&c, &unused);
}

static void report_fault(SpecReader *r, const Instance *in, const Fault *fault)
{
    const Spec *s = r->spec;
    const FormulaNode *v = fault->node;
    const char *where = spec_point_text(r, spec_shape_dims(s, &s->shape[in->decl]), in->dim);
    if (divides(v)) {
        diag_error(r->diag, v->at_text, "what integers are divided by here may be %" PRId64 "%s; expected 1 or more",
                   fault->is.least, where);
        return;
    }
    const Operand *o = &s->op->operand[v->at];
    const char *along = expr_text(o->layout->extent[fault->index]);
    if (fault->extent < 0)
        diag_error(r->diag, v->at_text, "the extent %s of '%s' is no number from 0 on%s", along, o->name, where);
    else
        diag_error(r->diag, v->at_text,
                   "index %d of '%s' goes from %" PRId64 " to %" PRId64 "%s, where the extent %s is %" PRId64
                   ": what lies outside needs a value, as in %s[...; 0]",
                   fault->index + 1, o->name, fault->is.least, fault->is.most, where, along, fault->extent, o->name);
}

/* Tells each place in the formula once, of the first shape where something is wrong with it. */
static void check_shapes(SpecReader *r)
{
    const Spec *s = r->spec;
    bool told[FORMULA_MAX_NODE] = { 0 };
    Fault fault;
    Call c;
    for (int64_t i = 0; i < s->ninstance; i++) {
        begin_call(&c, s, s->instance[i].extent);
        while (next_fault(&c, &fault)) {
            const int node = (int)(fault.node - s->formula->node);
            if (!told[node])
                report_fault(r, &s->instance[i], &fault);
            told[node] = true;
        }
    }
}

/* Extents are computed at each call: in no legal one may that overflow or divide by 0. A call without output computes
 * none. */
static void check_extents(SpecReader *r)
{
    const Spec *s = r->spec;
    const Layout *out = spec_layout(s, (int)(spec_output(s) - s->op->operand));
    int64_t lo[OP_MAX_EXTENT], hi[OP_MAX_EXTENT], least, most;
    for (int i = 0; i < s->op->nextent; i++) {
        const bool fixed = spec_is_constant(s, i);
        lo[i] = fixed ? s->box.min[i] : s->op->extent[i].least;
        hi[i] = fixed ? s->box.max[i] : s->op->extent[i].most;
    }
    for (int i = 0; i < out->rank; i++) {
        const int extent = op_axis(s->op, expr_text(out->extent[i]));
        if (extent >= 0 && lo[extent] == 0)
            lo[extent] = 1;
    }
    for (const Operand *o = s->op->operand; o < s->op->operand + s->op->noperand; o++)
        for (int i = 0; o->of_formula && i < o->layout->rank; i++) {
            const ExprStatus status = expr_bounds(o->layout->extent[i], lo, hi, &least, &most);
            if (status != EXPR_OK)
                diag_error(r->diag, expr_loc(o->layout->extent[i]),
                           "the extent %s of '%s' %s for some legal extents; expected one that shapes give, by a name",
                           expr_text(o->layout->extent[i]), o->name, expr_status_text(status));
        }
}

void spec_check_formula(SpecReader *r)
{
    if (!r->spec->formula)
        return;
    check_32_bits(r);
    check_extents(r);
    if (diag_nerror(r->diag) == r->nerror && formula_has_limits(r->spec->formula, r->spec->op))
        check_shapes(r);
}
