/* SPDX-License-Identifier: Apache-2.0
 *
 * emit_memory: words and lists for the memory of a package's model: the slots of its workspace, the orders in which
 * they are placed, and nodes that may run at the same time.
 */
#include "gen/graph/beside.h"
#include "gen/package/emit_graph.h"
#include "gen/unit/formula_print.h"

/* Of each function the operands, as bits, that its output may be. */
static const unsigned *in_place(const GraphWriter *w)
{
    unsigned *bits = ARENA_ARRAY(w->emitter->arena, (size_t)w->nfunction, unsigned);
    for (int i = 0; i < w->nfunction; i++) {
        const UnitContext *u = w->emitter[i].unit;
        for (int k = 0; k < u->spec->op->noperand; k++)
            if (u->spec->in_place >> k & 1 || unit_rows_in_place(w->emitter->arena, u->spec, u->target, k))
                bits[i] |= 1u << k;
    }
    return bits;
}

void graph_lay_out(GraphWriter *w)
{
    if (w->emitter->family->splits_calls)
        graph_beside(w->emitter->arena, w->graph);
    w->plan = graph_plan(w->emitter->arena, w->graph, in_place(w));
}

/* ---- the workspace ---- */

/* The tensors in a slot, a few of them. */
static const char *slot_doc(const GraphWriter *w, int slot)
{
    enum { SHOWN = 4 };
    Text t = { .arena = w->emitter->arena };
    int n = 0;
    for (const Tensor *x = w->graph->tensor; x < w->graph->tensor + w->graph->ntensor; x++)
        if (x->slot == slot && n++ < SHOWN)
            text_printf(&t, "%s%s", t.len ? ", " : "", x->name);
    if (n > SHOWN)
        text_printf(&t, " and %d more", n - SHOWN);
    return text_str(&t);
}

/* Where a slot begins: "PACKAGE_max(at[3] + size[3], at[0] + size[0])" */
static const char *slot_at(const GraphWriter *w, const SlotPlace *x)
{
    Arena *a = w->emitter->arena;
    const char *at = x->nbelow ? "" : "0";
    for (int i = 0; i < x->nbelow; i++) {
        const char *end = arena_printf(a, "at[%d] + size[%d]", x->below[i], x->below[i]);
        at = i ? arena_printf(a, "%s_max(%s, %s)", w->emitter->spec->package, at, end) : end;
    }
    return at;
}

void graph_add_slots(const GraphWriter *w, FillScope *s)
{
    fill_list(s, "slots");
    FILL_WORDS(s, WORD("NSLOT", w->plan->nslot), WORD("NORDER", w->plan->norder));
    for (int i = 0; i < w->plan->nslot; i++)
        FILL_WORDS(fill_row(s), WORD("SLOT_BYTES", graph_size_c(w, w->plan->bytes[i])),
                   WORD("SLOT_DOC", slot_doc(w, i)));
    fill_list(s, "orders");
    for (int o = 0; o < w->plan->norder; o++) {
        FillScope *order = fill_row(s);
        fill_list(order, "slot_places");
        for (int i = 0; i < w->plan->nslot; i++) {
            const SlotPlace *x = &w->plan->order[o][i];
            FILL_WORDS(fill_row(order), WORD("PLACED", x->slot), WORD("SLOT_AT", slot_at(w, x)));
        }
    }
}

/* ---- nodes that may run at the same time ---- */

void graph_add_beside(const GraphWriter *w, FillScope *row, int node)
{
    const GraphNode *all = w->graph->node, *n = &all[node];
    FILL_WORDS(row, WORD("IS_BESIDE", n->last > n->first), WORD("BESIDE_PLACE", node - n->first),
               WORD("BESIDE_COUNT", n->last - n->first + 1), WORD("ENDS_BESIDE", node == n->last));
    fill_list(row, "beside");
    for (int i = n->first; i <= n->last && node == n->first; i++)
        FILL_WORDS(fill_row(row), WORD("NODE_FLOPS", graph_size_real_c(w, graph_flops(w->graph, &all[i]))),
                   WORD("NODE_BYTES", graph_size_real_c(w, graph_bytes(w->graph, &all[i]))));
}

void graph_add_beside_calls(const GraphWriter *w, FillScope *s)
{
    bool *is_beside = ARENA_ARRAY(s->arena, (size_t)w->nfunction, bool);
    int most = 0;
    for (const GraphNode *n = w->graph->node; n < w->graph->node + w->graph->nnode; n++)
        if (n->last > n->first) {
            is_beside[n->function] = true;
            most = n->last - n->first + 1 > most ? n->last - n->first + 1 : most;
        }
    fill_number(s, "MOST_BESIDE", most);
    fill_list(s, "beside_calls");
    for (int i = 0; i < w->nfunction; i++)
        if (is_beside[i])
            fill_word(fill_row(s), "CALL",
                      arena_printf(s->arena, "%s%s", w->emitter[i].spec->name, w->emitter->family->call));
}
