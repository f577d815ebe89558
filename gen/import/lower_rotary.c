/* SPDX-License-Identifier: Apache-2.0
 *
 * lower_rotary: RotaryEmbedding of ONNX and of ONNX Runtime: the first elements of each head are turned in pairs, by
 * angles that follow from the place in the sequence. Heads are [batch][heads][places][elements], or rows that hold all:
 *
 *   y[d] = x[d] cosine[j] + sign x[partner] sine[j]       halves: partner d +- R/2; neighbours: d +- 1
 */
#include <string.h>
#include "gen/import/lower.h"

typedef struct {
    Lower *lower;
    const Value *cosine, *sine, *at; /* at: places in the sequence; NULL: the tables are of these already */
    const Elem *batch, *place, *d;   /* of the output: image, place in the sequence, element of the head */
    const Poly *size, *turned;       /* elements of a head; those that are turned */
    bool is_interleaved;
} Rotary;

static const Elem *op(Rotary *r, const char *name, const Elem *x, const Poly *y)
{
    return ELEM(r->lower->elems, name, x, elem_size(r->lower->elems, y));
}

/* v at these indices; along an extent of 1 it is the only one. */
static const Elem *element(Rotary *r, const Value *v, const Elem *const *index)
{
    Lower *l = r->lower;
    int place[LOWER_MAX_RANK];
    const Elem *by[LOWER_MAX_RANK];
    lower_places(l, v->rank, v->dim, place);
    for (int i = 0; i < v->rank; i++)
        by[i] = poly_is(v->dim[i], 1) ? elem_int(l->elems, 0) : index[i];
    return elem_replace(l->elems, value_elem(l, v), v->rank, place, by);
}

/* Element j of a table, in the row of the output's place. */
static const Elem *in_table(Rotary *r, const Value *table, const Elem *j)
{
    Lower *l = r->lower;
    if (!r->at)
        return element(r, table, (const Elem *const[]){ r->batch, r->place, j });
    const bool is_first = r->at->rank == 1; /* one number: where the sequence begins */
    const Elem *at = element(r, r->at, (const Elem *const[]){ r->batch, r->place });
    return element(r, table, (const Elem *const[]){ is_first ? ELEM(l->elems, "+", at, r->place) : at, j });
}

/* The turned element of x, which `of` gives at another place of the head. */
static const Elem *turned(Rotary *r, const Value *x, const Elem *(*of)(Rotary *r, const Value *x, const Elem *d))
{
    Lower *l = r->lower;
    const Poly *two = poly_number(l->polys, 2), *half = poly_apply(l->polys, "/", r->turned, two);
    const Elem *j = op(r, r->is_interleaved ? "div" : "%", r->d, r->is_interleaved ? two : half);
    const Elem *odd = op(r, "%", r->d, two), *one = elem_int(l->elems, 1);
    const Elem *partner = r->is_interleaved ? ELEM(l->elems, "+", op(r, "*", j, two), ELEM(l->elems, "-", one, odd))
                                            : op(r, "%", op(r, "+", r->d, half), r->turned);
    const Elem *is_first =
        r->is_interleaved ? ELEM(l->elems, "==", odd, elem_int(l->elems, 0)) : op(r, "<", r->d, half);
    const Elem *sign = ELEM(l->elems, "?", is_first, elem_number(l->elems, -1), elem_number(l->elems, 1));
    const Elem *other = ELEM(l->elems, "*", ELEM(l->elems, "*", sign, of(r, x, partner)), in_table(r, r->sine, j));
    const Elem *made = ELEM(l->elems, "+", ELEM(l->elems, "*", of(r, x, r->d), in_table(r, r->cosine, j)), other);
    if (poly_compare(l->polys, r->turned, r->size) == POLY_EQUAL)
        return made;
    return ELEM(l->elems, "?", op(r, "<", r->d, r->turned), made, of(r, x, r->d));
}

static const Elem *of_heads(Rotary *r, const Value *x, const Elem *d)
{
    const Elem *head = lower_place_elem(r->lower, 1, x->dim[1]);
    return element(r, x, (const Elem *const[]){ r->batch, head, r->place, d });
}

static const Elem *of_rows(Rotary *r, const Value *x, const Elem *d)
{
    Lower *l = r->lower;
    const Elem *head = op(r, "*", op(r, "div", lower_place_elem(l, 2, x->dim[2]), r->size), r->size);
    return element(r, x, (const Elem *const[]){ r->batch, r->place, ELEM(l->elems, "+", head, d) });
}

static bool lower_rotary(Lower *l, const NetNode *n)
{
    const bool is_own = strcmp(n->op, "RotaryEmbedding") == 0;
    if (!lower_has(l, is_own ? 3 : 4))
        return false;
    Value *v = &l->value[n->input[0]];
    const Value *cosine = lower_input(l, is_own ? 1 : 2);
    Rotary r = { .lower = l,
                 .cosine = cosine,
                 .sine = lower_input(l, is_own ? 2 : 3),
                 .at = lower_input(l, is_own ? 3 : 1),
                 .is_interleaved = onnx_int(n->onnx, "interleaved", 0) };
    const int64_t heads = onnx_int(n->onnx, "num_heads", 0), some = onnx_int(n->onnx, "rotary_embedding_dim", 0);
    if ((v->rank != 3 && v->rank != 4) || cosine->rank != (r.at ? 2 : 3) || r.sine->rank != cosine->rank)
        return lower_error(l, "expected heads of 3 or 4 extents, and tables of 2, or of 3 without places");
    const Poly *last = v->dim[v->rank - 1];
    const Poly *whole = poly_mul(l->polys, cosine->dim[cosine->rank - 1], poly_number(l->polys, 2));
    r.size = v->rank == 4 ? last : heads ? poly_quotient(l->polys, last, poly_number(l->polys, heads)) : whole;
    if (!r.size || !store_value(l, v))
        return lower_error(l, "its rows are no whole number of heads");
    r.turned = some ? poly_number(l->polys, some) : r.size;
    if (!lower_require(l, whole, r.turned))
        return false;
    r.batch = lower_place_elem(l, 0, v->dim[0]);
    r.place = lower_place_elem(l, v->rank - 2, v->dim[v->rank - 2]);
    r.d = lower_place_elem(l, v->rank - 1, last);
    r.d = v->rank == 3 ? op(&r, "%", r.d, r.size) : r.d;
    return lower_give(l, 0, v->type, v->rank, v->dim, turned(&r, v, v->rank == 4 ? of_heads : of_rows));
}

const LowerRow lower_rotaries[] = {
    { "RotaryEmbedding", lower_rotary, LOWERS_ROWS, NULL },
    { "com.microsoft.RotaryEmbedding", lower_rotary, LOWERS_ROWS, NULL },
    { NULL, NULL, 0, NULL },
};
