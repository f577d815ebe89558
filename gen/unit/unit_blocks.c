/* SPDX-License-Identifier: Apache-2.0
 *
 * unit_blocks: prints the formula of an op that computes nothing by itself for kernels that go by blocks of as many
 * rows as a vector has lanes. Elements that lie across rows, as those of x[n,m], are loaded as vectors from one row to
 * the next, and the block is transposed in registers; elsewhere they are loaded one by one.
 */
#include <string.h>
#include "gen/base/quote.h"
#include "gen/spec/dtype.h"
#include "gen/unit/formula_print.h"

static int extent_of(const Spec *s, int i) { return op_axis(s->op, expr_text(print_output_layout(s)->extent[i])); }

/* The places of a row as variables; r: what is added to the one that neighbouring rows differ along. */
static const char *places_text(const Printer *p, const char *r)
{
    const Spec *s = p->spec;
    Text t = { .arena = p->arena }, unused = { .arena = p->arena };
    for (int i = 0; i + 1 < print_output_layout(s)->rank; i++) {
        const char *name = print_place_name(p, extent_of(s, i));
        text_printf(&t, "%s%s = at.%s%s", i ? ", " : "    const int64_t ", name, name,
                    extent_of(s, i) == s->formula->beside ? r : "");
        text_printf(&unused, "%s(void)%s", i ? ", " : "    ", name);
    }
    return arena_printf(p->arena, "%s;\n%s;\n", text_str(&t), text_str(&unused));
}

/* Loads the blocks of all elements that lie across rows. */
static void print_load(Printer *p, Text *fields, Text *all)
{
    const Formula *f = p->spec->formula;
    const char *n = print_place_name(p, f->row);
    const int lanes = (int)target_number(p->target, "VECTOR_BYTES") / 4;
    Text loads = { .arena = p->arena };
    for (int i = 0; i < f->nnode; i++) {
        const FormulaNode *v = &f->node[i];
        const Operand *o = &p->spec->op->operand[v->at];
        if (!(v->along >> f->row & 1))
            p->piece[i] = print_node(p, i);
        if (!formula_is_across(f, v))
            continue;
        const Dtype *type = print_dtype(p, o);
        text_printf(fields, "    PACKAGE_floats_MACHINE v%d[%d];\n", i, lanes);
        text_printf(&loads,
                    "    PACKAGE_UNROLL(%d)\n    for (int i = 0; i < %d; i++)\n"
                    "        block->v%d[i] = i < lanes ? %sPACKAGE_load%s_MACHINE(a->%s + %s, rows) : "
                    "(PACKAGE_floats_MACHINE){ 0 };\n"
                    "    PACKAGE_transpose_MACHINE(block->v%d);\n",
                    lanes, lanes, i, type->is_integer ? "(PACKAGE_floats_MACHINE)" : "", print_load_suffix(p, type),
                    o->name, print_offset(p, v, arena_printf(p->arena, "(%s + i)", n)), i);
    }
    text_printf(
        all,
        "/* Loads a block: the first `rows` rows from `at` on, and in each the first `lanes` elements from %s on. */\n"
        "static inline __attribute__((always_inline)) TARGET_ATTRIBUTE void\n"
        "NAME_load_block_MACHINE(const NAME_args *a, NAME_place at, int64_t %s, int64_t rows, int64_t lanes, "
        "NAME_block_MACHINE *block)\n{\n"
        "%s%s%s}\n\n",
        n, n, places_text(p, ""), text_str(&p->out), text_str(&loads));
}

/* Computes and stores what a row has in a block. */
static void print_cell(Printer *p, Text *all)
{
    const int root = p->spec->formula->nnode - 1;
    const FormulaType type = print_at(p, root)->type;
    const char *n = print_place_name(p, p->spec->formula->row);
    const Piece value = print_widened(p, print_nodes(p, root), type);
    text_printf(all,
                "/* Row r of a block. */\n"
                "static inline __attribute__((always_inline)) TARGET_ATTRIBUTE void\n"
                "NAME_cell_MACHINE(const NAME_args *a, NAME_place at, int64_t %s, int64_t lanes, const "
                "NAME_block_MACHINE *block, const int r)\n{\n"
                "%s%s    PACKAGE_store%s_MACHINE(%s, %s, lanes);\n}\n\n",
                n, places_text(p, " + r"), text_str(&p->out), type == FORMULA_INT ? "_ints" : "", print_output(p, n),
                value.text);
}

const char *unit_blocks_of_target(Arena *a, const Spec *s, const Target *t, const char *kernels)
{
    Printer p = { .arena = a,
                  .spec = s,
                  .target = t,
                  .style = STYLE_VECTOR,
                  .along = s->formula->row,
                  .block = true,
                  .out = { .arena = a } };
    Printer cell = p;
    Text fields = { .arena = a }, functions = { .arena = a };
    if (!s->formula->nacross || (*kernels && !strstr(kernels, arena_printf(a, "%s_cell_%s(", s->name, t->name))))
        return "";
    print_load(&p, &fields, &functions);
    print_cell(&cell, &functions);
    const char *beside = print_place_name(&p, s->formula->beside), *extent = s->op->extent[s->formula->beside].name;
    return print_filled(
        &p,
        arena_printf(
            a,
            "/* %s: elements that lie across rows, of a block of rows and columns: a vector of each row. */\n"
            "typedef struct {\n%s} NAME_block_MACHINE;\n\n"
            "/* How many rows differ along %s alone, from this one on; the place so many rows behind. */\n"
            "static inline int64_t NAME_beside_MACHINE(const NAME_args *a, NAME_place at) { return a->%s - at.%s; }\n"
            "static inline NAME_place NAME_behind_MACHINE(NAME_place at, int64_t rows)\n{\n    at.%s += rows;\n    "
            "return at;\n}\n\n%s",
            quote_comment(a, s->formula->text), text_str(&fields), extent, extent, beside, beside,
            text_str(&functions)));
}
