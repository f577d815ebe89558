/* SPDX-License-Identifier: Apache-2.0
 *
 * unit_scope: the words and lists of patterns that follow from the spec and the family of targets alone: the op, its axes, its operands.
 */
#include "gen/unit/unit.h"

#include <ctype.h>
#include <string.h>
#include "gen/base/quote.h"
#include "gen/base/text.h"
#include "gen/spec/dtype.h"

/* ---- axes ---- */

static bool uses_axis(const Expr *e, const char *axis) { return !e || expr_uses(e, axis); }

/* Adds the list `name` of the axes that elems uses (NULL: of all axes), and two words for them as C: `names` passes them on, `extents` declares
 * them. */
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
        FILL_WORDS(fill_row(s), WORD("AXIS", x->name), WORD("AXIS_COLUMN", arena_printf(s->arena, "%-9s", x->name)),
                   WORD("AXIS_DOC", quote_comment(s->arena, x->doc)),
                   WORD("AXIS_DOC_JSON", quote_json_text(s->arena, x->doc)), WORD("PLACE", i),
                   WORD("FEWEST", x->kind == AXIS_SPATIAL), WORD("LEAST", box.min[i]), WORD("MOST", box.max[i]));
        text_printf(&passed, "%s%s", passed.len ? ", " : "", x->name);
        text_printf(&declared, "%sint64_t %s", declared.len ? ", " : "", x->name);
    }
    FILL_WORDS(s, WORD(names, text_str(&passed)), WORD(extents, text_str(&declared)));
}

/* ---- operands ---- */

static const char *c_type(const Spec *s, const Operand *o)
{
    const Dtype *d = dtype_find(o->dtype ? o->dtype : s->dtype);
    return d ? d->c_type : "void";
}

/* The type of an operand as a parameter: "const float *"; of a packed constant one "const void *". */
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

/* What kernels get for the operand. Where it has no elements any address will do but NULL, on which C allows no arithmetic. */
static const char *argument_text(Arena *a, const Op *op, const Operand *o)
{
    const Operand *out = op->operand;
    while (out->role != ROLE_OUT)
        out++;
    return may_be_empty(op, o) ? arena_printf(a, "%s ? %s : %s", o->name, o->name, out->name) : o->name;
}

static void add_operand(FillScope *s, const UnitContext *u, int i)
{
    Arena *a = s->arena;
    const Spec *spec = u->spec;
    const Operand *o = &spec->op->operand[i];
    const bool is_constant = i == spec->const_operand, is_packed = is_constant && spec->packed;
    const char *type = parameter_type(spec, o), *is_const = o->role == ROLE_OUT ? "" : "const ";
    const char *doc =
        is_packed ? arena_printf(a, "as %s%s_pack wrote it, for the same extents", spec->name, u->target->family->call)
                  : arena_printf(a, "%s%s%s", quote_comment(a, o->doc), is_constant ? "; here " : "",
                                 is_constant ? spec->layout : "");
    FILL_WORDS(fill_row(s), WORD("OPERAND", o->name), WORD("OPERAND_COLUMN", arena_printf(a, "%-9s", o->name)),
               WORD("PLACE", i), WORD("PARAMETER", arena_printf(a, "%s%s", type, o->name)), WORD("TYPE", type),
               WORD("C_TYPE", arena_printf(a, "%s%s", is_const, c_type(spec, o))),
               WORD("ELEM_TYPE", arena_printf(a, "%s%s_elem", is_const, spec->name)), WORD("ROLE", role_names[o->role]),
               WORD("OPERAND_DTYPE", o->dtype ? o->dtype : spec->dtype), WORD("ELEMENTS", expr_text(o->elems)),
               WORD("ARGUMENT", argument_text(a, spec->op, o)), WORD("USED_AS", is_packed ? "packed" : o->name),
               WORD("DOC_JSON", quote_json_text(a, o->doc)), WORD("OPERAND_DOC", doc),
               WORD("IS_CONSTANT", is_constant));
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
    /* rows of a packed W are padded to 16 bytes */
    const int64_t vector = 16 / (d ? (int64_t)d->bytes : 1);
    FILL_WORDS(s, WORD("HAS_CONSTANT", w != NULL), WORD("ELEM_IS_FLOAT", d && strcmp(d->c_type, "float") == 0),
               WORD("W_EXTENT", spec->layout && strcmp(spec->layout, "KN") == 0 ? "N" : "K"),
               WORD("VECTOR_ELEMS", vector), WORD("VECTOR_TAIL", vector - 1));
    fill_list(s, "layouts");
    if (!w)
        return;
    FILL_WORDS(s, WORD("CONSTANT", w->name), WORD("CONSTANT_DOC", quote_comment(s->arena, w->doc)),
               WORD("LAYOUT", spec->layout), WORD("PACKED_JSON", spec->packed ? "true" : "false"),
               WORD("CONSTANT_TYPE", c_type(spec, w)));
    for (int i = 0; i < w->nlayout; i++)
        FILL_WORDS(fill_row(s), WORD("LAYOUT", w->layout[i]),
                   WORD("IS_ASKED", strcmp(w->layout[i], spec->layout) == 0));
    add_axes(s, spec, w->elems, "packed_axes", "PACK_AXES", "PACK_EXTENTS");
}

/* ---- the whole ---- */

static void add_op(FillScope *s, const Spec *spec)
{
    const Op *op = spec->op;
    FILL_WORDS(s, WORD("OP_NAME", op->name), WORD("OP_DOC", quote_comment(s->arena, op->doc)),
               WORD("OP_DOC_JSON", quote_json_text(s->arena, op->doc)), WORD("DTYPE", spec->dtype),
               WORD("OUTPUT_ROWS", expr_text(op->rows)), WORD("OUTPUT_ROW_ELEMENTS", expr_text(op->row_elems)),
               WORD("FLOP_COUNT", expr_text(op->flops)));
    fill_list(s, "epilogues");
    for (int i = 0; i < op->nepilogue; i++)
        FILL_WORDS(fill_row(s), WORD("EPILOGUE", text_letters(arena_strdup(s->arena, op->epilogue[i]), toupper)),
                   WORD("IS_ASKED", spec_has_epilogue(spec, op->epilogue[i])));
    fill_list(s, "asked");
    for (int i = 0; i < spec->nepilogue; i++)
        fill_word(fill_row(s), "EPILOGUE", spec->epilogue[i]);
}

static void add_family(FillScope *s, const UnitContext *u)
{
    const Family *family = u->target->family;
    for (int i = 0; i < FAMILY_COUNT; i++)
        fill_number(
            s, arena_printf(s->arena, "FAMILY_%s", text_letters(arena_strdup(s->arena, families[i]->name), toupper)),
            families[i] == family);
    FILL_WORDS(s, WORD("FAMILY", family->name),
               WORD("CALL", arena_printf(s->arena, "%s%s", u->spec->name, family->call)),
               WORD("KERNELS_FILE", arena_printf(s->arena, "kernels%s", family->suffix)));
    fill_list(s, "instruction_sets");
    for (const Target *t = u->targets->t; t < u->targets->t + u->targets->n; t++)
        if (t->family == family)
            FILL_WORDS(fill_row(s), WORD("MACHINE", t->name), WORD("ATTRIBUTE", quote_string(s->arena, t->attribute)),
                       WORD("HAS_ATTRIBUTE", *t->attribute != '\0'));
}

FillScope *unit_scope(Arena *a, const UnitContext *u)
{
    FillScope *s = fill_scope(a, NULL);
    FILL_WORDS(s, WORD("NAME", u->spec->name), WORD("KEYWORD_NAME", "NAME")); /* CMake's keyword NAME */
    add_family(s, u);
    add_op(s, u->spec);
    add_axes(s, u->spec, NULL, "axes", "AXES", "EXTENTS");
    add_operands(s, u);
    add_constant(s, u->spec);
    return s;
}
