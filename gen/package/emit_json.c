/* SPDX-License-Identifier: Apache-2.0
 *
 * emit_json: package.json, the package as data for build tools and binding generators, so that nobody parses C: its calls with the type of
 * each argument, its targets, kernels and files (docs/package.md has every key). All of it follows from the spec and the kernels, as the
 * header does.
 */
#include "gen/package/emit_private.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include "gen/base/quote.h"
#include "gen/package/manifest.h"
#include "gen/target/family.h"

enum { SCHEMA = 1 };

static json_t *strings(const char *const *s, int n)
{
    json_t *list = json_array();
    for (int i = 0; i < n; i++)
        json_array_append_new(list, quote_json(s[i]));
    return list;
}

/* ---- calls ---- */

/* is: what the argument is for. */
static json_t *add_argument(json_t *list, const char *name, const char *type, const char *is)
{
    json_t *o = json_pack("{s:s, s:s, s:s}", "name", name, "type", type, "is", is);
    json_array_append_new(list, o);
    return o;
}

/* Of the axes that `elems` uses; NULL: all. */
static json_t *extents(const Op *op, const Expr *elems)
{
    json_t *list = json_array();
    for (int i = 0; i < op->naxis; i++)
        if (unit_uses_axis(elems, op->axis[i].name))
            add_argument(list, op->axis[i].name, "int64_t", "extent");
    return list;
}

static void add_operand(Emitter *e, json_t *list, int i)
{
    const Spec *s = emit_spec(e);
    const Operand *o = &s->op->operand[i];
    const char *type = unit_operand_type(s, o);
    size_t n = strlen(type);
    while (n && type[n - 1] == ' ')
        n--;
    json_t *argument = add_argument(list, o->name, arena_strndup(e->arena, type, n), "operand");
    json_object_set_new(argument, "role",
                        quote_json(o->role == ROLE_OUT     ? "out"
                                   : o->role == ROLE_CONST ? "const"
                                                           : "in"));
    json_object_set_new(argument, "dtype", quote_json(o->dtype ? o->dtype : s->dtype));
    json_object_set_new(argument, "elements", quote_json(expr_text(o->elems)));
    json_object_set_new(argument, "doc", quote_json(o->doc));
    if (i != s->const_operand)
        return;
    json_object_set_new(argument, "layout", quote_json(s->layout));
    json_object_set_new(argument, "packed", json_boolean(s->packed));
}

static void add_exec(Emitter *e, json_t *list)
{
    add_argument(list, "exec", arena_printf(e->arena, "const %s_exec *", emit_spec(e)->name), "exec");
}

static void add_stream(json_t *list, const Family *f)
{
    if (f->stream)
        add_argument(list, "stream", f->stream, "stream");
}

/* key: also what stands behind the function's name in the call's, but for "call" itself. Takes over `arguments`. */
static void add_call(Emitter *e, json_t *calls, const char *key, const char *returns, json_t *arguments)
{
    const Family *f = e->family;
    const char *tail = strcmp(key, "call") == 0 ? "" : arena_printf(e->arena, "_%s", key);
    const char *name = arena_printf(e->arena, "%s%s%s", emit_spec(e)->name, f->call, tail);
    json_object_set_new(calls, key,
                        json_pack("{s:s, s:s, s:o}", "name", name, "returns", returns, "arguments", arguments));
}

static json_t *call_arguments(Emitter *e, const Family *f)
{
    const Spec *s = emit_spec(e);
    json_t *list = extents(s->op, NULL);
    for (int i = 0; i < s->op->noperand; i++)
        if (unit_has_operand(s, &s->op->operand[i]))
            add_operand(e, list, i);
    add_argument(list, "workspace", "void *", "workspace");
    add_exec(e, list);
    add_stream(list, f);
    return list;
}

static void add_pack_calls(Emitter *e, json_t *calls, const Family *f)
{
    const Spec *s = emit_spec(e);
    const Operand *o = &s->op->operand[s->const_operand];
    json_t *pack = extents(s->op, o->elems);
    add_call(e, calls, "packed_bytes", "size_t", extents(s->op, o->elems));
    add_argument(pack, o->name, f->stream ? "const void *" : "const float *", "operand");
    add_argument(pack, "packed", "void *", "packed");
    add_stream(pack, f);
    add_call(e, calls, "pack", "int", pack);
}

static void add_workspace_clear(Emitter *e, json_t *calls, const Family *f)
{
    json_t *list = json_array();
    add_argument(list, "workspace", "void *", "workspace");
    add_argument(list, "bytes", "size_t", "bytes");
    add_stream(list, f);
    add_call(e, calls, "workspace_clear", "int", list);
}

static json_t *calls(Emitter *e)
{
    const Spec *s = emit_spec(e);
    const Family *f = e->family;
    json_t *o = json_object(), *workspace = extents(s->op, NULL);
    if (s->packed)
        add_pack_calls(e, o, f);
    if (f->stream)
        add_exec(e, workspace);
    add_call(e, o, "workspace_bytes", "size_t", workspace);
    if (f->stream)
        add_workspace_clear(e, o, f);
    add_call(e, o, "call", "int", call_arguments(e, f));
    add_call(e, o, "choose", "int", extents(s->op, NULL));
    return o;
}

/* ---- what serves them ---- */

static json_t *ranges(Emitter *e)
{
    const Spec *s = emit_spec(e);
    const Box box = spec_box(s);
    json_t *list = json_array();
    for (int i = 0; i < s->op->naxis; i++)
        json_array_append_new(list, json_pack("{s:s, s:o, s:I, s:I}", "name", s->op->axis[i].name, "doc",
                                              quote_json(s->op->axis[i].doc), "least", (json_int_t)box.min[i], "most",
                                              (json_int_t)box.max[i]));
    return list;
}

static json_t *dispatcher(Emitter *e)
{
    const Op *op = emit_spec(e)->op;
    json_t *list = json_array();
    for (int i = 0; i < e->nentry; i++) {
        const EmitEntry *entry = &e->entry[i];
        const Assignment *as = entry->part ? entry->part->assignment : NULL;
        json_t *features = json_array();
        for (int j = 0; as && j < op->naxis; j++)
            json_array_append_new(features, quote_json(op->axis[j].name));
        if (as && as->nfeature > op->naxis)
            json_array_append_new(features, quote_json("threads"));
        json_array_append_new(list, json_pack("{s:i, s:o, s:i, s:i}", "target", i, "features", features, "leaves",
                                              as ? tree_nleaf(as->tree) : 1, "general", entry->general));
    }
    return list;
}

static json_t *kernel(Emitter *e, int i)
{
    const UnitKernel *k = &e->kernel[i];
    const EmitEntry *entry = &e->entry[e->of[i]];
    const Result *part = entry->part;
    json_t *params = json_object();
    for (int j = 0; j < k->t->nparam; j++)
        json_object_set_new(params, k->t->param[j].name, json_integer(k->value[j]));
    const char *record = part ? part->study->trial[part->assignment->kernel[i - entry->first]].key : NULL;
    return json_pack("{s:i, s:i, s:s, s:s, s:o, s:o}", "number", i, "target", e->of[i], "template", k->t->name,
                     "template_hash", k->t->hash, "parameters", params, "record", quote_json(record));
}

static json_t *function(Emitter *e)
{
    const Spec *s = emit_spec(e);
    json_t *kernels = json_array();
    for (int i = 0; i < e->nkernel; i++)
        json_array_append_new(kernels, kernel(e, i));
    return json_pack("{s:s, s:s, s:o, s:s, s:o, s:o, s:o, s:o, s:o}", "name", s->name, "op", s->op->name, "doc",
                     quote_json(s->op->doc), "dtype", s->dtype, "epilogue", strings(s->epilogue, s->nepilogue), "calls",
                     calls(e), "extents", ranges(e), "dispatcher", dispatcher(e), "kernels", kernels);
}

static json_t *targets(Emitter *e)
{
    json_t *list = json_array();
    for (int i = 0; i < e->nentry; i++) {
        const Result *part = e->entry[i].part;
        json_array_append_new(list,
                              json_pack("{s:i, s:s, s:b, s:o}", "number", i, "name", e->entry[i].target->name, "tuned",
                                        part != NULL, "device", quote_json(part ? part->study->device->name : NULL)));
    }
    return list;
}

static json_t *files(Emitter *e, const Package *p)
{
    json_t *o = json_object();
    for (int i = 0; i < p->n; i++)
        json_object_set_new(o, p->file[i].path, quote_json(manifest_hash(e->arena, p->file[i].text, p->file[i].len)));
    return o;
}

const char *emit_json(Emitter *e, const Package *p)
{
    const Spec *s = emit_spec(e);
    const Family *f = e->family;
    json_t *functions = json_array();
    json_array_append_new(functions, function(e));
    json_t *o = json_pack("{s:i, s:s, s:s, s:i, s:s, s:o, s:s, s:s, s:o, s:o, s:o}", "schema", SCHEMA, "package",
                          s->name, "dcgen", e->in->version, "abi", PACKAGE_ABI, "family", f->name, "header",
                          quote_json(arena_printf(e->arena, "%s.h", s->name)), "spec", "spec.cfg", "records",
                          "records.jsonl", "targets", targets(e), "functions", functions, "sha256", files(e, p));
    return quote_json_lines(e->arena, o);
}
