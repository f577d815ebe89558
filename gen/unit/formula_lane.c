/* SPDX-License-Identifier: Apache-2.0
 *
 * formula_lane: elements whose indices differ from lane to lane of a vector, or from one neighbouring element of a
 * thread to the next: how an index moves on the way, and how it is printed for one of them, as C over integers.
 *
 * Neighbours are loaded at once where they lie one behind the other. For (n + H / 2) % H that is so but where it begins
 * anew, for n / 16 all lanes mostly have the same element. As such an index grows by no more than 1 from lane to lane,
 * or never falls, its first and last value tell which it is.
 */
#include <string.h>
#include "gen/unit/formula_print.h"

/* How much an index grows from one place to the next: at least, at most. FAR: by any number. */
enum { FAR = 1 << 30 };
typedef struct {
    int64_t least, most;
} Step;

static const Step any_step = { -FAR, FAR };

bool print_moves(const Printer *p, int i) { return p->along >= 0 && print_at(p, i)->along >> p->along & 1; }

/* The sum of two bounds. */
static int64_t joined(int64_t a, int64_t b)
{
    if (a <= -FAR || b <= -FAR || a >= FAR || b >= FAR)
        return a <= -FAR || b <= -FAR ? -FAR : FAR;
    return a + b < -FAR ? -FAR : a + b > FAR ? FAR : a + b;
}

/* A number that is the same in all calls, from 0 on; -1: it is none. */
static double number_of(const Printer *p, int i)
{
    const FormulaNode *v = print_at(p, i);
    const bool is_fixed = v->kind == FORMULA_EXTENT && spec_is_constant(p->spec, v->at);
    const double k = v->kind == FORMULA_NUMBER ? v->real : is_fixed ? (double)p->spec->box.min[v->at] : -1;
    return k >= 0 ? k : -1;
}

/* Of a product one side of which stays. */
static Step step_of_product(const Printer *p, Step s, int factor)
{
    const FormulaNode *v = print_at(p, factor);
    const double k = number_of(p, factor);
    if (k >= 0 && s.least > -FAR && s.most < FAR && k * (double)(s.most - s.least + 1) < FAR)
        return (Step){ s.least * (int64_t)k, s.most * (int64_t)k };
    const bool grows = v->kind == FORMULA_EXTENT && p->spec->op->extent[v->at].least >= 0 && s.least >= 0;
    return grows ? (Step){ 0, FAR } : any_step;
}

static Step step_of(const Printer *p, int i)
{
    const FormulaNode *v = print_at(p, i);
    if (!print_moves(p, i))
        return (Step){ 0, 0 };
    if (v->kind == FORMULA_INDEX)
        return (Step){ 1, 1 };
    if (v->kind != FORMULA_APPLY)
        return any_step;
    const Step a = step_of(p, v->arg[0]), b = v->narg == 2 ? step_of(p, v->arg[1]) : a;
    switch (v->op) {
    case FORMULA_ADD:
        return (Step){ joined(a.least, b.least), joined(a.most, b.most) };
    case FORMULA_SUB:
        return (Step){ joined(a.least, -b.most), joined(a.most, -b.least) };
    case FORMULA_MUL:
        return print_moves(p, v->arg[0]) ? step_of_product(p, a, v->arg[1]) : step_of_product(p, b, v->arg[0]);
    case FORMULA_QUOTIENT: /* by 2 or more it never goes on by 1 for long */
        return a.least < 0 ? any_step : (Step){ 0, number_of(p, v->arg[1]) > 1 ? FAR : a.most };
    case FORMULA_REMAINDER:
        return a.least >= 0 ? (Step){ -FAR, a.most } : any_step;
    case FORMULA_MIN:
    case FORMULA_MAX:
        return (Step){ a.least < b.least ? a.least : b.least, a.most > b.most ? a.most : b.most };
    default:
        return any_step;
    }
}

/* The layout of an element's operand: the one that the spec chose of the output, others have one. */
static const Layout *layout_of(const Printer *p, const FormulaNode *v) { return spec_layout(p->spec, v->at); }

/* The index along the i-th extent of the operand's layout. Those of the output are its own places. */
static int index_along(const Printer *p, const FormulaNode *v, int i)
{
    const Operand *o = &p->spec->op->operand[v->at];
    const char *extent = expr_text(layout_of(p, v)->extent[i]);
    int k = 0;
    if (o->nlayout == 1)
        return v->arg[i];
    while (strcmp(expr_text(o->layout->extent[k]), extent) != 0)
        k++;
    return v->arg[k];
}

static int last_index(const Printer *p, const FormulaNode *v) { return index_along(p, v, formula_rank(v) - 1); }

/* Do all indices but the last one stay where they are? */
static bool others_stay(const Printer *p, const FormulaNode *v)
{
    for (int i = 0; i + 1 < formula_rank(v); i++)
        if (print_moves(p, index_along(p, v, i)))
            return false;
    return true;
}

bool print_is_contiguous(const Printer *p, const FormulaNode *v)
{
    const Step s = step_of(p, last_index(p, v));
    const bool is_plain = !v->guarded && formula_is_plain(p->spec->formula, p->spec->op, v, formula_rank(v) - 1);
    return others_stay(p, v) && s.least == 1 && s.most == 1 && (p->style == STYLE_VECTOR || is_plain);
}

/* ---- as text ---- */

/* An extent of an operand, with the names of its expression as the code has them. */
static Expr *name_in_code(void *ctx, const char *name)
{
    Printer *p = ctx;
    return expr_name(p->arena, print_extent(p, op_axis(p->spec->op, name)));
}

/* The i-th extent of an element's operand. */
static const char *layout_extent(Printer *p, const FormulaNode *v, int i)
{
    const Expr *e = layout_of(p, v)->extent[i];
    const int extent = op_axis(p->spec->op, expr_text(e));
    if (extent >= 0)
        return print_extent(p, extent);
    const Expr *in_code = expr_substitute(p->arena, e, name_in_code, p);
    return arena_printf(p->arena, "(%s)", in_code ? expr_c_int(p->arena, in_code, "PACKAGE") : "0");
}

/* Both values are printed once, so that what is nested does not grow beyond measure. */
static const char *extreme_text(Printer *p, int i, const char *const *value)
{
    const bool least = print_at(p, i)->op == FORMULA_MIN;
    if (p->style == STYLE_SCALAR)
        return arena_printf(p->arena, "%s(%s, %s)", least ? "min" : "max", value[0], value[1]);
    const char *type = print_type(p, FORMULA_INT, false);
    return arena_printf(p->arena, "__extension__({ const %s v%da = %s, v%db = %s; v%d%c < v%d%c ? v%db : v%da; })",
                        type, i, value[0], i, value[1], i, least ? 'b' : 'a', i, least ? 'a' : 'b', i, i);
}

/* Is it 0 or more in every call? */
static bool is_positive(const Printer *p, int i)
{
    const FormulaNode *v = print_at(p, i);
    if (v->kind != FORMULA_APPLY)
        return v->kind == FORMULA_INDEX || v->kind == FORMULA_REDUCE || (v->kind == FORMULA_NUMBER && v->real >= 0) ||
               (v->kind == FORMULA_EXTENT && p->spec->op->extent[v->at].least >= 0);
    if (v->op == FORMULA_SUB || v->op == FORMULA_NEG)
        return false;
    for (int k = v->op == FORMULA_CHOOSE; k < v->narg; k++)
        if (!is_positive(p, v->arg[k]))
            return false;
    return true;
}

/* A quotient or remainder of these values. What fits 32 bits is divided in fewer cycles by these, and by a number that
 * compilers know in fewer still; by another one the fewest are those of a multiplication. */
static Piece divided(const Printer *p, const FormulaNode *v, Piece a, Piece by)
{
    const bool known = number_of(p, v->arg[1]) >= 0;
    const char *value[] = { arena_printf(p->arena, "(int32_t)%s", print_enclosed(p, a, BIND_UNARY)),
                            arena_printf(p->arena, "(int32_t)%s", print_enclosed(p, by, BIND_UNARY)) };
    if (known || !is_positive(p, v->arg[0]))
        return print_narrow(p, v, value);
    return (Piece){ arena_printf(p->arena, "PACKAGE_%s_MACHINE(%s, %s)", v->op == FORMULA_QUOTIENT ? "over" : "beyond",
                                 a.text, by.text),
                    BIND_PRIMARY, false };
}

Piece print_at_lane(Printer *p, int i, const char *lane)
{
    const FormulaNode *v = print_at(p, i);
    Piece arg[FORMULA_MAX_ARG];
    const char *value[FORMULA_MAX_ARG];
    if (!print_moves(p, i))
        return p->piece[i];
    if (v->kind == FORMULA_INDEX) {
        p->used |= 1u << p->along;
        return (Piece){ lane, BIND_PRIMARY, false };
    }
    if (v->kind != FORMULA_APPLY) /* an element, of which there is one for each lane */
        return p->piece[i].wide
                   ? (Piece){ arena_printf(p->arena, "%s[i]", print_enclosed(p, p->piece[i], BIND_PRIMARY)),
                              BIND_PRIMARY, false }
                   : p->piece[i];
    const bool extreme = v->op == FORMULA_MIN || v->op == FORMULA_MAX,
               divides = v->op == FORMULA_QUOTIENT || v->op == FORMULA_REMAINDER;
    for (int k = 0; k < v->narg; k++) {
        arg[k] = print_at_lane(p, v->arg[k], lane);
        value[k] = print_enclosed(p, arg[k], extreme ? 0 : print_least_binding(v, k));
    }
    if (divides && p->style == STYLE_VECTOR)
        return divided(p, v, arg[0], arg[1]);
    return extreme ? (Piece){ extreme_text(p, i, value), BIND_PRIMARY, false } : print_narrow(p, v, value);
}

/* Is the operand read where its caller's strides say? The definition reads elements that lie densely. */
static bool by_strides(const Printer *p, const Operand *o) { return o->strided && p->style != STYLE_EXACT; }

const char *print_stride(const Printer *p, const Operand *o, int i)
{
    return arena_printf(p->arena, p->style == STYLE_SCALAR ? "(int64_t)(int)%s_stride[%d]" : "%s_stride[%d]",
                        print_argument(p, o->name), i);
}

/* Where an element lies: each index times the operand's stride there. lane: what stands for the place along vectors;
 * last: for the last index, NULL: that one. A GPU's places are ints, whose products may be larger. */
static const char *offset_text(Printer *p, const FormulaNode *v, const char *lane, const char *last)
{
    const Operand *o = &p->spec->op->operand[v->at];
    const int rank = formula_rank(v);
    const bool strided = by_strides(p, o);
    Text t = { .arena = p->arena };
    text_add(&t, p->style == STYLE_SCALAR && rank > 1 && !strided ? "(int64_t)" : "");
    for (int i = 0; i < rank; i++) {
        const bool is_last = i + 1 == rank;
        if (i > 0 && strided)
            text_add(&t, " + ");
        else if (i > 0) /* Horner's rule: the extents behind multiply */
            text_printf(&t, " * %s + ", layout_extent(p, v, i));
        text_add(&t, is_last && last ? last
                                     : print_enclosed(p, print_at_lane(p, index_along(p, v, i), lane),
                                                      is_last ? BIND_SUM : BIND_UNARY));
        if (strided && !is_last)
            text_printf(&t, " * %s", print_stride(p, o, i));
        if (i > 0 && !is_last && !strided) {
            const char *sum = arena_strdup(p->arena, text_str(&t));
            t = (Text){ .arena = p->arena };
            text_printf(&t, "(%s)", sum);
        }
    }
    return arena_strdup(p->arena, text_str(&t));
}

const char *print_offset(Printer *p, const FormulaNode *v, const char *lane) { return offset_text(p, v, lane, NULL); }

/* The condition that indices of an element are in its operand; moving: of those that move along vectors alone. "":
 * there are none. */
static const char *inside_text(Printer *p, const FormulaNode *v, const char *lane, bool moving)
{
    const char *type = p->style == STYLE_SCALAR ? "unsigned" : "uint64_t";
    Text t = { .arena = p->arena };
    for (int i = 0; i < formula_rank(v); i++)
        if (formula_is_computed(p->spec->formula, p->spec->op, v, i) && (!moving || print_moves(p, v->arg[i])))
            text_printf(&t, "%s(%s)%s < (%s)%s", t.len ? " && " : "", type,
                        print_enclosed(p, print_at_lane(p, v->arg[i], lane), BIND_PRIMARY), type,
                        layout_extent(p, v, i));
    return arena_strdup(p->arena, text_str(&t));
}

const char *print_inside(Printer *p, const FormulaNode *v, const char *lane)
{
    const char *text = inside_text(p, v, lane, false);
    return *text ? text : "1";
}

/* ---- a vector ---- */

/* An element by itself, on a CPU. */
const char *print_loaded_alone(const Printer *p, const Operand *o, const char *at)
{
    const Storage *type = spec_element(p->spec, o);
    return type->is_raw ? arena_printf(p->arena, "PACKAGE_load%s_MACHINE(a->%s + %s, 1)[0]", type->loader, o->name, at)
                        : arena_printf(p->arena, "a->%s[%s]", o->name, at);
}

/* Are the elements of all lanes in the operand? Those of the first and the last one say it. "": they are. */
static const char *all_inside(Printer *p, const FormulaNode *v, const char *first, const char *last)
{
    const char *one = v->guarded ? print_inside(p, v, first) : "",
               *other = v->guarded ? inside_text(p, v, last, true) : "";
    return *other ? arena_printf(p->arena, "%s && %s", one, other) : one;
}

/* The condition under which the last index, which is v<i>a in the first lane, goes on by 1 from lane to lane. Of a
 * remainder of what does, that is known from there. */
static const char *runs_on(Printer *p, int i)
{
    const FormulaNode *v = print_at(p, i), *index = print_at(p, last_index(p, v));
    const Step of = index->kind == FORMULA_APPLY ? step_of(p, index->arg[0]) : any_step;
    if (index->op != FORMULA_REMAINDER || of.least != 1 || of.most != 1 || !is_positive(p, index->arg[0]))
        return arena_printf(p->arena, "v%db - v%da == lanes - 1", i, i);
    return arena_printf(p->arena, "v%da <= %s - lanes", i, print_enclosed(p, p->piece[index->arg[1]], BIND_SUM));
}

/* Adds the cases where lanes are loaded at once: all from one place, or one behind the other. */
static void add_at_once(Printer *p, int i, const char *name)
{
    const FormulaNode *v = print_at(p, i);
    const Operand *o = &p->spec->op->operand[v->at];
    const Storage *type = spec_element(p->spec, o);
    const char *lane = print_place_name(p, p->along), *last = arena_printf(p->arena, "(%s + lanes - 1)", lane);
    const char *also = v->guarded ? " && " : "", *all = all_inside(p, v, lane, last), *otherwise = "    if";
    const int index = last_index(p, v);
    const Step s = step_of(p, index);
    const char *at = offset_text(p, v, lane, arena_printf(p->arena, "v%da", i)),
               *run = s.most <= 1 ? runs_on(p, i) : "";
    if (s.least == 1 && s.most == 1) {
        text_printf(&p->out, "    if (%s)\n        %s = PACKAGE_load%s_MACHINE(a->%s + %s, lanes);\n    else\n", all,
                    name, type->loader, o->name, print_offset(p, v, lane));
        return;
    }
    text_printf(&p->out, "    const int64_t v%da = %s;\n", i, print_at_lane(p, index, lane).text);
    if (s.least >= 0 || strstr(run, arena_printf(p->arena, "v%db", i)))
        text_printf(&p->out, "    const int64_t v%db = %s;\n", i, print_at_lane(p, index, last).text);
    if (s.least >= 0) {
        text_printf(&p->out,
                    "    if (__builtin_expect(%s%sv%da == v%db, 1))\n        %s = PACKAGE_all%s_MACHINE(%s);\n",
                    v->guarded ? print_inside(p, v, lane) : "", also, i, i, name, storage_is_whole(type) ? "_ints" : "",
                    print_loaded_alone(p, o, at));
        otherwise = "    else if";
    }
    if (s.most <= 1)
        text_printf(&p->out,
                    "%s (__builtin_expect(%s%s%s, 1))\n        %s = PACKAGE_load%s_MACHINE(a->%s + %s, lanes);\n",
                    otherwise, all, also, run, name, type->loader, o->name, at);
    text_add(&p->out, "    else\n");
}

Piece print_vector(Printer *p, int i)
{
    const FormulaNode *v = print_at(p, i);
    const Operand *o = &p->spec->op->operand[v->at];
    const Storage *type = spec_element(p->spec, o);
    const char *name = print_variable_name(p, o->name), *lane = print_place_name(p, p->along);
    const char *vector = storage_is_whole(type) ? "ints" : "floats", *each = arena_printf(p->arena, "(%s + i)", lane);
    const Step s = step_of(p, last_index(p, v));
    p->takes_lanes = true;
    if (!v->guarded && print_is_contiguous(p, v)) {
        text_printf(&p->out, "    const PACKAGE_%s_MACHINE %s = PACKAGE_load%s_MACHINE(a->%s + %s, lanes);\n", vector,
                    name, type->loader, o->name, print_offset(p, v, lane));
        return (Piece){ name, BIND_PRIMARY, true };
    }
    const char *outside = v->guarded ? print_widened(p, p->piece[v->arg[formula_rank(v)]], v->type).text : "{ 0 }";
    const char *element = print_loaded_alone(p, o, print_offset(p, v, each)), *in = "";
    text_printf(&p->out, "    PACKAGE_%s_MACHINE %s = %s;\n", vector, name, outside);
    if (others_stay(p, v) && (s.least >= 0 || s.most <= 1)) {
        add_at_once(p, i, name);
        in = "    ";
    }
    text_printf(&p->out, "%s    for (int i = 0; i < lanes; i++)\n", in);
    if (v->guarded) {
        text_printf(&p->out, "%s        if (%s)\n", in, print_inside(p, v, each));
        in = arena_printf(p->arena, "%s    ", in);
    }
    text_printf(&p->out, "%s        %s[i] = %s;\n", in, name, element);
    return (Piece){ name, BIND_PRIMARY, true };
}
