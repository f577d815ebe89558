/* SPDX-License-Identifier: Apache-2.0
 *
 * unit_formula: prints a function's formula as code: for CPUs on vectors along the output's last extent, for GPUs on one element, and for the
 * reference on one element in double precision, with a bound of what rounding may change.
 *
 * A value that is the same for all elements of a vector is a plain number there (narrow), others are vectors (wide). Where only one side of an
 * operator is a vector, C takes the other one for all lanes; functions take vectors alone.
 */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "gen/base/conf.h"
#include "gen/base/quote.h"
#include "gen/base/text.h"
#include "gen/spec/dtype.h"
#include "gen/unit/formula_print.h"

/* How a function is printed in kernels: $0, $1 ... are its values. */
typedef struct {
    const char *narrow;
    int binding;
    const char *wide; /* where a value is a vector; NULL: the same */
    int wide_binding;
} Form;

#define OPERATOR(text, binding) { "$0 " text " $1", binding, NULL, binding }
#define FUNCTION(name, scalar) { scalar "($0)", BIND_PRIMARY, "PACKAGE_" name "_MACHINE($0)", BIND_PRIMARY }

static const Form kernel_forms[FORMULA_FUNCTION_COUNT] = {
    [FORMULA_ADD] = OPERATOR("+", BIND_SUM),
    [FORMULA_SUB] = OPERATOR("-", BIND_SUM),
    [FORMULA_MUL] = OPERATOR("*", BIND_TERM),
    [FORMULA_DIV] = OPERATOR("/", BIND_TERM),
    [FORMULA_NEG] = { "-$0", BIND_UNARY, NULL, BIND_UNARY },
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
    [FORMULA_TO_REAL] = { "(float)$0", BIND_UNARY, "__builtin_convertvector($0, PACKAGE_floats_MACHINE)", BIND_PRIMARY },
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
    [FORMULA_F16] = FUNCTION("f16", "PACKAGE_device::round_f16"),
    [FORMULA_BF16] = FUNCTION("bf16", "PACKAGE_device::round_bf16"),
};

/* Of integers, where it is another one. What they are of is printed twice. */
static const Form int_forms[FORMULA_FUNCTION_COUNT] = {
    [FORMULA_MIN] = { "$1 < $0 ? $1 : $0", BIND_CHOICE, "PACKAGE_select_ints_MACHINE($1 < $0, $1, $0)", BIND_PRIMARY },
    [FORMULA_MAX] = { "$0 < $1 ? $1 : $0", BIND_CHOICE, "PACKAGE_select_ints_MACHINE($0 < $1, $1, $0)", BIND_PRIMARY },
    [FORMULA_CHOOSE] = { "$0 ? $1 : $2", BIND_CHOICE, "PACKAGE_select_ints_MACHINE($0, $1, $2)", BIND_PRIMARY },
};

/* Of real numbers, in the reference: templates/package/formula.h has a function for each, in the reference's words where C has an operator. */
static const char *const exact_names[FORMULA_FUNCTION_COUNT] = {
    [FORMULA_ADD] = "add",         [FORMULA_SUB] = "sub", [FORMULA_MUL] = "mul", [FORMULA_DIV] = "div",
    [FORMULA_NEG] = "neg",         [FORMULA_LT] = "lt",   [FORMULA_LE] = "le",   [FORMULA_GT] = "gt",
    [FORMULA_GE] = "ge",           [FORMULA_EQ] = "eq",   [FORMULA_NE] = "ne",   [FORMULA_AND] = "and",
    [FORMULA_OR] = "or",           [FORMULA_NOT] = "not", [FORMULA_CHOOSE] = "choose",
    [FORMULA_TO_REAL] = "number",
};

const Layout *print_output_layout(const Spec *s) { return spec_layout(s, (int)(spec_output(s) - s->op->operand)); }

const FormulaNode *print_at(const Printer *p, int i) { return &p->spec->formula->node[i]; }

const char *print_enclosed(const Printer *p, Piece piece, int least)
{
    return piece.binding < least ? arena_printf(p->arena, "(%s)", piece.text) : piece.text;
}

/* ---- leaves ---- */

/* Is it a name that printed code uses for something of its own? Variables without a better name are v0, v1 ... */
static bool is_taken(const char *name)
{
    static const char *const taken[] = { "a", "acc", "all", "at", "extent", "fresh", "i", "lanes", "nu", "operand", "part", "r", "row", "u", "v" };
    return names_find(NAMES(taken, LENGTH(taken)), name) >= 0 || (*name == 'v' && name[1 + strspn(name + 1, "0123456789")] == '\0');
}

const char *print_place_name(const Printer *p, int extent)
{
    const char *name = text_letters(arena_strdup(p->arena, p->spec->op->extent[extent].name), tolower);
    return is_taken(name) ? arena_printf(p->arena, "%s_", name) : name;
}

/* An extent, as kernels and the reference see it. */
static const char *extent_text(const Printer *p, int i)
{
    const char *name = p->spec->op->extent[i].name;
    if (p->style == STYLE_EXACT)
        return name;
    if (p->spec->op->extent[i].kind == EXTENT_ATTRIBUTE)
        return arena_printf(p->arena, "%s_%s(a)", p->spec->name, name);
    return arena_printf(p->arena, p->style == STYLE_VECTOR ? "a->%s" : "a.%s", name);
}

/* The shortest float that is this number. */
static const char *float_text(const Printer *p, double v)
{
    char text[40];
    if (isinf(v))
        return v > 0 ? "__builtin_inff()" : "-__builtin_inff()";
    for (int digits = 6; digits <= 9; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, v);
        if (strtof(text, NULL) == (float)v)
            break;
    }
    return arena_printf(p->arena, "%s%sf", text, strpbrk(text, ".e") ? "" : ".0");
}

static Piece print_number(const Printer *p, const FormulaNode *v)
{
    const int binding = signbit(v->real) ? BIND_UNARY : BIND_PRIMARY;
    if (v->type == FORMULA_INT)
        return (Piece){ arena_printf(p->arena, "%.0f", v->real), binding, false };
    if (p->style == STYLE_EXACT)
        return (Piece){ isinf(v->real) ? (v->real > 0 ? "dcgen_number(INFINITY)" : "dcgen_number(-INFINITY)")
                                       : arena_printf(p->arena, "dcgen_number(%s)", float_text(p, v->real)),
                        BIND_PRIMARY, false };
    return (Piece){ float_text(p, v->real), binding, false };
}

/* Along vectors places are vectors too. */
static Piece print_place(Printer *p, const FormulaNode *v)
{
    const char *name = print_place_name(p, v->at);
    p->used |= 1u << v->at;
    if (v->at != p->along)
        return (Piece){ name, BIND_PRIMARY, false };
    return (Piece){ arena_printf(p->arena, "PACKAGE_places_MACHINE((int32_t)%s)", name), BIND_PRIMARY, true };
}

/* ---- elements of operands ---- */

/* Where an element lies: each index times the operand's stride there. lane: what stands for the place along vectors. A GPU's places are ints,
 * whose products may be larger. */
const char *print_offset(Printer *p, const FormulaNode *v, const char *lane)
{
    const Operand *o = &p->spec->op->operand[v->at];
    Text t = { .arena = p->arena };
    text_add(&t, p->style == STYLE_SCALAR && v->narg > 1 ? "(int64_t)" : "");
    for (int i = 0; i < v->narg; i++) {
        const FormulaNode *index = print_at(p, v->arg[i]);
        const bool is_lane = index->kind == FORMULA_INDEX && index->at == p->along;
        const Piece at = is_lane ? (Piece){ lane, BIND_PRIMARY, false } : p->piece[v->arg[i]];
        const char *wide = at.wide ? arena_printf(p->arena, "%s[i]", print_enclosed(p, at, BIND_PRIMARY)) : NULL;
        p->used |= is_lane ? 1u << p->along : 0;
        if (i > 0) /* Horner's rule: the extents behind multiply */
            text_printf(&t, " * %s + ", extent_text(p, op_axis(p->spec->op, expr_text(o->layout->extent[i]))));
        text_add(&t, wide ? wide : print_enclosed(p, at, i + 1 < v->narg ? BIND_UNARY : BIND_TERM));
        if (i > 0 && i + 1 < v->narg) {
            const char *sum = arena_strdup(p->arena, text_str(&t));
            t = (Text){ .arena = p->arena };
            text_printf(&t, "(%s)", sum);
        }
    }
    return arena_strdup(p->arena, text_str(&t));
}

static const Dtype *dtype_of(const Printer *p, const Operand *o) { return dtype_find(o->dtype ? o->dtype : p->spec->dtype); }

/* A name for a variable that no other has: the operand's, where that is free. */
static const char *variable_name(Printer *p, const char *operand)
{
    bool is_free = operand && !is_taken(operand);
    for (int i = 0; is_free && i < p->spec->op->nextent; i++)
        is_free = strcmp(operand, print_place_name(p, i)) != 0;
    for (int i = 0; is_free && i < p->spec->formula->nnode; i++)
        is_free = !p->piece[i].text || strcmp(p->piece[i].text, operand) != 0;
    return is_free ? operand : arena_printf(p->arena, "v%d", p->nvariable++);
}

static bool is_lane(const Printer *p, int node)
{
    return print_at(p, node)->kind == FORMULA_INDEX && print_at(p, node)->at == p->along;
}

/* Do the elements of a vector lie one behind the other? */
bool print_is_contiguous(const Printer *p, const FormulaNode *v)
{
    for (int i = 0; i + 1 < v->narg; i++)
        if (p->along >= 0 && print_at(p, v->arg[i])->along >> p->along & 1)
            return false;
    return is_lane(p, v->arg[v->narg - 1]);
}

/* What a function that loads elements of the type has in its name: PACKAGE_load_bf16_MACHINE. */
static const char *load_suffix(const Printer *p, const Dtype *type)
{
    if (type->is_integer)
        return "_ints";
    return type->mantissa ? arena_printf(p->arena, "_%s", type->name) : "";
}

/* A vector of elements, as a variable: only the first `lanes` of them are there. */
static Piece print_vector(Printer *p, const FormulaNode *v)
{
    const Operand *o = &p->spec->op->operand[v->at];
    const Dtype *type = dtype_of(p, o);
    const char *name = variable_name(p, o->name), *lane = print_place_name(p, p->along), *load = load_suffix(p, type);
    const char *vector = type->is_integer ? "ints" : "floats";
    if (print_is_contiguous(p, v)) {
        text_printf(&p->out, "    const PACKAGE_%s_MACHINE %s = PACKAGE_load%s_MACHINE(a->%s + %s, lanes);\n", vector, name, load, o->name,
                    print_offset(p, v, lane));
    } else {
        const char *at = print_offset(p, v, arena_printf(p->arena, "(%s + i)", lane));
        text_printf(&p->out, "    PACKAGE_%s_MACHINE %s = { 0 };\n    for (int i = 0; i < lanes; i++)\n        %s[i] = %s;\n", vector, name, name,
                    type->mantissa ? arena_printf(p->arena, "PACKAGE_load%s_MACHINE(a->%s + %s, 1)[0]", load, o->name, at)
                                   : arena_printf(p->arena, "a->%s[%s]", o->name, at));
    }
    return (Piece){ name, BIND_PRIMARY, true };
}

/* On a GPU by __ldg: no store changes an input, so that loads may go ahead of stores, and one may serve several elements. */
static Piece print_element(Printer *p, int i)
{
    const FormulaNode *v = print_at(p, i);
    const Operand *o = &p->spec->op->operand[v->at];
    const Dtype *type = dtype_of(p, o);
    if (p->style == STYLE_VECTOR && p->along >= 0 && v->along >> p->along & 1)
        return print_vector(p, v);
    const char *at = print_offset(p, v, "");
    if (p->style == STYLE_EXACT && type->is_integer)
        return (Piece){ arena_printf(p->arena, "((const int32_t *)operand[%d])[%s]", v->at, at), BIND_PRIMARY, false };
    if (p->style == STYLE_EXACT)
        return (Piece){ arena_printf(p->arena, "dcgen_element(DCGEN_%s, operand[%d], %s)", type->macro, v->at, at), BIND_PRIMARY,
                        false };
    if (p->style == STYLE_VECTOR && type->mantissa)
        return (Piece){ arena_printf(p->arena, "PACKAGE_load%s_MACHINE(a->%s + %s, 1)[0]", load_suffix(p, type), o->name, at), BIND_PRIMARY,
                        false };
    const char *element = arena_printf(p->arena, p->style == STYLE_VECTOR ? "a->%s[%s]" : "__ldg(&a.%s[%s])", o->name, at);
    if (type->mantissa)
        element = arena_printf(p->arena, "PACKAGE_device::%s_to_float(%s)", type->name, element);
    return (Piece){ element, BIND_PRIMARY, false };
}

/* ---- functions ---- */

/* A value for all lanes of a vector. */
Piece print_widened(const Printer *p, Piece v, FormulaType type)
{
    if (v.wide || p->style != STYLE_VECTOR)
        return v;
    if (type == FORMULA_TRUTH)
        return (Piece){ arena_printf(p->arena, "PACKAGE_all_ints_MACHINE(-(%s))", v.text), BIND_PRIMARY, true };
    if (type == FORMULA_INT)
        return (Piece){ arena_printf(p->arena, "PACKAGE_all_ints_MACHINE((int32_t)%s)", print_enclosed(p, v, BIND_UNARY)),
                        BIND_PRIMARY, true };
    return (Piece){ arena_printf(p->arena, "PACKAGE_all_MACHINE(%s)", v.text), BIND_PRIMARY, true };
}

/* How tightly value i must bind in a text that binds so. Compilers warn of a && b || c, and of a < b & c < d. */
static int least_binding(int binding, int i)
{
    switch (binding) {
    case BIND_PRIMARY: return 0;
    case BIND_CHOICE: return i == 0 ? BIND_OR : BIND_OR + 1;
    case BIND_OR:
    case BIND_AND: return BIND_BITS;
    case BIND_BITS: return BIND_UNARY;
    case BIND_EQUAL:
    case BIND_COMPARE: return BIND_SUM;
    case BIND_UNARY: return BIND_PRIMARY; /* --x is something else */
    default: return binding + (i > 0);
    }
}

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

static Piece apply_exact(const Printer *p, const FormulaNode *v)
{
    const char *name = exact_names[v->op] ? exact_names[v->op] : formula_functions[v->op].name;
    const bool ints = v->type == FORMULA_TRUTH && print_at(p, v->arg[0])->type == FORMULA_INT;
    Text t = { .arena = p->arena };
    if (ints) /* nothing is rounded there */
        return (Piece){ arena_printf(p->arena, "dcgen_sure(%s %s %s)", print_enclosed(p, p->piece[v->arg[0]], BIND_SUM),
                                     formula_functions[v->op].name, print_enclosed(p, p->piece[v->arg[1]], BIND_SUM)),
                        BIND_PRIMARY, false };
    if (v->op == FORMULA_TO_REAL)
        return (Piece){ arena_printf(p->arena, "dcgen_number((double)%s)", print_enclosed(p, p->piece[v->arg[0]], BIND_UNARY)),
                        BIND_PRIMARY, false };
    text_printf(&t, "dcgen_%s(", name);
    for (int i = 0; i < v->narg; i++)
        text_printf(&t, "%s%s", i ? ", " : "", p->piece[v->arg[i]].text);
    text_add(&t, ")");
    return (Piece){ arena_strdup(p->arena, text_str(&t)), BIND_PRIMARY, false };
}

static void add_variable(Printer *p, int i, const char *name)
{
    text_printf(&p->out, "    const %s %s = %s;\n", print_type(p, print_at(p, i)->type, p->piece[i].wide), name, p->piece[i].text);
    p->piece[i] = (Piece){ name, BIND_PRIMARY, p->piece[i].wide };
}

/* Makes a value that is printed more than once a variable, unless it is a name or a number. */
static void make_variable(Printer *p, int i)
{
    const char *s = p->piece[i].text;
    if (s[strspn(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_->.")])
        add_variable(p, i, variable_name(p, NULL));
}

/* The vector form is taken for functions, which have no other in code on vectors, and where a value is a vector (of a choice: its condition). */
static Piece print_apply(Printer *p, const FormulaNode *v)
{
    const bool choice = v->op == FORMULA_CHOOSE, of_int = v->type == FORMULA_INT && int_forms[v->op].narrow;
    const Form *form = of_int ? &int_forms[v->op] : &kernel_forms[v->op];
    const char *value[OP_MAX_RANK];
    bool any = false;
    if (p->style == STYLE_EXACT && v->type != FORMULA_INT)
        return apply_exact(p, v);
    for (int i = 0; of_int && !choice && i < v->narg; i++)
        make_variable(p, v->arg[i]);
    for (int i = 0; i < v->narg; i++)
        any = any || p->piece[v->arg[i]].wide;
    const bool wide = p->style == STYLE_VECTOR &&
                      (form->binding == BIND_PRIMARY || (choice ? p->piece[v->arg[0]].wide : any));
    const int binding = wide ? form->wide_binding : form->binding;
    for (int i = 0; i < v->narg; i++) {
        const FormulaType type = print_at(p, v->arg[i])->type;
        const bool widen = wide ? binding == BIND_PRIMARY || type != FORMULA_REAL : choice && any && i > 0;
        const Piece arg = p->piece[v->arg[i]];
        value[i] = print_enclosed(p, widen ? print_widened(p, arg, type) : arg, least_binding(binding, i));
        if (p->style == STYLE_EXACT && type == FORMULA_TRUTH)
            value[i] = arena_printf(p->arena, "%s.value", value[i]);
    }
    return (Piece){ put_values(p, wide && form->wide ? form->wide : form->narrow, value), binding, wide || (choice && any) };
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
    switch (v->kind) {
    case FORMULA_NUMBER: return print_number(p, v);
    case FORMULA_ACC: return (Piece){ "acc", BIND_PRIMARY, p->style == STYLE_VECTOR };
    case FORMULA_EXTENT: return (Piece){ extent_text(p, v->at), BIND_PRIMARY, false };
    case FORMULA_INDEX: return print_place(p, v);
    case FORMULA_ELEMENT: return print_element(p, i);
    case FORMULA_APPLY: return print_apply(p, v);
    case FORMULA_REDUCE: break;
    }
    return (Piece){ arena_printf(p->arena, v->type == FORMULA_INT ? "(int64_t)r[%d].value" : "r[%d]", i), BIND_UNARY, false };
}

static bool has_choice(const Formula *f)
{
    for (int i = 0; i < f->nnode; i++)
        if (f->node[i].kind == FORMULA_APPLY && (f->node[i].op == FORMULA_CHOOSE || f->node[i].op == FORMULA_AND || f->node[i].op == FORMULA_OR))
            return true;
    return false;
}

/* On a GPU an element is loaded before a choice, not behind a branch, if it exists whatever is chosen: if its indices are places. */
static bool is_loaded_early(const Printer *p, const FormulaNode *v)
{
    for (int i = 0; i < v->narg; i++)
        if (v->kind != FORMULA_ELEMENT || print_at(p, v->arg[i])->kind != FORMULA_INDEX)
            return false;
    return v->kind == FORMULA_ELEMENT && p->style == STYLE_SCALAR && has_choice(p->spec->formula);
}

Piece print_nodes(Printer *p, int last)
{
    const Formula *f = p->spec->formula;
    bool needed[FORMULA_MAX_NODE] = { 0 };
    needed[last] = true;
    for (int i = last; i >= 0; i--) /* a reduction is computed elsewhere, with all that it is of */
        for (int k = 0; needed[i] && f->node[i].kind != FORMULA_REDUCE && k < f->node[i].narg; k++)
            needed[f->node[i].arg[k]] = true;
    for (int i = 0; i <= last; i++) {
        const FormulaNode *v = &f->node[i];
        if (!needed[i])
            continue;
        p->piece[i] = print_node(p, i);
        if ((v->nuse < 2 && !is_loaded_early(p, v)) || v->kind < FORMULA_ELEMENT || (v->kind == FORMULA_ELEMENT && p->piece[i].wide))
            continue;
        add_variable(p, i, variable_name(p, v->kind == FORMULA_ELEMENT ? p->spec->op->operand[v->at].name : NULL));
    }
    return p->piece[last];
}

/* Text with PACKAGE, NAME and what belongs to the target filled in. */
char *print_filled(const Printer *p, const char *text)
{
    FillScope *s = fill_scope(p->arena, NULL);
    const Source src = { "formula", text, strlen(text) };
    FILL_WORDS(s, WORD("NAME", p->spec->name), WORD("PACKAGE", p->spec->package), WORD("MACHINE", p->target->name),
               WORD("TARGET_ATTRIBUTE", arena_printf(p->arena, "%s_TARGET_%s", p->spec->package, p->target->name)));
    const Fill f = { .scope = s };
    return fill_text(p->arena, &src, 0, &f, diag_new(p->arena));
}

/* The places of an element, as parameters; those that the formula does not use, as casts to void. */
static void add_places(const Printer *p, const char *type, Text *parameters, Text *unused)
{
    const Layout *out = print_output_layout(p->spec);
    for (int i = 0; i < out->rank; i++) {
        const int extent = op_axis(p->spec->op, expr_text(out->extent[i]));
        if (extent < 0)
            continue;
        text_printf(parameters, ", %s %s", type, print_place_name(p, extent));
        if (!(p->used >> extent & 1))
            text_printf(unused, "%s(void)%s", unused->len ? ", " : "    ", print_place_name(p, extent));
    }
    text_add(unused, unused->len ? ";\n" : "");
}

/* Casts to void of the parameters `a` and `acc`, where the formula uses nothing of the call (an operand, an extent) or no sum. */
static const char *unused_text(Arena *a, const Formula *f)
{
    bool call = false, acc = false;
    for (const FormulaNode *v = f->node; v < f->node + f->nnode; v++) {
        call = call || v->kind == FORMULA_ELEMENT || v->kind == FORMULA_EXTENT;
        acc = acc || v->kind == FORMULA_ACC;
    }
    return arena_printf(a, "%s%s", call ? "" : "    (void)a;\n", acc ? "" : "    (void)acc;\n");
}

static int last_extent(const Spec *s)
{
    const Layout *out = print_output_layout(s);
    return op_axis(s->op, expr_text(out->extent[out->rank - 1]));
}

/* NAME_epilogue_MACHINE of a CPU's instruction set. */
static char *vector_text(Arena *a, const Spec *s, const Target *t)
{
    Printer p = { .arena = a, .spec = s, .target = t, .style = STYLE_VECTOR, .along = last_extent(s), .out = { .arena = a } };
    Text parameters = { .arena = a }, unused = { .arena = a }, all = { .arena = a };
    Piece value = print_nodes(&p, s->formula->nnode - 1);
    value = print_widened(&p, value, FORMULA_REAL);
    add_places(&p, "int64_t", &parameters, &unused);
    text_printf(&all,
                "/* %s: of %s and the lanes behind it, of which `lanes` are elements. */\n"
                "static inline __attribute__((always_inline)) TARGET_ATTRIBUTE PACKAGE_floats_MACHINE\n"
                "NAME_epilogue_MACHINE(const NAME_args *a, PACKAGE_floats_MACHINE acc%s, int64_t lanes)\n{\n%s%s%s%s    return %s;\n}\n",
                quote_comment(a, s->formula->text), print_place_name(&p, p.along), text_str(&parameters),
                unused_text(a, s->formula), strstr(text_str(&p.out), "lanes") ? "" : "    (void)lanes;\n",
                text_str(&unused), text_str(&p.out), value.text);
    return print_filled(&p, text_str(&all));
}

/* NAME_epilogue of a GPU. */
static char *scalar_text(Arena *a, const Spec *s, const Target *t)
{
    Printer p = { .arena = a, .spec = s, .target = t, .style = STYLE_SCALAR, .along = -1, .out = { .arena = a } };
    Text parameters = { .arena = a }, unused = { .arena = a }, all = { .arena = a };
    const Piece value = print_nodes(&p, s->formula->nnode - 1);
    add_places(&p, "int", &parameters, &unused);
    text_printf(&all,
                "/* %s: of one element. */\nstatic __device__ __forceinline__ float NAME_epilogue(const NAME_args &a, float acc%s)\n{\n"
                "%s%s%s    return %s;\n}\n",
                quote_comment(a, s->formula->text), text_str(&parameters), unused_text(a, s->formula),
                text_str(&unused), text_str(&p.out), value.text);
    return print_filled(&p, text_str(&all));
}

typedef struct {
    Arena *arena;
    const char *kernels;
} User;

static const char *formula_of_target(void *ctx, const UnitContext *u)
{
    const User *user = ctx;
    if (!u->spec->op->reference)
        return unit_rows_of_target(user->arena, u->spec, u->target, user->kernels);
    const char *call = arena_printf(user->arena, "%s_epilogue_%s(", u->spec->name, u->target->name);
    return *user->kernels && !strstr(user->kernels, call) ? "" : vector_text(user->arena, u->spec, u->target);
}

const char *unit_formula(Arena *a, const UnitContext *u, const char *kernels)
{
    if (!u->spec->formula)
        return "";
    const char *places = u->spec->op->reference ? "" : unit_rows_places(a, u->spec, u->target);
    return u->target->family->primitives.of_targets ? arena_printf(a, "%s%s", places, unit_of_targets(a, u, formula_of_target, &(User){ a, kernels }))
                                                    : scalar_text(a, u->spec, u->target);
}

/* ---- the reference ---- */

/* The places of the element that lies `at` elements behind the output's first one, and then the formula's value. */
static const char *exact_body(Printer *p)
{
    const Layout *out = print_output_layout(p->spec);
    Text t = { .arena = p->arena };
    const Piece value = print_nodes(p, p->spec->formula->nnode - 1);
    for (int i = out->rank - 1; i >= 0; i--) {
        const char *along = expr_c_int(p->arena, out->extent[i], "dcgen");
        const int extent = op_axis(p->spec->op, expr_text(out->extent[i]));
        if (extent >= 0 && p->used >> extent & 1)
            text_printf(&t, "    const int64_t %s = at %% %s;\n", print_place_name(p, extent), along);
        text_printf(&t, "    at /= %s;\n", along);
    }
    text_add(&t, "    (void)operand, (void)part, (void)acc, (void)r, (void)at");
    for (int i = 0; i < p->spec->op->nextent; i++)
        text_printf(&t, ", (void)%s", p->spec->op->extent[i].name);
    const bool ints = print_at(p, p->spec->formula->nnode - 1)->type == FORMULA_INT;
    text_printf(&t, ";\n%s    return %s%s%s;\n", text_str(&p->out), ints ? "dcgen_number((double)(" : "", value.text, ints ? "))" : "");
    return arena_strdup(p->arena, text_str(&t));
}

/* Adds the words of the pattern formula.h. */
static FillScope *exact_words(Printer *p, bool has_check)
{
    const Spec *s = p->spec;
    FillScope *words = fill_scope(p->arena, NULL);
    const Dtype *d = dtype_of(p, spec_output(s));
    fill_wordf(words, "EPS_SUMS", "%a", d->eps_acc);
    fill_wordf(words, "EPS_INPUTS", d->eps_in ? "%a" : "%.0f", d->eps_in);
    FILL_WORDS(words, WORD("FORMULA", quote_comment(p->arena, s->formula->text)), WORD("body", exact_body(p)),
               WORD("HAS_OPERATOR", s->op->reference != NULL), WORD("NNODE", s->formula->nnode), WORD("ROW_PLACE", s->formula->row),
               WORD("ROW_ELEMS", expr_c_int(p->arena, s->op->row_elems, "dcgen")),
               WORD("HAS_CHECK", s->formula->is_affine && has_check));
    if (!s->op->reference)
        unit_rows_exact_words(p, words);
    fill_list(words, "own");
    for (int i = 0; i < s->op->noperand; i++)
        if (!s->op->operand[i].of_formula)
            fill_number(fill_row(words), "OWN", i);
    fill_list(words, "every");
    for (int i = 0; i < s->op->nextent; i++)
        FILL_WORDS(fill_row(words), WORD("AXIS", s->op->extent[i].name), WORD("PLACE", i));
    return words;
}

char *unit_formula_reference(Arena *a, const Spec *s, const char *package_dir, bool has_check, Diag *d)
{
    Printer p = { .arena = a, .spec = s, .style = STYLE_EXACT, .along = -1, .out = { .arena = a } };
    const Source *pattern = conf_source(a, arena_printf(a, "%s/formula.h", package_dir), d);
    const Fill f = { .scope = pattern ? exact_words(&p, has_check) : NULL };
    const char *line = pattern ? strchr(pattern->text, '\n') : NULL;
    return line ? fill_text(a, pattern, (size_t)(line + 1 - pattern->text), &f, d) : NULL;
}
