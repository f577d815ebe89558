/* SPDX-License-Identifier: Apache-2.0
 *
 * unit_blocks: prints the formula of an op that computes nothing by itself for kernels that go by blocks of as many
 * rows as a vector has lanes, by the pattern across.c. Elements that lie across rows, as those of x[n,m], are loaded as
 * vectors from one row to the next, and the block is transposed in registers; elsewhere they are loaded one by one.
 */
#include <string.h>
#include "gen/base/quote.h"
#include "gen/unit/formula_print.h"

static int extent_of(const Spec *s, int i) { return op_axis(s->op, expr_text(print_output_layout(s)->extent[i])); }

/* Adds the places of a row; of row r of a block where neighbouring rows differ along one. */
static void add_places(const Printer *p, FillScope *words)
{
    const Spec *s = p->spec;
    fill_list(words, "places");
    for (int i = 0; i + 1 < print_output_layout(s)->rank; i++) {
        const char *name = print_place_name(p, extent_of(s, i));
        FILL_WORDS(fill_row(words), WORD("INDEX", name),
                   WORD("OF_ROW",
                        arena_printf(p->arena, "at.%s%s", name, extent_of(s, i) == s->formula->beside ? " + r" : "")));
    }
}

/* Adds how the blocks of all elements that lie across rows are loaded. */
static void add_loads(Printer *p, FillScope *words)
{
    const Formula *f = p->spec->formula;
    const char *lane = arena_printf(p->arena, "(%s + i)", print_place_name(p, f->row));
    fill_list(words, "loads");
    for (int i = 0; i < f->nnode; i++) {
        const FormulaNode *v = &f->node[i];
        if (!(v->along >> f->row & 1))
            p->piece[i] = print_node(p, i);
        if (!formula_is_across(f, v))
            continue;
        const Operand *o = &p->spec->op->operand[v->at];
        const Storage *type = spec_element(p->spec, o);
        const char *load = arena_printf(p->arena, "PACKAGE_load%s_MACHINE", type->loader);
        FILL_WORDS(fill_row(words), WORD("FIELD", arena_printf(p->arena, "v%d", i)),
                   WORD("IS_INTEGER", storage_is_whole(type)), WORD("LOAD", print_part(p, load)),
                   WORD("SOURCE", o->name), WORD("OFFSET", print_part(p, print_offset(p, v, lane))));
    }
    fill_word(words, "before_loads", print_filled(p, text_str(&p->out)));
}

/* Adds how what a row has in a block is computed and stored. */
static void add_cell(Printer *p, FillScope *words)
{
    const int root = p->spec->formula->nnode - 1;
    const FormulaType type = print_at(p, root)->type;
    const Piece value = print_widened(p, print_nodes(p, root), type);
    FILL_WORDS(words, WORD("IS_INT", type == FORMULA_INT), WORD("VALUE", print_part(p, value.text)),
               WORD("OUT", print_output(p, print_place_name(p, p->spec->formula->row))),
               WORD("statements", print_filled(p, text_str(&p->out))));
}

const char *unit_blocks_of_target(Arena *a, const UnitContext *u, const char *kernels, Diag *d)
{
    const Spec *s = u->spec;
    const Target *t = u->target;
    Printer p = { .arena = a,
                  .spec = s,
                  .target = t,
                  .style = STYLE_VECTOR,
                  .along = s->formula->row,
                  .block = true,
                  .out = { .arena = a } };
    Printer cell = p;
    if (!s->formula->nacross || !print_is_called(a, s, t, kernels, "cell"))
        return "";
    FillScope *words = print_words(&p);
    FILL_WORDS(words, WORD("FORMULA", quote_comment(a, s->formula->text)), WORD("PLACE", print_place_name(&p, p.along)),
               WORD("LANES", target_number(t, "VECTOR_BYTES") / 4),
               WORD("EXTENT", s->op->extent[s->formula->beside].name),
               WORD("BESIDE", print_place_name(&p, s->formula->beside)));
    add_places(&p, words);
    add_loads(&p, words);
    add_cell(&cell, words);
    return unit_fill_part(u, unit_pattern(a, u, "across.c"), words, d);
}
