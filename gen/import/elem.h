/* SPDX-License-Identifier: Apache-2.0
 *
 * elem: what one element of a tensor is, as an expression of its places: the importer's own form of formulas
 * (gen/spec/formula.h). Transposes, slices, reshapes and gathers are other indices of what is loaded, and elementwise
 * nodes functions of it, so that whole chains of nodes become one expression:
 *
 *   Y = Transpose(Relu(X)), X in memory 3        relu(load(3; p1, p0))
 *
 * Whole numbers that follow from sizes and places are sizes (gen/graph/poly.h), of which places are dims. Equal
 * expressions are one, with one address.
 */
#ifndef DCGEN_ELEM_H
#define DCGEN_ELEM_H

#include "gen/graph/poly.h"

enum { ELEM_MAX_ARG = 12, ELEM_MAX_SIZE = 100000 };

/* Of a value: a real number, a whole one, true or false. */
typedef enum { ELEM_REAL, ELEM_INT, ELEM_TRUTH } ElemType;

typedef enum {
    ELEM_NUMBER, /* a constant */
    ELEM_SIZE,   /* a whole number of sizes and places */
    ELEM_LOAD,   /* an element of what is in memory */
    ELEM_APPLY,  /* a function of values, as formulas call it: "+", "exp", "?" */
    ELEM_ROW     /* of all elements along a place: one value ("sum"), or one for each place ("softmax") */
} ElemKind;

typedef struct Elem Elem;
struct Elem {
    ElemKind kind;
    ElemType type;
    double number;
    const Poly *size;
    int memory;
    const char *op;
    int narg;
    const Elem *arg[ELEM_MAX_ARG]; /* of LOAD an index for each extent; of ROW the value, and more that it takes */
    int along;                     /* ROW: the place that arg[0] runs along, a dim; outside of it, it means nothing */
    const Poly *extent;            /* ROW: how many places there are */
    const Elem *at;                /* ROW with a value for each place: this one; else NULL */
    int weight;                    /* nodes of the expression, each as often as it is written */
    bool is_heavy;                 /* a function of many instructions, or a row, is in it */
    int nload;                     /* loads in it, each as often as it is written */
    unsigned hash;
    Elem *next; /* of the same bucket */
};

typedef struct Elems Elems;
Elems *elems_new(Arena *a, Polys *p);

/* All of these: what is known is worked out, and forms that have a name are written by it (gelu, silu, layernorm). A
 * NULL among the arguments gives NULL, and so does what grows beyond ELEM_MAX_SIZE. */
const Elem *elem_number(Elems *e, double value);
const Elem *elem_truth(Elems *e, bool value);
const Elem *elem_size(Elems *e, const Poly *size);
const Elem *elem_int(Elems *e, int64_t value);
const Elem *elem_place(Elems *e, int dim);
const Elem *elem_load(Elems *e, int memory, ElemType type, int n, const Elem *const *index);
const Elem *elem_apply(Elems *e, const char *op, int n, const Elem *const *arg);
#define ELEM(e, op, ...) \
    elem_apply(e, op, sizeof((const Elem *[]){ __VA_ARGS__ }) / sizeof(Elem *), (const Elem *[]){ __VA_ARGS__ })
/* more: the second argument, as layernorm's eps; NULL: there is none. */
const Elem *elem_row(Elems *e, const char *op, int along, const Poly *extent, const Elem *at, const Elem *value,
                     const Elem *more);
const Elem *elem_as(Elems *e, const Elem *x, ElemType type); /* converted; to truth: is it not 0 */

/* A place along an extent that counts from the end where it is negative, as one from 0 on. */
const Elem *elem_wrap(Elems *e, const Elem *x, const Poly *extent);
/* What elem_wrap was given; NULL: x is none of its. */
const Elem *elem_wrapped(Elems *e, const Elem *x, const Poly *extent);

/* The expression with other values in the place of n places. */
const Elem *elem_replace(Elems *e, const Elem *x, int n, const int *place, const Elem *const *by);
int64_t elem_cut(double x);                        /* without its fraction, within 2^62 */
bool elem_is_number(const Elem *x, double *value); /* a constant of whatever type */
bool elem_is_whole(const Elem *x, int64_t *value); /* a whole constant */
const Poly *elem_as_size(const Elem *x);           /* NULL: it is no size */
bool elem_is_op(const Elem *x, const char *op);    /* is it this function, or this row? */
bool elem_uses(const Elems *e, const Elem *x, int place);
bool elem_loads(const Elem *x, int memory);
bool elem_stays_whole(const Elem *x); /* can formulas compute it in whole numbers alone, from its parts on? */
/* The value at these dims, places among them; `load` gives elements of memory. False: it has none. */
typedef bool ElemLoad(void *ctx, int memory, const int64_t *index, int n, double *value);
bool elem_at(const Elems *e, const Elem *x, int64_t *dims, ElemLoad *load, void *ctx, double *value);

#endif
