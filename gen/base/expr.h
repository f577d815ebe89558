/* SPDX-License-Identifier: Apache-2.0
 *
 * expr: arithmetic over named values, as written in specs ("16*T") and template heads ("MR*NP*VP + NP <= VREGS").
 *
 *   expr    = or ;  or = and { "||" and } ;  and = cmp { "&&" cmp } ;
 *   cmp     = sum [ ("<=" | "<" | ">=" | ">" | "==" | "!=") sum ] ;
 *   sum     = term { ("+" | "-") term } ;  term = unary { ("*" | "/" | "%") unary } ;
 *   unary   = [ "-" | "!" ] primary ;
 *   primary = number | name | name "(" expr { "," expr } ")" | "(" expr ")" ;      number: 12, 0.5, 1e-3
 *   functions: min(a,b) max(a,b) ceil_div(a,b) ceil_to(a,b); reals also: log2(x) exp2(x) sqrt(x)
 *
 * expr_int and expr_int_at are 64-bit with every overflow and division by zero caught; division truncates; a comparison
 * is 0 or 1; "&&" and "||" do not evaluate their right side when the left decides. expr_real_at computes the same tree
 * in double ("/" is then a true division, ceil_div and % stay integral).
 *
 * A formula (gen/spec/formula.h) has the same grammar, and also choices, elements of operands and reductions:
 *   expr    = or [ "?" expr ":" expr ] ;
 *   primary = ... | name "[" expr { "," expr } [ ";" expr ] "]" [ "(" expr { "," expr } ")" ] ;
 */
#ifndef DCGEN_EXPR_H
#define DCGEN_EXPR_H

#include <stdbool.h>
#include <stdint.h>
#include "gen/base/arena.h"
#include "gen/base/diag.h"

typedef struct Expr Expr;

typedef enum {
    EXPR_OK,
    EXPR_OVERFLOW,
    EXPR_DIV_BY_ZERO,
    EXPR_UNKNOWN_NAME,
    EXPR_NOT_INTEGER, /* expr_int met log2, exp2, sqrt or a number such as 0.5 */
    EXPR_NOT_FINITE   /* expr_real_at gave an infinity or a NaN */
} ExprStatus;

/* Gives the value of a name; false when the name is unknown. */
typedef bool ExprLookup(void *ctx, const char *name, int64_t *value);

/* `at` is the place of text[0]; errors are reported at the offending character. NULL after an error.
 * Depth is bounded (a hostile "((((..." is an error, not a stack overflow). */
Expr *expr_parse(Arena *a, const char *text, Loc at, Diag *d);

/* The same for a formula. What it means is not known here: none of the functions below takes one. */
Expr *expr_parse_formula(Arena *a, const char *text, Loc at, Diag *d);

ExprStatus expr_int(const Expr *e, ExprLookup *lookup, void *ctx, int64_t *out);

/* Numbers every name (name i gets slot i): then values are taken by slot. Others are EXPR_UNKNOWN_NAME. */
void expr_bind(Expr *e, Names names);
ExprStatus expr_int_at(const Expr *e, const int64_t *slots, int64_t *out);
ExprStatus expr_real_at(const Expr *e, const int64_t *slots, double *out);

/* Every use of a name, in the order of the text, with its place; functions are not names. */
typedef struct ExprName {
    const char *name;
    Loc at;
    int slot; /* -1: not bound */
    struct ExprName *next;
} ExprName;
const ExprName *expr_names(const Expr *e); /* NULL: there is none, or no expression */
bool expr_uses(const Expr *e, const char *name);

const char *expr_text(const Expr *e); /* as written, runs of blanks as one */
Loc expr_loc(const Expr *e);
const char *expr_status_text(ExprStatus s); /* "overflows 64 bits", "divides by zero", ... */

/* New expressions, whose names are not bound. NULL: it would be too long, or one that it is made of is NULL already; so
 * a chain of these needs one check, at its end. For messages they stand where the first that they are made of stands.
 * expr_substitute: e with the expression that `of` gives in the place of each name; NULL from `of` keeps the name.
 * expr_apply: op is an operator of two sides or a function of two values: "*", "ceil_div". expr_fold: e without what
 * numbers decide: "0 * M + 2 * 3" is "6". expr_condition: the same of one of which counts only whether it is 0:
 * "(2 == 0 || K) && 1" is "K". */
Expr *expr_substitute(Arena *a, const Expr *e, Expr *(*of)(void *ctx, const char *name), void *ctx);
Expr *expr_apply(Arena *a, const char *op, const Expr *x, const Expr *y);
Expr *expr_fold(Arena *a, const Expr *e);
Expr *expr_condition(Arena *a, const Expr *e);
Expr *expr_number(Arena *a, int64_t value);
Expr *expr_name(Arena *a, const char *name);
/* Is it the same number whatever its names stand for? */
bool expr_is_number(const Expr *e, int64_t *value);
/* Does the operator or function stand in it with a name below for which `is` is true? */
bool expr_applies(const Expr *e, const char *op, bool is(void *ctx, const char *name), void *ctx);

/* The least and the greatest value, where every slot i is anywhere in lo[i]..hi[i]; a name that stands twice counts as
 * two names, so the range may be wider than need be. EXPR_OK: nowhere there does the expression, or a part of it,
 * overflow or divide by zero, so that plain int64_t arithmetic of C is exact. Else what may happen there, and min and
 * max stay as they are. */
ExprStatus expr_bounds(const Expr *e, const int64_t *lo, const int64_t *hi, int64_t *min, int64_t *max);

/* As C, with the value that expr_int_at and expr_real_at give where they give one; elsewhere C's overflow and division
 * by zero. prefix: of the functions of templates/package/arithmetic.h, which calls of min, max, ceil_div, ceil_to (and
 * % of reals) become: PACKAGE_min. expr_c_int: names stand for int64_t. NULL: the expression is none of integers.
 * expr_c_real: names stand for doubles; cast: "(double)" before each name where they stand for something else, or "".
 * NULL: it has log2, exp2 or sqrt, which packages do not link. expr_c_factors: a test of each factor of a product of
 * integers, so that the product itself cannot overflow: " == 0" and " || " give "M == 0 || N == 0" of "2*M*N". between
 * NULL: of the whole product. expr_c_calls: may such a text call functions of arithmetic.h? expr_c_int_calls: may that
 * of expr_c_int? */
char *expr_c_int(Arena *a, const Expr *e, const char *prefix);
char *expr_c_real(Arena *a, const Expr *e, const char *prefix, const char *cast);
char *expr_c_factors(Arena *a, const Expr *e, const char *prefix, const char *test, const char *between);
bool expr_c_calls(const Expr *e);
bool expr_c_int_calls(const Expr *e);

#endif
