/* SPDX-License-Identifier: Apache-2.0
 *
 * unit_scope: what the names in patterns stand for that follow from the spec and the family of targets alone: the op, its axes, its operands.
 */
#include "gen/unit/unit.h"

#include <ctype.h>
#include <string.h>
#include "gen/base/quote.h"
#include "gen/base/text.h"
#include "gen/spec/dtype.h"

static const char *upper(Arena *a, const char *word)
{
    char *s = arena_strdup(a, word);
    for (char *c = s; *c; c++)
        *c = (char)toupper((unsigned char)*c);
    return s;
}

/* ---- axes ---- */

static bool uses_axis(const Expr *e, const char *axis) { return !e || expr_uses(e, axis); }

/* The list `name` of the axes that elems uses, and the words of how they are passed on and declared; NULL: all axes. */
static void add_axes(FillScope *s, const Spec *spec, const Expr *elems, const char *name, const char *names,
                     const char *extents)
{
    const Op *op = spec->op;
    const Box box = spec->box;
    Text passed = { .arena = s->arena }, declared = { .arena = s->arena };
    fill_list(s, name);
    for (int i = 0; i < op->naxis; i++) {
        const Axis *x = &op->axis[i];
        if (!uses_axis(elems, x->name))
            continue;
        FillScope *row = fill_row(s);
        fill_word(row, "AXIS", x->name);
        fill_wordf(row, "AXIS_COLUMN", "%-9s", x->name);
        fill_word(row, "AXIS_DOC", quote_comment(s->arena, x->doc));
        fill_word(row, "AXIS_DOC_JSON", quote_json_text(s->arena, x->doc));
        fill_number(row, "PLACE", i);
        fill_number(row, "FEWEST", x->kind == AXIS_SPATIAL);
        fill_number(row, "LEAST", box.min[i]);
        fill_number(row, "MOST", box.max[i]);
        text_printf(&passed, "%s%s", passed.len ? ", " : "", x->name);
        text_printf(&declared, "%sint64_t %s", declared.len ? ", " : "", x->name);
    }
    fill_word(s, names, text_str(&passed));
    fill_word(s, extents, text_str(&declared));
}

/* ---- operands ---- */

static const char *c_type(const Spec *s, const Operand *o)
{
    const Dtype *d = dtype_find(o->dtype ? o->dtype : s->dtype);
    return d ? d->c_type : "void";
}

/* Of an operand as a parameter: "const float *"; a packed constant one: "const void *". */
static const char *parameter_type(const Spec *s, const Operand *o)
{
    if (s->packed && o == &s->op->operand[s->const_operand])
        return "const void *";
    const bool is_float = strcmp(c_type(s, o), "float") == 0;
    return o->role == ROLE_OUT ? (is_float ? "float *" : "void *") : is_float ? "const float *" : "const void *";
}

/* Does the operand have no elements where a reduced axis is 0, though the call has a result? */
static bool may_be_empty(const Op *op, const Operand *o)
{
    for (int i = 0; i < op->naxis; i++)
        if (op->axis[i].kind == AXIS_REDUCE && uses_axis(o->elems, op->axis[i].name))
            return true;
    return false;
}

/* What kernels get for the operand. Where it has no elements any address will do but NULL, which bears no arithmetic. */
static const char *argument(Arena *a, const Op *op, const Operand *o)
{
    const Operand *out = op->operand;
    while (out->role != ROLE_OUT)
        out++;
    return may_be_empty(op, o) ? arena_printf(a, "%s ? %s : %s", o->name, o->name, out->name) : o->name;
}

static void add_operand(FillScope *s, const UnitContext *u, int i)
{
    const Spec *spec = u->spec;
    const Operand *o = &spec->op->operand[i];
    const bool is_constant = i == spec->const_operand, is_packed = is_constant && spec->packed;
    const char *type = parameter_type(spec, o), *is_const = o->role == ROLE_OUT ? "" : "const ";
    const char *doc = quote_comment(s->arena, o->doc);
    FillScope *row = fill_row(s);
    fill_word(row, "OPERAND", o->name);
    fill_wordf(row, "OPERAND_COLUMN", "%-9s", o->name);
    fill_number(row, "PLACE", i);
    fill_wordf(row, "PARAMETER", "%s%s", type, o->name);
    fill_word(row, "TYPE", type);
    fill_wordf(row, "C_TYPE", "%s%s", is_const, c_type(spec, o));
    fill_wordf(row, "ELEM_TYPE", "%s%s_elem", is_const, spec->name);
    fill_word(row, "ROLE", role_names[o->role]);
    fill_word(row, "OPERAND_DTYPE", o->dtype ? o->dtype : spec->dtype);
    fill_word(row, "ELEMENTS", expr_text(o->elems));
    fill_word(row, "ARGUMENT", argument(s->arena, spec->op, o));
    fill_word(row, "USED_AS", is_packed ? "packed" : o->name);
    fill_word(row, "DOC_JSON", quote_json_text(s->arena, o->doc));
    fill_number(row, "IS_CONSTANT", is_constant);
    if (is_packed)
        fill_wordf(row, "OPERAND_DOC", "as %s%s_pack wrote it, for the same extents", spec->name,
                   u->target->family->call);
    else
        fill_wordf(row, "OPERAND_DOC", "%s%s%s", doc, is_constant ? "; here " : "", is_constant ? spec->layout : "");
}

static void add_operands(FillScope *s, const UnitContext *u)
{
    const Spec *spec = u->spec;
    fill_list(s, "operands");
    for (int i = 0; i < spec->op->noperand; i++)
        if (op_has_operand(&spec->op->operand[i], spec->epilogue, spec->nepilogue))
            add_operand(s, u, i);
}

static void add_constant(FillScope *s, const Spec *spec)
{
    const Operand *w = spec->const_operand >= 0 ? &spec->op->operand[spec->const_operand] : NULL;
    const Dtype *d = dtype_find(spec->dtype);
    const int64_t vector = 16 / (d ? (int64_t)d->bytes : 1);
    fill_number(s, "HAS_CONSTANT", w != NULL);
    fill_word(s, "W_EXTENT", spec->layout && strcmp(spec->layout, "KN") == 0 ? "N" : "K");
    fill_number(s, "ELEM_IS_FLOAT", d && strcmp(d->c_type, "float") == 0);
    fill_number(s, "VECTOR_ELEMS", vector);
    fill_number(s, "VECTOR_TAIL", vector - 1);
    fill_list(s, "layouts");
    if (!w)
        return;
    fill_word(s, "CONSTANT", w->name);
    fill_word(s, "CONSTANT_DOC", quote_comment(s->arena, w->doc));
    fill_word(s, "LAYOUT", spec->layout);
    fill_word(s, "PACKED_JSON", spec->packed ? "true" : "false");
    for (int i = 0; i < w->nlayout; i++) {
        FillScope *row = fill_row(s);
        fill_word(row, "LAYOUT", w->layout[i]);
        fill_number(row, "IS_ASKED", strcmp(w->layout[i], spec->layout) == 0);
    }
    fill_word(s, "CONSTANT_TYPE", c_type(spec, w));
    add_axes(s, spec, w->elems, "packed_axes", "PACK_AXES", "PACK_EXTENTS");
}

/* ---- the whole ---- */

static void add_op(FillScope *s, const Spec *spec)
{
    const Op *op = spec->op;
    fill_word(s, "OP_NAME", op->name);
    fill_word(s, "OP_DOC", quote_comment(s->arena, op->doc));
    fill_word(s, "OP_DOC_JSON", quote_json_text(s->arena, op->doc));
    fill_word(s, "DTYPE", spec->dtype);
    fill_word(s, "OUTPUT_ROWS", expr_text(op->rows));
    fill_word(s, "OUTPUT_ROW_ELEMENTS", expr_text(op->row_elems));
    fill_word(s, "FLOP_COUNT", expr_text(op->flops));
    fill_list(s, "epilogues");
    for (int i = 0; i < op->nepilogue; i++) {
        FillScope *row = fill_row(s);
        fill_word(row, "EPILOGUE", upper(s->arena, op->epilogue[i]));
        fill_number(row, "IS_ASKED", spec_has_epilogue(spec, op->epilogue[i]));
    }
    fill_list(s, "asked");
    for (int i = 0; i < spec->nepilogue; i++)
        fill_word(fill_row(s), "EPILOGUE", spec->epilogue[i]);
}

static void add_family(FillScope *s, const UnitContext *u)
{
    const Family *family = u->target->family;
    for (int i = 0; i < FAMILY_COUNT; i++)
        fill_number(s, arena_printf(s->arena, "FAMILY_%s", upper(s->arena, families[i]->name)), families[i] == family);
    fill_word(s, "FAMILY", family->name);
    fill_wordf(s, "CALL", "%s%s", u->spec->name, family->call);
    fill_wordf(s, "KERNELS_FILE", "kernels%s", family->suffix);
    fill_list(s, "instruction_sets");
    for (int i = 0; i < u->targets->n; i++) {
        const Target *t = &u->targets->t[i];
        if (t->family != family)
            continue;
        FillScope *row = fill_row(s);
        fill_word(row, "MACHINE", t->name);
        fill_word(row, "ATTRIBUTE", quote_string(s->arena, t->attribute));
        fill_number(row, "HAS_ATTRIBUTE", *t->attribute != '\0');
    }
}

FillScope *unit_scope(Arena *a, const UnitContext *u)
{
    FillScope *s = fill_scope(a, NULL);
    fill_word(s, "NAME", u->spec->name);
    fill_word(s, "KEYWORD_NAME", "NAME"); /* CMake's */
    add_family(s, u);
    add_op(s, u->spec);
    add_axes(s, u->spec, NULL, "axes", "AXES", "EXTENTS");
    add_operands(s, u);
    add_constant(s, u->spec);
    return s;
}
