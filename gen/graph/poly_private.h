/* SPDX-License-Identifier: Apache-2.0
 *
 * poly_private: how sizes are kept, for the files poly*.c.
 */
#ifndef DCGEN_POLY_PRIVATE_H
#define DCGEN_POLY_PRIVATE_H

#include "gen/base/expr_private.h"
#include "gen/graph/poly.h"

/* by * atom[0] * atom[1] ...; an atom stands as often as its power. */
typedef struct {
    int64_t by;
    int natom;
    int atom[POLY_MAX_DEGREE]; /* ascending */
} PolyTerm;

enum { POLY_BUCKETS = 1024 };

struct Poly {
    int nterm; /* 0: the size is 0 */
    PolyTerm *term;
};

/* A dim, or an operator on two sizes. */
typedef struct {
    const char *name; /* of a dim */
    int64_t least, most;
    const Poly *below; /* of a place; else NULL */
    const OpRow *op;   /* NULL: a dim */
    const Poly *x, *y;
} PolyAtom;

struct Polys {
    Arena *arena;
    int natom, ndim, ncondition;
    PolyAtom *atom;
    int *next, bucket[POLY_BUCKETS]; /* operators by hash: the first atom + 1 of each bucket, and those behind it */
    int *dim;                        /* the atom of each dim */
    int *dim_of;                     /* of each atom the dim that it is, or -1 */
    PolyCondition *condition;
    bool by_terms; /* ranges are those of sums, whatever their terms have in common */
};

int poly_dim_of_atom(const Polys *p, int atom); /* -1: it is none */

#endif
