/* SPDX-License-Identifier: Apache-2.0
 *
 * formula: gives the tree of a formula its meaning. Names are looked up, each value gets a type, functions that are short for others (relu, clamp,
 * softmax) are put in, and parts that are equal become one node. Operands that the formula brings become operands of the function.
 */
#include "gen/spec/formula.h"

#include <ctype.h>
#include <float.h>
#include <math.h>
#include <string.h>
#include "gen/base/conf.h"
#include "gen/base/expr_private.h"
#include "gen/base/name.h"
#include "gen/base/text.h"
#include "gen/spec/dtype.h"

#define REALS FORMULA_REAL
#define TRUTHS FORMULA_TRUTH

const FormulaFunction formula_functions[FORMULA_FUNCTION_COUNT] = {
    [FORMULA_ADD] = { "+", 2, true, REALS, false },
    [FORMULA_SUB] = { "-", 2, true, REALS, false },
    [FORMULA_MUL] = { "*", 2, true, REALS, false },
    [FORMULA_DIV] = { "/", 2, false, REALS, false },
    [FORMULA_NEG] = { "-", 1, true, REALS, false },
    [FORMULA_MIN] = { "min", 2, true, REALS, false },
    [FORMULA_MAX] = { "max", 2, true, REALS, false },
    [FORMULA_LT] = { "<", 2, false, TRUTHS, false },
    [FORMULA_LE] = { "<=", 2, false, TRUTHS, false },
    [FORMULA_GT] = { ">", 2, false, TRUTHS, false },
    [FORMULA_GE] = { ">=", 2, false, TRUTHS, false },
    [FORMULA_EQ] = { "==", 2, false, TRUTHS, false },
    [FORMULA_NE] = { "!=", 2, false, TRUTHS, false },
    [FORMULA_AND] = { "&&", 2, false, TRUTHS, false },
    [FORMULA_OR] = { "||", 2, false, TRUTHS, false },
    [FORMULA_NOT] = { "!", 1, false, TRUTHS, false },
    [FORMULA_CHOOSE] = { "?", 3, true, REALS, false },
    [FORMULA_TO_REAL] = { "", 1, false, REALS, false },
    [FORMULA_ABS] = { "abs", 1, false, REALS, false },
    [FORMULA_SQRT] = { "sqrt", 1, false, REALS, false },
    [FORMULA_RSQRT] = { "rsqrt", 1, false, REALS, true },
    [FORMULA_EXP] = { "exp", 1, false, REALS, true },
    [FORMULA_LOG] = { "log", 1, false, REALS, true },
    [FORMULA_TANH] = { "tanh", 1, false, REALS, true },
    [FORMULA_ERF] = { "erf", 1, false, REALS, true },
    [FORMULA_SIGMOID] = { "sigmoid", 1, false, REALS, true },
    [FORMULA_SILU] = { "silu", 1, false, REALS, true },
    [FORMULA_GELU] = { "gelu", 1, false, REALS, true },
    [FORMULA_GELU_TANH] = { "gelu_tanh", 1, false, REALS, true },
    [FORMULA_F16] = { "f16", 1, false, REALS, true },
    [FORMULA_BF16] = { "bf16", 1, false, REALS, true },
    [FORMULA_SUM] = { "sum", 1, false, REALS, false },
    [FORMULA_GREATEST] = { "max", 1, false, REALS, false },
    [FORMULA_LEAST] = { "min", 1, false, REALS, false },
    [FORMULA_ARGMAX] = { "argmax", 1, false, FORMULA_INT, false },
};

/* Functions that are short for others. */
typedef struct {
    const char *name;
    int narg;
    bool reduces;        /* an axis stands in brackets behind the name, which `is` calls i */
    const char *args[3]; /* what `is` calls the values */
    const char *is;
} ShortForm;

static const ShortForm short_forms[] = {
    { "relu", 1, false, { "x" }, "max(x, 0)" },
    { "clamp", 3, false, { "x", "least", "most" }, "min(max(x, least), most)" },
    { "mean", 1, true, { "x" }, "sum[i](x) / sum[i](1)" },
    { "softmax", 1, true, { "x" }, "exp(x - max[i](x)) / sum[i](exp(x - max[i](x)))" },
    { "log_softmax", 1, true, { "x" }, "x - max[i](x) - log(sum[i](exp(x - max[i](x))))" },
    { "centre", 1, true, { "x" }, "x - mean[i](x)" },
    { "layernorm", 2, true, { "x", "eps" }, "centre[i](x) * rsqrt(mean[i](centre[i](x) * centre[i](x)) + eps)" },
    { "rmsnorm", 2, true, { "x", "eps" }, "x * rsqrt(mean[i](x * x) + eps)" },
};

/* What names stand for while a short form is put in. */
typedef struct {
    const ShortForm *of;
    const int *value;
    int axis;
    Loc at; /* where it was called: errors in it are reported there */
} Frame;

typedef struct {
    Arena *arena;
    Diag *diag;
    Op *op; /* with the operands that the formula brings */
    const FormulaText *text;
    const Expr *expr; /* the one whose tree is read */
    const Frame *frame;
    Formula *f;
    int out;         /* the output's place; operands that the formula brings are put in before it */
    unsigned places; /* extents along which an element has a place: those of the output, and those of reductions around */
    int acc;         /* what `acc` stands for */
    int depth;
} Reader;

static int read_node(Reader *r, const Node *n);
static int add(Reader *r, const Node *n, FormulaNode node);

/* Reports an error at a node; always -1. */
#define FAIL(r, n, ...) (diag_error((r)->diag, place_of(r, n), __VA_ARGS__), -1)

static Loc place_of(const Reader *r, const Node *n)
{
    if (r->frame)
        return r->frame->at;
    return n->kind == NAME || n->kind >= CALL ? (n->kind == CHOICE ? place_of(r, n->list[0]) : n->name.at)
                                              : loc_in(r->expr->at, r->expr->source, n->offset, 1);
}

/* ---- nodes ---- */

static bool is_equal(const FormulaNode *a, const FormulaNode *b)
{
    return a->kind == b->kind && a->type == b->type && memcmp(&a->real, &b->real, sizeof a->real) == 0 && a->at == b->at &&
           a->op == b->op && a->narg == b->narg && memcmp(a->arg, b->arg, sizeof a->arg) == 0;
}

static int add_number(Reader *r, const Node *n, double v, FormulaType type);
static int apply(Reader *r, const Node *n, FormulaOp op, const int *given, int narg);

/* The reduction of a value that is the same all along the axis. */
static int reduce_constant(Reader *r, const Node *n, const FormulaNode *node)
{
    const int extent = add(r, n, (FormulaNode){ .kind = FORMULA_EXTENT, .type = FORMULA_INT, .at = node->at });
    if (node->op == FORMULA_ARGMAX)
        return add_number(r, n, 0, FORMULA_INT);
    return node->op == FORMULA_SUM ? apply(r, n, FORMULA_MUL, (int[]){ node->arg[0], extent }, 2) : node->arg[0];
}

/* The number of a node that is equal, or of a new one. -1 after an error. */
static int add(Reader *r, const Node *n, FormulaNode node)
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
    f->calls = f->calls || ((node.kind == FORMULA_APPLY || node.kind == FORMULA_REDUCE) && formula_functions[node.op].is_call);
    f->node[f->nnode] = node;
    return f->nnode++;
}

static int add_number(Reader *r, const Node *n, double v, FormulaType type)
{
    return add(r, n, (FormulaNode){ .kind = FORMULA_NUMBER, .type = type, .real = v });
}

static FormulaType type_of(const Reader *r, int id) { return r->f->node[id].type; }

static int to_real(Reader *r, const Node *n, int id)
{
    const FormulaNode *v = &r->f->node[id];
    if (v->type == FORMULA_TRUTH)
        return FAIL(r, n, "a comparison is no number; write it as condition ? 1 : 0");
    if (v->type == FORMULA_REAL)
        return id;
    if (v->kind == FORMULA_NUMBER)
        return add_number(r, n, v->real, FORMULA_REAL);
    return add(r, n, (FormulaNode){ .kind = FORMULA_APPLY, .type = FORMULA_REAL, .op = FORMULA_TO_REAL, .narg = 1, .arg = { id } });
}

/* ---- functions ---- */

static bool all_int(const Reader *r, const int *arg, int narg)
{
    for (int i = 0; i < narg; i++)
        if (type_of(r, arg[i]) != FORMULA_INT)
            return false;
    return true;
}

static bool is_comparison(FormulaOp op) { return op >= FORMULA_LT && op <= FORMULA_NE; }
static bool is_logic(FormulaOp op) { return op >= FORMULA_AND && op <= FORMULA_NOT; }

/* Where value i of an operator, a call or a choice stands. */
static const Node *value_node(const Node *n, int i)
{
    if (n->kind == APPLY)
        return n->arg[i];
    return (n->kind == CALL || n->kind == CHOICE) && i < n->nlist ? n->list[i] : n;
}

/* Gives the values of a function the types that it takes; false after an error. */
static bool convert(Reader *r, const Node *n, FormulaOp op, int *arg, int narg)
{
    const int from = op == FORMULA_CHOOSE;
    for (int i = 0; i < narg; i++) {
        const Node *at = value_node(n, i);
        if (is_logic(op) || i < from) {
            if (type_of(r, arg[i]) != FORMULA_TRUTH)
                return FAIL(r, at, "expected a comparison, as in n < m, found a number") >= 0;
        } else if ((arg[i] = to_real(r, at, arg[i])) < 0) {
            return false;
        }
    }
    return true;
}

/* Where each element of a row is divided by one value of it, the row is multiplied by its reciprocal: one division instead of many. */
static bool divides_row(const Reader *r, FormulaOp op, const int *given)
{
    return op == FORMULA_DIV && r->f->node[given[1]].level > 0 && r->f->node[given[0]].along & ~r->f->node[given[1]].along;
}

/* A condition of comparisons of integers alone, which rounding cannot turn. */
static bool is_sure(const Reader *r, int id)
{
    const FormulaNode *v = &r->f->node[id];
    if (is_comparison(v->op))
        return type_of(r, v->arg[0]) == FORMULA_INT;
    for (int i = 0; i < v->narg; i++)
        if (!is_sure(r, v->arg[i]))
            return false;
    return true;
}

static int apply(Reader *r, const Node *n, FormulaOp op, const int *given, int narg)
{
    if (divides_row(r, op, given)) {
        const int one = add_number(r, n, 1, FORMULA_REAL), factor = apply(r, n, op, (int[]){ one, given[1] }, 2);
        return apply(r, n, FORMULA_MUL, (int[]){ given[0], factor }, 2);
    }
    const FormulaFunction *f = &formula_functions[op];
    const int from = op == FORMULA_CHOOSE;
    FormulaNode node = { .kind = FORMULA_APPLY, .op = op, .narg = narg, .type = f->value };
    memcpy(node.arg, given, (size_t)narg * sizeof *given);
    const bool ints = all_int(r, given + from, narg - from) && (f->of_int || is_comparison(op)) && (from == 0 || is_sure(r, given[0]));
    if ((op == FORMULA_MIN || op == FORMULA_MAX) && given[0] == given[1])
        return given[0];
    if (is_comparison(op) && ints && given[0] == given[1]) /* of real numbers it tells NaN */
        return FAIL(r, n, "both sides of '%s' are the same", f->name);
    if (op == FORMULA_NEG && r->f->node[given[0]].kind == FORMULA_NUMBER)
        return add_number(r, n, -r->f->node[given[0]].real, type_of(r, given[0]));
    if (!convert(r, n, op, node.arg, ints ? from : narg))
        return -1;
    if (ints && !is_comparison(op))
        node.type = FORMULA_INT;
    return add(r, n, node);
}

static int find_function(const char *name, int narg, bool reduces)
{
    for (int i = reduces ? FORMULA_SUM : 0; i < (reduces ? FORMULA_FUNCTION_COUNT : FORMULA_SUM); i++)
        if (formula_functions[i].narg == narg && strcmp(formula_functions[i].name, name) == 0)
            return i;
    return -1;
}

static const ShortForm *find_short(const char *name, bool reduces)
{
    for (size_t i = 0; i < LENGTH(short_forms); i++)
        if (short_forms[i].reduces == reduces && strcmp(short_forms[i].name, name) == 0)
            return &short_forms[i];
    return NULL;
}

/* A function of one value, which a word of the short form may be too. */
static bool is_word_function(const char *name)
{
    const ShortForm *s = find_short(name, false);
    return find_function(name, 1, false) >= FORMULA_ABS || (s && s->narg == 1);
}

/* Is there a function of this name, of any number of values? Or a reduction? */
static bool is_named(const char *name, bool reduces)
{
    for (int i = reduces ? FORMULA_SUM : FORMULA_MIN; i < (reduces ? FORMULA_FUNCTION_COUNT : FORMULA_SUM); i++)
        if (isalpha((unsigned char)*name) && strcmp(formula_functions[i].name, name) == 0)
            return true;
    return find_short(name, reduces) != NULL;
}

static bool is_function(const char *name) { return is_named(name, false) || is_named(name, true); }

/* Puts a short form in, of these values. */
static int expand(Reader *r, const Node *n, const ShortForm *s, const int *value, int axis)
{
    Diag *unheard = diag_new(r->arena);
    const Frame frame = { s, value, axis, place_of(r, n) };
    const Frame *outer = r->frame;
    const Expr *expr = r->expr;
    r->expr = expr_parse_formula(r->arena, s->is, (Loc){ 0 }, unheard);
    r->frame = &frame;
    const int id = read_node(r, r->expr->root);
    r->frame = outer;
    r->expr = expr;
    return id;
}

/* Reports a call of a function that there is not, or with another number of values. */
static int fail_call(Reader *r, const Node *n, int narg)
{
    const char *name[FORMULA_FUNCTION_COUNT + LENGTH(short_forms)];
    const bool reduces = n->kind == REDUCE;
    size_t k = 0;
    for (int i = reduces ? FORMULA_SUM : FORMULA_MIN; i < (reduces ? FORMULA_FUNCTION_COUNT : FORMULA_SUM); i++) {
        const FormulaFunction *f = &formula_functions[i];
        if (!isalpha((unsigned char)f->name[0]))
            continue;
        if (strcmp(f->name, n->name.name) == 0)
            return FAIL(r, n, "'%s' takes %d value%s, found %d", f->name, f->narg, f->narg == 1 ? "" : "s", narg);
        name[k++] = f->name;
    }
    for (size_t i = 0; i < LENGTH(short_forms); i++)
        if (short_forms[i].reduces == reduces)
            name[k++] = short_forms[i].name;
    const ShortForm *s = find_short(n->name.name, reduces);
    if (s)
        return FAIL(r, n, "'%s' takes %d value%s, found %d", s->name, s->narg, s->narg == 1 ? "" : "s", narg);
    if (!reduces && (find_function(n->name.name, 1, true) >= 0 || find_short(n->name.name, true)))
        return FAIL(r, n, "'%s' needs the axis that it goes along, as in %s[n](x)", n->name.name, n->name.name);
    const char *near = diag_nearest(n->name.name, (Names){ name, sizeof *name, k });
    if (near)
        return FAIL(r, n, "unknown function '%s'; did you mean '%s'?", n->name.name, near);
    Text all = { .arena = r->arena };
    for (size_t i = 0; i < k; i++)
        text_printf(&all, "%s%s", i ? ", " : "", name[i]);
    return FAIL(r, n, "unknown function '%s'; there are %s", n->name.name, text_str(&all));
}

/* Reads the values from `first` on into arg, which has room for them; false after an error. */
static bool read_values(Reader *r, const Node *n, int first, int *arg)
{
    for (int i = first; i < n->nlist; i++)
        if ((arg[i - first] = read_node(r, n->list[i])) < 0)
            return false;
    return true;
}

static int read_call(Reader *r, const Node *n)
{
    int arg[FORMULA_MAX_ARG];
    if (n->nlist > FORMULA_MAX_ARG)
        return fail_call(r, n, n->nlist);
    if (!read_values(r, n, 0, arg))
        return -1;
    const int op = find_function(n->name.name, n->nlist, false);
    const ShortForm *s = find_short(n->name.name, false);
    if (s && s->narg == n->nlist)
        return expand(r, n, s, arg, -1);
    return op >= FORMULA_MIN ? apply(r, n, (FormulaOp)op, arg, n->nlist) : fail_call(r, n, n->nlist);
}

static int read_operator(Reader *r, const Node *n)
{
    const int narg = n->arg[1] ? 2 : 1;
    int arg[2];
    for (int i = 0; i < narg; i++)
        if ((arg[i] = read_node(r, n->arg[i])) < 0)
            return -1;
    const int op = find_function(n->op->text, narg, false);
    return op >= 0 ? apply(r, n, (FormulaOp)op, arg, narg) : FAIL(r, n, "formulas have no '%s'", n->op->text);
}

static int read_choice(Reader *r, const Node *n)
{
    int arg[3];
    return read_values(r, n, 0, arg) ? apply(r, n, FORMULA_CHOOSE, arg, 3) : -1;
}

/* ---- places and extents ---- */

/* The extent whose places are called so: n is a place along N. -1: none is. */
static int place_named(const Reader *r, const char *name)
{
    if (r->frame && r->frame->of->reduces && strcmp(name, "i") == 0)
        return r->frame->axis;
    for (int i = 0; i < r->op->nextent; i++) {
        const char *extent = r->op->extent[i].name, *lower = text_letters(arena_strdup(r->arena, extent), tolower);
        if (strcmp(lower, extent) != 0 && strcmp(lower, name) == 0)
            return i;
    }
    return -1;
}

static int read_index(Reader *r, const Node *n, int extent)
{
    if (!(r->places >> extent & 1))
        return FAIL(r, n, "the output has no extent %s, and no reduction goes along it here", r->op->extent[extent].name);
    return add(r, n, (FormulaNode){ .kind = FORMULA_INDEX, .type = FORMULA_INT, .at = extent, .along = 1u << extent });
}

/* Is it the output, or what the op itself reads? */
static bool is_own(const Reader *r, const Operand *o) { return o->role == ROLE_OUT || (r->op->reference && !o->of_formula); }

static int fail_own(Reader *r, const Node *n, const Operand *o)
{
    return FAIL(r, n, "'%s' is the op's own %s; a formula may not read it", o->name, o->role == ROLE_OUT ? "output" : "operand");
}

static int fail_name(Reader *r, const Node *n)
{
    const char *name = n->name.name;
    const Operand *o = names_row(NAMES(r->op->operand, r->op->noperand), name);
    if (o && is_own(r, o))
        return fail_own(r, n, o);
    if (o)
        return FAIL(r, n, "'%s' is an operand; its element is written with places in brackets, as in %s[n]", name, name);
    if (names_find(NAMES(r->op->epilogue, r->op->nepilogue), name) >= 0 || is_word_function(name))
        return FAIL(r, n, "'%s' stands alone only among words, as in epilogue = [\"%s\"]", name, name);
    if (is_function(name))
        return FAIL(r, n, "'%s' is a function; its values stand in parentheses behind it", name);
    if (strcmp(name, "acc") == 0)
        return FAIL(r, n, "the op '%s' computes nothing by itself: its formulas have no 'acc'", r->op->name);
    return FAIL(r, n, "unknown name '%s'; expected %sinf, a place such as n, an extent such as N, or an operand with places in brackets, as in %s[n]",
                name, r->acc < 0 ? "" : "acc, ", name);
}

static int read_name(Reader *r, const Node *n)
{
    const char *name = n->name.name;
    for (int i = 0; r->frame && i < r->frame->of->narg; i++)
        if (strcmp(r->frame->of->args[i], name) == 0)
            return r->frame->value[i];
    if (strcmp(name, "acc") == 0 && r->acc >= 0)
        return r->acc;
    if (strcmp(name, "inf") == 0)
        return add_number(r, n, (double)INFINITY, FORMULA_REAL);
    const int place = place_named(r, name), extent = op_axis(r->op, name);
    if (place >= 0)
        return read_index(r, n, place);
    if (extent >= 0)
        return add(r, n, (FormulaNode){ .kind = FORMULA_EXTENT, .type = FORMULA_INT, .at = extent });
    return fail_name(r, n);
}

static int read_reduction(Reader *r, const Node *n)
{
    const Node *axis = n->list[0];
    const int extent = axis->kind == NAME ? place_named(r, axis->name.name) : -1;
    const unsigned places = r->places;
    int arg[FORMULA_MAX_ARG];
    if (extent < 0)
        return FAIL(r, axis, "expected the places that '%s' goes along, as in %s[n](...)", n->name.name, n->name.name);
    if (r->op->reference)
        return FAIL(r, n, "an epilogue of op '%s' sees one element at a time and cannot reduce; the op 'rows' can", r->op->name);
    if (r->op->extent[extent].kind > AXIS_REDUCE)
        return FAIL(r, axis, "reductions go along an axis of the op");
    if (n->nlist > FORMULA_MAX_ARG)
        return fail_call(r, n, n->nlist - 1);
    r->places |= 1u << extent;
    const bool ok = read_values(r, n, 1, arg);
    r->places = places;
    if (!ok)
        return -1;
    const int narg = n->nlist - 1, op = find_function(n->name.name, narg, true);
    const ShortForm *s = find_short(n->name.name, true);
    if (s && s->narg == narg) {
        r->places |= 1u << extent;
        const int id = expand(r, n, s, arg, extent);
        r->places = places;
        if (id >= 0 && r->f->node[id].along & ~places)
            return FAIL(r, n, "'%s' gives a value for each place along %s, which the output does not have", s->name,
                        r->op->extent[extent].name);
        return id;
    }
    if (op < 0)
        return fail_call(r, n, narg);
    const int value = to_real(r, n, arg[0]);
    return value < 0 ? -1
                     : add(r, n, (FormulaNode){ .kind = FORMULA_REDUCE, .type = formula_functions[op].value, .at = extent,
                                                .op = (FormulaOp)op, .narg = 1, .arg = { value } });
}

/* ---- operands ---- */

static const char *extent_list(Reader *r, const Expr *const *extent, int rank)
{
    Text t = { .arena = r->arena };
    for (int i = 0; i < rank; i++)
        text_printf(&t, "[%s]", expr_text(extent[i]));
    return arena_strdup(r->arena, text_str(&t));
}

/* The dtype that the spec says for an operand; NULL: the spec's own. */
static const char *dtype_of(const Reader *r, const char *operand)
{
    const int i = names_find(NAMES(r->text->operand, r->text->ntype), operand);
    return i < 0 ? NULL : r->text->dtype[i];
}

/* Why the formula cannot bring an operand of this name; NULL: it can. */
static const char *operand_fault(const Reader *r, const char *name)
{
    const char *why = name_argument_fault(name);
    for (int i = 0; !why && i < r->op->noperand; i++)
        if (r->op->operand[i].strided && strcmp(arena_printf(r->arena, "%s_stride", r->op->operand[i].name), name) == 0)
            why = "has the name of an argument, the strides of an operand";
    if (why)
        return why;
    if (op_axis(r->op, name) >= 0 || place_named(r, name) >= 0)
        return "has the name of an extent or of a place along one";
    if (strcmp(name, "acc") == 0 || strcmp(name, "inf") == 0)
        return "has the name of a number in formulas";
    return is_function(name) ? "has the name of a function, whose values stand in parentheses" : NULL;
}

/* Adds an operand before the output. Its extents are those that the indices go along. -1 after an error. */
static int add_operand(Reader *r, const Node *n, const int *index)
{
    const char *name = n->name.name;
    Op *op = r->op;
    if (r->frame || !conf_check_name(r->diag, n->name.at, "operand", name, operand_fault(r, name)))
        return -1;
    if (op->noperand == OP_MAX_OPERAND)
        return FAIL(r, n, "more than %d operands, the op's own among them", OP_MAX_OPERAND);
    const char *dtype = dtype_of(r, name);
    Operand o = { .name = name, .role = ROLE_IN, .of = -1, .dtype = dtype, .nlayout = 1, .of_formula = true };
    o.layout[0] = (Layout){ .name = "", .rank = n->nlist };
    const Dtype *type = dtype ? dtype_find(dtype) : NULL;
    if (type && type->is_integer)
        o.role = ROLE_INDEX, o.data = DATA_INTEGERS;
    for (int i = 0; i < n->nlist; i++) {
        const FormulaNode *v = &r->f->node[index[i]];
        if (v->kind != FORMULA_INDEX)
            return FAIL(r, n->list[i], "expected a place such as n: what extent '%s' has here is not known otherwise", name);
        o.layout[0].extent[i] = expr_name(r->arena, op->extent[v->at].name);
        expr_bind(o.layout[0].extent[i], NAMES(op->extent, op->nextent));
    }
    o.elems = op_elements(r->arena, op, &o.layout[0]);
    o.doc = arena_printf(r->arena, "%s, in the formula", extent_list(r, (const Expr *const *)o.layout[0].extent, n->nlist));
    memmove(&op->operand[r->out + 1], &op->operand[r->out], (size_t)(op->noperand - r->out) * sizeof *op->operand);
    op->operand[r->out] = o;
    op->noperand++;
    return r->out++;
}

/* Does the operand have these extents? Only of one that the formula brought: in others an index may be computed. */
static bool check_extents(Reader *r, const Node *n, const Operand *o, const int *index)
{
    for (int i = 0; i < n->nlist; i++) {
        const FormulaNode *v = &r->f->node[index[i]];
        if (v->kind == FORMULA_INDEX && strcmp(expr_text(o->layout->extent[i]), r->op->extent[v->at].name) != 0)
            return FAIL(r, n->list[i], "'%s' has the extents %s: expected a place along %s", o->name,
                        extent_list(r, (const Expr *const *)o->layout->extent, o->layout->rank),
                        expr_text(o->layout->extent[i])) >= 0;
        if (v->kind != FORMULA_INDEX && o->of_formula)
            return FAIL(r, n->list[i], "expected a place such as n: what extent '%s' has here is not known otherwise", o->name) >= 0;
    }
    return true;
}

static int read_element(Reader *r, const Node *n)
{
    FormulaNode node = { .kind = FORMULA_ELEMENT, .type = FORMULA_REAL, .narg = n->nlist };
    node.at = names_find(NAMES(r->op->operand, r->op->noperand), n->name.name);
    if (node.at >= 0 && is_own(r, &r->op->operand[node.at]))
        return fail_own(r, n, &r->op->operand[node.at]);
    if (n->nlist > OP_MAX_RANK)
        return FAIL(r, n, "more than %d places", OP_MAX_RANK);
    if (!read_values(r, n, 0, node.arg))
        return -1;
    for (int i = 0; i < n->nlist; i++)
        if (type_of(r, node.arg[i]) != FORMULA_INT)
            return FAIL(r, n->list[i], "expected an integer, such as the place n");
    node.at = names_find(NAMES(r->op->operand, r->op->noperand), n->name.name);
    if (node.at < 0 && (node.at = add_operand(r, n, node.arg)) < 0)
        return -1;
    const Operand *o = &r->op->operand[node.at];
    if (o->layout->rank != n->nlist)
        return FAIL(r, n, "'%s' has %d extent%s, found %d place%s", o->name, o->layout->rank, o->layout->rank == 1 ? "" : "s",
                    n->nlist, n->nlist == 1 ? "" : "s");
    if (!check_extents(r, n, o, node.arg))
        return -1;
    node.type = o->role == ROLE_INDEX ? FORMULA_INT : FORMULA_REAL;
    return add(r, n, node);
}

/* ---- the whole ---- */

/* Kernels compute in floats and in integers of 32 bits. */
static int read_number(Reader *r, const Node *n)
{
    if (n->kind == INT && n->value > INT32_MAX)
        return FAIL(r, n, "this integer does not fit 32 bits; as a real number it is written %lld.0", (long long)n->value);
    if (n->kind == REAL && (n->real > (double)FLT_MAX || (n->real > 0 && n->real < (double)FLT_MIN)))
        return FAIL(r, n, "no float is near this number: they go from %.2g to %.2g", (double)FLT_MIN, (double)FLT_MAX);
    return n->kind == INT ? add_number(r, n, (double)n->value, FORMULA_INT) : add_number(r, n, n->real, FORMULA_REAL);
}

static int read_any(Reader *r, const Node *n)
{
    switch (n->kind) {
    case INT:
    case REAL: return read_number(r, n);
    case NAME: return read_name(r, n);
    case APPLY: return read_operator(r, n);
    case CALL: return read_call(r, n);
    case ELEMENT: return read_element(r, n);
    case REDUCE: return read_reduction(r, n);
    case CHOICE: return read_choice(r, n);
    }
    return -1;
}

static int read_node(Reader *r, const Node *n)
{
    if (++r->depth > EXPR_MAX_DEPTH)
        return FAIL(r, n, "the formula is nested too deeply");
    const int id = read_any(r, n);
    r->depth--;
    return id;
}

/* Applies a word of the short form to what those before it gave: the op's own, or a function of one value. -1 after an error. */
static int read_word(Reader *r, const char *word, Loc at)
{
    const Op *op = r->op;
    const Node named = { .kind = CALL, .name = { word, at, -1, NULL } };
    const int own = names_find(NAMES(op->epilogue, op->nepilogue), word), function = find_function(word, 1, false);
    const ShortForm *s = find_short(word, false);
    if (own >= 0) {
        r->expr = op->epilogue[own].expr;
        const int id = read_node(r, r->expr->root);
        return id < 0 ? -1 : to_real(r, &named, id);
    }
    if (s && s->narg == 1)
        return expand(r, &named, s, &r->acc, -1);
    if (function >= FORMULA_ABS)
        return apply(r, &named, (FormulaOp)function, &r->acc, 1);
    if (name_fault(word))
        return diag_error(r->diag, at, "expected a word such as gelu; a formula stands by itself, as in epilogue = \"gelu(acc)\""), -1;
    if (!is_named(word, false) && is_named(word, true))
        return diag_error(r->diag, at, "'%s' reduces along an axis, which no epilogue can; the op 'rows' can", word), -1;
    if (is_function(word))
        return diag_error(r->diag, at, "'%s' is no function of one value; it stands in a formula, as in epilogue = \"max(acc, 0)\"", word), -1;
    const char *name[OP_MAX_NAME + FORMULA_FUNCTION_COUNT + LENGTH(short_forms)];
    size_t n = 0;
    for (int i = 0; i < op->nepilogue; i++)
        name[n++] = op->epilogue[i].name;
    for (int i = FORMULA_ABS; i < FORMULA_SUM; i++)
        name[n++] = formula_functions[i].name;
    for (size_t i = 0; i < LENGTH(short_forms); i++)
        if (!short_forms[i].reduces && short_forms[i].narg == 1)
            name[n++] = short_forms[i].name;
    return conf_lookup(r->diag, at, "epilogue", word, (Names){ name, sizeof *name, n });
}

/* Reads what the text says into nodes. -1 after errors. */
static int read_text(Reader *r)
{
    const FormulaText *t = r->text;
    if (r->op->reference)
        r->acc = add(r, NULL, (FormulaNode){ .kind = FORMULA_ACC, .type = FORMULA_REAL, .along = r->places });
    r->expr = t->expr;
    if (t->expr) {
        r->f->text = expr_text(t->expr);
        return read_node(r, t->expr->root);
    }
    Text words = { .arena = r->arena };
    for (int i = 0; i < t->nword; i++) {
        const int id = read_word(r, t->word[i], t->at[i]);
        r->acc = id < 0 ? r->acc : id;
        text_printf(&words, "%s%s", i ? ", " : "", t->word[i]);
    }
    r->f->text = arena_strdup(r->arena, text_str(&words));
    return r->acc;
}

/* ---- what is known of the whole ---- */

/* How a value depends on acc. */
typedef enum { NOT_AT_ALL, AFFINE, ANYHOW } Dependence;

static Dependence dependence_of(const Formula *f, const FormulaNode *v, const Dependence *of)
{
    Dependence most = v->kind == FORMULA_ACC ? AFFINE : NOT_AT_ALL;
    for (int i = 0; i < v->narg; i++)
        most = of[v->arg[i]] > most ? of[v->arg[i]] : most;
    if (v->kind == FORMULA_ACC || most != AFFINE)
        return most;
    if (v->op == FORMULA_ADD || v->op == FORMULA_SUB || v->op == FORMULA_NEG)
        return AFFINE;
    const int factor = of[v->arg[0]] == NOT_AT_ALL ? 0 : 1; /* of a product: the one without acc */
    const bool scales = v->op == FORMULA_MUL || (v->op == FORMULA_DIV && factor == 1);
    return scales && of[v->arg[factor]] == NOT_AT_ALL && !f->node[v->arg[factor]].along ? AFFINE : ANYHOW;
}

static bool is_affine(const Formula *f)
{
    Dependence of[FORMULA_MAX_NODE];
    for (int i = 0; i < f->nnode; i++)
        of[i] = dependence_of(f, &f->node[i], of);
    return of[f->nnode - 1] == AFFINE;
}

/* Is it an element that differs along two extents or more? */
static bool reads_rows(const Op *op, const FormulaNode *v)
{
    int along = 0;
    for (int i = 0; i < op->nextent; i++)
        along += v->along >> i & 1;
    return v->kind == FORMULA_ELEMENT && along > 1;
}

static bool any_reads_rows(const Formula *f, const Op *op)
{
    bool any = false;
    for (int i = 0; i < f->nnode; i++)
        any = any || reads_rows(op, &f->node[i]);
    return any;
}

/* The operand of a formula that is acc + bias[n], n along the output's last extent, if it has no type of its own; -1: it is none. */
static int bias_of(const Formula *f, const Layout *out, const Op *op)
{
    const FormulaNode *sum = &f->node[f->nnode - 1];
    const int last = op_axis(op, expr_text(out->extent[out->rank - 1]));
    if (sum->kind != FORMULA_APPLY || sum->op != FORMULA_ADD)
        return -1;
    for (int i = 0; i < 2; i++) {
        const FormulaNode *other = &f->node[sum->arg[1 - i]];
        if (f->node[sum->arg[i]].kind == FORMULA_ACC && other->kind == FORMULA_ELEMENT && other->narg == 1 &&
            f->node[other->arg[0]].kind == FORMULA_INDEX && f->node[other->arg[0]].at == last && !op->operand[other->at].dtype)
            return other->at;
    }
    return -1;
}

/* Finds the row's extent, and how often kernels go along it. False after an error. */
static bool find_passes(const Reader *r, const Layout *out)
{
    Formula *f = r->f;
    const FormulaNode *root = &f->node[f->nnode - 1];
    const int last = op_axis(r->op, expr_text(out->extent[out->rank - 1]));
    const Loc at = r->text->expr ? expr_loc(r->text->expr) : r->text->at[0];
    f->row = -1;
    for (const FormulaNode *v = f->node; v < f->node + f->nnode; v++) {
        if (v->kind != FORMULA_REDUCE)
            continue;
        if (f->row >= 0 && v->at != f->row)
            return diag_error(r->diag, at, "reductions go along %s and along %s; expected one axis", r->op->extent[f->row].name,
                              r->op->extent[v->at].name);
        f->row = v->at;
    }
    if (f->row >= 0 && r->places >> f->row & 1 && f->row != last)
        return diag_error(r->diag, at, "a reduction goes along %s; expected the output's last extent, %s", r->op->extent[f->row].name,
                          r->op->extent[last].name);
    f->row = f->row < 0 ? last : f->row;
    f->npass = root->level + (f->row >= 0 && root->along >> f->row & 1);
    return true;
}

/* An integer that a place is compared with is a length of that extent: so it is drawn for verification. */
static void note_lengths(const Formula *f, Op *op)
{
    for (const FormulaNode *v = f->node; v < f->node + f->nnode; v++)
        for (int i = 0; v->kind == FORMULA_APPLY && is_comparison(v->op) && i < 2; i++) {
            const FormulaNode *e = &f->node[v->arg[i]], *place = &f->node[v->arg[1 - i]];
            if (e->kind != FORMULA_ELEMENT || place->kind != FORMULA_INDEX || !op->operand[e->at].of_formula)
                continue;
            op->operand[e->at].data = DATA_LENGTHS;
            op->operand[e->at].of = place->at;
        }
}

/* Operands with a type of their own must be in the formula. */
static void check_types(const Reader *r)
{
    for (int i = 0; i < r->text->ntype; i++) {
        const Operand *o = names_row(NAMES(r->op->operand, r->op->noperand), r->text->operand[i]);
        if (!o || !(o->of_formula || (o->role == ROLE_OUT && !r->op->reference)))
            diag_error(r->diag, r->text->type_at[i], "the formula has no operand '%s'", r->text->operand[i]);
    }
}

/* The root as the output stores it. Of an op that computes nothing by itself the spec may say the output's type. */
static int of_output_type(Reader *r, int root)
{
    const Node *n = r->text->expr ? r->text->expr->root : NULL;
    Operand *out = &r->op->operand[r->out];
    if (!r->op->reference && dtype_of(r, out->name))
        out->dtype = dtype_of(r, out->name);
    const Dtype *type = out->dtype ? dtype_find(out->dtype) : NULL;
    if (!type || !type->is_integer)
        return to_real(r, n, root);
    return type_of(r, root) == FORMULA_INT ? root : FAIL(r, n, "expected an integer, as '%s' is of type %s; found a real number", out->name, out->dtype);
}

/* Takes away what nothing uses: a value that a short form left aside. The root comes last. */
static void keep_used(Formula *f, int root)
{
    bool used[FORMULA_MAX_NODE] = { 0 };
    int now[FORMULA_MAX_NODE], n = 0;
    used[root] = true;
    for (int i = root; i >= 0; i--)
        for (int k = 0; used[i] && k < f->node[i].narg; k++)
            used[f->node[i].arg[k]] = true;
    f->calls = false;
    for (int i = 0; i <= root; i++) {
        FormulaNode v = f->node[i];
        if (!used[i])
            continue;
        v.nuse = 0;
        for (int k = 0; k < v.narg; k++)
            f->node[v.arg[k] = now[v.arg[k]]].nuse++;
        f->calls = f->calls || (v.kind >= FORMULA_APPLY && formula_functions[v.op].is_call);
        f->node[now[i] = n++] = v;
    }
    f->nnode = n;
}

/* The operations of a call: those for each element of a row, as many times as the rows have elements. */
static void count_operations(Reader *r)
{
    int64_t n = 0;
    for (const FormulaNode *v = r->f->node; v < r->f->node + r->f->nnode; v++)
        if (v->kind >= FORMULA_APPLY)
            n += formula_functions[v->op].is_call ? 10 : 1;
    const Layout *out = r->op->operand[r->out].layout;
    Expr *elems = op_elements(r->arena, r->op, out);
    if (!(r->places >> r->f->row & 1))
        elems = expr_apply(r->arena, "*", elems, expr_name(r->arena, r->op->extent[r->f->row].name));
    r->op->flops = expr_apply(r->arena, "*", elems, expr_number(r->arena, n ? n : 1));
    expr_bind(r->op->flops, NAMES(r->op->extent, r->op->nextent));
}

const Formula *formula_read(Arena *a, const Op *op, const FormulaText *text, const Op **of, Diag *d)
{
    const int nerror = diag_nerror(d);
    Reader r = { .arena = a, .diag = d, .op = ARENA_NEW(a, Op), .text = text, .f = ARENA_NEW(a, Formula), .acc = -1 };
    *r.op = *op;
    *r.f = (Formula){ .text = "" };
    while (r.op->operand[r.out].role != ROLE_OUT)
        r.out++;
    const Layout *out = r.op->operand[r.out].layout;
    for (int i = 0; i < out->rank; i++) {
        const int extent = op_axis(op, expr_text(out->extent[i]));
        r.places |= extent < 0 ? 0 : 1u << extent;
    }
    int root = read_text(&r);
    if (root >= 0)
        root = of_output_type(&r, root);
    if (root >= 0) /* else not all operands may have been read */
        check_types(&r);
    if (root < 0 || diag_nerror(d) > nerror)
        return NULL;
    keep_used(r.f, root);
    out = r.op->operand[r.out].layout; /* operands may have come before it */
    if (!find_passes(&r, out))
        return NULL;
    if (!r.op->reference)
        count_operations(&r);
    r.f->is_affine = is_affine(r.f);
    r.f->reads = any_reads_rows(r.f, r.op);
    r.f->bias = bias_of(r.f, out, r.op);
    note_lengths(r.f, r.op);
    *of = r.op;
    return r.f;
}
