/* SPDX-License-Identifier: Apache-2.0
 *
 * lower: goes through a model's nodes in their order and has each lowered by its row of the tables of operators.
 */
#include "gen/import/lower.h"

#include <string.h>

const LowerRow *lower_row(const char *op)
{
    const LowerRow *const tables[] = { lower_elements, lower_functions, lower_rows,     lower_views,   lower_gathers,
                                       lower_pads,     lower_sizes,     lower_products, lower_images,  lower_windows,
                                       lower_resizes,  lower_scatters,  lower_einsums,  lower_rotaries };
    for (size_t i = 0; i < LENGTH(tables); i++)
        for (const LowerRow *row = tables[i]; row->op; row++)
            if (strcmp(row->op, op) == 0)
                return row;
    return NULL;
}

static NetUse joins_results(const void *ctx, const NetNode *n)
{
    const LowerRow *row = lower_row(n->op);
    (void)ctx;
    if (row && row->kind & LOWERS_SIZES)
        return NET_ASKS;
    return row && row->kind & (LOWERS_ELEMENTS | LOWERS_VIEW) ? NET_FOLLOWS : NET_USES;
}

static NetUse joins_rows(const void *ctx, const NetNode *n)
{
    const LowerRow *row = lower_row(n->op);
    (void)ctx;
    return row && row->kind & LOWERS_SIZES ? NET_ASKS : row && row->kind ? NET_FOLLOWS : NET_USES;
}

/* What would do instead of operators that are not supported. */
static const struct {
    const char *op, *instead;
} others[] = {
    { "If", "its condition does not follow from sizes: fix it when the model is exported" },
    { "Loop", "export the model with its loop unrolled" },
    { "Scan", "export the model with its loop unrolled" },
    { "LSTM", "export the model with its steps unrolled" },
    { "GRU", "export the model with its steps unrolled" },
    { "RNN", "export the model with its steps unrolled" },
    { "TopK", "take the largest outside of the model; ArgMax is supported" },
    { "NonZero", "use Where with the condition, whose result is as large whatever the data are" },
    { "Compress", "use Where with the condition, whose result is as large whatever the data are" },
    { "Unique", "compute it outside of the model" },
    { "NonMaxSuppression", "end the model before it" },
    { "Attention", "export attention as MatMul and Softmax, as opsets up to 22 have it" },
    { "com.microsoft.Attention", "import the model from before it was optimized" },
    { "com.microsoft.MultiHeadAttention", "import the model from before it was optimized" },
    { "com.microsoft.GroupQueryAttention", "import the model from before it was optimized" },
    { "com.microsoft.EmbedLayerNormalization", "import the model from before it was optimized" },
    { "QuantizeLinear", "import the model from before it was quantized" },
    { "DequantizeLinear", "import the model from before it was quantized" },
    { "DynamicQuantizeLinear", "import the model from before it was quantized" },
    { "QLinearMatMul", "import the model from before it was quantized" },
    { "QLinearConv", "import the model from before it was quantized" },
    { "MatMulInteger", "import the model from before it was quantized" },
    { "ConvInteger", "import the model from before it was quantized" },
    { "RandomNormal", "draw the numbers outside of the model, as an input" },
    { "RandomNormalLike", "draw the numbers outside of the model, as an input" },
    { "RandomUniform", "draw the numbers outside of the model, as an input" },
    { "RandomUniformLike", "draw the numbers outside of the model, as an input" },
    { "Bernoulli", "draw the numbers outside of the model, as an input" },
};

/* Tells once of each operator that is not supported, at its first node. */
static void tell_unsupported(Lower *l, const NetNode *n)
{
    enum { MOST = 100 };
    int count = 0;
    const char *instead = NULL;
    for (int i = 0; i < l->net->nnode && l->ntold < MOST; i++) {
        const bool same = strcmp(l->net->node[i].op, n->op) == 0;
        if (same && &l->net->node[i] < n)
            return;
        count += same;
    }
    if (l->ntold++ >= MOST)
        return;
    for (size_t i = 0; i < LENGTH(others) && !instead; i++)
        instead = strcmp(others[i].op, n->op) == 0 ? others[i].instead : NULL;
    const char *many = count > 1 ? arena_printf(l->arena, ", which %d nodes have,", count) : "";
    lower_error(l, "this operator%s is not supported%s%s", many, instead ? "; " : "", instead ? instead : "");
}

/* With --partial: a value that no node gives becomes an input. */
static bool cut_at(Lower *l, int value)
{
    const OnnxValue *said = onnx_value(l->model->graph, l->net->value[value].name);
    if (!l->is_partial)
        return false;
    if (said && said->has_shape && !said->other)
        return lower_add_input(l, said);
    return lower_error(l,
                       "it is left out, as it reads %s: that would be an input, and the file does not say its extents",
                       onnx_shown(l->arena, l->net->value[value].name));
}

/* Notes which branch an If node takes. False: it is none, or that is not known. */
static bool note_branch(Lower *l, const NetNode *n)
{
    const Value *v = l->branch && strcmp(n->op, "If") == 0 ? lower_input(l, 0) : NULL;
    double taken;
    if (!v || !v->is_known || !elem_is_number(value_elem(l, v), &taken))
        return false;
    const OnnxGraph **branch = &l->branch[n - l->net->node];
    *branch = onnx_branch(n->onnx, taken != 0);
    l->nbranch += *branch != NULL;
    return *branch;
}

static bool lower_known(Lower *l, const NetNode *n)
{
    const LowerRow *row = lower_row(n->op);
    const int before = diag_nerror(l->diag);
    if (!row)
        return note_branch(l, n) || (tell_unsupported(l, n), false);
    for (int i = 0; i < n->ninput; i++)
        if (n->input[i] >= 0 && !l->value[n->input[i]].is_known && !cut_at(l, n->input[i]))
            return l->net->value[n->input[i]].constant && diag_nerror(l->diag) == before /* else it was told there */
                       ? lower_error(l, "its input %s has elements of a type that is not supported",
                                     onnx_shown(l->arena, l->net->value[n->input[i]].name))
                       : false;
    if (!lower_input(l, 0))
        return lower_error(l, "its first input is left out");
    if ((row->kind == LOWERS_ELEMENTS && !store_others(l, n)) || !row->lower(l, n))
        return diag_nerror(l->diag) > before ? false : lower_error(l, "its inputs are not those of such a node");
    if (row->kind != LOWERS_ELEMENTS && !reach_is_there(l, n))
        return false;
    for (int i = 0; i < n->noutput; i++)
        if (n->output[i] >= 0)
            step_note(l, n->output[i]);
    for (int i = 0; i < n->noutput; i++)
        if (n->output[i] >= 0 && !store_settle(l, n->output[i]))
            return false;
    return true;
}

/* Behind an error its outputs are not known. */
static bool lower_node(Lower *l, const NetNode *n)
{
    if (lower_known(l, n))
        return true;
    for (int i = 0; i < n->noutput; i++)
        if (n->output[i] >= 0)
            l->value[n->output[i]] = (Value){ .is_known = false };
    return false;
}

static void mark_loads(const Elem *x, bool *is_read)
{
    if (x && x->kind == ELEM_LOAD)
        is_read[x->memory] = true;
    for (int i = 0; x && i < x->narg; i++)
        mark_loads(x->arg[i], is_read);
}

/* Leaves out steps whose results nothing reads, as those whose readers are not supported. */
static void drop_unread(Lower *l)
{
    bool *is_read = ARENA_ARRAY(l->arena, (size_t)l->nmemory + 1, bool);
    int n = l->norder;
    for (int i = l->norder - 1; i >= 0; i--) {
        const Step *s = &l->step[l->order[i]];
        if (!is_read[s->out] && !l->memory[s->out].output)
            continue;
        for (int k = 0; k < s->noperand; k++)
            is_read[s->operand[k].access.memory] = true;
        mark_loads(s->value, is_read);
        l->order[--n] = l->order[i];
    }
    if (n)
        memmove(l->order, l->order + n, (size_t)(l->norder - n) * sizeof *l->order);
    l->norder -= n;
}

/* Lowers all nodes. branch: where it is noted which branches If nodes take; NULL: nobody asks. */
static Lower *lower_nodes(Arena *a, const OnnxModel *m, const GivenDim *given, int n, bool is_partial, Diag *d,
                          const OnnxGraph **branch)
{
    Lower *l = ARENA_NEW(a, Lower);
    const OnnxGraph *g = m->graph;
    *l = (Lower){ .arena = a,
                  .diag = d,
                  .model = m,
                  .net = net_of(a, m),
                  .polys = polys_new(a),
                  .given = given,
                  .ngiven = n,
                  .is_partial = is_partial,
                  .branch = branch };
    l->elems = elems_new(a, l->polys);
    l->value = ARENA_ARRAY(a, (size_t)l->net->nvalue + 1, Value);
    l->joins_results = net_joins(a, l->net, joins_results, NULL);
    l->joins_rows = net_joins(a, l->net, joins_rows, NULL);
    const int before = diag_nerror(d);
    for (int i = 0; i < g->ninput; i++)
        lower_add_input(l, &g->input[i]);
    for (int i = 0; i < l->net->nvalue; i++)
        if (l->net->value[i].constant)
            lower_add_constant(l, i);
    for (int i = 0; i < l->net->nnode && diag_nerror(d) - before < LOWER_MAX_ERROR; i++) {
        l->node = &l->net->node[i];
        l->nfailed += !lower_node(l, l->node);
    }
    l->node = NULL;
    return l;
}

static bool has_branches(const OnnxGraph *g)
{
    bool has = false;
    for (int i = 0; i < g->nnode && !has; i++)
        has = strcmp(g->node[i].op, "If") == 0;
    return has;
}

/* The model with branches in the place of those If nodes that take the same one in every call: their conditions are
 * constants, or follow from sizes. Conditions that follow from such nodes are known once these are replaced. */
static const OnnxModel *with_branches(Arena *a, const OnnxModel *m, const GivenDim *given, int n, bool is_partial)
{
    enum { MOST = 20 };
    for (int i = 0; i < MOST && has_branches(m->graph); i++) {
        const OnnxGraph **branch = ARENA_ARRAY(a, (size_t)m->graph->nnode + 1, const OnnxGraph *);
        if (!lower_nodes(a, m, given, n, is_partial, diag_new(a), branch)->nbranch)
            break;
        m = onnx_with_branches(a, m, branch);
    }
    return m;
}

Lower *lower_model(Arena *a, const OnnxModel *whole, const TextList *dims, bool is_partial, Diag *d)
{
    const GivenDim *given = lower_given_dims(a, dims, d);
    if (!given)
        return NULL;
    const OnnxModel *m = with_branches(a, whole, given, dims->n, is_partial);
    const OnnxGraph *g = m->graph;
    const int before = diag_nerror(d);
    Lower *l = lower_nodes(a, m, given, dims->n, is_partial, d, NULL);
    int noutput = 0;
    for (int i = 0; i < g->noutput && diag_nerror(d) == before; i++)
        noutput += lower_give_output(l, &g->output[i]);
    if (diag_nerror(d) == before && !noutput)
        lower_error(l, "the model gives no output");
    drop_unread(l);
    return diag_nerror(d) == before && (is_partial || !l->nfailed) ? l : NULL;
}
