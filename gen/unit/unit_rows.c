/* SPDX-License-Identifier: Apache-2.0
 *
 * unit_rows: prints the formula of an op that computes nothing by itself, such as rows: what templates call to go along
 * a row.
 *
 * A kernel passes over a row once for each level of reductions: for softmax it finds the largest element, then the sum,
 * then the elements. A pass has three functions: begin; the pass over one vector; and end, which adds up the sums of
 * several vectors. What a later pass needs of a vector is a field of NAME_vector, and stays in registers where rows are
 * short. Where they are long (`fresh`) it is computed again, except for one costly value (`kept`), which lies in memory
 * meanwhile: in the row of Y, unless the formula reads what that held, or in a buffer where Y is stored past the caches
 * (`stream`). How a reduction begins, takes a value and ends is written in the patterns rows.c and rows.cu: for CPUs on
 * vectors, for GPUs on the neighbouring elements that a thread has at a time, one after the other. On GPUs a costly
 * value is computed again, which costs less than to store it and to load it.
 */
#include <string.h>
#include "gen/base/quote.h"
#include "gen/unit/formula_print.h"

typedef struct {
    Arena *arena;
    const Spec *spec;
    const Formula *f;
    const Target *target;
    Style style;
    int kept;                        /* the node that lies in memory between passes; -1: none does */
    int kept_pass;                   /* the pass that computes it */
    bool crossing[FORMULA_MAX_NODE]; /* fields of NAME_vector */
    bool field[FORMULA_MAX_NODE];    /* of NAME_row: values of the whole row that later passes use */
} Rows;

/* Are the statements of a pass of one element, in a loop over those that a thread has? */
static bool loops(const Rows *r) { return r->style == STYLE_SCALAR; }

static bool is_along(const Rows *r, int i) { return r->f->node[i].along >> r->f->row & 1; }
/* Does a value along the row stay at hand once it was computed? A place does not: to compute it again costs nothing. */
static bool lasts(const Rows *r, int i) { return is_along(r, i) && r->f->node[i].kind != FORMULA_INDEX; }
static int root_of(const Rows *r) { return r->f->nnode - 1; }

/* ---- what each pass needs ---- */

static void need_index(const Rows *r, int i, const bool *there, bool *needed, bool *met);

/* Marks all that is needed to compute a node, down to nodes that are there already. */
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
    for (int k = 0; k < v->narg; k++) {
        const bool is_index = v->kind == FORMULA_ELEMENT && k < formula_rank(v);
        is_index ? need_index(r, v->arg[k], there, needed, met) : need(r, v->arg[k], there, needed, met);
    }
}

/* The same of an index, which is printed where it is used: what moves along the row is computed again each time. */
static void need_index(const Rows *r, int i, const bool *there, bool *needed, bool *met)
{
    const FormulaNode *v = &r->f->node[i];
    if (!is_along(r, i) || v->kind == FORMULA_ELEMENT)
        need(r, i, there, needed, met);
    else
        for (int k = 0; k < v->narg; k++)
            need_index(r, v->arg[k], there, needed, met);
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
    if (r->f->fills && p + 1 == r->f->npass)
        need(r, root_of(r), there, needed, met);
}

/* Values of a row that are computed from its sums, and that elements or later sums use, or that fill it. */
static void find_fields(Rows *r)
{
    const FormulaNode *root = &r->f->node[root_of(r)];
    r->field[root_of(r)] = r->f->fills && root->kind == FORMULA_APPLY && root->level > 0 && !is_along(r, root_of(r));
    for (int i = 0; i < r->f->nnode; i++)
        for (int k = 0; k < r->f->node[i].narg; k++) {
            const int arg = r->f->node[i].arg[k];
            const FormulaNode *v = &r->f->node[arg];
            if (v->kind == FORMULA_APPLY && v->level > 0 && !is_along(r, arg) &&
                (is_along(r, i) || r->f->node[i].level > v->level))
                r->field[arg] = true;
        }
}

static Style style_of(const Target *t) { return t->family->primitives.on_vectors ? STYLE_VECTOR : STYLE_SCALAR; }

/* Finds the values of a vector that later passes use again, and among them the one that is worth keeping in memory. */
static void find_crossing(Rows *r)
{
    bool there[FORMULA_MAX_NODE] = { 0 }, needed[FORMULA_MAX_NODE];
    int first[FORMULA_MAX_NODE];
    r->kept = -1;
    for (int p = 0; p < r->f->npass; p++) {
        need_in_pass(r, p, there, needed, r->crossing);
        for (int i = 0; i < r->f->nnode; i++)
            if (needed[i] && lasts(r, i) && !there[i]) {
                there[i] = true;
                first[i] = p;
            }
    }
    for (int i = 0; i < r->f->nnode; i++) {
        const FormulaNode *v = &r->f->node[i];
        if (!loops(r) && !spec_reads_output(r->spec) && r->crossing[i] && v->kind == FORMULA_APPLY &&
            formula_functions[v->op].is_call && r->f->fills && first[i] + 1 < r->f->npass) {
            r->kept = i;
            r->kept_pass = first[i];
        }
    }
}

/* What pass p computes again where rows are long: there only the kept value is at hand. */
static void need_fresh(const Rows *r, int p, bool *needed)
{
    bool there[FORMULA_MAX_NODE] = { 0 }, met[FORMULA_MAX_NODE] = { 0 };
    if (r->kept >= 0 && p > r->kept_pass)
        there[r->kept] = true;
    need_in_pass(r, p, there, needed, met);
    for (int i = 0; i < r->f->nnode; i++)
        needed[i] = needed[i] || met[i];
}

/* ---- in place ---- */

bool unit_rows_in_place(Arena *a, const Spec *s, const Target *t, int operand)
{
    if (!s->formula || !spec_moves(s) || spec_output(s)->is_read || !t->family->primitives.on_vectors ||
        !spec_lies_as_output(s, operand))
        return false;
    Rows r = { .arena = a, .spec = s, .f = s->formula, .target = t, .style = style_of(t) };
    bool needed[FORMULA_MAX_NODE] = { 0 };
    find_fields(&r);
    find_crossing(&r);
    for (int p = r.kept_pass; r.kept >= 0 && p < r.f->npass; p++) { /* the output has the kept value from then on */
        need_fresh(&r, p, needed);
        for (int i = 0; i < r.f->nnode; i++)
            if (needed[i] && r.f->node[i].kind == FORMULA_ELEMENT && r.f->node[i].at == operand &&
                (p > r.kept_pass || i > r.kept))
                return false;
    }
    return true;
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

/* The operands that are read in vectors, and the output where it is written so; and their strides in bytes. */
static const char *addresses_text(Arena *a, const Spec *s)
{
    const Printer p = { .arena = a, .spec = s, .style = STYLE_SCALAR, .along = s->formula->row };
    const Formula *f = s->formula;
    const Operand *out = spec_output(s);
    Text t = { .arena = a };
    unsigned there = 0;
    for (const FormulaNode *v = f->node; v < f->node + f->nnode; v++)
        if (v->kind == FORMULA_ELEMENT && print_is_contiguous(&p, v))
            there |= 1u << v->at;
    if (f->fills)
        there |= 1u << (out - s->op->operand);
    for (int i = 0; i < s->op->noperand; i++) {
        const Operand *o = &s->op->operand[i];
        if (there >> i & 1)
            text_printf(&t, "%s(uintptr_t)a.%s", t.len ? " | " : "", o->name);
        for (int k = 0; there >> i & 1 && o->strided && k + 1 < spec_layout(s, i)->rank; k++)
            text_printf(&t, " | (uintptr_t)a.%s_stride[%d] * %d", o->name, k, (int)spec_element(s, o)->bytes);
    }
    return arena_printf(a, "(unsigned)(%s)", t.len ? text_str(&t) : "0");
}

/* The rows of a call, and how to go through them. An output of one extent is one row. */
const char *unit_rows_places(Arena *a, const UnitContext *u, Diag *d)
{
    const Spec *s = u->spec;
    int extent[OP_MAX_RANK];
    const int n = outer_extents(s, extent);
    const Printer p = { .arena = a, .spec = s, .target = u->target, .style = style_of(u->target) };
    Text count = { .arena = a }, fields = { .arena = a };
    FillScope *words = print_words(&p);
    text_add(&count, n > 1 ? print_count(&p) : n ? "" : "(void)a, 1");
    for (int i = 0; i < n; i++) {
        text_printf(&fields, "%s%s", i ? ", " : "", print_place_name(&p, extent[i]));
        text_printf(&count, "%s%s", i ? " * " : "", print_argument(&p, s->op->extent[extent[i]].name));
    }
    fill_list(words, "from_within");
    for (int i = n ? n - 1 : 0; i >= 0; i--)
        FILL_WORDS(fill_row(words), WORD("INDEX", n ? print_place_name(&p, extent[i]) : "row"),
                   WORD("IS_OUTERMOST", i == 0),
                   WORD("ALONG", n ? print_argument(&p, s->op->extent[extent[i]].name) : ""));
    FILL_WORDS(words, WORD("FIELDS", n ? text_str(&fields) : "row"), WORD("COUNT", text_str(&count)),
               WORD("COLUMNS", print_argument(&p, s->op->extent[s->formula->row].name)),
               WORD("ADDRESSES", addresses_text(a, s)));
    return unit_fill_part(u, unit_pattern(a, u, arena_printf(a, "places%s", u->target->family->suffix)), words, d);
}

/* ---- passes ---- */

static Printer printer_of(const Rows *r)
{
    return (Printer){ .arena = r->arena,
                      .spec = r->spec,
                      .target = r->target,
                      .style = r->style,
                      .along = r->f->row,
                      .out = { .arena = r->arena },
                      .before = { .arena = r->arena } };
}

/* What stands for a node that is computed elsewhere. */
static bool stands_elsewhere(const Rows *r, Printer *p, int i)
{
    const FormulaNode *v = &r->f->node[i];
    if (v->kind != FORMULA_REDUCE && !r->field[i])
        return false;
    p->piece[i].text = arena_printf(r->arena, "row->v%d", i);
    p->piece[i].binding = BIND_PRIMARY;
    return true;
}

/* Values that do not change along the row are printed where they are used; elements before a loop, which may use them
 * behind a branch. */
static void print_of_row(const Rows *r, Printer *p, const bool *needed, int level)
{
    for (int i = 0; i < r->f->nnode; i++)
        if (!is_along(r, i) && r->f->node[i].level <= level &&
            (needed[i] || r->f->node[i].kind == FORMULA_REDUCE || r->field[i])) {
            const bool wide = p->piece[i].wide;
            if (!stands_elsewhere(r, p, i))
                p->piece[i] = print_node(p, i);
            else
                p->piece[i].wide = wide;
            if (loops(r) && needed[i] && r->f->node[i].kind == FORMULA_ELEMENT)
                print_variable(p, i);
        }
    if (loops(r)) {
        p->before = p->out;
        p->out = (Text){ .arena = r->arena };
    }
}

static const char *type_of(const Rows *r, const Printer *p, int i)
{
    return print_type(p, r->f->node[i].type, p->piece[i].wide);
}

static const char *indented(Arena *a, const char *lines)
{
    Text t = { .arena = a };
    for (const char *end; *lines; lines = end) {
        end = strchr(lines, '\n') + 1;
        text_printf(&t, "    %.*s", (int)(end - lines), lines);
    }
    return arena_strdup(a, text_str(&t));
}

static void print_kept(const Rows *r, Printer *p, int i)
{
    const char *kept = arena_printf(r->arena, loops(r) ? "v->v%d[i]" : "v->v%d", i);
    text_printf(&p->out, "    %s = %s;\n", kept, p->piece[i].text);
    if (print_at(p, i)->kind == FORMULA_ELEMENT)
        p->named |= 1u << print_at(p, i)->at; /* that variable stays, and is not the piece any more */
    p->piece[i] = (Piece){ kept, BIND_PRIMARY, !loops(r) };
}

/* Values of a vector that are computed again where the row is long. */
static void print_fresh(const Rows *r, Printer *p, const bool *recomputed)
{
    Text before = p->out;
    p->out = (Text){ .arena = r->arena };
    p->fresh = true;
    for (int i = 0; i < r->f->nnode; i++) {
        if (!recomputed[i])
            continue;
        p->piece[i] = i == r->kept ? (Piece){ arena_printf(r->arena, "PACKAGE_load_MACHINE(row->kept + %s, lanes)",
                                                           print_place_name(p, r->f->row)),
                                              BIND_PRIMARY, true }
                                   : print_node(p, i);
        if (r->crossing[i])
            print_kept(r, p, i);
    }
    p->fresh = false;
    const char *block = arena_strdup(r->arena, text_str(&p->out));
    p->out = before;
    if (*block)
        text_printf(&p->out, "    if (fresh) {\n%s    }\n", indented(r->arena, block));
}

static void add_kind(FillScope *row, const FormulaNode *v)
{
    FILL_WORDS(row, WORD("IS_SUM", v->op == FORMULA_SUM), WORD("IS_GREATEST", v->op == FORMULA_GREATEST),
               WORD("IS_LEAST", v->op == FORMULA_LEAST), WORD("IS_ARGMAX", v->op == FORMULA_ARGMAX));
}

/* Adds the reductions of a pass, with what they are of, and to `statements` what statements about them say. */
static void add_reductions(const Rows *r, const Printer *p, int pass, FillScope *words, Text *statements)
{
    fill_list(words, "reductions");
    for (int i = 0; i < r->f->nnode; i++) {
        const FormulaNode *v = &r->f->node[i];
        if (v->kind != FORMULA_REDUCE || v->level != pass + 1)
            continue;
        const char *value = print_enclosed(p, print_widened(p, p->piece[v->arg[0]], FORMULA_REAL), BIND_SUM);
        FillScope *row = fill_row(words);
        add_kind(row, v);
        fill_word(row, "VALUE", print_part(p, value));
        fill_wordf(row, "RESULT", "v%d", i);
        fill_wordf(row, "PART", "s%d", i);
        fill_wordf(row, "WHERE", "at%d", i);
        fill_wordf(row, "ASIDE", "aside%d", i);
        fill_wordf(row, "ITEM", "c%d", i);
        text_printf(statements, "%s %s\n", value, v->op == FORMULA_ARGMAX ? print_place_name(p, r->f->row) : "");
    }
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

/* The places of a row that a text uses, as variables. */
static const char *unpacked(const Rows *r, const Printer *p, const char *text)
{
    int extent[OP_MAX_RANK];
    const int n = outer_extents(r->spec, extent);
    Text t = { .arena = r->arena };
    for (int i = 0; i < n; i++) {
        const char *name = print_place_name(p, extent[i]);
        if (mentions(text, name))
            text_printf(&t, "%s%s = at.%s",
                        t.len ? ", " : arena_printf(r->arena, "    const %s ", print_type(p, FORMULA_INT, false)), name,
                        name);
    }
    return t.len ? arena_printf(r->arena, "%s;\n", text_str(&t)) : "";
}

/* A value as the output has it: on GPUs 16-bit types are bits. */
static const char *stored_text(const Rows *r, Printer *p, Piece value)
{
    const Storage *type = spec_element(p->spec, spec_output(r->spec));
    return type->is_raw ? arena_printf(r->arena, "PACKAGE_device::%s_of(%s)", type->name, value.text) : value.text;
}

/* Adds how a value is stored in the output, and to `statements` what the statement says. lane: as print_output. */
static void add_store(const Rows *r, Printer *p, Piece value, const char *lane, FillScope *words, Text *statements)
{
    const char *out = print_output(p, lane), *stored = stored_text(r, p, value);
    FILL_WORDS(words, WORD("OUT", print_part(p, out)), WORD("VALUE", print_part(p, stored)),
               WORD("IS_INT", r->f->node[root_of(r)].type == FORMULA_INT),
               WORD("ELEMENT", spec_element(p->spec, spec_output(r->spec))->c_type));
    text_printf(statements, "%s %s\n", out, stored);
}

/* Prints a value along the row: it is kept for later passes, or is a variable where this one uses it more than once. */
static void print_along(const Rows *r, Printer *p, int i)
{
    p->piece[i] = print_node(p, i);
    if (r->crossing[i]) {
        print_kept(r, p, i);
    } else if (r->f->node[i].kind == FORMULA_APPLY && r->f->node[i].nuse > 1) {
        const char *name = arena_printf(r->arena, "t%d", i);
        text_printf(&p->out, "    const %s %s = %s;\n", type_of(r, p, i), name, p->piece[i].text);
        p->piece[i] = (Piece){ name, BIND_PRIMARY, p->piece[i].wide };
    }
    if (i == r->kept)
        text_printf(&p->out, "    if (fresh)\n        PACKAGE_store_MACHINE(row->kept + %s, v->v%d, lanes);\n",
                    print_place_name(p, r->f->row), i);
}

static void print_pass(Rows *r, Printer *shared, int pass, const bool *done, FillScope *words)
{
    Printer p = printer_of(r);
    Text statements = { .arena = r->arena };
    bool now[FORMULA_MAX_NODE], anew[FORMULA_MAX_NODE], met[FORMULA_MAX_NODE] = { 0 }, recomputed[FORMULA_MAX_NODE];
    memcpy(p.piece, shared->piece, sizeof p.piece);
    need_in_pass(r, pass, done, now, met);
    need_fresh(r, pass, anew);
    bool of_row[FORMULA_MAX_NODE];
    for (int i = 0; i < r->f->nnode; i++) {
        recomputed[i] = is_along(r, i) && done[i] && (anew[i] || met[i]);
        of_row[i] = now[i] || anew[i];
    }
    print_of_row(r, &p, of_row, pass);
    for (int i = 0; i < r->f->nnode; i++)
        if (of_row[i] && is_along(r, i) && !lasts(r, i))
            p.piece[i] = print_node(&p, i);
    print_fresh(r, &p, recomputed);
    for (int i = 0; i < r->f->nnode; i++)
        if (lasts(r, i) && now[i] && !done[i])
            print_along(r, &p, i);
    const bool stores = r->f->fills && pass + 1 == r->f->npass;
    const char *body = text_str(&p.out), *place = print_place_name(&p, r->f->row);
    text_add(&statements, body);
    add_reductions(r, &p, pass, words, &statements);
    if (stores)
        add_store(r, &p, print_widened(&p, p.piece[root_of(r)], r->f->node[root_of(r)].type),
                  loops(r) ? "first" : place, words, &statements);
    const bool uses_place = mentions(text_str(&statements), place);
    text_add(&statements, text_str(&p.before));
    FILL_WORDS(words, WORD("PASS", pass), WORD("STORES", stores), WORD("USES_PLACE", uses_place),
               WORD("places", unpacked(r, &p, text_str(&statements))),
               WORD("before", print_filled(&p, text_str(&p.before))),
               WORD("body", print_filled(&p, loops(r) ? indented(r->arena, body) : body)));
}

/* Adds what is computed of the results of a pass. */
static void print_end(const Rows *r, Printer *shared, int pass, FillScope *words)
{
    Printer p = printer_of(r);
    memcpy(p.piece, shared->piece, sizeof p.piece);
    fill_list(words, "fields");
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
        FILL_WORDS(fill_row(words), WORD("TYPE", print_part(&p, type_of(r, &p, i))),
                   WORD("FIELD", arena_printf(r->arena, "v%d", i)));
        stands_elsewhere(r, &p, i);
        shared->piece[i] = p.piece[i];
    }
    Text statements = { .arena = r->arena };
    const char *end = text_str(&p.out);
    const bool stores = !r->f->fills && pass + 1 == r->f->npass;
    text_add(&statements, end);
    if (stores) {
        const char *value =
            arena_printf(r->arena, "%s%s%s", r->f->node[root_of(r)].type == FORMULA_INT ? "(int32_t)" : "",
                         print_enclosed(&p, p.piece[root_of(r)], BIND_PRIMARY), p.piece[root_of(r)].wide ? "[0]" : "");
        add_store(r, &p, (Piece){ value, BIND_UNARY, false }, "", words, &statements);
    }
    FILL_WORDS(words, WORD("STORES_VALUE", stores), WORD("places_at_end", unpacked(r, &p, text_str(&statements))),
               WORD("end_of_pass", print_filled(&p, end)));
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
    return print_filled(&p, arena_printf(r->arena, "%s%s", unpacked(r, &p, text_str(&p.out)), text_str(&p.out)));
}

/* Adds what later passes need of a vector, as fields. */
static void add_crossing(const Rows *r, const Printer *p, FillScope *words)
{
    fill_list(words, "crossing");
    for (int i = 0; i < r->f->nnode; i++)
        if (r->crossing[i])
            FILL_WORDS(fill_row(words), WORD("TYPE", print_part(p, print_type(p, r->f->node[i].type, !loops(r)))),
                       WORD("FIELD", arena_printf(r->arena, "v%d", i)));
}

const char *unit_rows_of_target(Arena *a, const UnitContext *u, const char *kernels, Diag *d)
{
    const Spec *s = u->spec;
    const Target *t = u->target;
    Rows r = { .arena = a, .spec = s, .f = s->formula, .target = t, .style = style_of(t) };
    Printer shared = printer_of(&r);
    FillScope *words = print_words(&shared);
    bool done[FORMULA_MAX_NODE] = { 0 }, now[FORMULA_MAX_NODE], met[FORMULA_MAX_NODE];
    if (t->family->primitives.on_vectors && !print_is_called(a, s, t, kernels, "pass_0"))
        return "";
    find_fields(&r);
    find_crossing(&r);
    fill_list(words, "passes");
    for (int pass = 0; pass < r.f->npass; pass++) {
        FillScope *row = fill_row(words);
        print_pass(&r, &shared, pass, done, row);
        print_end(&r, &shared, pass, row);
        need_in_pass(&r, pass, done, now, met);
        for (int i = 0; i < r.f->nnode; i++)
            done[i] = done[i] || (now[i] && lasts(&r, i));
    }
    add_crossing(&r, &shared, words);
    const char *out = print_output(&shared, "0");
    FILL_WORDS(
        words, WORD("FORMULA", quote_comment(a, s->formula->text)), WORD("PLACE", print_place_name(&shared, r.f->row)),
        WORD("FETCHES", print_is_called(a, s, t, kernels, "fetch")), WORD("fetch", loops(&r) ? "" : fetch_text(&r)),
        WORD("OUT", out), WORD("places_of_output", unpacked(&r, &shared, out)));
    return unit_fill_part(u, unit_pattern(a, u, arena_printf(a, "rows%s", t->family->suffix)), words, d);
}

/* ---- the definition ---- */

/* Adds what the function that reduces a row is made of, in double precision. */
static void add_exact_reduction(const Printer *of, int i, FillScope *row)
{
    const Spec *s = of->spec;
    const FormulaNode *v = &s->formula->node[i];
    Printer p = { .arena = of->arena, .spec = s, .style = STYLE_EXACT, .along = -1, .out = { .arena = of->arena } };
    int extent[OP_MAX_RANK];
    const Piece value = print_nodes(&p, v->arg[0]);
    add_kind(row, v);
    FILL_WORDS(row, WORD("NODE", i), WORD("REDUCTION", arena_printf(of->arena, "dcgen_reduction_%d", i)),
               WORD("OPERATION", arena_printf(of->arena, "dcgen_%s", formula_functions[v->op].name)),
               WORD("VALUE", value.text), WORD("INDEX", print_place_name(&p, s->formula->row)),
               WORD("ALONG", s->op->extent[s->formula->row].name), WORD("statements", text_str(&p.out)));
    fill_list(row, "outer");
    for (int k = outer_extents(s, extent) - 1; k >= 0; k--)
        FILL_WORDS(fill_row(row), WORD("IS_USED", (int)(p.used >> extent[k] & 1)),
                   WORD("INDEX", print_place_name(&p, extent[k])), WORD("ALONG", s->op->extent[extent[k]].name));
}

void unit_rows_exact_words(const Printer *p, FillScope *words)
{
    const Formula *f = p->spec->formula;
    fill_list(words, "reduced");
    for (int i = 0; i < f->nnode; i++)
        if (f->node[i].kind == FORMULA_REDUCE)
            add_exact_reduction(p, i, fill_row(words));
}
