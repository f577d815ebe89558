/* SPDX-License-Identifier: Apache-2.0
 *
 * expr_eval: two evaluators of the same tree, in checked 64-bit integers and in doubles; names come from a lookup or from slots.
 */
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include "gen/base/expr_node.h"

static ExprStatus int_div(int64_t a, int64_t b, int64_t *out)
{
    if (b == 0)
        return EXPR_DIV_BY_ZERO;
    if (a == INT64_MIN && b == -1)
        return EXPR_OVERFLOW;
    *out = a / b;
    return EXPR_OK;
}

static ExprStatus int_mod(int64_t a, int64_t b, int64_t *out)
{
    if (b == 0)
        return EXPR_DIV_BY_ZERO;
    *out = b == -1 ? 0 : a % b; /* INT64_MIN % -1 traps */
    return EXPR_OK;
}

static ExprStatus int_ceil_div(int64_t a, int64_t b, int64_t *out)
{
    ExprStatus s = int_div(a, b, out);
    if (s == EXPR_OK && a % b != 0 && (a < 0) == (b < 0))
        ++*out;
    return s;
}

static ExprStatus int_ceil_to(int64_t a, int64_t b, int64_t *out)
{
    int64_t n;
    ExprStatus s = int_ceil_div(a, b, &n);
    return s != EXPR_OK ? s : __builtin_mul_overflow(n, b, out) ? EXPR_OVERFLOW : EXPR_OK;
}

static ExprStatus int_apply(OpKind kind, int64_t a, int64_t b, int64_t *out)
{
    bool overflow = false;
    switch (kind) {
    case OP_ADD:
        overflow = __builtin_add_overflow(a, b, out);
        break;
    case OP_SUB:
        overflow = __builtin_sub_overflow(a, b, out);
        break;
    case OP_MUL:
        overflow = __builtin_mul_overflow(a, b, out);
        break;
    case OP_NEG:
        overflow = __builtin_sub_overflow(0, a, out);
        break;
    case OP_DIV:
        return int_div(a, b, out);
    case OP_MOD:
        return int_mod(a, b, out);
    case OP_CEIL_DIV:
        return int_ceil_div(a, b, out);
    case OP_CEIL_TO:
        return int_ceil_to(a, b, out);
    case OP_OR:
        *out = a || b;
        break;
    case OP_AND:
        *out = a && b;
        break;
    case OP_LE:
        *out = a <= b;
        break;
    case OP_GE:
        *out = a >= b;
        break;
    case OP_EQ:
        *out = a == b;
        break;
    case OP_NE:
        *out = a != b;
        break;
    case OP_LT:
        *out = a < b;
        break;
    case OP_GT:
        *out = a > b;
        break;
    case OP_NOT:
        *out = !a;
        break;
    case OP_MIN:
        *out = a < b ? a : b;
        break;
    case OP_MAX:
        *out = a > b ? a : b;
        break;
    case OP_LOG2:
    case OP_SQRT:
        return EXPR_NOT_INTEGER;
    }
    return overflow ? EXPR_OVERFLOW : EXPR_OK;
}

static bool divides(OpKind kind)
{
    return kind == OP_DIV || kind == OP_MOD || kind == OP_CEIL_DIV || kind == OP_CEIL_TO;
}

static double real_value(OpKind kind, double a, double b)
{
    switch (kind) {
    case OP_ADD:
        return a + b;
    case OP_SUB:
        return a - b;
    case OP_MUL:
        return a * b;
    case OP_NEG:
        return -a;
    case OP_DIV:
        return a / b;
    case OP_MOD:
        return fmod(a, b);
    case OP_CEIL_DIV:
        return ceil(a / b);
    case OP_CEIL_TO:
        return ceil(a / b) * b;
    case OP_OR:
        return a != 0 || b != 0;
    case OP_AND:
        return a != 0 && b != 0;
    case OP_LE:
        return a <= b;
    case OP_GE:
        return a >= b;
    case OP_EQ:
        return a == b;
    case OP_NE:
        return a != b;
    case OP_LT:
        return a < b;
    case OP_GT:
        return a > b;
    case OP_NOT:
        return a == 0;
    case OP_MIN:
        return fmin(a, b);
    case OP_MAX:
        return fmax(a, b);
    case OP_LOG2:
        return log2(a);
    case OP_SQRT:
        return sqrt(a);
    }
    return NAN;
}

static ExprStatus real_apply(OpKind kind, double a, double b, double *out)
{
    if (divides(kind) && b == 0)
        return EXPR_DIV_BY_ZERO;
    *out = real_value(kind, a, b);
    return isfinite(*out) ? EXPR_OK : EXPR_NOT_FINITE;
}

/* "&&" and "||": whether the left side settles it. */
static bool is_settled(OpKind kind, bool left) { return (kind == OP_AND && !left) || (kind == OP_OR && left); }

/* Where names get their values from: a lookup by name, or slots that expr_bind has numbered. */
typedef struct {
    ExprLookup *lookup;
    void *ctx;
    const int64_t *slots;
} Env;

static bool name_value(const Node *n, const Env *env, int64_t *out)
{
    if (env->slots && n->slot >= 0) {
        *out = env->slots[n->slot];
        return true;
    }
    return env->lookup && env->lookup(env->ctx, n->name, out);
}

static ExprStatus int_node(const Node *n, const Env *env, int64_t *out)
{
    *out = n->value;
    if (n->kind == INT)
        return EXPR_OK;
    if (n->kind == NAME)
        return name_value(n, env, out) ? EXPR_OK : EXPR_UNKNOWN_NAME;
    if (n->kind == REAL)
        return EXPR_NOT_INTEGER;
    int64_t a, b = 0;
    ExprStatus s = int_node(n->arg[0], env, &a);
    if (s == EXPR_OK && n->arg[1] && !is_settled(n->op->kind, a != 0))
        s = int_node(n->arg[1], env, &b);
    return s == EXPR_OK ? int_apply(n->op->kind, a, b, out) : s;
}

static ExprStatus real_leaf(const Node *n, const Env *env, double *out)
{
    int64_t value = n->value;
    if (n->kind == NAME && !name_value(n, env, &value))
        return EXPR_UNKNOWN_NAME;
    *out = n->kind == REAL ? n->real : (double)value;
    return EXPR_OK;
}

static ExprStatus real_node(const Node *n, const Env *env, double *out)
{
    if (n->kind != APPLY)
        return real_leaf(n, env, out);
    double a, b = 0;
    ExprStatus s = real_node(n->arg[0], env, &a);
    if (s == EXPR_OK && n->arg[1] && !is_settled(n->op->kind, a != 0))
        s = real_node(n->arg[1], env, &b);
    return s == EXPR_OK ? real_apply(n->op->kind, a, b, out) : s;
}

ExprStatus expr_int(const Expr *e, ExprLookup *lookup, void *ctx, int64_t *out)
{
    return int_node(e->root, &(Env){ lookup, ctx, NULL }, out);
}

ExprStatus expr_real(const Expr *e, ExprLookup *lookup, void *ctx, double *out)
{
    return real_node(e->root, &(Env){ lookup, ctx, NULL }, out);
}

static void bind_node(Node *n, const char *const *names, size_t nname)
{
    for (size_t i = 0; n->kind == NAME && i < nname && n->slot < 0; i++)
        if (strcmp(names[i], n->name) == 0)
            n->slot = (int)i;
    for (int i = 0; i < 2; i++)
        if (n->arg[i])
            bind_node(n->arg[i], names, nname);
}

void expr_bind(Expr *e, const char *const *names, size_t nname) { bind_node(e->root, names, nname); }

ExprStatus expr_int_at(const Expr *e, const int64_t *slots, int64_t *out)
{
    return int_node(e->root, &(Env){ .slots = slots }, out);
}

ExprStatus expr_real_at(const Expr *e, const int64_t *slots, double *out)
{
    return real_node(e->root, &(Env){ .slots = slots }, out);
}

const char *expr_status_text(ExprStatus s)
{
    static const char *const text[] = {
        [EXPR_OK] = "is well",
        [EXPR_OVERFLOW] = "overflows 64 bits",
        [EXPR_DIV_BY_ZERO] = "divides by zero",
        [EXPR_UNKNOWN_NAME] = "uses an unknown name",
        [EXPR_NOT_INTEGER] = "is not an integer expression: it has log2, sqrt or a fraction",
        [EXPR_NOT_FINITE] = "is not a finite number",
    };
    return text[s];
}
