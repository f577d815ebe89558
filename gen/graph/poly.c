/* SPDX-License-Identifier: Apache-2.0
 *
 * poly: arithmetic on sizes in their normal form. The terms of a polynomial stand in a fixed order, each with its atoms
 * in ascending order, so that equal polynomials are equal term by term; of equal operators on equal sizes there is one
 * atom.
 */
#include "gen/graph/poly.h"

#include <inttypes.h>
#include <string.h>
#include "gen/base/expr_private.h"
#include "gen/base/text.h"
#include "gen/graph/poly_private.h"

Polys *polys_new(Arena *a)
{
    Polys *p = ARENA_NEW(a, Polys);
    p->arena = a;
    return p;
}

static int add_atom(Polys *p, PolyAtom atom, int dim)
{
    const size_t n = (size_t)p->natom;
    if (p->natom == POLY_MAX_ATOM)
        return -1;
    p->next = arena_regrow(p->arena, p->next, n, n + 1, sizeof *p->next);
    p->dim_of = arena_regrow(p->arena, p->dim_of, n, n + 1, sizeof *p->dim_of);
    p->atom = arena_regrow(p->arena, p->atom, n, n + 1, sizeof *p->atom);
    p->dim_of[n] = dim;
    p->atom[n] = atom;
    return p->natom++;
}

static int add_dim(Polys *p, PolyAtom atom)
{
    const int at = add_atom(p, atom, p->ndim);
    if (at < 0)
        return -1;
    *ARENA_PUSH(p->arena, p->dim, p->ndim) = at;
    return p->ndim - 1;
}

int polys_dim(Polys *p, const char *name, int64_t least, int64_t most)
{
    return add_dim(p, (PolyAtom){ .name = name, .least = least, .most = most });
}

int polys_place(Polys *p, const char *name, const Poly *below)
{
    int64_t least, most;
    poly_range(p, below, &least, &most);
    return add_dim(p, (PolyAtom){ .name = name, .most = most > 0 ? most - 1 : 0, .below = below });
}

const Poly *polys_below(const Polys *p, int dim) { return p->atom[p->dim[dim]].below; }
int polys_ndim(const Polys *p) { return p->ndim; }
const char *polys_dim_name(const Polys *p, int dim) { return p->atom[p->dim[dim]].name; }

void polys_dim_range(const Polys *p, int dim, int64_t *least, int64_t *most)
{
    *least = p->atom[p->dim[dim]].least;
    *most = p->atom[p->dim[dim]].most;
}

int polys_find(const Polys *p, const char *name)
{
    for (int i = 0; i < p->ndim; i++)
        if (strcmp(polys_dim_name(p, i), name) == 0)
            return i;
    return -1;
}

/* ---- terms ---- */

/* The order of terms: those of more atoms first, then by their atoms. */
static int compare_terms(const PolyTerm *x, const PolyTerm *y)
{
    if (x->natom != y->natom)
        return y->natom - x->natom;
    for (int i = 0; i < x->natom; i++)
        if (x->atom[i] != y->atom[i])
            return x->atom[i] - y->atom[i];
    return 0;
}

static const Poly *of_terms(Polys *p, const PolyTerm *term, int n)
{
    Poly *x = ARENA_NEW(p->arena, Poly);
    x->nterm = n;
    x->term = ARENA_ARRAY(p->arena, (size_t)n + 1, PolyTerm);
    memcpy(x->term, term, (size_t)n * sizeof *term);
    return x;
}

static const Poly *of_atom(Polys *p, int atom)
{
    if (atom < 0)
        return NULL;
    return of_terms(p, &(PolyTerm){ .by = 1, .natom = 1, .atom = { atom } }, 1);
}

const Poly *poly_number(Polys *p, int64_t value) { return of_terms(p, &(PolyTerm){ .by = value }, value != 0); }
const Poly *poly_dim(Polys *p, int dim) { return of_atom(p, p->dim[dim]); }

bool poly_same(const Poly *x, const Poly *y)
{
    if (!x || !y || x->nterm != y->nterm)
        return false;
    for (int i = 0; i < x->nterm; i++)
        if (x->term[i].by != y->term[i].by || compare_terms(&x->term[i], &y->term[i]) != 0)
            return false;
    return true;
}

bool poly_is_number(const Poly *x, int64_t *value)
{
    if (!x || x->nterm > 1 || (x->nterm && x->term->natom))
        return false;
    *value = x->nterm ? x->term->by : 0;
    return true;
}

int poly_nterm(const Poly *x) { return x ? x->nterm : 0; }

const Poly *poly_side(Polys *p, const Poly *x, bool taken_away)
{
    PolyTerm term[POLY_MAX_TERM];
    int n = 0;
    for (int i = 0; i < x->nterm; i++)
        if ((x->term[i].by < 0) == taken_away) {
            if (x->term[i].by == INT64_MIN)
                return NULL;
            term[n] = x->term[i];
            term[n++].by *= taken_away ? -1 : 1;
        }
    return of_terms(p, term, n);
}

bool poly_is(const Poly *x, int64_t value)
{
    int64_t number;
    return poly_is_number(x, &number) && number == value;
}

int poly_is_dim(const Polys *p, const Poly *x)
{
    for (int i = 0; i < p->ndim && x && x->nterm == 1 && x->term->natom == 1 && x->term->by == 1; i++)
        if (p->dim[i] == *x->term->atom)
            return i;
    return -1;
}

/* x + by * y */
static const Poly *sum_of(Polys *p, const Poly *x, const Poly *y, int64_t by)
{
    PolyTerm term[2 * POLY_MAX_TERM];
    int n = 0;
    if (!x || !y)
        return NULL;
    for (int i = 0, k = 0; i < x->nterm || k < y->nterm;) {
        const int order = i == x->nterm ? 1 : k == y->nterm ? -1 : compare_terms(&x->term[i], &y->term[k]);
        PolyTerm t = order <= 0 ? x->term[i] : y->term[k];
        int64_t more = 0;
        if (order <= 0)
            i++;
        else
            t.by = 0;
        if (order >= 0 &&
            (__builtin_mul_overflow(y->term[k++].by, by, &more) || __builtin_add_overflow(t.by, more, &t.by)))
            return NULL;
        if (t.by)
            term[n++] = t;
    }
    return n <= POLY_MAX_TERM ? of_terms(p, term, n) : NULL;
}

const Poly *poly_add(Polys *p, const Poly *x, const Poly *y) { return sum_of(p, x, y, 1); }
const Poly *poly_sub(Polys *p, const Poly *x, const Poly *y) { return sum_of(p, x, y, -1); }

static bool multiply_terms(const PolyTerm *x, const PolyTerm *y, PolyTerm *out)
{
    *out = (PolyTerm){ .natom = x->natom + y->natom };
    if (out->natom > POLY_MAX_DEGREE || __builtin_mul_overflow(x->by, y->by, &out->by))
        return false;
    for (int i = 0, k = 0, n = 0; n < out->natom; n++)
        out->atom[n] = k == y->natom || (i < x->natom && x->atom[i] <= y->atom[k]) ? x->atom[i++] : y->atom[k++];
    return true;
}

const Poly *poly_mul(Polys *p, const Poly *x, const Poly *y)
{
    const Poly *sum = poly_number(p, 0);
    if (!x || !y)
        return NULL;
    for (int i = 0; i < x->nterm; i++)
        for (int k = 0; k < y->nterm && sum; k++) {
            PolyTerm t;
            sum = multiply_terms(&x->term[i], &y->term[k], &t) ? poly_add(p, sum, of_terms(p, &t, 1)) : NULL;
        }
    return sum;
}

const Poly *poly_product(Polys *p, int n, const Poly *const *x)
{
    const Poly *all = poly_number(p, 1);
    for (int i = 0; i < n; i++)
        all = poly_mul(p, all, x[i]);
    return all;
}

/* ---- quotients ---- */

/* The whole multiples of y that x holds, so that what remains is not negative: 7*T*B
 * of 3*T are 2*B, and T*B remain. False: there is none. */
static bool divide_terms(const PolyTerm *x, const PolyTerm *y, PolyTerm *out)
{
    *out = (PolyTerm){ 0 };
    if (y->by == -1 && x->by == INT64_MIN)
        return false;
    out->by = x->by / y->by - (x->by % y->by >= 0 ? 0 : y->by > 0 ? 1 : -1);
    int k = 0;
    for (int i = 0; i < x->natom; i++)
        if (k < y->natom && x->atom[i] == y->atom[k])
            k++;
        else
            out->atom[out->natom++] = x->atom[i];
    return out->by && k == y->natom;
}

/* Takes multiples of y from *rest as long as y's first term divides a term of it: x = y * quotient + *rest. */
static const Poly *divide(Polys *p, const Poly *x, const Poly *y, const Poly **rest)
{
    const Poly *quotient = poly_number(p, 0);
    *rest = x;
    for (int i = 0; *rest && quotient && i < (*rest)->nterm;) {
        PolyTerm t;
        if (!divide_terms(&(*rest)->term[i], y->term, &t)) {
            i++;
            continue;
        }
        const Poly *part = of_terms(p, &t, 1);
        quotient = poly_add(p, quotient, part);
        *rest = poly_sub(p, *rest, poly_mul(p, part, y));
    }
    return *rest ? quotient : NULL;
}

const Poly *poly_quotient(Polys *p, const Poly *x, const Poly *y)
{
    const Poly *rest;
    if (!x || !y || !y->nterm)
        return NULL;
    const Poly *quotient = divide(p, x, y, &rest);
    return quotient && rest->nterm == 0 ? quotient : NULL;
}

/* ---- operators ---- */

static unsigned hash_size(const Poly *x, unsigned hash)
{
    for (int i = 0; i < x->nterm; i++) {
        hash = hash * 31 + (unsigned)x->term[i].by;
        for (int k = 0; k < x->term[i].natom; k++)
            hash = hash * 31 + (unsigned)x->term[i].atom[k];
    }
    return hash;
}

static const Poly *apply_atom(Polys *p, const OpRow *op, const Poly *x, const Poly *y)
{
    if (!x || !y)
        return NULL;
    const unsigned bucket = hash_size(y, hash_size(x, (unsigned)*op->text)) % POLY_BUCKETS;
    for (int i = p->bucket[bucket]; i; i = p->next[i - 1])
        if (p->atom[i - 1].op == op && poly_same(p->atom[i - 1].x, x) && poly_same(p->atom[i - 1].y, y))
            return of_atom(p, i - 1);
    const int added = add_atom(p, (PolyAtom){ .op = op, .x = x, .y = y }, -1);
    if (added < 0)
        return NULL;
    p->next[added] = p->bucket[bucket];
    p->bucket[bucket] = added + 1;
    return of_atom(p, added);
}

static const Poly *apply_quotient(Polys *p, const OpRow *op, const Poly *x, const Poly *y);

/* (a / b + c) / y is (a + b*c) / (b*y), where none of them is negative; c is a number. NULL: x is no such sum. */
static const Poly *quotient_of_quotient(Polys *p, const OpRow *op, const Poly *x, const Poly *y)
{
    const PolyTerm *first = x->term, *last = x->nterm == 2 ? &x->term[1] : NULL;
    int64_t least, least_y, most;
    if (x->nterm < 1 || x->nterm > 2 || first->natom != 1 || first->by != 1 || p->atom[*first->atom].op != op ||
        (last && (last->natom || last->by < 0)))
        return NULL;
    const Poly *a = p->atom[*first->atom].x, *b = p->atom[*first->atom].y;
    poly_range(p, a, &least, &most);
    poly_range(p, y, &least_y, &most);
    if (least < 0 || least_y <= 0)
        return NULL;
    const Poly *sum = poly_add(p, a, poly_mul(p, b, poly_number(p, last ? last->by : 0))), *by = poly_mul(p, b, y);
    return sum && by ? apply_quotient(p, op, sum, by) : NULL;
}

/* Quotients of what is not negative: the multiples of y come out of x, if what is left is not negative either. */
static const Poly *apply_quotient(Polys *p, const OpRow *op, const Poly *x, const Poly *y)
{
    int64_t least, most, least_x, least_y;
    const Poly *exact = poly_quotient(p, x, y), *rest;
    if (exact)
        return exact;
    const Poly *joined = quotient_of_quotient(p, op, x, y);
    if (joined)
        return joined;
    poly_range(p, x, &least_x, &most);
    poly_range(p, y, &least_y, &most);
    const Poly *whole = least_x >= 0 && least_y > 0 ? divide(p, x, y, &rest) : NULL;
    if (!whole)
        return apply_atom(p, op, x, y);
    poly_range(p, rest, &least, &most);
    if (least < 0)
        return apply_atom(p, op, x, y);
    if (most < least_y || poly_is_below(p, rest, y))
        return whole;
    return poly_add(p, whole, apply_atom(p, op, rest, y));
}

/* What one size that lies on one side of the other decides: min, max and tests. */
static const Poly *decided(Polys *p, const OpRow *op, const Poly *x, const Poly *y)
{
    int64_t least, most;
    const Poly *d = poly_sub(p, x, y);
    if (!d)
        return NULL;
    poly_range(p, d, &least, &most);
    most = most >= 0 && poly_is_below(p, x, y) ? -1 : most;
    least = least <= 0 && poly_is_below(p, y, x) ? 1 : least;
    if (op_is_test(op)) {
        const int orders = (least < 0 ? LESS : 0) | (least <= 0 && most >= 0 ? EQUAL : 0) | (most > 0 ? GREATER : 0);
        if (!(op->how & (LESS | EQUAL | GREATER)))
            return NULL;
        return !(orders & ~op->how) ? poly_number(p, 1) : !(orders & op->how) ? poly_number(p, 0) : NULL;
    }
    const bool is_min = strcmp(op->text, "min") == 0;
    if (!is_min && strcmp(op->text, "max") != 0)
        return NULL;
    return least >= 0 ? (is_min ? y : x) : most <= 0 ? (is_min ? x : y) : NULL;
}

const Poly *poly_apply(Polys *p, const char *op, const Poly *x, const Poly *y)
{
    const OpRow *row = expr_operator(op, strlen(op));
    row = row ? row : expr_function(op, strlen(op));
    const OpRow *divides = expr_operator("/", 1);
    int64_t a, b, value;
    if (!row || !x || !y)
        return NULL;
    if (poly_is_number(x, &a) && poly_is_number(y, &b))
        return expr_apply_int(row, a, b, &value) == EXPR_OK ? poly_number(p, value) : NULL;
    if (strcmp(op, "+") == 0)
        return poly_add(p, x, y);
    if (strcmp(op, "-") == 0)
        return poly_sub(p, x, y);
    if (strcmp(op, "*") == 0)
        return poly_mul(p, x, y);
    if (row->how & DIVIDES && !y->nterm)
        return NULL;
    if (row == divides)
        return apply_quotient(p, row, x, y);
    if (strcmp(op, "%") == 0)
        return poly_sub(p, x, poly_mul(p, y, apply_quotient(p, divides, x, y)));
    if (poly_is(y, 1) && strncmp(op, "ceil_", 5) == 0)
        return x;
    if (strcmp(op, "ceil_to") == 0)
        return poly_mul(p, y, poly_apply(p, "ceil_div", x, y));
    if (strcmp(op, "ceil_div") == 0) {
        const Poly *up = poly_add(p, x, poly_sub(p, y, poly_number(p, 1)));
        int64_t least, most;
        poly_range(p, up, &least, &most);
        return least >= 0 ? apply_quotient(p, divides, up, y) : apply_atom(p, row, x, y); /* cut another way below 0 */
    }
    const Poly *known = decided(p, row, x, y);
    return known ? known : apply_atom(p, row, x, y);
}

/* x = by * atom + rest. */
static void split_at(Polys *p, const Poly *x, int atom, const Poly **by, const Poly **rest)
{
    const Poly *one = of_atom(p, atom), *with = poly_number(p, 0);
    *by = with;
    for (int j = 0; j < x->nterm; j++) {
        const Poly *term = of_terms(p, &x->term[j], 1), *part = poly_quotient(p, term, one);
        if (part) {
            *by = poly_add(p, *by, part);
            with = poly_add(p, with, term);
        }
    }
    *rest = poly_sub(p, x, with);
}

bool poly_split(Polys *p, const Poly *x, const Poly **by, const char **op, const Poly **a, const Poly **b,
                const Poly **rest)
{
    for (int i = 0; x && i < x->nterm; i++)
        for (int k = 0; k < x->term[i].natom; k++) {
            const PolyAtom t = p->atom[x->term[i].atom[k]];
            if (!t.op)
                continue;
            split_at(p, x, x->term[i].atom[k], by, rest);
            *op = t.op->text;
            *a = t.x;
            *b = t.y;
            return *by && *rest;
        }
    return false;
}

bool poly_is_remainder(Polys *p, const Poly *x, const Poly **a, const Poly **b)
{
    const OpRow *divides = expr_operator("/", 1);
    for (int i = 0; x && i < x->nterm; i++)
        for (int k = 0; k < x->term[i].natom; k++) {
            const int atom = x->term[i].atom[k];
            const Poly *by;
            if (p->atom[atom].op != divides)
                continue;
            split_at(p, x, atom, &by, a);
            int64_t least = 0, most;
            *b = poly_sub(p, poly_number(p, 0), by);
            if (*b)
                poly_range(p, *b, &least, &most);
            if (*a && least > 0 && poly_same(poly_apply(p, "/", *a, *b), of_atom(p, atom)))
                return true;
        }
    return false;
}

/* Is it seen that 0 <= x <= n? */
static bool stands_in(Polys *p, const Poly *x, const Poly *n)
{
    int64_t least, least_left, unused;
    poly_range(p, x, &least, &unused);
    poly_range(p, poly_sub(p, n, x), &least_left, &unused);
    return least >= 0 && least_left >= 0;
}

const Poly *poly_widened(Polys *p, const Poly *x, const Poly *n, const Poly *m)
{
    const Poly *rest, *rows = x && n && n->nterm ? divide(p, x, n, &rest) : NULL;
    if (rows && rows->nterm && !stands_in(p, rest, n)) { /* of 4*P in rows of 4*(P + T) the rest may be -4*T */
        rest = poly_add(p, rest, n);
        rows = stands_in(p, rest, n) ? poly_sub(p, rows, poly_number(p, 1)) : NULL;
    }
    return rows ? poly_add(p, rest, poly_mul(p, rows, m)) : NULL;
}

/* ---- from expressions ---- */

typedef struct {
    Polys *polys;
    const Poly *(*of)(void *ctx, const char *name);
    void *ctx;
} FromNames;

static const Poly *of_node(const FromNames *f, const Node *n)
{
    Polys *p = f->polys;
    if (n->kind == INT)
        return poly_number(p, n->value);
    if (n->kind == NAME)
        return f->of(f->ctx, n->name.name);
    if (n->kind != APPLY || (!n->op->on_int && !op_is_test(n->op)))
        return NULL;
    const Poly *x = of_node(f, n->arg[0]);
    if (n->op->narg == 2)
        return poly_apply(p, n->op->text, x, of_node(f, n->arg[1]));
    return strcmp(n->op->text, "-") == 0 ? poly_sub(p, poly_number(p, 0), x)
                                         : poly_apply(p, "==", x, poly_number(p, 0));
}

static const Poly *dim_of_name(void *ctx, const char *name)
{
    Polys *p = ctx;
    const int dim = polys_find(p, name);
    return dim < 0 ? NULL : poly_dim(p, dim);
}

const Poly *poly_of_names(Polys *p, const Expr *e, const Poly *(*of)(void *ctx, const char *name), void *ctx)
{
    return of_node(&(FromNames){ p, of, ctx }, e->root);
}

const Poly *poly_of(Polys *p, const Expr *e) { return poly_of_names(p, e, dim_of_name, p); }

int poly_dim_of_atom(const Polys *p, int atom) { return p->dim_of[atom]; }

static const Poly *substitute_atom(Polys *p, int atom, int from, const Poly *by)
{
    const PolyAtom t = p->atom[atom];
    if (atom == from)
        return by;
    if (!t.op)
        return of_atom(p, atom);
    const Poly *x = poly_substitute(p, t.x, poly_dim_of_atom(p, from), by);
    const Poly *y = poly_substitute(p, t.y, poly_dim_of_atom(p, from), by);
    return poly_same(x, t.x) && poly_same(y, t.y) ? of_atom(p, atom) : poly_apply(p, t.op->text, x, y);
}

const Poly *poly_substitute(Polys *p, const Poly *x, int dim, const Poly *by)
{
    const Poly *sum = poly_number(p, 0);
    if (!x || !poly_uses(p, x, dim))
        return x;
    for (int i = 0; i < x->nterm; i++) {
        const Poly *product = poly_number(p, x->term[i].by);
        for (int k = 0; k < x->term[i].natom; k++)
            product = poly_mul(p, product, substitute_atom(p, x->term[i].atom[k], p->dim[dim], by));
        sum = poly_add(p, sum, product);
    }
    return sum;
}

bool poly_uses(const Polys *p, const Poly *x, int dim)
{
    bool found = false;
    for (int i = 0; x && i < x->nterm; i++)
        for (int k = 0; k < x->term[i].natom && !found; k++) {
            const PolyAtom *t = &p->atom[x->term[i].atom[k]];
            found = t->op ? poly_uses(p, t->x, dim) || poly_uses(p, t->y, dim) : x->term[i].atom[k] == p->dim[dim];
        }
    return found;
}

bool poly_uses_places(const Polys *p, const Poly *x)
{
    bool uses = false;
    for (int i = 0; i < p->ndim && !uses; i++)
        uses = polys_below(p, i) && poly_uses(p, x, i);
    return uses;
}
