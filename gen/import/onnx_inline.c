/* SPDX-License-Identifier: Apache-2.0
 *
 * onnx_inline: functions that a model brings with it, put in the place of the nodes that call them. What a function
 * calls its inputs and outputs are the call's there, all other names get the call's name before them.
 */
#include "gen/import/onnx_private.h"

#include <string.h>

enum { MAX_CALLS = 64 }; /* functions that call others: exporters make one of each module, and modules nest less */
enum { LATE_OVERLOAD_OF_NODE = 8, LATE_OVERLOAD = 13, LATE_DEFAULTS = 11 }; /* fields that came after ONNX 1.12 */

static const char *key_of(Arena *a, const char *domain, const char *name, const char *overload)
{
    return arena_printf(a, "%s\n%s\n%s", onnx_domain(domain), onnx_text(name), onnx_text(overload));
}

/* ---- which there are ---- */

static void read_function(Import *im, const Onnx__FunctionProto *p, Function *f)
{
    int n;
    *f = (Function){ .proto = p, .defaults = table_new(im->arena) };
    ProtobufCMessage **late = onnx_late_list(im, &p->base, LATE_DEFAULTS, &onnx__attribute_proto__descriptor, &n);
    f->attribute = ARENA_ARRAY(im->arena, (size_t)n, const Onnx__AttributeProto *);
    for (int i = 0; i < n; i++) {
        f->attribute[i] = (const Onnx__AttributeProto *)late[i];
        const char *name = onnx_text(f->attribute[i]->name);
        if (f->attribute[i]->g)
            onnx_error(im, "function %s: a graph cannot be what the attribute %s is by default",
                       onnx_shown(im->arena, onnx_text(p->name)), onnx_shown(im->arena, name));
        if (!table_find(&f->defaults, name))
            table_add(&f->defaults, name, i);
    }
}

void onnx_read_functions(Import *im, const Onnx__ModelProto *p)
{
    im->function = ARENA_ARRAY(im->arena, p->n_functions, Function);
    for (size_t i = 0; i < p->n_functions; i++) {
        const Onnx__FunctionProto *f = p->functions[i];
        const char *key = key_of(im->arena, f->domain, f->name, onnx_late_text(im->arena, &f->base, LATE_OVERLOAD));
        read_function(im, f, &im->function[i]);
        if (table_find(&im->functions, key))
            onnx_error(im, "two functions are called %s", onnx_shown(im->arena, onnx_text(f->name)));
        else
            table_add(&im->functions, key, (int64_t)i);
    }
}

Function *onnx_function(const Import *im, const Onnx__NodeProto *p)
{
    if (im->functions.n == 0)
        return NULL;
    const char *overload = onnx_late_text(im->arena, &p->base, LATE_OVERLOAD_OF_NODE);
    const NameRow *row = table_find(&im->functions, key_of(im->arena, p->domain, p->op_type, overload));
    return row ? &im->function[row->value] : NULL;
}

/* ---- a call ---- */

OnnxNode onnx_identity(Arena *a, const char *name, const char *from, const char *to, const OnnxModel *model)
{
    const char **value = ARENA_ARRAY(a, 2, const char *);
    value[0] = from;
    value[1] = to;
    return (OnnxNode){ .name = name,
                       .op = "Identity",
                       .domain = "",
                       .input = value,
                       .output = value + 1,
                       .ninput = 1,
                       .noutput = 1,
                       .model = model };
}

/* An output that is one of the inputs, or another output: it is written by a node of its own. */
static void pass_on(Import *im, Builder *b, const OnnxNode *call, const char *from, const char *to)
{
    if (onnx_spend(im, 1))
        *LIST_PUSH(im->arena, &b->nodes) =
            onnx_identity(im->arena, onnx_unique(im, &im->nodes, arena_printf(im->arena, "%s/Identity", call->name)),
                          from, to, im->model);
}

static Scope scope_of(Import *im, const OnnxNode *call, const Function *f, const Scope *around)
{
    const Onnx__FunctionProto *p = f->proto;
    Scope s = { .names = table_new(im->arena), .prefix = call->name, .function = f, .call = call };
    s.depth = around ? around->depth + 1 : 1;
    for (size_t i = 0; i < p->n_input; i++)
        if (*p->input[i] && !table_find(&s.names, p->input[i]))
            onnx_map(im, &s, p->input[i], (int)i < call->ninput ? call->input[i] : "");
    for (size_t i = 0; i < p->n_output && (int)i < call->noutput; i++)
        if (*call->output[i] && !table_find(&s.names, p->output[i]))
            onnx_map(im, &s, p->output[i], call->output[i]);
    return s;
}

static bool may_call(Import *im, const OnnxNode *call, const Function *f, const Scope *s)
{
    const char *shown = onnx_shown(im->arena, call->name);
    if (f->is_active)
        return onnx_error(im, "node %s calls the function '%s', which calls itself", shown, call->op);
    if (s && s->depth >= MAX_CALLS)
        return onnx_error(im, "node %s: functions call each other deeper than %d; expected at most that many", shown,
                          MAX_CALLS);
    if ((size_t)call->ninput > f->proto->n_input || (size_t)call->noutput > f->proto->n_output)
        return onnx_error(
            im, "node %s has %d inputs and %d outputs; expected at most %zu and %zu, as the function '%s' has", shown,
            call->ninput, call->noutput, f->proto->n_input, f->proto->n_output, call->op);
    return true;
}

void onnx_inline(Import *im, Builder *b, const Onnx__NodeProto *p, Function *f, Scope *around)
{
    bool ok;
    OnnxNode *call = ARENA_NEW(im->arena, OnnxNode);
    *call = onnx_read_node(im, b, p, around, &ok);
    if (im->stopped)
        return;
    if (!ok || !may_call(im, call, f, around)) {
        *LIST_PUSH(im->arena, &b->nodes) = *call; /* so that its outputs are not missed too */
        return;
    }
    Scope s = scope_of(im, call, f, around);
    f->is_active = true;
    onnx_read_nodes(im, b, f->proto->node, f->proto->n_node, &s);
    f->is_active = false;
    for (int i = 0; i < call->noutput; i++) {
        const char *inside = onnx_outside(im, &s, f->proto->output[i]);
        if (*call->output[i] && strcmp(inside, call->output[i]) != 0)
            pass_on(im, b, call, inside, call->output[i]);
    }
}
