/* SPDX-License-Identifier: Apache-2.0
 *
 * formula_leaf: prints what a formula is made of as code: numbers, extents, places and elements of operands.
 */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "gen/unit/formula_print.h"

/* A number, and behind it perhaps a or b. */
static bool is_numbered(const char *text)
{
    const size_t n = strspn(text, "0123456789");
    return *text && (!text[n] || (n && strchr("ab", text[n]) && !text[n + 1]));
}

/* Variables without a better name are v0, v1 ..., those of node 5 t5, c5, v5a and v5b. */
bool print_is_taken(const char *name)
{
    static const char *const taken[] = { "a",     "acc",     "all", "at",    "block", "exists",  "extent",
                                         "first", "fresh",   "i",   "lanes", "nu",    "operand", "part",
                                         "r",     "results", "row", "rows",  "u",     "v",       "W" };
    return names_find(NAMES(taken, LENGTH(taken)), name) >= 0 ||
           (*name && strchr("ctv", *name) && is_numbered(name + 1));
}

const char *print_place_name(const Printer *p, int extent)
{
    const char *name = text_letters(arena_strdup(p->arena, p->spec->op->extent[extent].name), tolower);
    return print_is_taken(name) ? arena_printf(p->arena, "%s_", name) : name;
}

const char *print_argument(const Printer *p, const char *name)
{
    return arena_printf(p->arena, p->style == STYLE_VECTOR ? "a->%s" : "a.%s", name);
}

const char *print_count(const Printer *p) { return p->style == STYLE_VECTOR ? "" : "(int64_t)"; }

const char *print_extent(const Printer *p, int i)
{
    const char *name = p->spec->op->extent[i].name;
    if (p->style == STYLE_EXACT)
        return name;
    if (p->spec->op->extent[i].kind == EXTENT_ATTRIBUTE)
        return arena_printf(p->arena, "%s_%s(a)", p->spec->name, name);
    return print_argument(p, name);
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
    if (v->at != p->along || p->style != STYLE_VECTOR)
        return (Piece){ name, BIND_PRIMARY, false };
    return (Piece){ arena_printf(p->arena, "PACKAGE_places_MACHINE((int32_t)%s)", name), BIND_PRIMARY, true };
}

/* ---- elements of operands ---- */

const char *print_variable_name(Printer *p, const char *operand)
{
    bool is_free = operand && !print_is_taken(operand);
    for (int i = 0; is_free && i < p->spec->op->nextent; i++)
        is_free = strcmp(operand, print_place_name(p, i)) != 0;
    for (int i = 0; is_free && i < p->spec->formula->nnode; i++)
        is_free = !p->piece[i].text || strcmp(p->piece[i].text, operand) != 0;
    for (int i = 0; is_free && i < p->spec->op->noperand; i++)
        is_free = !(p->named >> i & 1 && strcmp(p->spec->op->operand[i].name, operand) == 0);
    return is_free ? operand : arena_printf(p->arena, "v%d", p->nvariable++);
}

/* An element, as the type of its operand is to be read. */
static const char *converted(const Printer *p, const Storage *type, const char *element)
{
    return type->is_raw ? arena_printf(p->arena, "PACKAGE_device::%s_to_float(%s)", type->name, element) : element;
}

/* May stores change it: is it the output, or may that be it? */
static bool is_written(const Printer *p, const Operand *o)
{
    return o->role == ROLE_OUT || p->spec->in_place >> (o - p->spec->op->operand) & 1;
}

/* An element by itself, on a GPU: by __ldg where no store changes it; loads may then go ahead of stores, and one may
 * serve several elements. */
static const char *read_once(const Printer *p, const Operand *o, const char *at)
{
    if (!is_written(p, o))
        return arena_printf(p->arena, "__ldg(&a.%s[%s])", o->name, at);
    const char *element = arena_printf(p->arena, "a.%s[%s]", o->name, at);
    /* another thread may have written what does not exist in this one */
    return spec_moves(p->spec) ? arena_printf(p->arena, "(exists ? %s : 0)", element) : element;
}

/* An element that a GPU loads; outside of the operand what the formula says. */
static const char *loaded_by_thread(Printer *p, const FormulaNode *v)
{
    const Operand *o = &p->spec->op->operand[v->at];
    const char *lane = p->along < 0 ? "" : print_place_name(p, p->along);
    const char *element = converted(p, spec_element(p->spec, o), read_once(p, o, print_offset(p, v, lane)));
    return v->guarded ? arena_printf(p->arena, "(%s ? %s : %s)", print_inside(p, v, lane), element,
                                     print_enclosed(p, p->piece[v->arg[formula_rank(v)]], BIND_OR))
                      : element;
}

/* One of the neighbouring elements of a thread, all loaded before the loop if they lie one behind the other. */
static Piece print_of_thread(Printer *p, const FormulaNode *v)
{
    const Operand *o = &p->spec->op->operand[v->at];
    const Storage *type = spec_element(p->spec, o);
    const char *name = print_variable_name(p, o->name);
    p->named |= 1u << v->at;
    if (!print_is_contiguous(p, v) || is_written(p, o)) {
        text_printf(&p->out, "    const %s %s = %s;\n", print_type(p, v->type, false), name, loaded_by_thread(p, v));
        return (Piece){ name, BIND_PRIMARY, false };
    }
    text_printf(&p->before, "    %s %s[W];\n%sPACKAGE_device::load_row(%s, a.%s + %s);\n", type->c_type, name,
                p->fresh ? "    if (fresh)\n        " : "    ", name, o->name, print_offset(p, v, "first"));
    return (Piece){ converted(p, type, arena_printf(p->arena, "%s[i]", name)), BIND_PRIMARY, false };
}

/* In doubles, or on a CPU where it is the same for all lanes. */
static const char *loaded_alone(Printer *p, const FormulaNode *v)
{
    const Operand *o = &p->spec->op->operand[v->at];
    const Storage *type = spec_element(p->spec, o);
    const char *at = print_offset(p, v, "");
    if (p->style == STYLE_VECTOR)
        return print_loaded_alone(p, o, at);
    if (storage_is_whole(type))
        return arena_printf(p->arena, "((const %s *)operand[%d])[%s]", type->c_type, v->at, at);
    return arena_printf(p->arena, "dcgen_element(dcgen_as_%s, operand[%d], %s)", type->name, v->at, at);
}

static Piece print_element(Printer *p, int i)
{
    const FormulaNode *v = print_at(p, i);
    const Operand *o = &p->spec->op->operand[v->at];
    const Storage *type = spec_element(p->spec, o);
    const bool is_whole = storage_is_whole(type);
    if (p->block && formula_is_across(p->spec->formula, v))
        return (Piece){ arena_printf(p->arena, is_whole ? "(PACKAGE_ints_MACHINE)block->v%d[r]" : "block->v%d[r]", i),
                        is_whole ? BIND_UNARY : BIND_PRIMARY, true };
    if (p->style == STYLE_VECTOR && p->along >= 0 && v->along >> p->along & 1)
        return print_vector(p, i);
    if (p->style == STYLE_SCALAR && p->along >= 0 && v->along >> p->along & 1)
        return print_of_thread(p, v);
    if (p->style == STYLE_SCALAR)
        return (Piece){ loaded_by_thread(p, v), BIND_PRIMARY, false };
    const char *element = loaded_alone(p, v);
    return (Piece){ v->guarded ? arena_printf(p->arena, "(%s ? %s : %s)", print_inside(p, v, ""), element,
                                              print_enclosed(p, p->piece[v->arg[formula_rank(v)]], BIND_OR))
                               : element,
                    BIND_PRIMARY, false };
}

Piece print_leaf(Printer *p, int i)
{
    const FormulaNode *v = print_at(p, i);
    switch (v->kind) {
    case FORMULA_NUMBER:
        return print_number(p, v);
    case FORMULA_EXTENT:
        return (Piece){ print_extent(p, v->at), BIND_PRIMARY, false };
    case FORMULA_INDEX:
        return print_place(p, v);
    case FORMULA_ELEMENT:
        return print_element(p, i);
    default:
        return (Piece){ p->spec->op->sum[v->at], BIND_PRIMARY, p->style == STYLE_VECTOR };
    }
}

const char *print_output(Printer *p, const char *lane)
{
    const Op *op = p->spec->op;
    const Layout *l = print_output_layout(p->spec);
    const Operand *out = spec_output(p->spec);
    const char *at = "", *name = print_argument(p, out->name);
    for (int i = 0; i < l->rank; i++) {
        const int extent = op_axis(op, expr_text(l->extent[i]));
        const char *place = extent == p->spec->formula->row ? lane : print_place_name(p, extent);
        p->used |= 1u << extent;
        if (out->strided)
            at = arena_printf(p->arena, "%s%s%s%s%s", at, i ? " + " : "", place, i + 1 < l->rank ? " * " : "",
                              i + 1 < l->rank ? print_stride(p, out, i) : "");
        else
            at = i ? arena_printf(p->arena, i > 1 ? "(%s) * %s + %s" : "%s * %s + %s", at,
                                  print_argument(p, op->extent[extent].name), place)
                   : arena_printf(p->arena, "%s%s", l->rank > 1 ? print_count(p) : "", place);
    }
    return arena_printf(p->arena, "%s + %s", name, at);
}
