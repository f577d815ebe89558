/* SPDX-License-Identifier: Apache-2.0
 *
 * formula_leaf: prints what a formula is made of as code: numbers, extents, places and elements of operands.
 */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "gen/unit/formula_print.h"

/* Variables without a better name are v0, v1 ..., those of node 5 t5 and c5. */
bool print_is_taken(const char *name)
{
    static const char *const taken[] = { "a",     "acc",     "all", "at",    "block", "exists",  "extent",
                                         "first", "fresh",   "i",   "lanes", "nu",    "operand", "part",
                                         "r",     "results", "row", "rows",  "u",     "v",       "W" };
    return names_find(NAMES(taken, LENGTH(taken)), name) >= 0 ||
           (*name && strchr("ctv", *name) && name[1] && !name[1 + strspn(name + 1, "0123456789")]);
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

static const char *print_extent(const Printer *p, int i)
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

/* An operand's layout: the one that the spec chose of the output, others have one. */
static const Layout *layout_of(const Printer *p, int operand) { return spec_layout(p->spec, operand); }

/* The index of an element along the i-th extent of its operand. Those of the output are its own places. */
static int index_along(const Printer *p, const FormulaNode *v, int i)
{
    const Operand *o = &p->spec->op->operand[v->at];
    const char *extent = expr_text(layout_of(p, v->at)->extent[i]);
    int k = 0;
    if (o->nlayout == 1)
        return v->arg[i];
    while (strcmp(expr_text(o->layout->extent[k]), extent) != 0)
        k++;
    return v->arg[k];
}

static bool is_lane(const Printer *p, int node)
{
    return print_at(p, node)->kind == FORMULA_INDEX && print_at(p, node)->at == p->along;
}

/* Elements from one to the next along an operand's i-th extent. On GPUs the product of two ints that is wide is one
 * instruction. */
static const char *print_stride(const Printer *p, const Operand *o, int i)
{
    return arena_printf(p->arena, p->style == STYLE_SCALAR ? "(int64_t)(int)%s_stride[%d]" : "%s_stride[%d]",
                        print_argument(p, o->name), i);
}

/* Is the operand read where its caller's strides say? The definition reads elements that lie densely. */
static bool by_strides(const Printer *p, const Operand *o) { return o->strided && p->style != STYLE_EXACT; }

/* Where an element lies: each index times the operand's stride there. lane: what stands for the place along vectors. A
 * GPU's places are ints, whose products may be larger. */
const char *print_offset(Printer *p, const FormulaNode *v, const char *lane)
{
    const Operand *o = &p->spec->op->operand[v->at];
    const bool strided = by_strides(p, o);
    Text t = { .arena = p->arena };
    text_add(&t, p->style == STYLE_SCALAR && v->narg > 1 && !strided ? "(int64_t)" : "");
    for (int i = 0; i < v->narg; i++) {
        const int node = index_along(p, v, i);
        const bool last = i + 1 == v->narg;
        const Piece at = is_lane(p, node) ? (Piece){ lane, BIND_PRIMARY, false } : p->piece[node];
        const char *wide = at.wide ? arena_printf(p->arena, "%s[i]", print_enclosed(p, at, BIND_PRIMARY)) : NULL;
        p->used |= is_lane(p, node) ? 1u << p->along : 0;
        if (i > 0 && strided)
            text_add(&t, " + ");
        else if (i > 0) /* Horner's rule: the extents behind multiply */
            text_printf(&t, " * %s + ",
                        print_extent(p, op_axis(p->spec->op, expr_text(layout_of(p, v->at)->extent[i]))));
        text_add(&t, wide ? wide : print_enclosed(p, at, last ? BIND_TERM : BIND_UNARY));
        if (strided && !last)
            text_printf(&t, " * %s", print_stride(p, o, i));
        if (i > 0 && !last && !strided) {
            const char *sum = arena_strdup(p->arena, text_str(&t));
            t = (Text){ .arena = p->arena };
            text_printf(&t, "(%s)", sum);
        }
    }
    return arena_strdup(p->arena, text_str(&t));
}

const char *print_variable_name(Printer *p, const char *operand)
{
    bool is_free = operand && !print_is_taken(operand);
    for (int i = 0; is_free && i < p->spec->op->nextent; i++)
        is_free = strcmp(operand, print_place_name(p, i)) != 0;
    for (int i = 0; is_free && i < p->spec->formula->nnode; i++)
        is_free = !p->piece[i].text || strcmp(p->piece[i].text, operand) != 0;
    return is_free ? operand : arena_printf(p->arena, "v%d", p->nvariable++);
}

bool print_is_contiguous(const Printer *p, const FormulaNode *v)
{
    for (int i = 0; i + 1 < v->narg; i++)
        if (p->along >= 0 && print_at(p, index_along(p, v, i))->along >> p->along & 1)
            return false;
    return is_lane(p, index_along(p, v, v->narg - 1));
}

/* An element by itself, on a CPU. */
static const char *loaded_alone(const Printer *p, const Operand *o, const char *at)
{
    const Storage *type = spec_element(p->spec, o);
    return type->is_raw ? arena_printf(p->arena, "PACKAGE_load%s_MACHINE(a->%s + %s, 1)[0]", type->loader, o->name, at)
                        : arena_printf(p->arena, "a->%s[%s]", o->name, at);
}

/* A vector of elements, as a variable: only the first `lanes` of them are there. */
static Piece print_vector(Printer *p, const FormulaNode *v)
{
    const Operand *o = &p->spec->op->operand[v->at];
    const Storage *type = spec_element(p->spec, o);
    const char *name = print_variable_name(p, o->name), *lane = print_place_name(p, p->along);
    const char *vector = storage_is_whole(type) ? "ints" : "floats";
    p->takes_lanes = true;
    if (print_is_contiguous(p, v)) {
        text_printf(&p->out, "    const PACKAGE_%s_MACHINE %s = PACKAGE_load%s_MACHINE(a->%s + %s, lanes);\n", vector,
                    name, type->loader, o->name, print_offset(p, v, lane));
    } else {
        const char *at = print_offset(p, v, arena_printf(p->arena, "(%s + i)", lane));
        text_printf(&p->out,
                    "    PACKAGE_%s_MACHINE %s = { 0 };\n    for (int i = 0; i < lanes; i++)\n        %s[i] = %s;\n",
                    vector, name, name, loaded_alone(p, o, at));
    }
    return (Piece){ name, BIND_PRIMARY, true };
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

/* One of the neighbouring elements of a thread, all loaded before the loop if they lie one behind the other. */
static Piece print_of_thread(Printer *p, const FormulaNode *v)
{
    const Operand *o = &p->spec->op->operand[v->at];
    const Storage *type = spec_element(p->spec, o);
    const char *name = print_variable_name(p, p->named >> v->at & 1 ? NULL : o->name);
    p->named |= 1u << v->at;
    if (!print_is_contiguous(p, v) || is_written(p, o)) {
        const char *at = print_offset(p, v, print_place_name(p, p->along));
        text_printf(&p->out, "    const %s %s = %s;\n", print_type(p, v->type, false), name,
                    converted(p, type, read_once(p, o, at)));
        return (Piece){ name, BIND_PRIMARY, false };
    }
    text_printf(&p->before, "    %s %s[W];\n%sPACKAGE_device::load_row(%s, a.%s + %s);\n", type->c_type, name,
                p->fresh ? "    if (fresh)\n        " : "    ", name, o->name, print_offset(p, v, "first"));
    return (Piece){ converted(p, type, arena_printf(p->arena, "%s[i]", name)), BIND_PRIMARY, false };
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
        return print_vector(p, v);
    if (p->style == STYLE_SCALAR && p->along >= 0 && v->along >> p->along & 1)
        return print_of_thread(p, v);
    const char *at = print_offset(p, v, "");
    if (p->style == STYLE_EXACT && is_whole)
        return (Piece){ arena_printf(p->arena, "((const %s *)operand[%d])[%s]", type->c_type, v->at, at), BIND_PRIMARY,
                        false };
    if (p->style == STYLE_EXACT)
        return (Piece){ arena_printf(p->arena, "dcgen_element(dcgen_as_%s, operand[%d], %s)", type->name, v->at, at),
                        BIND_PRIMARY, false };
    if (p->style == STYLE_VECTOR)
        return (Piece){ loaded_alone(p, o, at), BIND_PRIMARY, false };
    return (Piece){ converted(p, type, read_once(p, o, at)), BIND_PRIMARY, false };
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
        return (Piece){ "acc", BIND_PRIMARY, p->style == STYLE_VECTOR };
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
