/* SPDX-License-Identifier: Apache-2.0
 *
 * poly_known: what is known of sizes: their ranges, values and texts, and which are equal. Dims that must be equal are
 * one from then on: the later one is replaced by what it equals (the replacement is a union-find over dims whose
 * classes may also be sizes of other dims).
 */
#include <inttypes.h>
#include <string.h>
#include "gen/base/text.h"
#include "gen/graph/poly_private.h"

/* ---- ranges ---- */

typedef __int128 Wide; /* of sums and products of 64-bit numbers, which are then cut to these */

static int64_t cut(Wide x) { return x > INT64_MAX ? INT64_MAX : x < INT64_MIN ? INT64_MIN : (int64_t)x; }

static ExprRange product_range(ExprRange x, ExprRange y)
{
    ExprRange r = { INT64_MAX, INT64_MIN };
    for (int i = 0; i < 4; i++) {
        const int64_t value = cut((Wide)(i & 1 ? x.max : x.min) * (i & 2 ? y.max : y.min));
        r.min = value < r.min ? value : r.min;
        r.max = value > r.max ? value : r.max;
    }
    return r;
}

static ExprRange range_of(const Polys *p, const Poly *x)
{
    ExprRange r;
    poly_range(p, x, &r.min, &r.max);
    return r;
}

/* Of an operator that is monotonous in each side, as all that become atoms are, but for tests. */
static ExprRange atom_range(const Polys *p, const PolyAtom *t)
{
    if (!t->op)
        return (ExprRange){ t->least, t->most };
    const ExprRange x = range_of(p, t->x), y = range_of(p, t->y);
    ExprRange r = { INT64_MAX, INT64_MIN };
    if (op_is_test(t->op))
        return (ExprRange){ 0, 1 };
    for (int i = 0; i < 4; i++) {
        int64_t value;
        if ((t->op->how & DIVIDES && y.min <= 0) ||
            expr_apply_int(t->op, i & 1 ? x.max : x.min, i & 2 ? y.max : y.min, &value) != EXPR_OK)
            return (ExprRange){ INT64_MIN, INT64_MAX };
        r.min = value < r.min ? value : r.min;
        r.max = value > r.max ? value : r.max;
    }
    return r;
}

static int find_term(const Poly *x, int natom, const int *atom)
{
    int i = x->nterm - 1;
    while (i >= 0 && (x->term[i].natom != natom || memcmp(x->term[i].atom, atom, (size_t)natom * sizeof *atom) != 0))
        i--;
    return i;
}

/* Is y = x + *more, a number? */
static bool is_more(const Poly *x, const Poly *y, int64_t *more)
{
    int64_t constant[2] = { 0, 0 };
    int n = 0;
    for (int side = 0; side < 2; side++)
        for (int i = 0; i < (side ? y : x)->nterm; i++) {
            const PolyTerm *t = &(side ? y : x)->term[i];
            const int at = find_term(side ? x : y, t->natom, t->atom);
            if (!t->natom)
                constant[side] = t->by;
            else if (at < 0 || (side ? x : y)->term[at].by != t->by)
                return false;
            n += t->natom > 0;
        }
    return n > 0 && !__builtin_sub_overflow(constant[1], constant[0], more);
}

/* The numerator and the divisor, a number from 2 on, if the term is a number times a quotient. */
static const Poly *numerator(const Polys *p, const PolyTerm *t, int64_t *by)
{
    const PolyAtom *atom = t->natom == 1 ? &p->atom[t->atom[0]] : NULL;
    const bool is_one = atom && atom->op && strcmp(atom->op->text, "/") == 0 && poly_is_number(atom->y, by) &&
                        *by > 1 && *by <= INT32_MAX;
    return is_one ? atom->x : NULL;
}

static bool is_never_negative(const Polys *p, const Poly *x) { return range_of(p, x).min >= 0; }

/* What some terms of x, among them term i, may be together, if they are a remainder; they are marked then.
 *
 *   t*a - t*by*(a / by)    is t*(a % by); a's constant may stand elsewhere
 *   t*(a / by) - t*parts*((a + before*by) / (by*parts))
 *                          is t times -before to parts - 1 - before, as q - parts*((q + before) / parts) is */
static bool remainder_range(const Polys *p, const Poly *x, int i, bool *marked, ExprRange *r)
{
    int64_t by, other_by, more, parts;
    const Poly *a = numerator(p, &x->term[i], &by);
    if (!a)
        return false;
    for (int k = 0; k < x->nterm; k++) {
        const Poly *other = k == i || marked[k] ? NULL : numerator(p, &x->term[k], &other_by);
        parts = other && by % other_by == 0 ? by / other_by : 1;
        if (parts == 1 || !is_more(other, a, &more) || more % other_by != 0 ||
            (Wide)x->term[k].by * -parts != x->term[i].by || !is_never_negative(p, a) || !is_never_negative(p, other))
            continue;
        const int64_t times = x->term[k].by, before = more / other_by;
        marked[i] = marked[k] = true;
        *r = product_range((ExprRange){ times, times }, (ExprRange){ -before, cut((Wide)parts - 1 - before) });
        return true;
    }
    if (x->term[i].by % by != 0)
        return false;
    const int64_t times = -(x->term[i].by / by);
    Wide constant = 0;
    for (int k = 0; k < a->nterm; k++) {
        const PolyTerm *part = &a->term[k];
        const int at = find_term(x, part->natom, part->atom);
        if (part->natom && (at < 0 || marked[at] || (Wide)part->by * times != x->term[at].by))
            return false;
        constant += part->natom ? 0 : (Wide)part->by * times;
    }
    if (!is_never_negative(p, a))
        return false;
    for (int k = 0; k < a->nterm; k++)
        if (a->term[k].natom)
            marked[find_term(x, a->term[k].natom, a->term[k].atom)] = true;
    marked[i] = true;
    *r = product_range((ExprRange){ times, times }, (ExprRange){ 0, by - 1 });
    *r = (ExprRange){ cut(r->min - constant), cut(r->max - constant) };
    return true;
}

static ExprRange term_range(const Polys *p, const PolyTerm *t)
{
    ExprRange r = { t->by, t->by };
    for (int k = 0; k < t->natom; k++)
        r = product_range(r, atom_range(p, &p->atom[t->atom[k]]));
    return r;
}

void poly_range(const Polys *p, const Poly *x, int64_t *least, int64_t *most)
{
    bool marked[POLY_MAX_TERM] = { false };
    Wide lo = x ? 0 : INT64_MIN, hi = x ? 0 : INT64_MAX; /* of NULL: anything */
    Wide least_left = lo, most_left = hi;                /* with remainders as such */
    ExprRange r;
    for (int i = 0; x && !p->by_terms && i < x->nterm; i++)
        if (!marked[i] && remainder_range(p, x, i, marked, &r)) {
            least_left += r.min;
            most_left += r.max;
        }
    for (int i = 0; x && i < x->nterm; i++) {
        r = term_range(p, &x->term[i]);
        lo += r.min;
        hi += r.max;
        least_left += marked[i] ? 0 : r.min;
        most_left += marked[i] ? 0 : r.max;
    }
    *least = cut(least_left > lo ? least_left : lo);
    *most = cut(most_left < hi ? most_left : hi);
}

/* Is every term that names the place as large as can be where the place is? */
static bool rises_with(const Polys *p, const Poly *x, int atom)
{
    for (int i = 0; i < x->nterm; i++) {
        int n = 0;
        bool rises = x->term[i].by > 0;
        for (int k = 0; k < x->term[i].natom; k++) {
            n += x->term[i].atom[k] == atom;
            rises = rises && atom_range(p, &p->atom[x->term[i].atom[k]]).min >= 0;
        }
        if (n && !rises)
            return false;
    }
    return true;
}

bool poly_is_below(Polys *p, const Poly *x, const Poly *y)
{
    const Poly *most = x;
    int64_t least, unused;
    for (int i = 0; x && i < x->nterm; i++)
        for (int k = 0; k < x->term[i].natom; k++) {
            const int atom = x->term[i].atom[k];
            const Poly *below = p->atom[atom].below;
            if (below && most && poly_uses(p, most, p->dim_of[atom]) && rises_with(p, most, atom))
                most = poly_substitute(p, most, p->dim_of[atom], poly_sub(p, below, poly_number(p, 1)));
        }
    const Poly *left = most ? poly_sub(p, y, most) : NULL;
    if (!left)
        return false;
    poly_range(p, left, &least, &unused);
    return least >= 1;
}

/* Quotients and remainders of a size that is within one are within too. */
bool poly_is_within(Polys *p, const Poly *x, const Poly *y)
{
    const Poly *by, *a, *b, *rest;
    const char *op;
    int64_t least, most;
    poly_range(p, x, &least, &most);
    if (least >= 0 && poly_is_below(p, x, y))
        return true;
    if (poly_split(p, x, &by, &op, &a, &b, &rest) && strcmp(op, "/") == 0 && poly_is(by, 1) && poly_is(rest, 0))
        return poly_is_within(p, a, poly_mul(p, b, y));
    if (!poly_is_remainder(p, x, &a, &b))
        return false;
    poly_range(p, poly_sub(p, y, b), &least, &most);
    if (least < 0)
        return false;
    poly_range(p, a, &least, &most);
    return least >= 0 || poly_is_within(p, a, poly_number(p, INT64_MAX));
}

bool poly_is_seen_within(Polys *p, const Poly *x, const Poly *y)
{
    p->by_terms = true;
    const bool is_seen = poly_is_within(p, x, y);
    p->by_terms = false;
    return is_seen;
}

bool poly_linear(Polys *p, const Poly *x, const int *dim, int ndim, const Poly **by, const Poly **rest)
{
    const Poly *left = x;
    for (int i = 0; i < ndim && left; i++) {
        const Poly *at_zero = poly_substitute(p, left, dim[i], poly_number(p, 0));
        const Poly *with = at_zero ? poly_sub(p, left, at_zero) : NULL;
        by[i] = with ? poly_quotient(p, with, poly_dim(p, dim[i])) : NULL;
        left = by[i] ? at_zero : NULL;
    }
    *rest = left;
    for (int i = 0; i < ndim && left; i++) {
        for (int k = 0; k < ndim; k++)
            if (poly_uses(p, by[i], dim[k]))
                return false;
        if (poly_uses(p, left, dim[i]))
            return false;
    }
    return left;
}

/* ---- values ---- */

static bool atom_at(const Polys *p, int atom, const int64_t *dims, int64_t *value)
{
    const PolyAtom *t = &p->atom[atom];
    int64_t x, y;
    if (!t->op) {
        *value = dims[poly_dim_of_atom(p, atom)];
        return true;
    }
    return poly_at(p, t->x, dims, &x) && poly_at(p, t->y, dims, &y) && expr_apply_int(t->op, x, y, value) == EXPR_OK;
}

bool poly_at(const Polys *p, const Poly *x, const int64_t *dims, int64_t *value)
{
    *value = 0;
    for (int i = 0; x && i < x->nterm; i++) {
        int64_t product = x->term[i].by, factor;
        for (int k = 0; k < x->term[i].natom; k++)
            if (!atom_at(p, x->term[i].atom[k], dims, &factor) || __builtin_mul_overflow(product, factor, &product))
                return false;
        if (__builtin_add_overflow(*value, product, value))
            return false;
    }
    return x != NULL;
}

/* ---- texts ---- */

static void add_text(Text *t, const Polys *p, const Poly *x);

/* A side of an operator: in brackets where it is more than one number or name. */
static void add_side(Text *t, const Polys *p, const Poly *x)
{
    const bool plain = x->nterm == 0 || (x->nterm == 1 && x->term->by > 0 && x->term->natom + (x->term->by != 1) <= 1);
    text_add(t, plain ? "" : "(");
    add_text(t, p, x);
    text_add(t, plain ? "" : ")");
}

static void add_atom_text(Text *t, const Polys *p, const PolyAtom *atom, bool alone)
{
    if (!atom->op) {
        text_add(t, atom->name);
    } else if (atom->op->prec == PREC_PRIMARY) {
        text_printf(t, "%s(", atom->op->text);
        add_text(t, p, atom->x);
        text_add(t, ", ");
        add_text(t, p, atom->y);
        text_add(t, ")");
    } else {
        text_add(t, alone ? "" : "(");
        add_side(t, p, atom->x);
        text_printf(t, " %s ", atom->op->text);
        add_side(t, p, atom->y);
        text_add(t, alone ? "" : ")");
    }
}

static void add_term_text(Text *t, const Polys *p, const PolyTerm *term, bool first, bool only)
{
    const bool minus = term->by < 0;
    const uint64_t by = minus ? -(uint64_t)term->by : (uint64_t)term->by;
    const bool is_written = by != 1 || !term->natom;
    const OpRow *op = term->natom == 1 && !is_written ? p->atom[*term->atom].op : NULL;
    const bool alone = op && (only || op->prec > PREC_SUM);
    text_add(t, first ? (minus ? "-" : "") : minus ? " - " : " + ");
    if (is_written)
        text_printf(t, "%" PRIu64, by);
    for (int i = 0; i < term->natom; i++) {
        text_add(t, is_written || i ? "*" : "");
        add_atom_text(t, p, &p->atom[term->atom[i]], alone);
    }
}

static void add_text(Text *t, const Polys *p, const Poly *x)
{
    for (int i = 0; i < x->nterm; i++)
        add_term_text(t, p, &x->term[i], i == 0, x->nterm == 1 && x->term->by > 0);
    if (!x->nterm)
        text_add(t, "0");
}

const char *poly_text(Arena *a, const Polys *p, const Poly *x)
{
    Text t = { .arena = a };
    if (!x)
        return "?";
    add_text(&t, p, x);
    return text_str(&t);
}

/* ---- what is equal ---- */

/* x where each dim that equals something stands as that. */
const Poly *poly_reduced(Polys *p, const Poly *x)
{
    for (int i = 0; i < p->ncondition && x; i++) {
        const int dim = p->condition[i].at_least ? -1 : poly_is_dim(p, p->condition[i].x);
        if (dim >= 0 && !poly_uses(p, p->condition[i].y, dim))
            x = poly_substitute(p, x, dim, p->condition[i].y);
    }
    return x;
}

/* Does x = 0 follow from a condition that replaces no dim? */
static bool follows(Polys *p, const Poly *x)
{
    for (int i = 0; i < p->ncondition; i++) {
        int64_t times;
        if (p->condition[i].at_least)
            continue;
        const Poly *d = poly_reduced(p, poly_sub(p, p->condition[i].x, p->condition[i].y));
        const Poly *q = d && d->nterm ? poly_quotient(p, x, d) : NULL;
        if (q && (q->nterm == 1 || poly_is_number(q, &times)))
            return true;
    }
    return false;
}

static PolyEquality compare_difference(Polys *p, const Poly *d)
{
    int64_t least, most;
    if (!d)
        return POLY_MAY_BE;
    if (!d->nterm || follows(p, d))
        return POLY_EQUAL;
    poly_range(p, d, &least, &most);
    return least > 0 || most < 0 ? POLY_NEVER : POLY_MAY_BE;
}

PolyEquality poly_compare(Polys *p, const Poly *x, const Poly *y)
{
    return compare_difference(p, poly_reduced(p, poly_sub(p, x, y)));
}

/* The condition by which a dim is replaced, if there is one to replace: the later one of both sides. */
static PolyCondition as_replacement(Polys *p, const Poly *x, const Poly *y, const char *why)
{
    const int dx = poly_is_dim(p, x), dy = poly_is_dim(p, y);
    if (dy >= 0 && (dx < 0 || dx < dy) && !poly_uses(p, x, dy))
        return (PolyCondition){ y, x, false, why };
    return (PolyCondition){ x, y, false, why };
}

/* Divides both sides by what all of their terms have in common, as long as that cannot be 0: 768*T = 768*S is T = S. */
static void reduce_factors(Polys *p, const Poly **x, const Poly **y)
{
    for (bool again = true; again && (*x)->nterm;) {
        again = false;
        const PolyTerm *t = (*x)->term;
        for (int i = -1; i < t->natom && !again; i++) {
            int64_t least, most;
            PolyTerm factor = { .by = i < 0 ? t->by : 1, .natom = i >= 0, .atom = { i < 0 ? 0 : t->atom[i] } };
            const Poly by = { 1, &factor };
            const Poly *qx = poly_quotient(p, *x, &by), *qy = poly_quotient(p, *y, &by);
            poly_range(p, &by, &least, &most);
            if (qx && qy && least > 0 && !(i < 0 && t->by == 1)) {
                *x = qx;
                *y = qy;
                again = true;
            }
        }
    }
}

bool polys_require(Polys *p, const Poly *x, const Poly *y, const char *why)
{
    const PolyEquality known = poly_compare(p, x, y);
    if (known != POLY_MAY_BE)
        return known == POLY_EQUAL;
    x = poly_reduced(p, x);
    y = poly_reduced(p, y);
    if (!x || !y)
        return true;
    reduce_factors(p, &x, &y);
    *ARENA_PUSH(p->arena, p->condition, p->ncondition) = as_replacement(p, x, y, why);
    return true;
}

bool polys_require_least(Polys *p, const Poly *x, const char *why)
{
    int64_t least, most;
    x = poly_reduced(p, x);
    if (!x)
        return true;
    poly_range(p, x, &least, &most);
    if (least == INT64_MIN || most == INT64_MAX)
        return false; /* a call cannot compute it */
    bool known = least >= 0;
    for (int i = 0; i < p->ncondition && !known; i++) {
        const PolyCondition *c = &p->condition[i];
        const Poly *more = c->at_least ? poly_sub(p, x, poly_sub(p, c->x, c->y)) : NULL;
        if (more) {
            poly_range(p, more, &least, &(int64_t){ 0 });
            known = least >= 0;
        }
    }
    if (!known && most >= 0)
        *ARENA_PUSH(p->arena, p->condition, p->ncondition) = (PolyCondition){ x, poly_number(p, 0), true, why };
    return most >= 0;
}

int polys_conditions(const Polys *p, const PolyCondition **all)
{
    *all = p->condition;
    return p->ncondition;
}
