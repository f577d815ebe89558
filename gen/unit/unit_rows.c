/* SPDX-License-Identifier: Apache-2.0
 *
 * unit_rows: prints the formula of an op that computes nothing by itself, such as rows: what templates call to go along a row.
 *
 * A row is gone along once for each level of reductions: softmax finds the largest element, then the sum, then the elements. A pass has three
 * functions: begin, the pass over one vector, and end, which brings the sums of several vectors together. What a later pass needs of a vector
 * again is a field of NAME_vector: it stays in registers where a row is short. Where it is long (`fresh`), it is computed again, but for one costly
 * value, which lies meanwhile where the template says (`kept`): in the row of Y, or in a buffer if the output goes past the caches (`stream`).
 */
#include <string.h>
#include "gen/base/quote.h"
#include "gen/unit/formula_print.h"

enum { MAX_PASS = 16 };

typedef struct {
    Arena *arena;
    const Spec *spec;
    const Formula *f;
    const Target *target;
    int kept;                        /* the node that lies in memory between passes; -1: none does */
    int kept_pass;                   /* the pass that computes it */
    bool crossing[FORMULA_MAX_NODE]; /* fields of NAME_vector */
    bool field[FORMULA_MAX_NODE];    /* of NAME_row: values of the whole row that later passes use */
    Text fields;                     /* their declarations */
} Rows;

static bool is_along(const Rows *r, int i) { return r->f->node[i].along >> r->f->row & 1; }
static int root_of(const Rows *r) { return r->f->nnode - 1; }

/* ---- what each pass needs ---- */

/* Marks what is needed for a node, up to nodes that are there already. */
static void need(const Rows *r, int i, const bool *there, bool *needed, bool *met)
{
    const FormulaNode *v = &r->f->node[i];
    if (is_along(r, i) && there[i]) {
        met[i] = true;
        return;
    }
    if (needed[i])
        return;
    needed[i] = true;
    if (v->kind == FORMULA_REDUCE || r->field[i])
        return;
    for (int k = 0; k < v->narg; k++)
        need(r, v->arg[k], there, needed, met);
}

/* The nodes that pass p computes, and those of `there` that it uses. */
static void need_in_pass(const Rows *r, int p, const bool *there, bool *needed, bool *met)
{
    memset(needed, 0, sizeof(bool) * FORMULA_MAX_NODE);
    for (int i = 0; i < r->f->nnode; i++) {
        const FormulaNode *v = &r->f->node[i];
        if (v->kind == FORMULA_REDUCE && v->level == p + 1)
            need(r, v->arg[0], there, needed, met);
    }
    if (is_along(r, root_of(r)) && p + 1 == r->f->npass)
        need(r, root_of(r), there, needed, met);
}

/* Values of the whole row that are more than a sum and that elements or later sums use. */
static void find_fields(Rows *r)
{
    for (int i = 0; i < r->f->nnode; i++)
        for (int k = 0; k < r->f->node[i].narg; k++) {
            const int arg = r->f->node[i].arg[k];
            const FormulaNode *v = &r->f->node[arg];
            if (v->kind == FORMULA_APPLY && v->level > 0 && !is_along(r, arg) && (is_along(r, i) || r->f->node[i].level > v->level))
                r->field[arg] = true;
        }
}

/* Which values of a vector later passes use again, and the one that is worth to be kept in Y. */
static void find_crossing(Rows *r)
{
    bool there[FORMULA_MAX_NODE] = { 0 }, needed[FORMULA_MAX_NODE];
    int first[FORMULA_MAX_NODE];
    r->kept = -1;
    for (int p = 0; p < r->f->npass; p++) {
        need_in_pass(r, p, there, needed, r->crossing);
        for (int i = 0; i < r->f->nnode; i++)
            if (needed[i] && is_along(r, i) && !there[i]) {
                there[i] = true;
                first[i] = p;
            }
    }
    for (int i = 0; i < r->f->nnode; i++) {
        const FormulaNode *v = &r->f->node[i];
        if (r->crossing[i] && v->kind == FORMULA_APPLY && formula_functions[v->op].is_call && is_along(r, root_of(r)) &&
            first[i] + 1 < r->f->npass) {
            r->kept = i;
            r->kept_pass = first[i];
        }
    }
}

/* What is computed anew in pass p, where only the kept value is there. */
static void need_fresh(const Rows *r, int p, bool *needed)
{
    bool there[FORMULA_MAX_NODE] = { 0 }, met[FORMULA_MAX_NODE] = { 0 };
    if (r->kept >= 0 && p > r->kept_pass)
        there[r->kept] = true;
    need_in_pass(r, p, there, needed, met);
    for (int i = 0; i < r->f->nnode; i++)
        needed[i] = needed[i] || met[i];
}

/* ---- places ---- */

static int outer_extents(const Spec *s, int *extent)
{
    const Layout *out = print_output_layout(s);
    int n = 0;
    for (int i = 0; i < out->rank; i++) {
        const int e = op_axis(s->op, expr_text(out->extent[i]));
        if (e != s->formula->row)
            extent[n++] = e;
    }
    return n;
}

/* The rows of a call, and how to go through them. */
static const char *places_text(Arena *a, const Spec *s)
{
    int extent[OP_MAX_RANK];
    const int n = outer_extents(s, extent);
    const Printer p = { .arena = a, .spec = s };
    Text fields = { .arena = a }, count = { .arena = a }, of = { .arena = a }, next = { .arena = a }, all = { .arena = a };
    for (int i = 0; i < n; i++) {
        text_printf(&fields, "%s%s", i ? ", " : "", print_place_name(&p, extent[i]));
        text_printf(&count, "%sa->%s", i ? " * " : "", s->op->extent[extent[i]].name);
    }
    for (int i = n - 1; i >= 0; i--) {
        const char *name = print_place_name(&p, extent[i]), *along = s->op->extent[extent[i]].name;
        if (i)
            text_printf(&of, "    at.%s = row %% a->%s;\n    row /= a->%s;\n", name, along, along);
        else
            text_printf(&of, "    at.%s = row;\n", name);
        if (i)
            text_printf(&next, "    if (++at->%s < a->%s)\n        return;\n    at->%s = 0;\n", name, along, name);
        else
            text_printf(&next, "    at->%s++;\n", name);
    }
    text_printf(&all,
                "/* A row of the output. */\ntypedef struct {\n    int64_t %s;\n} NAME_place;\n\n"
                "static inline int64_t NAME_rows(const NAME_args *a) { return %s; }\n"
                "static inline int64_t NAME_columns(const NAME_args *a) { return a->%s; }\n\n"
                "static inline NAME_place NAME_place_of(const NAME_args *a, int64_t row)\n{\n    NAME_place at;\n    (void)a;\n%s    return at;\n}\n\n"
                "static inline void NAME_next(const NAME_args *a, NAME_place *at)\n{\n    (void)a;\n%s}\n\n",
                text_str(&fields), text_str(&count), s->op->extent[s->formula->row].name, text_str(&of), text_str(&next));
    return arena_strdup(a, text_str(&all));
}

/* ---- passes ---- */

static Printer printer_of(const Rows *r)
{
    return (Printer){ .arena = r->arena, .spec = r->spec, .target = r->target, .style = STYLE_VECTOR, .along = r->f->row,
                      .out = { .arena = r->arena } };
}

/* A node that is computed elsewhere: what stands for it. */
static bool stands_elsewhere(const Rows *r, Printer *p, int i)
{
    const FormulaNode *v = &r->f->node[i];
    if (v->kind != FORMULA_REDUCE && !r->field[i])
        return false;
    p->piece[i].text = arena_printf(r->arena, "row->v%d", i);
    p->piece[i].binding = BIND_PRIMARY;
    return true;
}

/* Values that are not along the row are printed where they are used. */
static void print_of_row(const Rows *r, Printer *p, const bool *needed, int level)
{
    for (int i = 0; i < r->f->nnode; i++)
        if (!is_along(r, i) && r->f->node[i].level <= level && (needed[i] || r->f->node[i].kind == FORMULA_REDUCE || r->field[i])) {
            const bool wide = p->piece[i].wide;
            if (!stands_elsewhere(r, p, i))
                p->piece[i] = print_node(p, i);
            else
                p->piece[i].wide = wide;
        }
}

/* Where the row's output lies. */
static const char *output_text(const Rows *r, Printer *p)
{
    const Operand *out = spec_output(r->spec);
    const Layout *l = print_output_layout(r->spec);
    Text t = { .arena = r->arena };
    for (int i = 0; i < l->rank; i++) {
        const int extent = op_axis(r->spec->op, expr_text(l->extent[i]));
        const char *before = arena_strdup(r->arena, text_str(&t));
        p->used |= 1u << extent;
        t = (Text){ .arena = r->arena };
        if (i > 1)
            text_printf(&t, "(%s) * a->%s + %s", before, r->spec->op->extent[extent].name, print_place_name(p, extent));
        else if (i)
            text_printf(&t, "%s * a->%s + %s", before, r->spec->op->extent[extent].name, print_place_name(p, extent));
        else
            text_add(&t, print_place_name(p, extent));
    }
    return arena_printf(r->arena, "a->%s + %s", out->name, text_str(&t));
}

static const char *type_of(const Rows *r, const Printer *p, int i) { return print_type(p, r->f->node[i].type, p->piece[i].wide); }

static const char *indented(Arena *a, const char *lines)
{
    Text t = { .arena = a };
    for (const char *end; *lines; lines = end) {
        end = strchr(lines, '\n') + 1;
        text_printf(&t, "    %.*s", (int)(end - lines), lines);
    }
    return arena_strdup(a, text_str(&t));
}

/* Values of a vector that are computed again where the row is long. */
static void print_fresh(const Rows *r, Printer *p, const bool *again)
{
    Text before = p->out;
    p->out = (Text){ .arena = r->arena };
    for (int i = 0; i < r->f->nnode; i++) {
        if (!again[i])
            continue;
        p->piece[i] = i == r->kept ? (Piece){ arena_printf(r->arena, "PACKAGE_load_MACHINE(row->kept + %s, lanes)", print_place_name(p, r->f->row)), BIND_PRIMARY, true }
                                   : print_node(p, i);
        if (r->crossing[i])
            text_printf(&p->out, "    v->v%d = %s;\n", i, p->piece[i].text);
        if (r->crossing[i])
            p->piece[i] = (Piece){ arena_printf(r->arena, "v->v%d", i), BIND_PRIMARY, true };
    }
    const char *block = arena_strdup(r->arena, text_str(&p->out));
    p->out = before;
    if (*block)
        text_printf(&p->out, "    if (fresh) {\n%s    }\n", indented(r->arena, block));
}

/* Takes a value into a reduction. */
static void print_reduction(const Rows *r, Printer *p, int i)
{
    const FormulaNode *v = &r->f->node[i];
    const Piece value = print_widened(p, p->piece[v->arg[0]], FORMULA_REAL);
    static const char *const none[] = { [FORMULA_SUM] = "0", [FORMULA_GREATEST] = "-__builtin_inff()", [FORMULA_LEAST] = "__builtin_inff()",
                                        [FORMULA_ARGMAX] = "-__builtin_inff()" };
    const char *masked = arena_printf(r->arena, "PACKAGE_first_MACHINE(%s, lanes, %s)", value.text, none[v->op]);
    if (v->op == FORMULA_SUM)
        text_printf(&p->out, "    row->s%d[u] += %s;\n", i, masked);
    else if (v->op == FORMULA_GREATEST)
        text_printf(&p->out, "    row->s%d[u] = PACKAGE_max_MACHINE(row->s%d[u], %s);\n", i, i, masked);
    else if (v->op == FORMULA_LEAST)
        text_printf(&p->out, "    row->s%d[u] = PACKAGE_min_MACHINE(row->s%d[u], %s);\n", i, i, masked);
    else
        text_printf(&p->out, "    PACKAGE_larger_MACHINE(&row->s%d[u], &row->at%d[u], %s, (int32_t)%s);\n", i, i, masked,
                    print_place_name(p, r->f->row));
}

static bool mentions(const char *text, const char *name)
{
    for (size_t n; *text; text += n ? n : 1) {
        n = fill_ident(text);
        if (n == strlen(name) && memcmp(text, name, n) == 0)
            return true;
    }
    return false;
}

/* The places of a row that a function uses, as variables. */
static const char *unpacked(const Rows *r, const Printer *p)
{
    int extent[OP_MAX_RANK];
    const int n = outer_extents(r->spec, extent);
    Text t = { .arena = r->arena };
    for (int i = 0; i < n; i++)
        if (mentions(text_str((Text *)&p->out), print_place_name(p, extent[i])))
            text_printf(&t, "%s%s = at.%s", t.len ? ", " : "    const int64_t ", print_place_name(p, extent[i]),
                        print_place_name(p, extent[i]));
    return t.len ? arena_printf(r->arena, "%s;\n", text_str(&t)) : "";
}

static void print_pass(Rows *r, Printer *shared, int pass, const bool *done, Text *all)
{
    Printer p = printer_of(r);
    bool now[FORMULA_MAX_NODE], anew[FORMULA_MAX_NODE], met[FORMULA_MAX_NODE] = { 0 }, again[FORMULA_MAX_NODE];
    memcpy(p.piece, shared->piece, sizeof p.piece);
    need_in_pass(r, pass, done, now, met);
    need_fresh(r, pass, anew);
    bool of_row[FORMULA_MAX_NODE];
    for (int i = 0; i < r->f->nnode; i++) {
        again[i] = is_along(r, i) && done[i] && (anew[i] || met[i]);
        of_row[i] = now[i] || anew[i];
    }
    print_of_row(r, &p, of_row, pass);
    print_fresh(r, &p, again);
    for (int i = 0; i < r->f->nnode; i++) {
        if (!is_along(r, i) || !now[i] || done[i])
            continue;
        p.piece[i] = print_node(&p, i);
        if (r->crossing[i]) {
            text_printf(&p.out, "    v->v%d = %s;\n", i, p.piece[i].text);
            p.piece[i] = (Piece){ arena_printf(r->arena, "v->v%d", i), BIND_PRIMARY, true };
        } else if (r->f->node[i].kind == FORMULA_APPLY && r->f->node[i].nuse > 1) {
            const char *name = arena_printf(r->arena, "t%d", i);
            text_printf(&p.out, "    const %s %s = %s;\n", type_of(r, &p, i), name, p.piece[i].text);
            p.piece[i] = (Piece){ name, BIND_PRIMARY, p.piece[i].wide };
        }
        if (i == r->kept)
            text_printf(&p.out, "    if (fresh)\n        PACKAGE_store_MACHINE(row->kept + %s, v->v%d, lanes);\n", print_place_name(&p, r->f->row), i);
    }
    for (int i = 0; i < r->f->nnode; i++)
        if (r->f->node[i].kind == FORMULA_REDUCE && r->f->node[i].level == pass + 1)
            print_reduction(r, &p, i);
    if (is_along(r, root_of(r)) && pass + 1 == r->f->npass)
        text_printf(&p.out, "    PACKAGE_%s_MACHINE(%s, %s, lanes%s);\n", r->f->node[root_of(r)].type == FORMULA_INT ? "store_ints" : "stream",
                    output_text(r, &p), print_widened(&p, p.piece[root_of(r)], r->f->node[root_of(r)].type).text,
                    r->f->node[root_of(r)].type == FORMULA_INT ? "" : ", row->stream");
    text_printf(all,
                "static inline __attribute__((always_inline)) TARGET_ATTRIBUTE void\n"
                "NAME_pass_%d_MACHINE(const NAME_args *a, NAME_row_MACHINE *row, NAME_place at, int64_t %s, int64_t lanes, const int u,\n"
                "    NAME_vector_MACHINE *v, const int fresh)\n{\n%s%s    (void)a, (void)row, (void)at, (void)%s, (void)lanes, (void)u, (void)v, (void)fresh;\n}\n\n",
                pass, print_place_name(&p, r->f->row), unpacked(r, &p), text_str(&p.out), print_place_name(&p, r->f->row));
}

static void print_begin(const Rows *r, int pass, Text *all)
{
    Text t = { .arena = r->arena };
    for (int i = 0; i < r->f->nnode; i++) {
        const FormulaNode *v = &r->f->node[i];
        if (v->kind != FORMULA_REDUCE || v->level != pass + 1)
            continue;
        const char *none = v->op == FORMULA_SUM ? "0" : v->op == FORMULA_LEAST ? "__builtin_inff()" : "-__builtin_inff()";
        text_printf(&t, "    for (int u = 0; u < 8; u++)\n        row->s%d[u] = PACKAGE_all_MACHINE(%s);\n", i, none);
        if (v->op == FORMULA_ARGMAX)
            text_printf(&t, "    for (int u = 0; u < 8; u++)\n        row->at%d[u] = PACKAGE_all_ints_MACHINE(0);\n", i);
    }
    text_printf(all,
                "static inline __attribute__((always_inline)) TARGET_ATTRIBUTE void NAME_begin_%d_MACHINE(NAME_row_MACHINE *row)\n{\n"
                "%s    (void)row;\n}\n\n",
                pass, text_str(&t));
}

/* Brings the values of several vectors together. */
static void print_ending(Rows *r, Printer *p, int i)
{
    const FormulaNode *v = &r->f->node[i];
    static const char *const of_lanes[] = { [FORMULA_SUM] = "sum_of", [FORMULA_GREATEST] = "largest_of", [FORMULA_LEAST] = "smallest_of" };
    if (v->op == FORMULA_ARGMAX) {
        text_printf(&p->out, "    row->v%d = PACKAGE_place_of_largest_MACHINE(row->s%d, row->at%d, nu);\n", i, i, i);
        text_printf(&r->fields, "    int64_t v%d;\n    PACKAGE_floats_MACHINE s%d[8];\n    PACKAGE_ints_MACHINE at%d[8];\n", i, i, i);
        return;
    }
    const char *more = v->op == FORMULA_SUM ? arena_printf(r->arena, "row->s%d[0] + row->s%d[u]", i, i)
                                            : arena_printf(r->arena, "PACKAGE_%s_MACHINE(row->s%d[0], row->s%d[u])",
                                                           v->op == FORMULA_LEAST ? "min" : "max", i, i);
    text_printf(&p->out, "    for (int u = 1; u < nu; u++)\n        row->s%d[0] = %s;\n    row->v%d = PACKAGE_%s_MACHINE(row->s%d[0]);\n", i,
                more, i, of_lanes[v->op], i);
    text_printf(&r->fields, "    float v%d;\n    PACKAGE_floats_MACHINE s%d[8];\n", i, i);
}

static void print_end(Rows *r, Printer *shared, int pass, Text *all)
{
    Printer p = printer_of(r);
    bool every[FORMULA_MAX_NODE];
    memset(every, 1, sizeof every);
    memcpy(p.piece, shared->piece, sizeof p.piece);
    for (int i = 0; i < r->f->nnode; i++)
        if (r->f->node[i].kind == FORMULA_REDUCE && r->f->node[i].level == pass + 1)
            print_ending(r, &p, i);
    for (int i = 0; i < r->f->nnode; i++) {
        const FormulaNode *v = &r->f->node[i];
        if (is_along(r, i) || v->level > pass + 1)
            continue;
        const bool wide = p.piece[i].wide, fresh = r->field[i] && v->level == pass + 1;
        if (!fresh && stands_elsewhere(r, &p, i)) {
            p.piece[i].wide = wide;
            continue;
        }
        p.piece[i] = print_node(&p, i);
        if (!fresh)
            continue;
        text_printf(&p.out, "    row->v%d = %s;\n", i, p.piece[i].text);
        text_printf(&r->fields, "    %s v%d;\n", type_of(r, &p, i), i);
        stands_elsewhere(r, &p, i);
        shared->piece[i] = p.piece[i];
    }
    if (!is_along(r, root_of(r)) && pass + 1 == r->f->npass)
        text_printf(&p.out, "    *(%s) = %s%s%s;\n", output_text(r, &p), r->f->node[root_of(r)].type == FORMULA_INT ? "(int32_t)" : "",
                    print_enclosed(&p, p.piece[root_of(r)], BIND_PRIMARY), p.piece[root_of(r)].wide ? "[0]" : "");
    text_printf(all,
                "static inline __attribute__((always_inline)) TARGET_ATTRIBUTE void\n"
                "NAME_end_%d_MACHINE(const NAME_args *a, NAME_row_MACHINE *row, NAME_place at, const int nu)\n{\n%s%s    (void)a, (void)row, (void)at, (void)nu;\n}\n\n",
                pass, unpacked(r, &p), text_str(&p.out));
}

/* Where the output of a row begins. */
static const char *output_function(const Rows *r)
{
    Printer p = printer_of(r);
    const char *place = print_place_name(&p, r->f->row), *output = output_text(r, &p);
    text_printf(&p.out, "%s", output);
    const bool is_along_row = p.used >> r->f->row & 1;
    return arena_printf(r->arena, "static inline float *NAME_output(const NAME_args *a, NAME_place at)\n{\n%s%s    return (float *)(%s);\n}\n\n",
                        unpacked(r, &p), is_along_row ? arena_printf(r->arena, "    const int64_t %s = 0;\n", place) : "", output);
}

/* Asks for a row of each operand that has rows, before it is read. */
static const char *fetch_text(const Rows *r)
{
    Printer p = printer_of(r);
    for (int i = 0; i < r->f->nnode; i++)
        if (!is_along(r, i) && r->f->node[i].level == 0)
            p.piece[i] = print_node(&p, i);
    for (int i = 0; i < r->f->nnode; i++) {
        const FormulaNode *v = &r->f->node[i];
        if (v->kind == FORMULA_ELEMENT && is_along(r, i) && v->along & ~(1u << r->f->row) && print_is_contiguous(&p, v))
            text_printf(&p.out, "    __builtin_prefetch(a->%s + %s);\n", r->spec->op->operand[v->at].name,
                        print_offset(&p, v, print_place_name(&p, r->f->row)));
    }
    return arena_printf(r->arena,
                        "static inline __attribute__((always_inline)) void NAME_fetch_MACHINE(const NAME_args *a, NAME_place at, int64_t %s)\n{\n"
                        "%s%s    (void)a, (void)at, (void)%s;\n}\n",
                        print_place_name(&p, r->f->row), unpacked(r, &p), text_str(&p.out), print_place_name(&p, r->f->row));
}

const char *unit_rows_of_target(Arena *a, const Spec *s, const Target *t, const char *kernels)
{
    Rows r = { .arena = a, .spec = s, .f = s->formula, .target = t, .fields = { .arena = a } };
    Text functions = { .arena = a }, all = { .arena = a }, vector = { .arena = a };
    Printer shared = printer_of(&r);
    bool done[FORMULA_MAX_NODE] = { 0 }, now[FORMULA_MAX_NODE], met[FORMULA_MAX_NODE];
    if (*kernels && !strstr(kernels, arena_printf(a, "%s_pass_0_%s(", s->name, t->name)))
        return "";
    find_fields(&r);
    find_crossing(&r);
    for (int pass = 0; pass < r.f->npass; pass++) {
        print_begin(&r, pass, &functions);
        print_pass(&r, &shared, pass, done, &functions);
        print_end(&r, &shared, pass, &functions);
        need_in_pass(&r, pass, done, now, met);
        for (int i = 0; i < r.f->nnode; i++)
            done[i] = done[i] || (now[i] && is_along(&r, i));
    }
    for (int i = 0; i < r.f->nnode; i++)
        if (r.crossing[i])
            text_printf(&vector, "    PACKAGE_%s_MACHINE v%d;\n", r.f->node[i].type == FORMULA_REAL ? "floats" : "ints", i);
    text_printf(&all,
                "/* %s: values of a row, those of up to eight vectors side by side before they are one; and what later passes need of a vector. */\n"
                "typedef struct {\n%s    float *kept;\n    int stream;\n} NAME_row_MACHINE;\ntypedef struct {\n%s    int unused;\n} NAME_vector_MACHINE;\n\n%s%s",
                quote_comment(a, s->formula->text), text_str(&r.fields), text_str(&vector), text_str(&functions), fetch_text(&r));
    return print_filled(&shared, text_str(&all));
}

const char *unit_rows_places(Arena *a, const Spec *s, const Target *t)
{
    const Printer p = { .arena = a, .spec = s, .target = t };
    const Rows r = { .arena = a, .spec = s, .f = s->formula, .target = t };
    return print_filled(&p, arena_printf(a, "%s%s", places_text(a, s), output_function(&r)));
}

/* ---- the definition ---- */

/* The function that reduces row `at`, in double precision. */
static const char *exact_reduction(const Printer *of, int i)
{
    const Spec *s = of->spec;
    const FormulaNode *v = &s->formula->node[i];
    Printer p = { .arena = of->arena, .spec = s, .style = STYLE_EXACT, .along = -1, .out = { .arena = of->arena } };
    int extent[OP_MAX_RANK];
    const int n = outer_extents(s, extent);
    const char *along = s->op->extent[s->formula->row].name, *place = print_place_name(&p, s->formula->row);
    const Piece value = print_nodes(&p, v->arg[0]);
    Text t = { .arena = of->arena };
    text_printf(&t, "static dcgen_value dcgen_reduction_%d(const int64_t *extent, const void *const *operand, const dcgen_value *r, int64_t at, double part)\n{\n", i);
    for (int k = 0; k < s->op->nextent; k++)
        text_printf(&t, "    const int64_t %s = extent[%d];\n", s->op->extent[k].name, k);
    for (int k = n - 1; k >= 0; k--) {
        if (p.used >> extent[k] & 1)
            text_printf(&t, "    const int64_t %s = at %% %s;\n", print_place_name(&p, extent[k]), s->op->extent[extent[k]].name);
        text_printf(&t, "    at /= %s;\n", s->op->extent[extent[k]].name);
    }
    text_add(&t, "    (void)operand, (void)r, (void)part, (void)at");
    for (int k = 0; k < s->op->nextent; k++)
        text_printf(&t, ", (void)%s", s->op->extent[k].name);
    text_add(&t, ";\n");
    if (v->op == FORMULA_ARGMAX) {
        text_printf(&t, "    dcgen_place all = { { -INFINITY, 0 }, 0, false };\n    for (int64_t %s = 0; %s < %s; %s++) {\n%s"
                        "        all = dcgen_argmax(all, %s, %s, part);\n    }\n"
                        "    return (dcgen_value){ (double)all.place, all.unsure ? 1e30 : 0 };\n}\n\n",
                    place, place, along, place, text_str(&p.out), value.text, place);
        return arena_strdup(of->arena, text_str(&t));
    }
    const char *start = v->op == FORMULA_SUM ? "0" : v->op == FORMULA_LEAST ? "INFINITY" : "-INFINITY";
    const char *name = v->op == FORMULA_SUM ? "sum" : v->op == FORMULA_LEAST ? "min" : "max";
    text_printf(&t, "    dcgen_value all = { %s, 0 };\n    for (int64_t %s = 0; %s < %s; %s++) {\n%s        all = dcgen_%s(all, %s);\n    }\n"
                    "    return all;\n}\n\n",
                start, place, place, along, place, text_str(&p.out), name, value.text);
    return arena_strdup(of->arena, text_str(&t));
}

void unit_rows_exact_words(Printer *p, FillScope *words)
{
    Text all = { .arena = p->arena };
    const Formula *f = p->spec->formula;
    for (int i = 0; i < f->nnode; i++)
        if (f->node[i].kind == FORMULA_REDUCE)
            text_add(&all, exact_reduction(p, i));
    fill_word(words, "reductions", arena_strdup(p->arena, text_str(&all)));
    fill_list(words, "reduced");
    for (int i = 0; i < f->nnode; i++)
        if (f->node[i].kind == FORMULA_REDUCE)
            FILL_WORDS(fill_row(words), WORD("NODE", i), WORD("REDUCTION", arena_printf(p->arena, "dcgen_reduction_%d", i)));
}
