/* SPDX-License-Identifier: Apache-2.0
 *
 * poly: sizes of a model, in a normal form in which equal ones look equal:
 *
 *   (B*T)*768 and T*(768*B)           768*B*T
 *   ceil_to(T,8) - 8*((T + 7)/8)      0
 *
 * A size is a polynomial with whole coefficients over *atoms*: the dims, and what no polynomial says: quotients, min,
 * max, tests, each an operator on two sizes. All sizes of a graph live in one Polys, which knows the dims' ranges and
 * what is taken to be equal. Values are 64-bit; an overflow gives NULL, and what is made of NULL is NULL.
 */
#ifndef DCGEN_POLY_H
#define DCGEN_POLY_H

#include <stdbool.h>
#include <stdint.h>
#include "gen/base/arena.h"
#include "gen/base/expr.h"

enum { POLY_MAX_DEGREE = 16, POLY_MAX_TERM = 256, POLY_MAX_ATOM = 1 << 20 };

typedef struct Poly Poly;
typedef struct Polys Polys;

Polys *polys_new(Arena *a);
/* Adds a dim, least <= most; its number: from 0 on, in the order in which they are added. */
int polys_dim(Polys *p, const char *name, int64_t least, int64_t most);
/* Adds a place: a dim from 0 on, and below a size, whatever that is: of t below T it is seen that t / T is 0. */
int polys_place(Polys *p, const char *name, const Poly *below);
const Poly *polys_below(const Polys *p, int dim); /* of a place: that size; else NULL */
int polys_ndim(const Polys *p);
const char *polys_dim_name(const Polys *p, int dim);
void polys_dim_range(const Polys *p, int dim, int64_t *least, int64_t *most);
int polys_find(const Polys *p, const char *name); /* the dim's number, or -1 */

const Poly *poly_number(Polys *p, int64_t value);
const Poly *poly_dim(Polys *p, int dim);
const Poly *poly_add(Polys *p, const Poly *x, const Poly *y);
const Poly *poly_sub(Polys *p, const Poly *x, const Poly *y);
const Poly *poly_mul(Polys *p, const Poly *x, const Poly *y);
const Poly *poly_product(Polys *p, int n, const Poly *const *x); /* 1 of none */
/* An operator or function of expressions: "/" (towards 0), "%", "min", "max", "ceil_div", "ceil_to", "<" ... */
const Poly *poly_apply(Polys *p, const char *op, const Poly *x, const Poly *y);
/* An expression whose names are dims. NULL also where a name is none, or log2 and the like stand in it. */
const Poly *poly_of(Polys *p, const Expr *e);
/* The same, where `of` says what names are; NULL from it: unknown. */
const Poly *poly_of_names(Polys *p, const Expr *e, const Poly *(*of)(void *ctx, const char *name), void *ctx);
const Poly *poly_substitute(Polys *p, const Poly *x, int dim, const Poly *by);

/* x / y where y divides x whatever the dims are; NULL: it is not seen to. */
const Poly *poly_quotient(Polys *p, const Poly *x, const Poly *y);
bool poly_is_number(const Poly *x, int64_t *value);
bool poly_is(const Poly *x, int64_t value); /* is it that number? */
int poly_nterm(const Poly *x);              /* how many products it is the sum of */
/* The sum of the products that are added in x, or of those that are taken away: 3*T - S - 1 is 3*T less S + 1. */
const Poly *poly_side(Polys *p, const Poly *x, bool taken_away);
/* Is it a dim and nothing else? Its number, or -1. */
int poly_is_dim(const Polys *p, const Poly *x);
bool poly_same(const Poly *x, const Poly *y); /* by their normal form alone */
/* The values that x may have in the dims' ranges, or more; ends beyond 64 bits are cut to them. */
void poly_range(const Polys *p, const Poly *x, int64_t *least, int64_t *most);
/* The value at these dims. False: it overflows, or divides by zero. */
bool poly_at(const Polys *p, const Poly *x, const int64_t *dims, int64_t *value);
const char *poly_text(Arena *a, const Polys *p, const Poly *x); /* as specs write it */
/* Does x name the dim? */
bool poly_uses(const Polys *p, const Poly *x, int dim);
bool poly_uses_places(const Polys *p, const Poly *x); /* any of those of polys_place */

/* x as a sum over dims: by * dim for each, and `rest`, which has none of them; by[i] has none either. False: it is no
 * such sum. */
bool poly_linear(Polys *p, const Poly *x, const int *dim, int ndim, const Poly **by, const Poly **rest);

/* An offset into rows of n elements as one into rows of m; NULL: it is not seen where in its row it stands. */
const Poly *poly_widened(Polys *p, const Poly *x, const Poly *n, const Poly *m);
/* Is it seen that x < y? Places are taken to be as large as they may be. */
bool poly_is_below(Polys *p, const Poly *x, const Poly *y);
/* Is x the remainder of a quotient, a % b? */
bool poly_is_remainder(Polys *p, const Poly *x, const Poly **a, const Poly **b);
bool poly_is_within(Polys *p, const Poly *x, const Poly *y); /* is it seen that 0 <= x < y? */
/* The same, as far as ranges of terms show it: formulas are asked for that, which see no remainders in sums. */
bool poly_is_seen_within(Polys *p, const Poly *x, const Poly *y);
/* x = by * (a op b) + rest, for an operator that stands in x as one factor. False: none does. */
bool poly_split(Polys *p, const Poly *x, const Poly **by, const char **op, const Poly **a, const Poly **b,
                const Poly **rest);

/* What is known of two sizes. */
typedef enum {
    POLY_EQUAL,  /* whatever the dims are */
    POLY_MAY_BE, /* for some dims they are equal, or it is not seen that they never are */
    POLY_NEVER
} PolyEquality;
PolyEquality poly_compare(Polys *p, const Poly *x, const Poly *y);

/* Something that a call's dims must hold: x == y, or x >= y. */
typedef struct {
    const Poly *x, *y;
    bool at_least;
    const char *why; /* the first who asked for it */
} PolyCondition;
/* From now on x and y are taken to be equal. What does not follow from the dims' ranges or from conditions before is a
 * new one. False: they never are. */
bool polys_require(Polys *p, const Poly *x, const Poly *y, const char *why);
/* From now on x >= 0. False: it never is. */
bool polys_require_least(Polys *p, const Poly *x, const char *why);
/* x where each dim that must equal something stands as that. */
const Poly *poly_reduced(Polys *p, const Poly *x);
int polys_conditions(const Polys *p, const PolyCondition **all);

#endif
