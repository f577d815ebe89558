/* SPDX-License-Identifier: Apache-2.0
 *
 * expr_bounds: the least and the greatest value of an expression whose names lie in ranges, by interval arithmetic:
 * each operator makes a range of the ranges of its sides. Nearly all of them rise or fall with each side alone, and are
 * extreme at the ends of both.
 */
#include "gen/base/expr_private.h"

/* The largest |b| - 1: what a remainder, and what rounding up adds, cannot pass. */
static int64_t largest_remainder(ExprRange b) { return b.min > 0 ? b.max - 1 : -(b.min + 1); }

/* a % b is nearer to 0 than a and b, and has the sign of a. */
bool expr_mod_range(ExprRange a, ExprRange b, ExprRange *out)
{
    const int64_t most = largest_remainder(b);
    *out = (ExprRange){ a.min >= 0 ? 0 : a.min > -most ? a.min : -most, a.max <= 0 ? 0 : a.max < most ? a.max : most };
    return false;
}

/* The multiple of b is the next above a, or below it where b is negative. */
bool expr_ceil_to_range(ExprRange a, ExprRange b, ExprRange *out)
{
    *out = a;
    return b.min > 0 ? __builtin_add_overflow(a.max, largest_remainder(b), &out->max)
                     : __builtin_sub_overflow(a.min, largest_remainder(b), &out->min);
}

/* The range of an operator that is extreme at the ends of its sides; true: overflow. */
static bool range_at_ends(const OpRow *op, ExprRange a, ExprRange b, ExprRange *out)
{
    *out = (ExprRange){ INT64_MAX, INT64_MIN };
    for (int i = 0; i < 4; i++) {
        int64_t value;
        if (op->on_int(i & 1 ? a.max : a.min, i & 2 ? b.max : b.min, &value))
            return true;
        if (value < out->min)
            out->min = value;
        if (value > out->max)
            out->max = value;
    }
    return false;
}

static bool holds(ExprRange r, int64_t value) { return r.min <= value && value <= r.max; }
static bool is_one_value(ExprRange r) { return r.min == r.max; }

/* 0: always false, 1: always true; both: it may be either. */
static ExprRange truth(ExprRange r) { return (ExprRange){ !holds(r, 0), !(r.min == 0 && r.max == 0) }; }

/* Does the left side of "&&" or "||" always decide its value? */
static bool left_always_decides(const OpRow *op, ExprRange left)
{
    return (op->how & BY_FALSE && !truth(left).max) || (op->how & BY_TRUE && truth(left).min);
}

/* The range of an operator that gives true or false; a right side that never counts has the value 0. */
static ExprRange test_range(const OpRow *op, ExprRange a, ExprRange b)
{
    const ExprRange left = truth(a), right = truth(b);
    if (op->how & BY_FALSE)
        return (ExprRange){ left.min && right.min, left.max && right.max };
    if (op->how & BY_TRUE)
        return (ExprRange){ left.min || right.min, left.max || right.max };
    const int orders =
        (a.min < b.max ? LESS : 0) | (a.min <= b.max && b.min <= a.max ? EQUAL : 0) | (a.max > b.min ? GREATER : 0);
    return (ExprRange){ !(orders & ~op->how), (orders & op->how) != 0 };
}

static ExprStatus apply_range(const OpRow *op, ExprRange a, ExprRange b, ExprRange *out)
{
    if (op_is_test(op)) {
        *out = test_range(op, a, b);
        return EXPR_OK;
    }
    if (!op->on_int)
        return EXPR_NOT_INTEGER;
    if (op->how & DIVIDES && holds(b, 0))
        return EXPR_DIV_BY_ZERO;
    if (op->how & DIVIDES && holds(a, INT64_MIN) && holds(b, -1))
        return EXPR_OVERFLOW; /* even of %: in C that traps */
    const bool by_ends = !op->on_range || (is_one_value(a) && is_one_value(b));
    return (by_ends ? range_at_ends(op, a, b, out) : op->on_range(a, b, out)) ? EXPR_OVERFLOW : EXPR_OK;
}

static ExprStatus node_range(const Node *n, const int64_t *lo, const int64_t *hi, ExprRange *out)
{
    *out = (ExprRange){ n->value, n->value };
    if (n->kind == INT)
        return EXPR_OK;
    if (n->kind == REAL)
        return EXPR_NOT_INTEGER;
    if (n->kind == NAME) {
        if (n->name.slot < 0)
            return EXPR_UNKNOWN_NAME;
        *out = (ExprRange){ lo[n->name.slot], hi[n->name.slot] };
        return EXPR_OK;
    }
    ExprRange a, b = { 0, 0 };
    ExprStatus s = node_range(n->arg[0], lo, hi, &a);
    if (s == EXPR_OK && n->arg[1] && !left_always_decides(n->op, a))
        s = node_range(n->arg[1], lo, hi, &b);
    return s == EXPR_OK ? apply_range(n->op, a, b, out) : s;
}

ExprStatus expr_bounds(const Expr *e, const int64_t *lo, const int64_t *hi, int64_t *min, int64_t *max)
{
    ExprRange range;
    const ExprStatus s = node_range(e->root, lo, hi, &range);
    if (s == EXPR_OK) {
        *min = range.min;
        *max = range.max;
    }
    return s;
}
