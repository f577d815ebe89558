/* SPDX-License-Identifier: Apache-2.0
 *
 * formula_nodes: the graph of a formula. Parts that are equal become one node, a function gets values of the types that
 * it takes, and what is simpler written otherwise is: the sum of a constant, the quotient of a row and one value of it.
 */
#include <math.h>
#include <string.h>
#include "gen/spec/formula_private.h"

static bool is_equal(const FormulaNode *a, const FormulaNode *b)
{
    return a->kind == b->kind && a->type == b->type && memcmp(&a->real, &b->real, sizeof a->real) == 0 &&
           a->at == b->at && a->op == b->op && a->narg == b->narg && a->guarded == b->guarded &&
           memcmp(a->arg, b->arg, sizeof a->arg) == 0;
}

/* The reduction of a value that is the same all along the axis. */
static int reduce_constant(FormulaReader *r, const Node *n, const FormulaNode *node)
{
    const int extent = formula_add(r, n, (FormulaNode){ .kind = FORMULA_EXTENT, .type = FORMULA_INT, .at = node->at });
    if (node->op == FORMULA_ARGMAX)
        return formula_add_number(r, n, 0, FORMULA_INT);
    return node->op == FORMULA_SUM ? formula_apply(r, n, FORMULA_MUL, (int[]){ node->arg[0], extent }, 2)
                                   : node->arg[0];
}

int formula_add(FormulaReader *r, const Node *n, FormulaNode node)
{
    Formula *f = r->f;
    if (node.kind == FORMULA_REDUCE && !(f->node[node.arg[0]].along >> node.at & 1))
        return reduce_constant(r, n, &node);
    for (int i = 0; i < node.narg; i++) {
        const FormulaNode *arg = &f->node[node.arg[i]];
        node.along |= arg->along;
        node.level = arg->level > node.level ? arg->level : node.level;
    }
    if (node.kind == FORMULA_REDUCE) {
        node.along &= ~(1u << node.at);
        node.level++;
    }
    for (int i = 0; i < f->nnode; i++)
        if (is_equal(&f->node[i], &node))
            return i;
    if (f->nnode == FORMULA_MAX_NODE)
        return FAIL(r, n, "the formula is too long");
    for (int i = 0; i < node.narg; i++)
        f->node[node.arg[i]].nuse++;
    f->calls =
        f->calls || ((node.kind == FORMULA_APPLY || node.kind == FORMULA_REDUCE) && formula_functions[node.op].is_call);
    node.at_text = n ? formula_place_of(r, n) : (Loc){ 0 };
    f->node[f->nnode] = node;
    return f->nnode++;
}

int formula_add_number(FormulaReader *r, const Node *n, double v, FormulaType type)
{
    return formula_add(r, n, (FormulaNode){ .kind = FORMULA_NUMBER, .type = type, .real = v });
}

int formula_to_real(FormulaReader *r, const Node *n, int id)
{
    const FormulaNode *v = &r->f->node[id];
    if (v->type == FORMULA_TRUTH)
        return FAIL(r, n, "a comparison is no number; write it as condition ? 1 : 0");
    if (v->type == FORMULA_REAL)
        return id;
    if (v->kind == FORMULA_NUMBER)
        return formula_add_number(r, n, v->real, FORMULA_REAL);
    return formula_add(
        r, n,
        (FormulaNode){ .kind = FORMULA_APPLY, .type = FORMULA_REAL, .op = FORMULA_TO_REAL, .narg = 1, .arg = { id } });
}

static bool all_int(const FormulaReader *r, const int *arg, int narg)
{
    for (int i = 0; i < narg; i++)
        if (formula_type(r, arg[i]) != FORMULA_INT)
            return false;
    return true;
}

static bool is_logic(FormulaOp op) { return op >= FORMULA_AND && op <= FORMULA_NOT; }

/* Where value i of an operator, a call or a choice stands. */
static const Node *value_node(const Node *n, int i)
{
    if (n->kind == APPLY)
        return n->arg[i];
    return (n->kind == CALL || n->kind == CHOICE) && i < n->nlist ? n->list[i] : n;
}

/* Gives the values of a function the types that it takes; false after an error. */
static bool convert(FormulaReader *r, const Node *n, FormulaOp op, int *arg, int narg)
{
    const int from = op == FORMULA_CHOOSE;
    for (int i = 0; i < narg; i++) {
        const Node *at = value_node(n, i);
        if (is_logic(op) || i < from) {
            if (formula_type(r, arg[i]) != FORMULA_TRUTH)
                return FAIL(r, at, "expected a comparison, as in n < m, found a number") >= 0;
        } else if ((arg[i] = formula_to_real(r, at, arg[i])) < 0) {
            return false;
        }
    }
    return true;
}

/* A row that is divided by one value of it is multiplied by its reciprocal: one division instead of many. */
static bool divides_row(const FormulaReader *r, FormulaOp op, const int *given)
{
    return op == FORMULA_DIV && r->f->node[given[1]].level > 0 &&
           r->f->node[given[0]].along & ~r->f->node[given[1]].along;
}

/* A condition of comparisons of integers alone, which rounding cannot turn. */
static bool is_sure(const FormulaReader *r, int id)
{
    const FormulaNode *v = &r->f->node[id];
    if (formula_is_comparison(v->op))
        return formula_type(r, v->arg[0]) == FORMULA_INT;
    for (int i = 0; i < v->narg; i++)
        if (!is_sure(r, v->arg[i]))
            return false;
    return true;
}

static double folded(FormulaOp op, double a, double b)
{
    switch (op) {
    case FORMULA_ADD:
        return a + b;
    case FORMULA_SUB:
        return a - b;
    case FORMULA_MUL:
        return a * b;
    case FORMULA_QUOTIENT:
        return trunc(a / b);
    default:
        return fmod(a, b);
    }
}

static bool folds(FormulaOp op) { return op <= FORMULA_MUL || op == FORMULA_QUOTIENT || op == FORMULA_REMAINDER; }

/* Computes what an operator makes of two integers that the formula names. */
static int fold_integers(FormulaReader *r, const Node *n, FormulaOp op, const int *arg)
{
    const double v = folded(op, r->f->node[arg[0]].real, r->f->node[arg[1]].real) + 0.0; /* no -0 */
    if (fabs(v) > INT32_MAX)
        return FAIL(r, n, "this is %.0f, beyond 32 bits; with a real number, such as 2.0, it is computed in floats", v);
    return formula_add_number(r, n, v, FORMULA_INT);
}

static bool is_named_integer(const FormulaReader *r, int id)
{
    return r->f->node[id].kind == FORMULA_NUMBER && formula_type(r, id) == FORMULA_INT;
}

/* Is it the same integer for all elements of a call, whatever its operands hold? */
static bool is_of_call(const FormulaReader *r, int id)
{
    const FormulaNode *v = &r->f->node[id];
    if (v->kind != FORMULA_APPLY)
        return v->kind == FORMULA_NUMBER || v->kind == FORMULA_EXTENT;
    for (int i = 0; i < v->narg; i++)
        if (!is_of_call(r, v->arg[i]))
            return false;
    return true;
}

/* Integers are divided by what a call's extents say, so that it is known before that this is above 0. */
static bool check_division(FormulaReader *r, const Node *n, FormulaOp op, const int *arg)
{
    const FormulaNode *by = &r->f->node[arg[1]];
    for (int i = 0; i < 2; i++)
        if (formula_type(r, arg[i]) != FORMULA_INT)
            return FAIL(r, value_node(n, i), "'%s' is of integers; expected one, such as a place",
                        n->kind == APPLY ? n->op->text : formula_functions[op].name) >= 0;
    if (!is_of_call(r, arg[1]) || (by->kind == FORMULA_NUMBER && by->real < 1))
        return FAIL(r, value_node(n, 1),
                    "integers are divided by a number, an extent or an attribute above 0, or by what is made "
                    "of these, such as N / 2") >= 0;
    return true;
}

int formula_apply(FormulaReader *r, const Node *n, FormulaOp op, const int *given, int narg)
{
    for (int i = 0; i < narg; i++)
        if (given[i] < 0)
            return -1;
    if (divides_row(r, op, given)) {
        const int one = formula_add_number(r, n, 1, FORMULA_REAL),
                  factor = formula_apply(r, n, op, (int[]){ one, given[1] }, 2);
        return formula_apply(r, n, FORMULA_MUL, (int[]){ given[0], factor }, 2);
    }
    const FormulaFunction *f = &formula_functions[op];
    const int from = op == FORMULA_CHOOSE;
    FormulaNode node = { .kind = FORMULA_APPLY, .op = op, .narg = narg, .type = f->value };
    memcpy(node.arg, given, (size_t)narg * sizeof *given);
    const bool ints = all_int(r, given + from, narg - from) && (f->of_int || formula_is_comparison(op)) &&
                      (from == 0 || is_sure(r, given[0]));
    if ((op == FORMULA_MIN || op == FORMULA_MAX) && given[0] == given[1])
        return given[0];
    if (formula_is_comparison(op) && ints && given[0] == given[1]) /* of real numbers it tells NaN */
        return FAIL(r, n, "both sides of '%s' are the same", f->name);
    if (op == FORMULA_NEG && r->f->node[given[0]].kind == FORMULA_NUMBER)
        return formula_add_number(r, n, -r->f->node[given[0]].real, formula_type(r, given[0]));
    if ((op == FORMULA_QUOTIENT || op == FORMULA_REMAINDER) && !check_division(r, n, op, given))
        return -1;
    if (folds(op) && is_named_integer(r, given[0]) && is_named_integer(r, given[1]))
        return fold_integers(r, n, op, given);
    if (!convert(r, n, op, node.arg, ints ? from : narg))
        return -1;
    if (ints && !formula_is_comparison(op))
        node.type = FORMULA_INT;
    return formula_add(r, n, node);
}
