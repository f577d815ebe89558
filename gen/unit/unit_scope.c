/* SPDX-License-Identifier: Apache-2.0
 *
 * unit_scope: the words and lists of patterns that follow from the spec and the family of targets alone.
 */
#include "gen/unit/unit.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>
#include "gen/base/quote.h"
#include "gen/base/text.h"
#include "gen/unit/formula_print.h"

/* ---- extents ---- */

/* Does e (NULL: yes) depend on an extent: name it, or one that follows from it? */
static bool uses(const Op *op, const Expr *e, int extent)
{
    bool does = !e || expr_uses(e, op->extent[extent].name);
    for (int i = op->nextent - 1; i >= op->ngiven && i > extent && !does; i--)
        does = expr_uses(e, op->extent[i].name) && uses(op, op->extent[i].expr, extent);
    return does;
}

/* Which values of an extent are legal, where these are not all from 0 on: ", 1 to 16". */
static const char *limits_text(Arena *a, const Extent *x)
{
    if (x->most < OP_MAX_NUMBER)
        return arena_printf(a, ", %" PRId64 " to %" PRId64, x->least, x->most);
    return x->least ? arena_printf(a, ", at least %" PRId64, x->least) : "";
}

static void add_extent(FillScope *s, const Spec *spec, int i)
{
    const Extent *x = &spec->op->extent[i];
    FillScope *row = fill_row(s);
    const bool is_fixed = spec_is_constant(spec, i);
    const char *most = x->most == OP_MAX_NUMBER ? "INT32_MAX" : arena_printf(s->arena, "%" PRId64, x->most);
    FILL_WORDS(
        row, WORD("AXIS", x->name), WORD("AXIS_COLUMN", arena_printf(s->arena, "%-9s", x->name)),
        WORD("AXIS_DOC", quote_comment(s->arena, x->doc)),
        WORD("AXIS_MEANING", arena_printf(s->arena, "%s%s", quote_comment(s->arena, x->doc), limits_text(s->arena, x))),
        WORD("AXIS_DOC_JSON", quote_json_text(s->arena, x->doc)), WORD("PLACE", i), WORD("FEWEST", x->least),
        WORD("GREATEST", most), WORD("IS_FIXED", is_fixed), WORD("LEAST", spec->box.min[i]),
        WORD("MOST", spec->box.max[i]));
    if (is_fixed)
        fill_number(row, "VALUE", spec->box.min[i]);
    else if (x->expr)
        fill_word(row, "VALUE", expr_c_int(s->arena, x->expr, spec->package));
    if (x->expr)
        FILL_WORDS(row, WORD("EXPRESSION", quote_comment(s->arena, expr_text(x->expr))),
                   WORD("EXPRESSION_JSON", quote_json_text(s->arena, expr_text(x->expr))));
}

typedef enum { CONSTANT, PASSED, EITHER } Passing;

static bool is_passed(const Spec *spec, int i, Passing how)
{
    return how == EITHER || spec_is_constant(spec, i) == (how == CONSTANT);
}

/* Adds the list `name` of the extents from..to-1 that `e` uses (NULL: all). */
static void add_extents(FillScope *s, const Spec *spec, const char *name, int from, int to, Passing how, const Expr *e)
{
    fill_list(s, name);
    for (int i = from; i < to; i++)
        if (is_passed(spec, i, how) && uses(spec->op, e, i))
            add_extent(s, spec, i);
}

/* Adds two words for the extents 0..to-1 that `e` uses: `names` are their names, `extents` declares them. */
static void add_extent_words(FillScope *s, const Spec *spec, int to, Passing how, const Expr *e, const char *names,
                             const char *extents)
{
    Text passed = { .arena = s->arena }, declared = { .arena = s->arena };
    for (int i = 0; i < to; i++) {
        const char *name = spec->op->extent[i].name;
        if (!is_passed(spec, i, how) || !uses(spec->op, e, i))
            continue;
        text_printf(&passed, "%s%s", passed.len ? ", " : "", name);
        text_printf(&declared, "%sint64_t %s", declared.len ? ", " : "", name);
    }
    FILL_WORDS(s, WORD(names, text_str(&passed)), WORD(extents, text_str(&declared)));
}

/* Is not every call legal whose extents are from 0 to OP_MAX_NUMBER? */
static bool has_limits(const Spec *s)
{
    const Op *op = s->op;
    if (s->formula && formula_has_limits(s->formula, op))
        return true;
    for (int i = 0; i < op->nextent; i++)
        if (op->extent[i].kind >= EXTENT_ATTRIBUTE || op->extent[i].least)
            return true;
    return false;
}

/* What PACKAGE_BAD_EXTENT says. */
static const char *bad_extents(const Spec *s)
{
    const Op *op = s->op;
    bool strided = false;
    if (has_limits(s))
        return "an extent, an attribute or a stride is not legal";
    for (int i = 0; i < op->noperand; i++)
        strided = strided || op->operand[i].strided;
    return strided ? "an extent or a stride is negative or above 2147483647"
                   : "an extent is negative or above 2147483647";
}

static void add_all_extents(FillScope *s, const Spec *spec)
{
    const Op *op = spec->op;
    add_extents(s, spec, "axes", 0, op->ngiven, PASSED, NULL);
    add_extents(s, spec, "constants", 0, op->ngiven, CONSTANT, NULL);
    add_extents(s, spec, "attributes", op->naxis, op->ngiven, EITHER, NULL);
    add_extents(s, spec, "derived", op->ngiven, op->nextent, PASSED, NULL);
    add_extents(s, spec, "extents", 0, op->nextent, PASSED, NULL);
    add_extents(s, spec, "every", 0, op->nextent, EITHER, NULL);
    add_extent_words(s, spec, op->ngiven, PASSED, NULL, "AXES", "EXTENTS");
    add_extent_words(s, spec, op->nextent, PASSED, NULL, "ALL_AXES", "ALL_EXTENTS");
    add_extent_words(s, spec, op->nextent, EITHER, NULL, "EVERY_AXES", "EVERY_EXTENTS");
    FILL_WORDS(s, WORD("NEXTENT", op->nextent), WORD("HAS_ATTRIBUTES", op->ngiven > op->naxis),
               WORD("HAS_DERIVED", op->nextent > op->ngiven), WORD("BAD_EXTENTS", bad_extents(spec)),
               WORD("HAS_LIMITS", has_limits(spec)));
}

/* ---- operands ---- */

static const char *c_type(const Spec *s, const Operand *o)
{
    const Storage *stored = spec_element(s, o);
    return stored ? stored->c_type : "void";
}

/* The type of an operand as a parameter: "const float *"; "const void *" if it is packed, or C has no such numbers. */
static const char *parameter_type(Arena *a, const Spec *s, const Operand *o)
{
    if (s->packed && o == &s->op->operand[s->const_operand])
        return "const void *";
    const Storage *stored = spec_element(s, o);
    return arena_printf(a, "%s%s *", o->role == ROLE_OUT ? "" : "const ",
                        stored && !stored->is_raw ? stored->c_type : "void");
}

/* Can the operand have no elements, though the call has a result? So where a reduced axis is 0, or one that the output
 * has none of itself, as the rows of an image that is padding alone. */
static bool may_be_empty(const Spec *s, const Operand *o)
{
    for (int i = 0; o != spec_output(s) && i < s->op->naxis; i++)
        if (uses(s->op, o->elems, i) && !expr_uses(spec_output(s)->elems, s->op->extent[i].name))
            return true;
    return false;
}

/* What kernels get for the operand. Without elements any address will do but NULL: C allows no arithmetic on it. */
static const char *argument_text(Arena *a, const Spec *s, const Operand *o)
{
    const Operand *out = spec_output(s);
    const bool is_alike = strcmp(c_type(s, o), c_type(s, out)) == 0;
    return may_be_empty(s, o)
               ? arena_printf(a, "%s ? %s : %s%s", o->name, o->name, is_alike ? "" : "(const void *)", out->name)
               : o->name;
}

/* Elements in 16 bytes, which rows of a packed constant are padded to. */
static int vector_elems(const Storage *s) { return s ? 16 / (int)s->bytes : 16; }

/* Adds the extents of an operand's elements, in order: the list "shape", and "order", in which the last one of a padded
 * constant goes up to the vector that its rows are padded to. */
static void add_order(FillScope *row, const Spec *spec, int i, bool is_padded)
{
    const Layout *l = spec_layout(spec, i);
    const int vector = vector_elems(spec_element(spec, &spec->op->operand[i]));
    const char *along[OP_MAX_RANK];
    fill_list(row, "shape");
    for (int k = 0; k < l->rank; k++)
        fill_word(fill_row(row), "ALONG", along[k] = expr_c_int(row->arena, l->extent[k], spec->package));
    fill_list(row, "order");
    for (int k = 0; k < l->rank; k++)
        fill_word(fill_row(row), "ALONG",
                  is_padded && k + 1 == l->rank
                      ? arena_printf(row->arena, "(%s + %d) / %d * %d", along[k], vector - 1, vector, vector)
                      : along[k]);
}

/* Adds how the package's own programs draw an operand's data, and store it. */
static void add_data(FillScope *row, const Spec *spec, const Operand *o)
{
    const Storage *s = spec_element(spec, o);
    const char *stored = s ? s->name : "f32";
    FILL_WORDS(row, WORD("STORED", stored), WORD("FORMAT", arena_printf(row->arena, "dcgen_as_%s", stored)),
               WORD("HOLDS", op_has_rows(o) ? "in_rows" : data_names[o->data]), WORD("OF", o->of < 0 ? 0 : o->of),
               WORD("MUST_BE_FINITE", o->finite != NULL),
               WORD("WHY_FINITE", quote_comment(row->arena, o->finite ? o->finite : "")));
}

/* A condition in C: has the operand elements? Of a packed one, has any of those that are in it? */
static const char *has_elements(Arena *a, const Spec *spec, int i)
{
    const char *any = expr_c_factors(a, spec->op->operand[i].elems, spec->package, " > 0", " && ");
    for (int k = 0; k < spec->op->noperand && i == spec->const_operand; k++)
        if (!spec_passes(spec, k))
            any = arena_printf(a, "((%s) || (%s))", any,
                               expr_c_factors(a, spec->op->operand[k].elems, spec->package, " > 0", " && "));
    return any;
}

static void add_operand(FillScope *s, const UnitContext *u, int i)
{
    Arena *a = s->arena;
    const Spec *spec = u->spec;
    const Operand *o = &spec->op->operand[i];
    const bool is_constant = i == spec->const_operand, is_packed = is_constant && spec->packed;
    const char *type = parameter_type(a, spec, o), *is_const = o->role == ROLE_OUT ? "" : "const ";
    const char *strides = o->strided ? arena_printf(a, ", const int64_t *%s_stride", o->name) : "";
    const char *argument = argument_text(a, spec, o);
    const char *passed = o->strided ? arena_printf(a, ", %s_stride", o->name) : "";
    const char *cast = arena_printf(a, "(%s%s *)(%s)%s", is_const, c_type(spec, o), argument, passed);
    const char *from_runner = arena_printf(a, o->strided ? "(%s%s *)operand[%d], extent + %d" : "(%s%s *)operand[%d]",
                                           is_const, c_type(spec, o), i, op_stride_at(spec->op, i));
    const char *doc =
        is_packed ? arena_printf(a, "as %s%s_pack wrote it, for the same extents", spec->name, u->target->family->call)
                  : arena_printf(a, "%s%s%s%s%s", quote_comment(a, o->doc), o->nlayout > 1 ? "; here " : "",
                                 o->nlayout > 1 ? spec_layout(spec, i)->name : "", o->stored ? "; elements are " : "",
                                 o->stored ? o->stored->name : "");
    FillScope *row = fill_row(s);
    FILL_WORDS(row, WORD("OPERAND", o->name), WORD("OPERAND_COLUMN", arena_printf(a, "%-9s", o->name)),
               WORD("PLACE", i), WORD("PARAMETER", arena_printf(a, "%s%s%s", type, o->name, strides)),
               WORD("INNER", arena_printf(a, "%s%s *%s%s", is_const, c_type(spec, o), o->name, strides)),
               WORD("TYPE", type), WORD("C_TYPE", arena_printf(a, "%s%s", is_const, c_type(spec, o))),
               WORD("ROLE", role_names[o->role]), WORD("OPERAND_DTYPE", o->stored ? o->stored->name : spec->dtype),
               WORD("ELEMENTS_JSON", quote_json_text(a, expr_text(o->elems))),
               WORD("READS", expr_c_real(a, o->reads ? o->reads : o->elems, spec->package, "")),
               WORD("HAS_ELEMENTS", has_elements(a, spec, i)), WORD("RANK", o->layout->rank),
               WORD("IS_ALIGNED", spec_is_aligned(spec, i) && spec_passes(spec, i)),
               WORD("ELEMENT_BYTES", spec_element(spec, o) ? (int64_t)spec_element(spec, o)->bytes : 0),
               WORD("NSTRIDE", o->layout->rank - 1), WORD("IS_STRIDED", o->strided),
               WORD("ARGUMENT", arena_printf(a, "%s%s", argument, passed)), WORD("CAST_ARGUMENT", cast),
               WORD("GIVEN", arena_printf(a, "%s%s", o->name, passed)),
               WORD("NO_ARGUMENT", o->strided ? "NULL, NULL" : "NULL"), WORD("FROM_RUNNER", from_runner),
               WORD("USED_AS", arena_printf(a, "%s%s", is_packed ? "packed" : o->name, o->strided ? ", NULL" : "")),
               WORD("DOC_JSON", quote_json_text(a, o->doc)), WORD("OPERAND_DOC", doc), WORD("IS_CONSTANT", is_constant),
               WORD("IS_PASSED", spec_passes(spec, i)),
               WORD("MAY_BE_OUTPUT", (spec->in_place >> i & 1) || unit_rows_in_place(a, spec, u->target, i)));
    add_order(row, spec, i, is_packed && u->target->family->packed_alike);
    add_data(row, spec, o);
}

/* Adds ANY_F16 and the like: is an operand stored so? */
static void add_stored(FillScope *s, const Spec *spec)
{
    for (const Storage *stored = storages; stored < storages + STORAGE_COUNT; stored++) {
        bool any = false;
        for (int i = 0; i < spec->op->noperand; i++)
            any = any || spec_element(spec, &spec->op->operand[i]) == stored;
        fill_number(s, arena_printf(s->arena, "ANY_%s", text_letters(arena_strdup(s->arena, stored->name), toupper)),
                    any);
    }
}

/* Is an operand in the list of this name? */
typedef bool InList(const Spec *spec, int operand);

static bool is_any(const Spec *spec, int operand)
{
    (void)spec, (void)operand;
    return true;
}

static bool is_const(const Spec *spec, int operand) { return spec->op->operand[operand].role == ROLE_CONST; }

/* Adds a list of operands, and gives their number. *out: where the output stands in it. */
static int add_operand_list(FillScope *s, const UnitContext *u, const char *name, InList *is_in, int *out)
{
    int n = 0;
    fill_list(s, name);
    for (int i = 0; i < u->spec->op->noperand; i++) {
        if (!is_in(u->spec, i))
            continue;
        *out = u->spec->op->operand[i].role == ROLE_OUT ? n : *out;
        add_operand(s, u, i);
        n++;
    }
    return n;
}

/* Words of 8 bytes that a call's plan keeps, besides those for extents and operands. */
enum { PLAN_OTHER_WORDS = 12 };

static void add_operands(FillScope *s, const UnitContext *u)
{
    const Spec *spec = u->spec;
    bool strided = false, rows = false;
    int out = 0, unused = 0, words = spec->op->nextent + PLAN_OTHER_WORDS;
    for (int i = 0; i < spec->op->noperand; i++) {
        const int rank = spec->op->operand[i].layout->rank;
        words += rank ? rank : 1; /* an address and strides */
        strided = strided || spec->op->operand[i].strided;
        rows = rows || op_has_rows(&spec->op->operand[i]);
    }
    fill_number(s, "NARGUMENT", add_operand_list(s, u, "operands", spec_passes, &out));
    fill_number(s, "OUTPUT_ARGUMENT", out);
    fill_number(s, "PLAN_WORDS", words);
    fill_number(s, "NCONSTANT", add_operand_list(s, u, "packed_operands", is_const, &unused));
    add_operand_list(s, u, "all_operands", is_any, &unused);
    FILL_WORDS(s, WORD("HAS_STRIDED", strided), WORD("HAS_ROWS", rows), WORD("HAS_PARTS", op_has_parts(spec->op)),
               WORD("NOPERAND", spec->op->noperand));
    add_stored(s, spec);
}

static void add_layouts(FillScope *s, const Spec *spec)
{
    fill_list(s, "layouts");
    for (int i = 0; i < spec->op->noperand; i++) {
        const Operand *o = &spec->op->operand[i];
        for (int k = 0; o->nlayout > 1 && k < o->nlayout; k++)
            FILL_WORDS(fill_row(s), WORD("LAYOUT", arena_printf(s->arena, "%s_%s", o->name, o->layout[k].name)),
                       WORD("IS_ASKED", k == spec->layout[i]));
    }
}

/* An expression that uses the extents of all constant operands. */
static const Expr *constants_elems(Arena *a, const Spec *spec)
{
    const Expr *elems = NULL;
    for (int i = 0; i < spec->op->noperand; i++)
        if (is_const(spec, i))
            elems = elems ? expr_apply(a, "+", elems, spec->op->operand[i].elems) : spec->op->operand[i].elems;
    return elems;
}

bool unit_packs_by(Arena *a, const Spec *s, int extent)
{
    return extent < s->op->ngiven && is_passed(s, extent, PASSED) && uses(s->op, constants_elems(a, s), extent);
}

/* What people are told of the constant operands: "W", or "W and scale"; and what each is. */
static void add_constant_texts(FillScope *s, const Spec *spec)
{
    Text names = { .arena = s->arena }, docs = { .arena = s->arena };
    int n = 0, left = 0;
    for (int i = 0; i < spec->op->noperand; i++)
        left += is_const(spec, i);
    for (int i = 0; i < spec->op->noperand; i++) {
        const Operand *o = &spec->op->operand[i];
        if (!is_const(spec, i))
            continue;
        text_printf(&names, "%s%s", !n ? "" : left > 1 ? ", " : " and ", o->name);
        text_printf(&docs, "%s%s: %s%s%s", n ? "; " : "", o->name, quote_comment(s->arena, o->doc),
                    o->nlayout > 1 ? "; here " : "", o->nlayout > 1 ? spec_layout(spec, i)->name : "");
        n++;
        left--;
    }
    FILL_WORDS(s, WORD("CONSTANTS", text_str(&names)), WORD("CONSTANTS_DOC", text_str(&docs)));
}

static void add_constant(FillScope *s, const Spec *spec)
{
    const Operand *w = spec->const_operand >= 0 ? &spec->op->operand[spec->const_operand] : NULL;
    fill_number(s, "HAS_CONSTANT", w != NULL);
    if (!w)
        return;
    FILL_WORDS(s, WORD("CONSTANT", w->name), WORD("CONSTANT_PLACE", spec->const_operand),
               WORD("CONSTANT_DOC", quote_comment(s->arena, w->doc)),
               WORD("LAYOUT", spec_layout(spec, spec->const_operand)->name),
               WORD("PACKED_JSON", spec->packed ? "true" : "false"), WORD("CONSTANT_TYPE", c_type(spec, w)));
    add_constant_texts(s, spec);
    const Expr *elems = constants_elems(s->arena, spec);
    add_extents(s, spec, "packed_axes", 0, spec->op->ngiven, PASSED, elems);
    add_extents(s, spec, "packed_derived", spec->op->ngiven, spec->op->nextent, EITHER, elems);
    add_extent_words(s, spec, spec->op->ngiven, PASSED, elems, "PACK_AXES", "PACK_EXTENTS");
}

void unit_keep_packed_constants(FillScope *s, const Spec *spec)
{
    add_extents(s, spec, "constants", 0, spec->op->ngiven, CONSTANT, constants_elems(s->arena, spec));
}

/* ---- the whole ---- */

bool unit_calls_arithmetic(const Op *op)
{
    bool calls = expr_c_calls(op->flops) || expr_c_calls(op->rows);
    for (int i = op->ngiven; i < op->nextent; i++)
        calls = calls || expr_c_calls(op->extent[i].expr);
    for (const Operand *o = op->operand; o < op->operand + op->noperand; o++)
        calls = calls || (o->reads && expr_c_calls(o->reads));
    for (const Operand *o = op->operand; o < op->operand + op->noperand; o++)
        for (const Layout *l = o->layout; l < o->layout + o->nlayout; l++)
            for (int k = 0; k < l->rank; k++)
                calls = calls || expr_c_calls(l->extent[k]);
    return calls;
}

/* Adds what a result may be off by. */
static void add_tolerance(FillScope *s, const Dtype *d, const Storage *out)
{
    const Rounding r = dtype_rounding(d, out);
    const double eps[] = { r.sums, r.inputs, r.output, r.denormals };
    const char *const name[] = { "EPS_SUMS", "EPS_INPUTS", "EPS_OUTPUT", "EPS_DENORMALS" };
    for (size_t i = 0; i < LENGTH(eps); i++)
        fill_wordf(s, name[i], eps[i] ? "%a" : "%.0f", eps[i]);
    fill_wordf(s, "LARGEST_OUTPUT", "%a", storage_largest(out));
}

static void add_op(FillScope *s, const Spec *spec)
{
    const Op *op = spec->op;
    const Operand *out = op_output(op);
    FILL_WORDS(s, WORD("OP_NAME", op->name), WORD("OP_DOC", quote_comment(s->arena, op->doc)),
               WORD("OP_DOC_JSON", quote_json_text(s->arena, op->doc)), WORD("DTYPE", spec->dtype),
               WORD("OUTPUT_PLACE", (int)(out - op->operand)), WORD("OUTPUT_OPERAND", out->name),
               WORD("OUTPUT_IS_READ", out->is_read), WORD("OUTPUT_STRIDES", op_stride_at(op, (int)(out - op->operand))),
               WORD("OUTPUT_IS_STRIDED", out->strided && out->layout->rank > 1),
               WORD("OUTPUT_ROWS", expr_c_int(s->arena, op->rows, spec->package)),
               WORD("OUTPUT_IS_EMPTY", expr_c_factors(s->arena, out->elems, spec->package, " == 0", " || ")),
               WORD("FLOP_COUNT", expr_c_real(s->arena, op->flops, spec->package, "")),
               WORD("CALLS_ARITHMETIC", unit_calls_arithmetic(op)), WORD("HAS_FORMULA", spec->formula != NULL),
               WORD("FORMULA", quote_comment(s->arena, spec_formula_text(spec))),
               WORD("FORMULA_JSON", quote_json_text(s->arena, spec_formula_text(spec))),
               WORD("SUMS", names_join(s->arena, NAMES(op->sum, op->nsum), ", ")),
               WORD("HAS_ACC", spec->formula && spec->formula->bias < 0 && !spec_moves(spec)),
               WORD("IS_MOVING", spec_moves(spec)), WORD("SPEED_UNIT", spec_moves(spec) ? "GB/s" : "GFLOP/s"));
    template_type_words(s, spec);
    unit_blas_words(s, spec);
    fill_number(s, "HAS_ACCURACY", spec->accuracy > 1);
    fill_number(s, "IS_PLANTED", spec->accuracy <= 1 && !spec_moves(spec)); /* formulas have tests of infinities */
    fill_wordf(s, "ACCURACY_TEXT", "%g", spec->accuracy);
    fill_list(s, "accuracies");
    for (int i = 0; i < op->naccuracy; i++)
        if (op->accuracy[i].factor <= spec->accuracy)
            fill_word(fill_row(s), "ACCURACY_DOC", quote_comment(s->arena, op->accuracy[i].doc));
    if (dtype_find(spec->dtype))
        add_tolerance(s, dtype_find(spec->dtype), spec_element(spec, out));
}

static void add_family(FillScope *s, const UnitContext *u)
{
    const Family *family = u->target->family;
    for (int i = 0; i < FAMILY_COUNT; i++)
        fill_number(
            s, arena_printf(s->arena, "FAMILY_%s", text_letters(arena_strdup(s->arena, families[i]->name), toupper)),
            families[i] == family);
    FILL_WORDS(s, WORD("FAMILY", family->name), WORD("RIVAL", family->rival),
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
    FILL_WORDS(s, WORD("NAME", u->spec->name), WORD("PACKAGE", u->spec->package),
               WORD("KEYWORD_NAME", "NAME")); /* CMake's keyword NAME */
    add_family(s, u);
    add_op(s, u->spec);
    add_all_extents(s, u->spec);
    add_layouts(s, u->spec);
    add_operands(s, u);
    add_constant(s, u->spec);
    unit_reach_words(s, u->spec);
    return s;
}
