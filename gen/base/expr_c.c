/* SPDX-License-Identifier: Apache-2.0
 *
 * expr_c: prints trees: as C over integers or over doubles, or as they are written in specs.
 *
 * C computes 2*3 in int, and 1/2 too. So where both sides of an operator would be ints, its left one is made wide:
 * INT64_C(2)*3, 1.0 / 2.
 */
#include "gen/base/expr_private.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "gen/base/text.h"

typedef struct {
    enum { AS_WRITTEN, AS_INT, AS_REAL } as;
    const char *prefix, *cast; /* of functions; before names */
    Text out;
    bool good; /* nothing was met that has no form in C */
} Printer;

/* The shortest text that gives the same double, and is none of an integer. */
static void print_real(Printer *p, double v)
{
    char text[40];
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, v);
        if (strtod(text, NULL) == v)
            break;
    }
    text_printf(&p->out, "%s%s", text, strpbrk(text, ".e") ? "" : ".0");
}

static bool is_int(int64_t v) { return v >= -INT32_MAX && v <= INT32_MAX; }

static void print_int(Printer *p, int64_t v, bool wide)
{
    wide = wide || !is_int(v);
    if (p->as == AS_REAL && wide)
        print_real(p, (double)v);
    else if (v == INT64_MIN)
        text_add(&p->out, p->as == AS_INT ? "INT64_MIN" : "-9223372036854775807 - 1");
    else if (p->as == AS_INT && wide)
        text_printf(&p->out, "%sINT64_C(%" PRId64 ")", v < 0 ? "-" : "", v < 0 ? -v : v);
    else
        text_printf(&p->out, "%" PRId64, v);
}

/* Is its value in C an int64_t or a double by itself, rather than an int? */
static bool is_wide(const Node *n)
{
    if (n->kind == INT)
        return !is_int(n->value);
    if (n->kind != APPLY)
        return true;
    return n->op->prec == PREC_UNARY ? !op_is_test(n->op) && is_wide(n->arg[0]) : !op_is_test(n->op);
}

/* How tightly the text of a node binds. */
static int binding(const Printer *p, const Node *n)
{
    if (n->kind == APPLY)
        return n->op->prec;
    if (n->kind == INT && n->value == INT64_MIN && p->as == AS_WRITTEN)
        return PREC_SUM;
    return n->kind == INT && n->value < 0 ? PREC_UNARY : PREC_PRIMARY;
}

static void print_node(Printer *p, const Node *n, int least, bool wide);

/* One side of an operator. Compilers warn of "a && b || c" and "!a < b" without parentheses. */
static void print_side(Printer *p, const OpRow *op, const Node *n, int least, bool wide)
{
    const bool is_test = n->kind == APPLY && op_is_test(n->op);
    if (is_test && (op->prec == PREC_CMP || (op->prec == PREC_OR && n->op->prec == PREC_AND)))
        least = PREC_PRIMARY;
    print_node(p, n, least, wide);
}

static void print_binary(Printer *p, const Node *n)
{
    const OpRow *op = n->op;
    const Node *a = n->arg[0], *b = n->arg[1];
    const bool widen = !op_is_test(op) && !is_wide(a) && !is_wide(b);
    print_side(p, op, a, op->prec + (op->prec == PREC_CMP), widen);
    text_printf(&p->out, *op->text == '*' ? "%s" : " %s ", op->text);
    print_side(p, op, b, op->prec + 1, false);
}

static void print_call(Printer *p, const Node *n)
{
    const OpRow *op = n->op;
    const char *name = *op->text == '%' ? "mod" : op->text;
    p->good = p->good && (p->as == AS_WRITTEN || op->on_int);
    if (p->as == AS_WRITTEN)
        text_printf(&p->out, "%s(", name);
    else
        text_printf(&p->out, "%s_%s%s(", p->prefix, p->as == AS_REAL ? "real_" : "", name);
    for (int i = 0; i < op->narg; i++) {
        text_add(&p->out, i > 0 ? ", " : "");
        print_node(p, n->arg[i], PREC_OR, false);
    }
    text_add(&p->out, ")");
}

static void print_apply(Printer *p, const Node *n, bool wide)
{
    const OpRow *op = n->op;
    if (op->prec == PREC_PRIMARY || (p->as == AS_REAL && *op->text == '%')) {
        print_call(p, n);
    } else if (op->prec == PREC_UNARY) {
        text_add(&p->out, op->text);
        print_node(p, n->arg[0], PREC_PRIMARY, wide);
    } else {
        print_binary(p, n);
    }
}

/* In parentheses where it binds less tightly than `least`. wide: its value must not be an int. */
static void print_node(Printer *p, const Node *n, int least, bool wide)
{
    if (wide && p->as != AS_WRITTEN && n->kind == APPLY && op_is_test(n->op)) {
        text_printf(&p->out, "(%s)", p->as == AS_REAL ? "double" : "int64_t");
        print_node(p, n, PREC_UNARY, false);
        return;
    }
    const bool enclose = binding(p, n) < least;
    text_add(&p->out, enclose ? "(" : "");
    if (n->kind == INT) {
        print_int(p, n->value, wide);
    } else if (n->kind == REAL) {
        p->good = p->good && p->as != AS_INT;
        print_real(p, n->real);
    } else if (n->kind == NAME) {
        text_printf(&p->out, "%s%s", p->cast, n->name.name);
    } else {
        print_apply(p, n, wide);
    }
    text_add(&p->out, enclose ? ")" : "");
}

static char *printed(Printer *p, const Node *n)
{
    print_node(p, n, PREC_OR, false);
    return p->good ? (char *)text_str(&p->out) : NULL;
}

const char *expr_written(Arena *a, const Node *n)
{
    return printed(&(Printer){ AS_WRITTEN, "", "", { .arena = a }, true }, n);
}

char *expr_c_int(Arena *a, const Expr *e, const char *prefix)
{
    return printed(&(Printer){ AS_INT, prefix, "", { .arena = a }, true }, e->root);
}

char *expr_c_real(Arena *a, const Expr *e, const char *prefix, const char *cast)
{
    return printed(&(Printer){ AS_REAL, prefix, cast, { .arena = a }, true }, e->root);
}

static bool calls(const Node *n, bool reals)
{
    return n && n->kind == APPLY &&
           (n->op->prec == PREC_PRIMARY || (reals && *n->op->text == '%') || calls(n->arg[0], reals) ||
            calls(n->arg[1], reals));
}

bool expr_c_calls(const Expr *e) { return calls(e->root, true); }
bool expr_c_int_calls(const Expr *e) { return calls(e->root, false); }

static void add_factors(Printer *p, const Node *n, const char *test, const char *between)
{
    if (between && n->kind == APPLY && *n->op->text == '*') {
        add_factors(p, n->arg[0], test, between);
        add_factors(p, n->arg[1], test, between);
    } else if (!between || n->kind != INT || n->value == 0) {
        text_add(&p->out, p->out.len ? between : "");
        print_side(p, expr_operator("==", 2), n, PREC_SUM, false);
        text_add(&p->out, test);
    }
}

char *expr_c_factors(Arena *a, const Expr *e, const char *prefix, const char *test, const char *between)
{
    Printer p = { AS_INT, prefix, "", { .arena = a }, true };
    add_factors(&p, e->root, test, between);
    if (p.out.len == 0)
        text_printf(&p.out, "1%s", test);
    return p.good ? (char *)text_str(&p.out) : NULL;
}
