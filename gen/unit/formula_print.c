/* SPDX-License-Identifier: Apache-2.0
 *
 * formula_print: prints single nodes of a formula as code: for CPUs on vectors, for GPUs on one element, and for the
 * reference on one element in double precision.
 *
 * A value that is the same for all elements of a vector is a plain number there (narrow), others are vectors (wide).
 * Where only one side of an operator is a vector, C takes the other one for all lanes; functions take vectors alone.
 */
#include "gen/unit/formula_print.h"

#include <string.h>

/* How a function is printed in kernels: $0, $1 ... are its values. */
typedef struct {
    const char *narrow;
    int binding;
    const char *wide; /* where a value is a vector; NULL: the same */
    int wide_binding;
} Form;

#define OPERATOR(text, binding)                  \
    {                                            \
        "$0 " text " $1", binding, NULL, binding \
    }
#define FUNCTION(name, scalar)                                                    \
    {                                                                             \
        scalar "($0)", BIND_PRIMARY, "PACKAGE_" name "_MACHINE($0)", BIND_PRIMARY \
    }

static const Form kernel_forms[FORMULA_FUNCTION_COUNT] = {
    [FORMULA_ADD] = OPERATOR("+", BIND_SUM),
    [FORMULA_SUB] = OPERATOR("-", BIND_SUM),
    [FORMULA_MUL] = OPERATOR("*", BIND_TERM),
    [FORMULA_DIV] = OPERATOR("/", BIND_TERM),
    [FORMULA_NEG] = { "-$0", BIND_UNARY, NULL, BIND_UNARY },
    [FORMULA_QUOTIENT] = OPERATOR("/", BIND_TERM),
    [FORMULA_REMAINDER] = OPERATOR("%", BIND_TERM),
    [FORMULA_LT] = OPERATOR("<", BIND_COMPARE),
    [FORMULA_LE] = OPERATOR("<=", BIND_COMPARE),
    [FORMULA_GT] = OPERATOR(">", BIND_COMPARE),
    [FORMULA_GE] = OPERATOR(">=", BIND_COMPARE),
    [FORMULA_EQ] = OPERATOR("==", BIND_EQUAL),
    [FORMULA_NE] = OPERATOR("!=", BIND_EQUAL),
    [FORMULA_AND] = { "$0 && $1", BIND_AND, "$0 & $1", BIND_BITS },
    [FORMULA_OR] = { "$0 || $1", BIND_OR, "$0 | $1", BIND_BITS },
    [FORMULA_NOT] = { "!$0", BIND_UNARY, "~$0", BIND_UNARY },
    [FORMULA_CHOOSE] = { "$0 ? $1 : $2", BIND_CHOICE, "PACKAGE_select_MACHINE($0, $1, $2)", BIND_PRIMARY },
    [FORMULA_TO_REAL] = { "(float)$0", BIND_UNARY, "__builtin_convertvector($0, PACKAGE_floats_MACHINE)",
                          BIND_PRIMARY },
    [FORMULA_TO_INT] = { "(int)$0", BIND_UNARY, "__builtin_convertvector($0, PACKAGE_ints_MACHINE)", BIND_PRIMARY },
    [FORMULA_MIN] = { "PACKAGE_device::lesser($1, $0)", BIND_PRIMARY, "PACKAGE_min_MACHINE($1, $0)", BIND_PRIMARY },
    [FORMULA_MAX] = { "PACKAGE_device::greater($1, $0)", BIND_PRIMARY, "PACKAGE_max_MACHINE($1, $0)", BIND_PRIMARY },
    [FORMULA_ABS] = FUNCTION("abs", "fabsf"),
    [FORMULA_SQRT] = FUNCTION("sqrt", "sqrtf"),
    [FORMULA_RSQRT] = FUNCTION("rsqrt", "rsqrtf"),
    [FORMULA_EXP] = FUNCTION("exp", "expf"),
    [FORMULA_LOG] = FUNCTION("log", "logf"),
    [FORMULA_TANH] = FUNCTION("tanh", "tanhf"),
    [FORMULA_ERF] = FUNCTION("erf", "erff"),
    [FORMULA_SIGMOID] = FUNCTION("sigmoid", "PACKAGE_device::sigmoid"),
    [FORMULA_SILU] = FUNCTION("silu", "PACKAGE_device::silu"),
    [FORMULA_GELU] = FUNCTION("gelu", "PACKAGE_device::gelu"),
    [FORMULA_GELU_TANH] = FUNCTION("gelu_tanh", "PACKAGE_device::gelu_tanh"),
    [FORMULA_SIN] = FUNCTION("sin", "PACKAGE_device::sine"),
    [FORMULA_COS] = FUNCTION("cos", "PACKAGE_device::cosine"),
    [FORMULA_POW] = { "powf($0, $1)", BIND_PRIMARY, "PACKAGE_pow_MACHINE($0, $1)", BIND_PRIMARY },
    [FORMULA_FLOOR] = FUNCTION("floor", "floorf"),
    [FORMULA_CEIL] = FUNCTION("ceil", "ceilf"),
    [FORMULA_TRUNC] = FUNCTION("trunc", "truncf"),
    [FORMULA_ROUND] = FUNCTION("round", "rintf"),
    [FORMULA_F16] = FUNCTION("f16", "PACKAGE_device::round_f16"),
    [FORMULA_BF16] = FUNCTION("bf16", "PACKAGE_device::round_bf16"),
    [FORMULA_OFF] = OPERATOR("-", BIND_SUM),
    [FORMULA_CENTRED] = OPERATOR("-", BIND_SUM),
    [FORMULA_VARIANCE] = { "$0 - ($1) * ($1)", BIND_SUM, NULL, BIND_SUM },
};

/* Of integers, where it is another one. What they are of is printed twice. */
static const Form int_forms[FORMULA_FUNCTION_COUNT] = {
    [FORMULA_MIN] = { "$1 < $0 ? $1 : $0", BIND_CHOICE, "PACKAGE_select_ints_MACHINE($1 < $0, $1, $0)", BIND_PRIMARY },
    [FORMULA_MAX] = { "$0 < $1 ? $1 : $0", BIND_CHOICE, "PACKAGE_select_ints_MACHINE($0 < $1, $1, $0)", BIND_PRIMARY },
    [FORMULA_CHOOSE] = { "$0 ? $1 : $2", BIND_CHOICE, "PACKAGE_select_ints_MACHINE($0, $1, $2)", BIND_PRIMARY },
};

/* Of real numbers, in the reference: templates/package/formula.h has a function for each, in the reference's words
 * where C has an operator. */
static const char *const exact_names[FORMULA_FUNCTION_COUNT] = {
    [FORMULA_ADD] = "add",      [FORMULA_SUB] = "sub", [FORMULA_MUL] = "mul",         [FORMULA_DIV] = "div",
    [FORMULA_NEG] = "neg",      [FORMULA_LT] = "lt",   [FORMULA_LE] = "le",           [FORMULA_GT] = "gt",
    [FORMULA_GE] = "ge",        [FORMULA_EQ] = "eq",   [FORMULA_NE] = "ne",           [FORMULA_AND] = "and",
    [FORMULA_OR] = "or",        [FORMULA_NOT] = "not", [FORMULA_CHOOSE] = "choose",   [FORMULA_TO_REAL] = "number",
    [FORMULA_TO_INT] = "whole", [FORMULA_OFF] = "off", [FORMULA_CENTRED] = "centred", [FORMULA_VARIANCE] = "variance"
};

const Layout *print_output_layout(const Spec *s) { return spec_layout(s, (int)(spec_output(s) - s->op->operand)); }

const FormulaNode *print_at(const Printer *p, int i) { return &p->spec->formula->node[i]; }

const char *print_enclosed(const Printer *p, Piece piece, int least)
{
    return piece.binding < least ? arena_printf(p->arena, "(%s)", piece.text) : piece.text;
}

/* ---- functions ---- */

Piece print_widened(const Printer *p, Piece v, FormulaType type)
{
    if (v.wide || p->style != STYLE_VECTOR)
        return v;
    if (type == FORMULA_TRUTH)
        return (Piece){ arena_printf(p->arena, "PACKAGE_all_ints_MACHINE(-(%s))", v.text), BIND_PRIMARY, true };
    if (type == FORMULA_INT)
        return (
            Piece){ arena_printf(p->arena, "PACKAGE_all_ints_MACHINE((int32_t)%s)", print_enclosed(p, v, BIND_UNARY)),
                    BIND_PRIMARY, true };
    return (Piece){ arena_printf(p->arena, "PACKAGE_all_MACHINE(%s)", v.text), BIND_PRIMARY, true };
}

static const Form *form_of(const FormulaNode *v)
{
    return v->type == FORMULA_INT && int_forms[v->op].narrow ? &int_forms[v->op] : &kernel_forms[v->op];
}

/* How tightly value i must bind in a text that binds so. Compilers warn of a && b || c, and of a < b & c < d. */
static int least_binding(int binding, int i)
{
    switch (binding) {
    case BIND_PRIMARY:
        return 0;
    case BIND_CHOICE:
        return i == 0 ? BIND_OR : BIND_OR + 1;
    case BIND_OR:
    case BIND_AND:
        return BIND_BITS;
    case BIND_BITS:
        return BIND_UNARY;
    case BIND_EQUAL:
    case BIND_COMPARE:
        return BIND_SUM;
    case BIND_UNARY:
        return BIND_PRIMARY; /* --x is something else */
    default:
        return binding + (i > 0);
    }
}

int print_least_binding(const FormulaNode *v, int i) { return least_binding(form_of(v)->binding, i); }

/* The form with its values put in. */
static const char *put_values(const Printer *p, const char *form, const char *const *value)
{
    Text t = { .arena = p->arena };
    for (; *form; form++) {
        if (*form == '$')
            text_add(&t, value[*++form - '0']);
        else
            text_printf(&t, "%c", *form);
    }
    return arena_strdup(p->arena, text_str(&t));
}

Piece print_narrow(const Printer *p, const FormulaNode *v, const char *const *value)
{
    return (Piece){ put_values(p, form_of(v)->narrow, value), form_of(v)->binding, false };
}

static Piece apply_exact(const Printer *p, const FormulaNode *v)
{
    const char *name = exact_names[v->op] ? exact_names[v->op] : formula_functions[v->op].name;
    const bool ints = v->type == FORMULA_TRUTH && print_at(p, v->arg[0])->type == FORMULA_INT;
    Text t = { .arena = p->arena };
    if (ints) /* nothing is rounded there */
        return (Piece){ arena_printf(p->arena, "dcgen_sure(%s %s %s)", print_enclosed(p, p->piece[v->arg[0]], BIND_SUM),
                                     formula_functions[v->op].name, print_enclosed(p, p->piece[v->arg[1]], BIND_SUM)),
                        BIND_PRIMARY, false };
    if (v->type == FORMULA_TRUTH && v->narg == 2 && v->arg[0] == v->arg[1] &&
        print_at(p, v->arg[0])->type == FORMULA_REAL)
        return (Piece){ arena_printf(p->arena, "dcgen_sure(%s.value %s %s.value)", p->piece[v->arg[0]].text,
                                     formula_functions[v->op].name, p->piece[v->arg[0]].text),
                        BIND_PRIMARY, false }; /* whether it is a number: that no rounding turns */
    if (v->op == FORMULA_TO_REAL)
        return (Piece){ arena_printf(p->arena, "dcgen_number((double)%s)",
                                     print_enclosed(p, p->piece[v->arg[0]], BIND_UNARY)),
                        BIND_PRIMARY, false };
    text_printf(&t, "dcgen_%s(", name);
    for (int i = 0; i < v->narg; i++)
        text_printf(&t, "%s%s", i ? ", " : "", p->piece[v->arg[i]].text);
    text_add(&t, ")");
    return (Piece){ arena_strdup(p->arena, text_str(&t)), BIND_PRIMARY, false };
}

static void add_variable(Printer *p, int i, const char *name)
{
    text_printf(&p->out, "    const %s %s = %s;\n", print_type(p, print_at(p, i)->type, p->piece[i].wide), name,
                p->piece[i].text);
    p->piece[i] = (Piece){ name, BIND_PRIMARY, p->piece[i].wide };
}

void print_variable(Printer *p, int i)
{
    const FormulaNode *v = print_at(p, i);
    add_variable(p, i, print_variable_name(p, v->kind == FORMULA_ELEMENT ? p->spec->op->operand[v->at].name : NULL));
}

/* Makes a value that is printed more than once a variable, unless it is a name or a number. */
static void make_variable(Printer *p, int i)
{
    const char *s = p->piece[i].text;
    if (s[strspn(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_->.")])
        add_variable(p, i, print_variable_name(p, NULL));
}

/* The vector form is taken for functions, which have no other in code on vectors, and where a value is a vector (of a
 * choice: its condition). */
static Piece print_apply(Printer *p, const FormulaNode *v)
{
    const bool choice = v->op == FORMULA_CHOOSE, of_int = v->type == FORMULA_INT && int_forms[v->op].narrow;
    const Form *form = form_of(v);
    const char *value[FORMULA_MAX_ARG];
    bool any = false;
    if (p->style == STYLE_EXACT && (v->type != FORMULA_INT || v->op == FORMULA_TO_INT))
        return apply_exact(p, v);
    for (int i = 0; of_int && !choice && i < v->narg; i++)
        make_variable(p, v->arg[i]);
    for (int i = 0; i < v->narg; i++)
        any = any || p->piece[v->arg[i]].wide;
    const bool wide =
        p->style == STYLE_VECTOR && (form->binding == BIND_PRIMARY || (choice ? p->piece[v->arg[0]].wide : any));
    const int binding = wide ? form->wide_binding : form->binding;
    for (int i = 0; i < v->narg; i++) {
        const FormulaType type = print_at(p, v->arg[i])->type;
        const bool widen = wide ? binding == BIND_PRIMARY || type != FORMULA_REAL : choice && any && i > 0;
        const Piece arg = p->piece[v->arg[i]];
        value[i] = print_enclosed(p, widen ? print_widened(p, arg, type) : arg, least_binding(binding, i));
        if (p->style == STYLE_EXACT && type == FORMULA_TRUTH)
            value[i] = arena_printf(p->arena, "%s.value", value[i]);
    }
    return (Piece){ put_values(p, wide && form->wide ? form->wide : form->narrow, value), binding,
                    wide || (choice && any) };
}

/* ---- the whole ---- */

const char *print_type(const Printer *p, FormulaType type, bool wide)
{
    static const char *const of_style[][3] = {
        [STYLE_VECTOR] = { [FORMULA_REAL] = "float", [FORMULA_INT] = "int64_t", [FORMULA_TRUTH] = "int" },
        [STYLE_SCALAR] = { [FORMULA_REAL] = "float", [FORMULA_INT] = "int", [FORMULA_TRUTH] = "bool" },
        [STYLE_EXACT] = { [FORMULA_REAL] = "dcgen_value", [FORMULA_INT] = "int64_t", [FORMULA_TRUTH] = "dcgen_truth" },
    };
    return !wide ? of_style[p->style][type] : type == FORMULA_REAL ? "PACKAGE_floats_MACHINE" : "PACKAGE_ints_MACHINE";
}

Piece print_node(Printer *p, int i)
{
    const FormulaNode *v = print_at(p, i);
    if (v->kind == FORMULA_APPLY)
        return print_apply(p, v);
    if (v->kind != FORMULA_REDUCE)
        return print_leaf(p, i);
    return (Piece){ arena_printf(p->arena, v->type == FORMULA_INT ? "(int64_t)r[%d].value" : "r[%d]", i), BIND_UNARY,
                    false };
}

static bool has_choice(const Formula *f)
{
    for (int i = 0; i < f->nnode; i++)
        if (f->node[i].kind == FORMULA_APPLY &&
            (f->node[i].op == FORMULA_CHOOSE || f->node[i].op == FORMULA_AND || f->node[i].op == FORMULA_OR))
            return true;
    return false;
}

/* On a GPU an element that exists whatever is chosen, as its indices are places, is loaded before a choice. */
static bool is_loaded_early(const Printer *p, const FormulaNode *v)
{
    for (int i = 0; i < v->narg; i++)
        if (v->kind != FORMULA_ELEMENT || print_at(p, v->arg[i])->kind != FORMULA_INDEX)
            return false;
    return v->kind == FORMULA_ELEMENT && p->style == STYLE_SCALAR && has_choice(p->spec->formula);
}

/* Marks what an index is printed of that moves along vectors: those of its parts that stay, and elements. */
static void mark_index(const Printer *p, int i, bool *needed)
{
    const FormulaNode *v = print_at(p, i);
    const bool is_there = !print_moves(p, i) || v->kind == FORMULA_ELEMENT;
    needed[i] = needed[i] || is_there;
    for (int k = 0; !is_there && k < v->narg; k++)
        mark_index(p, v->arg[k], needed);
}

void print_mark(const Printer *p, int i, int k, bool *needed)
{
    const FormulaNode *v = print_at(p, i);
    if (v->kind == FORMULA_ELEMENT && k < formula_rank(v))
        mark_index(p, v->arg[k], needed);
    else
        needed[v->arg[k]] = true;
}

Piece print_nodes(Printer *p, int last)
{
    const Formula *f = p->spec->formula;
    bool needed[FORMULA_MAX_NODE] = { 0 };
    needed[last] = true;
    for (int i = last; i >= 0; i--) /* a reduction is computed elsewhere, with all that it is of */
        for (int k = 0; needed[i] && f->node[i].kind != FORMULA_REDUCE && k < f->node[i].narg; k++)
            print_mark(p, i, k, needed);
    for (int i = 0; i <= last; i++) {
        const FormulaNode *v = &f->node[i];
        if (!needed[i])
            continue;
        p->piece[i] = print_node(p, i);
        if ((v->nuse < 2 && !is_loaded_early(p, v)) || v->kind < FORMULA_ELEMENT ||
            (v->kind == FORMULA_ELEMENT && p->piece[i].wide))
            continue;
        print_variable(p, i);
    }
    return p->piece[last];
}

FillScope *print_words(const Printer *p)
{
    FillScope *s = fill_scope(p->arena, NULL);
    FILL_WORDS(s, WORD("NAME", p->spec->name), WORD("PACKAGE", p->spec->package), WORD("MACHINE", p->target->name),
               WORD("TARGET_ATTRIBUTE", arena_printf(p->arena, "%s_TARGET_%s", p->spec->package, p->target->name)));
    return s;
}

char *print_filled(const Printer *p, const char *text)
{
    const Source src = { "formula", text, strlen(text) };
    return fill_text(p->arena, &src, 0, &(Fill){ .scope = print_words(p) }, diag_new(p->arena));
}

const char *print_part(const Printer *p, const char *text)
{
    const char *line = print_filled(p, text);
    return arena_strndup(p->arena, line, strcspn(line, "\n"));
}

bool print_is_called(Arena *a, const Spec *s, const Target *t, const char *kernels, const char *what)
{
    return !*kernels || fill_has_name(a, kernels, arena_printf(a, "%s_%s_%s", s->name, what, t->name));
}
