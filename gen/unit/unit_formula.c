/* SPDX-License-Identifier: Apache-2.0
 *
 * unit_formula: prints a function's formula as code: for CPUs, for GPUs, and for the reference in doubles.
 */
#include <string.h>
#include "gen/base/conf.h"
#include "gen/base/quote.h"
#include "gen/unit/formula_print.h"

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

/* The sums of an element, as parameters. */
static const char *sums_text(const Printer *p, const char *type)
{
    Text t = { .arena = p->arena };
    for (int i = 0; i < p->spec->op->nsum; i++)
        text_printf(&t, "%s%s %s", i ? ", " : "", type, p->spec->op->sum[i]);
    return text_str(&t);
}

/* A cast to void of the parameter `a`, where the formula uses nothing of the call: no operand, no extent. */
static const char *unused_text(const Formula *f)
{
    for (const FormulaNode *v = f->node; v < f->node + f->nnode; v++)
        if (v->kind == FORMULA_ELEMENT || v->kind == FORMULA_EXTENT)
            return "";
    return "    (void)a;\n";
}

static int last_extent(const Spec *s)
{
    const Layout *out = print_output_layout(s);
    return op_axis(s->op, expr_text(out->extent[out->rank - 1]));
}

/* NAME_epilogue_MACHINE of a CPU's instruction set. */
static char *vector_text(Arena *a, const Spec *s, const Target *t)
{
    Printer p = {
        .arena = a, .spec = s, .target = t, .style = STYLE_VECTOR, .along = last_extent(s), .out = { .arena = a }
    };
    Text parameters = { .arena = a }, unused = { .arena = a }, all = { .arena = a };
    Piece value = print_nodes(&p, s->formula->nnode - 1);
    value = print_widened(&p, value, FORMULA_REAL);
    add_places(&p, "int64_t", &parameters, &unused);
    text_printf(&all,
                "/* %s: of the `lanes` elements from %s on, one a lane. Lanes behind them hold anything. */\n"
                "static inline __attribute__((always_inline)) TARGET_ATTRIBUTE PACKAGE_floats_MACHINE\n"
                "NAME_epilogue_MACHINE(const NAME_args *a, %s%s, int64_t lanes)\n{\n%s%s%s%s   "
                " return %s;\n}\n",
                quote_comment(a, s->formula->text), print_place_name(&p, p.along),
                sums_text(&p, "PACKAGE_floats_MACHINE"), text_str(&parameters), unused_text(s->formula),
                p.takes_lanes ? "" : "    (void)lanes;\n", text_str(&unused), text_str(&p.out), value.text);
    return print_filled(&p, text_str(&all));
}

/* Are an element's indices numbers, extents and places, so that its address is known without reading anything? */
static bool is_direct(const Formula *f, const FormulaNode *v)
{
    bool direct = v->kind == FORMULA_ELEMENT;
    for (int k = 0; direct && k < v->narg; k++)
        direct = f->node[v->arg[k]].kind == FORMULA_INDEX || f->node[v->arg[k]].kind == FORMULA_NUMBER ||
                 f->node[v->arg[k]].kind == FORMULA_EXTENT;
    return direct;
}

/* NAME_fetch_MACHINE of a CPU's instruction set. */
static char *fetch_text(Arena *a, const Spec *s, const Target *t)
{
    Printer p = {
        .arena = a, .spec = s, .target = t, .style = STYLE_VECTOR, .along = last_extent(s), .out = { .arena = a }
    };
    Text parameters = { .arena = a }, unused = { .arena = a }, all = { .arena = a }, fetches = { .arena = a };
    const unsigned along = 1u << p.along;
    for (int i = 0; i < s->formula->nnode; i++) {
        const FormulaNode *v = &s->formula->node[i];
        if (!is_direct(s->formula, v) || !(v->along & along) || !(v->along & ~along) || !print_is_contiguous(&p, v))
            continue;
        for (int k = 0; k + 1 < v->narg; k++)
            p.piece[v->arg[k]] = print_node(&p, v->arg[k]);
        text_printf(&fetches, "    __builtin_prefetch(a->%s + %s);\n", s->op->operand[v->at].name,
                    print_offset(&p, v, print_place_name(&p, p.along)));
    }
    add_places(&p, "int64_t", &parameters, &unused);
    text_printf(&all,
                "/* Asks for what the formula reads at an element, of operands whose elements differ along more "
                "extents than %s. */\n"
                "static inline __attribute__((always_inline)) void\nNAME_fetch_MACHINE(const NAME_args *a%s)\n{\n"
                "%s%s%s}\n",
                print_place_name(&p, p.along), text_str(&parameters), fetches.len ? "" : "    (void)a;\n",
                text_str(&unused), text_str(&fetches));
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
                "/* %s: of one element. */\nstatic __device__ __forceinline__ float NAME_epilogue(const NAME_args &a, "
                "%s%s)\n{\n"
                "%s%s%s    return %s;\n}\n",
                quote_comment(a, s->formula->text), sums_text(&p, "float"), text_str(&parameters),
                unused_text(s->formula), text_str(&unused), text_str(&p.out), value.text);
    return print_filled(&p, text_str(&all));
}

typedef struct {
    Arena *arena;
    const char *kernels;
    Diag *diag;
} User;

static bool calls(const User *user, const UnitContext *u, const char *what)
{
    return print_is_called(user->arena, u->spec, u->target, user->kernels, what);
}

static const char *formula_of_target(void *ctx, const UnitContext *u)
{
    const User *user = ctx;
    if (!u->spec->op->reference) {
        const char *rows = unit_rows_of_target(user->arena, u, user->kernels, user->diag);
        const char *blocks = unit_blocks_of_target(user->arena, u, user->kernels, user->diag);
        return rows && blocks ? arena_printf(user->arena, "%s%s", rows, blocks) : NULL;
    }
    const char *text = calls(user, u, "epilogue") ? vector_text(user->arena, u->spec, u->target) : "";
    return *user->kernels && calls(user, u, "fetch")
               ? arena_printf(user->arena, "%s%s", text, fetch_text(user->arena, u->spec, u->target))
               : text;
}

const char *unit_formula(Arena *a, const UnitContext *u, const char *kernels, Diag *d)
{
    if (!u->spec->formula)
        return "";
    User user = { a, kernels, d };
    const bool of_targets = u->target->family->primitives.on_vectors, computes = u->spec->op->reference != NULL;
    const char *places = computes ? "" : unit_rows_places(a, u, d),
               *text = of_targets ? unit_of_targets(a, u, formula_of_target, &user)
                       : computes ? scalar_text(a, u->spec, u->target)
                                  : unit_rows_of_target(a, u, kernels, d);
    return places && text ? arena_printf(a, "%s%s", places, text) : NULL;
}

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
    text_add(&t, "    (void)operand, (void)part");
    for (int i = 0; i < p->spec->op->nsum; i++)
        text_printf(&t, ", (void)%s", p->spec->op->sum[i]);
    text_add(&t, ", (void)r, (void)at");
    for (int i = 0; i < p->spec->op->nextent; i++)
        text_printf(&t, ", (void)%s", p->spec->op->extent[i].name);
    const FormulaNode *root = print_at(p, p->spec->formula->nnode - 1);
    const bool ints = root->type == FORMULA_INT && root->op != FORMULA_TO_INT; /* which is a dcgen_value */
    text_printf(&t, ";\n%s    return %s%s%s;\n", text_str(&p->out), ints ? "(dcgen_value){ (double)(" : "", value.text,
                ints ? "), 0 }" : "");
    return arena_strdup(p->arena, text_str(&t));
}

/* Adds the words of the pattern formula.h. */
static FillScope *exact_words(Printer *p, bool has_check)
{
    const Spec *s = p->spec;
    FillScope *words = fill_scope(p->arena, NULL);
    const Rounding r = dtype_rounding(dtype_find(s->dtype), spec_element(s, spec_output(s)));
    fill_wordf(words, "EPS_SUMS", "%a", r.sums);
    fill_wordf(words, "EPS_INPUTS", r.inputs ? "%a" : "%.0f", r.inputs);
    FILL_WORDS(words, WORD("FORMULA", quote_comment(p->arena, s->formula->text)), WORD("body", exact_body(p)),
               WORD("HAS_OPERATOR", s->op->reference != NULL), WORD("HAS_ACCURACY", s->accuracy > 1),
               WORD("NNODE", s->formula->nnode), WORD("ROW_PLACE", s->formula->row),
               WORD("ROW_ELEMS", expr_c_int(p->arena, s->op->row_elems, "dcgen")),
               WORD("HAS_CHECK", s->formula->is_affine && has_check));
    if (!s->op->reference)
        unit_rows_exact_words(p, words);
    fill_list(words, "own");
    for (int i = 0; i < s->op->noperand; i++)
        if (!s->op->operand[i].of_formula)
            fill_number(fill_row(words), "OWN", i);
    fill_number(words, "NSUM", s->op->nsum);
    fill_list(words, "sums");
    for (int i = 0; i < s->op->nsum; i++)
        FILL_WORDS(fill_row(words), WORD("SUM", s->op->sum[i]), WORD("SUM_PLACE", i));
    fill_list(words, "every");
    for (int i = 0; i < s->op->nextent; i++)
        FILL_WORDS(fill_row(words), WORD("AXIS", s->op->extent[i].name), WORD("PLACE", i));
    return words;
}

char *unit_exact_pattern(Arena *a, const char *package_dir, const char *name, const FillScope *words, Diag *d)
{
    const Source *pattern = conf_source(a, arena_printf(a, "%s/%s", package_dir, name), d);
    const Fill f = { .scope = words };
    const char *line = pattern ? strchr(pattern->text, '\n') : NULL;
    return line ? fill_text(a, pattern, (size_t)(line + 1 - pattern->text), &f, d) : NULL;
}

char *unit_formula_reference(Arena *a, const Spec *s, const char *package_dir, bool has_check, Diag *d)
{
    Printer p = { .arena = a, .spec = s, .style = STYLE_EXACT, .along = -1, .out = { .arena = a } };
    return unit_exact_pattern(a, package_dir, "formula.h", exact_words(&p, has_check), d);
}
