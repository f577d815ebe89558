/* SPDX-License-Identifier: Apache-2.0
 *
 * write: a model's steps as a spec with a graph, NAME.cfg, which a person can read and change, and its constants as
 * NAME.safetensors. Calls that differ in extents alone are of one function, with a shape for each.
 */
#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>
#include "gen/base/quote.h"
#include "gen/base/text.h"
#include "gen/import/lower.h"
#include "gen/import/safetensors.h"
#include "gen/spec/spec.h"

typedef struct {
    const char *name, *body; /* body: all that the spec says of it but its name and shapes */
    int nshape;
    const char **shape;
    int *count; /* calls of that shape */
} Function;

typedef struct {
    Lower *lower;
    Arena *arena;
    int nfunction, nview, nlisted; /* listed: dims of the spec */
    Function *function;
    TextList views; /* as written behind the name */
    Text nodes, declared;
    bool *is_declared; /* of each memory: it stands in a list */
    int ndim;
    bool *is_used;     /* of each dim: a size names it */
    CallOperand *made; /* of each memory: how the node that writes it first sees it */
} ModelWriter;

static const char *size_text(ModelWriter *w, const Poly *x)
{
    const Polys *p = w->lower->polys;
    x = poly_reduced(w->lower->polys, x);
    for (int i = 0; x && i < w->ndim; i++)
        w->is_used[i] = w->is_used[i] || poly_uses(p, x, i);
    return poly_text(w->arena, p, x);
}

/* A size as a setting: 12, or "B*T". */
static const char *size_setting(ModelWriter *w, const Poly *x)
{
    int64_t number;
    const bool plain =
        poly_is_number(poly_reduced(w->lower->polys, x), &number) && number <= INT32_MAX && number >= INT32_MIN;
    return arena_printf(w->arena, plain ? "%s" : "\"%s\"", size_text(w, x));
}

/* "(\"B\", 12, \"T\")" */
static const char *sizes_text(ModelWriter *w, int n, const Poly *const *size)
{
    Text t = { .arena = w->arena };
    for (int i = 0; i < n; i++)
        text_printf(&t, "%s%s", i ? ", " : "", size_setting(w, size[i]));
    return arena_printf(w->arena, "(%s)", text_str(&t));
}

/* A text of whatever characters as a string of a spec. */
static const char *quoted(ModelWriter *w, const char *text)
{
    return quote_string(w->arena, quote_line(w->arena, text));
}

/* ---- functions ---- */

/* May the output be the operand, as a residual that nothing else reads? That saves memory, and a third of what such a
 * call moves. Convolutions alone: of other operators the kernels that cut K keep partial sums in the output. */
static bool may_be_output(const ModelWriter *w, const Call *c, const CallOperand *o)
{
    const Memory *m = &w->lower->memory[o->access.memory];
    return strcmp(c->op, "conv2d") == 0 && o->is_at_place && !o->is_strided &&
           !c->operand[c->noperand - 1].is_strided && !storage_is_whole(m->stored);
}

static const char *body_of(ModelWriter *w, const Call *c)
{
    Text t = { .arena = w->arena }, types = { .arena = w->arena }, extents = types, strides = types, over = types;
    const bool has_strides = strcmp(c->op, "batch_matmul") == 0; /* of its own operands */
    text_printf(&t, "op = \"%s\";", c->op);
    if (c->formula)
        text_printf(&t, "\n    %s = \"%s\";",
                    strcmp(c->op, "rows") == 0 || strcmp(c->op, "batch_rows") == 0 || strcmp(c->op, "row_values") == 0
                        ? "formula"
                        : "epilogue",
                    c->formula);
    if (c->layout)
        text_printf(&t, " layout = { %s };", c->layout);
    for (int i = 0; i < c->noperand; i++) {
        const CallOperand *o = &c->operand[i];
        const Memory *m = &w->lower->memory[o->access.memory];
        if (storage_is_whole(m->stored))
            text_printf(&types, " %s = \"%s\";", o->name, m->stored->name);
        if (o->is_strided && !(has_strides && strchr("ABY", *o->name)))
            text_printf(&strides, "%s\"%s\"", strides.len ? ", " : "", o->name);
        if (may_be_output(w, c, o))
            text_printf(&over, "%s\"%s\"", over.len ? ", " : "", o->name);
        if (!o->is_declared)
            continue;
        text_printf(&extents, " %s = [", o->name);
        for (int k = 0; k < o->rank; k++)
            text_printf(&extents, "%s\"%s\"", k ? ", " : "", o->declared[k]);
        text_add(&extents, "];");
    }
    if (types.len)
        text_printf(&t, " types = {%s };", text_str(&types));
    if (extents.len)
        text_printf(&t, " extents = {%s };", text_str(&extents));
    for (int i = 0; i < c->nnumber; i++)
        text_printf(&t, "%s\"%s\"%s", i ? ", " : " sizes = [", c->number[i], i + 1 < c->nnumber ? "" : "];");
    if (strides.len)
        text_printf(&t, " strides = [%s];", text_str(&strides));
    if (over.len)
        text_printf(&t, " in_place = [%s];", text_str(&over));
    return text_str(&t);
}

static Function *function_of(ModelWriter *w, const Call *c)
{
    const char *body = body_of(w, c);
    int like = 0;
    for (int i = 0; i < w->nfunction; i++) {
        const size_t n = strcspn(w->function[i].body, ";");
        if (strcmp(w->function[i].body, body) == 0)
            return &w->function[i];
        like += strncmp(w->function[i].body, body, n + 1) == 0;
    }
    const char *name = arena_printf(w->arena, like ? "%s%d" : "%s", c->op, like + 1);
    *ARENA_PUSH(w->arena, w->function, w->nfunction) = (Function){ .name = name, .body = body };
    return &w->function[w->nfunction - 1];
}

static void add_shape(ModelWriter *w, Function *f, const Call *c)
{
    Text t = { .arena = w->arena };
    for (int i = 0; i < c->nsize; i++)
        text_printf(&t, "%s%s = %s;", i ? " " : "", c->size[i].name, size_setting(w, c->size[i].size));
    for (int i = 0; i < f->nshape; i++)
        if (strcmp(f->shape[i], text_str(&t)) == 0) {
            f->count[i]++;
            return;
        }
    f->count = arena_grow(w->arena, f->count, (size_t)f->nshape, (size_t)f->nshape + 1, sizeof *f->count);
    f->count[f->nshape] = 1;
    *ARENA_PUSH(w->arena, f->shape, f->nshape) = text_str(&t);
}

/* ---- tensors ---- */

static const char *memory_name(ModelWriter *w, int memory)
{
    Memory *m = &w->lower->memory[memory];
    if (!m->name)
        m->name =
            lower_identifier(w->lower, m->kind == MEMORY_RESULT ? arena_printf(w->arena, "t%d", m->step) : m->from);
    return m->name;
}

/* What the graph and the file of weights call it: as the model does, or where that is no plain line, its name in C. */
static const char *told_name(ModelWriter *w, int memory)
{
    const Memory *m = &w->lower->memory[memory];
    const bool plain = m->from && strcmp(quote_line(w->arena, m->from), m->from) == 0 && !strstr(m->from, "??");
    const char *name = plain ? m->from : memory_name(w, memory);
    for (int i = 0; i < w->lower->nmemory && !plain; i++) /* which no other's in the model is */
        if (w->lower->memory[i].from && strcmp(w->lower->memory[i].from, name) == 0) {
            name = arena_printf(w->arena, "%s_", name);
            i = -1;
        }
    return name;
}

static void declare(ModelWriter *w, Text *list, int memory)
{
    const Memory *m = &w->lower->memory[memory];
    const Poly *extent[LOWER_MAX_RANK];
    const char *name = memory_name(w, memory);
    for (int i = 0; i < m->rank; i++)
        extent[i] = m->extent[m->order[i]];
    text_printf(list, "%s    { name = \"%s\"; extents = %s;", list->len ? ",\n" : "", name,
                m->output ? sizes_text(w, m->noutput, m->output_extent) : sizes_text(w, m->rank, extent));
    if (m->stored != &storages[STORED_F32])
        text_printf(list, " type = \"%s\";", m->stored->name);
    if (strcmp(told_name(w, memory), name) != 0)
        text_printf(list, " from = %s;", quoted(w, told_name(w, memory)));
    text_add(list, " }");
}

/* The extents of a tensor, as the graph has them; how many. */
static int tensor_extents(const ModelWriter *w, int memory, const Poly **extent)
{
    const Memory *m = &w->lower->memory[memory];
    const CallOperand *made = &w->made[memory];
    const bool is_inner = m->kind == MEMORY_RESULT && !m->output && !w->is_declared[memory] && made->name;
    const int rank = m->output ? m->noutput : is_inner ? made->rank : m->rank;
    for (int i = 0; i < rank; i++)
        extent[i] = m->output ? m->output_extent[i] : is_inner ? made->extent[i] : m->extent[m->order[i]];
    return rank;
}

/* Would the graph have the operand's extents equal the tensor's one by one, which they need not? They are as many, and
 * that the elements are as many is a condition, as of x[T,8] read as x[T/2,16]. has: the tensor's elements. */
static bool has_other_extents(const ModelWriter *w, const CallOperand *o, const Poly *elems, const Poly **has)
{
    Polys *p = w->lower->polys;
    const Poly *extent[LOWER_MAX_RANK];
    const int rank = tensor_extents(w, o->access.memory, extent);
    bool differ = false;
    *has = poly_product(p, rank, extent);
    for (int i = 0; i < rank && !differ; i++)
        differ = rank == o->rank && poly_compare(p, extent[i], o->extent[i]) != POLY_EQUAL;
    return differ && !poly_same(elems, *has);
}

/* What an operand is bound to: a tensor, or a view of it. */
static const char *binding(ModelWriter *w, const CallOperand *o)
{
    Lower *l = w->lower;
    const Memory *m = &l->memory[o->access.memory];
    const Poly *elems = poly_product(l->polys, o->rank, o->extent), *has;
    const Poly *all = poly_product(l->polys, m->rank, m->extent);
    const char *name = memory_name(w, o->access.memory);
    const bool dense = access_is_dense(l, &o->access, o->extent);
    const bool is_whole = dense && poly_is(o->access.at, 0) && poly_compare(l->polys, elems, all) == POLY_EQUAL;
    if (is_whole && !has_other_extents(w, o, elems, &has))
        return name;
    Text t = { .arena = w->arena };
    text_printf(&t, "of = \"%s\";", name);
    if (!poly_is(o->access.at, 0))
        text_printf(&t, " at = \"%s\";", size_text(w, o->access.at));
    text_printf(&t, " extents = %s;", is_whole ? sizes_text(w, 1, &has) : sizes_text(w, o->rank, o->extent));
    if (!dense)
        text_printf(&t, " strides = %s;", sizes_text(w, o->rank, o->access.stride));
    for (int i = 0; i < w->views.n; i++)
        if (strcmp(w->views.item[i], text_str(&t)) == 0)
            return arena_printf(w->arena, "view%d", i);
    text_list_add(w->arena, &w->views, text_str(&t));
    return arena_printf(w->arena, "view%d", w->views.n - 1);
}

/* ---- nodes ---- */

static void add_node(ModelWriter *w, Step *s, const Call *c, const Function *f)
{
    text_printf(&w->nodes, "%s    { call = \"%s\"; name = %s;", w->nodes.len ? ",\n" : "", f->name, quoted(w, s->node));
    for (int i = 0; i < c->nsize; i++)
        text_printf(&w->nodes, " %s = %s;", c->size[i].name, size_setting(w, c->size[i].size));
    for (int i = 0; i < c->noperand; i++) {
        const CallOperand *o = &c->operand[i];
        const char *bound = binding(w, o);
        text_printf(&w->nodes, " %s = \"%s\";", o->name, bound);
        const Memory *m = &w->lower->memory[o->access.memory];
        if (i == c->noperand - 1 && !w->made[o->access.memory].name)
            w->made[o->access.memory] = *o;
        if (i == c->noperand - 1 && m->kind == MEMORY_RESULT && !m->output &&
            strcmp(bound, memory_name(w, o->access.memory)) != 0 && !w->is_declared[o->access.memory]) {
            declare(w, &w->declared, o->access.memory);
            w->is_declared[o->access.memory] = true;
        }
    }
    text_add(&w->nodes, " }");
}

/* Has it an extent that no call can have, whatever the dims are? */
static bool check_extents(ModelWriter *w, const Step *s, const Call *c)
{
    for (int i = 0; i < c->nsize; i++) {
        int64_t least = 0, most = 0;
        poly_range(w->lower->polys, c->size[i].size, &least, &most);
        if (least > INT32_MAX || most < 0)
            return diag_error(w->lower->diag, (Loc){ .src = w->lower->model->src },
                              "the node %s: it goes over %s places, expected 0 to %d", onnx_shown(w->arena, s->node),
                              poly_text(w->arena, w->lower->polys, c->size[i].size), INT32_MAX);
    }
    return true;
}

static bool add_step(ModelWriter *w, Step *s)
{
    Call c;
    if (!call_of(w->lower, s, &c))
        return diag_error(w->lower->diag, (Loc){ .src = w->lower->model->src },
                          "the node %s: its operands lie in no order that one call takes",
                          onnx_shown(w->arena, s->node));
    if (!check_extents(w, s, &c))
        return false;
    for (int i = 0; i < c.noperand; i++)
        w->lower->memory[c.operand[i].access.memory].nread++;
    Function *f = function_of(w, &c);
    add_shape(w, f, &c);
    add_node(w, s, &c, f);
    return true;
}

/* What must be equal, but for dims that are replaced by what they equal. */
static void add_conditions(ModelWriter *w, Text *list)
{
    const PolyCondition *c;
    Polys *p = w->lower->polys;
    const int n = polys_conditions(p, &c);
    for (int i = 0; i < n; i++) {
        const int dim = poly_is_dim(p, c[i].x);
        assert(!c[i].at_least); /* only graphs ask for that */
        if ((dim < 0 || poly_uses(p, c[i].y, dim)) && !poly_same(poly_reduced(p, c[i].x), poly_reduced(p, c[i].y)))
            text_printf(list, "%s    { sizes = %s; why = %s; }", list->len ? ",\n" : "",
                        sizes_text(w, 2, (const Poly *const[]){ c[i].x, c[i].y }), quoted(w, c[i].why));
    }
}

/* ---- the file ---- */

static void add_list(Text *t, const char *key, const Text *list)
{
    if (list->len)
        text_printf(t, "  %s = (\n%s );\n", key, text_str(list));
}

/* Dims that sizes name, once those that others give are replaced. */
static void add_dims(ModelWriter *w, Text *t)
{
    const Polys *p = w->lower->polys;
    text_add(t, "dims   = {");
    for (int i = 0; i < w->ndim; i++) {
        const char *name = polys_dim_name(p, i);
        int64_t least, most;
        if (polys_below(p, i) || *name == '?' || !w->is_used[i])
            continue;
        polys_dim_range(p, i, &least, &most);
        w->nlisted++;
        text_printf(t, " %s = { min = %" PRId64 "; max = %" PRId64 "; };", name, least, most);
    }
    text_add(t, " };\n");
}

static const char *hash_of(Arena *a, const char *text)
{
    return arena_printf(a, "%016llx", (unsigned long long)XXH3_64bits(text, strlen(text)));
}

static const char *spec_text_of(ModelWriter *w, const char *name)
{
    Lower *l = w->lower;
    Text t = { .arena = w->arena }, body = t, list[6];
    for (int i = 0; i < 6; i++)
        list[i] = (Text){ .arena = w->arena };
    for (int i = 0; i < l->nmemory; i++) {
        const Memory *m = &l->memory[i];
        if (m->kind == MEMORY_INPUT)
            declare(w, &list[0], i);
        else if (m->kind == MEMORY_STATE)
            declare(w, &list[4], i);
        else if (m->output)
            declare(w, &list[1], i);
        else if (m->kind == MEMORY_CONSTANT && m->nread)
            declare(w, &list[2], i);
    }
    for (int i = 0; i < w->views.n; i++)
        text_printf(&list[3], "%s    { name = \"view%d\"; %s }", i ? ",\n" : "", i, w->views.item[i]);
    add_conditions(w, &list[5]);
    text_add(&body, "functions = (\n");
    for (int i = 0; i < w->nfunction; i++) {
        const Function *f = &w->function[i];
        text_printf(&body, "%s  { name = \"%s\"; %s\n    shapes = (", i ? ",\n" : "", f->name, f->body);
        for (int k = 0; k < f->nshape; k++)
            text_printf(&body, "%s { %s weight = %d; }", k ? ",\n               " : "", f->shape[k], f->count[k]);
        text_add(&body, " ); }");
    }
    text_add(&body, " );\n");
    text_add(&body, "graph = {\n");
    add_list(&body, "inputs", &list[0]);
    add_list(&body, "outputs", &list[1]);
    add_list(&body, "constants", &list[2]);
    add_list(&body, "state", &list[4]);
    add_list(&body, "tensors", &w->declared);
    add_list(&body, "views", &list[3]);
    add_list(&body, "conditions", &list[5]);
    add_list(&body, "nodes", &w->nodes);
    text_add(&body, "};\n");
    text_printf(&t, "name   = \"%s\";\ndtype  = \"f32\";\ntarget = [\"host\"];\n", name);
    add_dims(w, &t);
    text_printf(&t, "budget = { seconds = 480; };\nthreads = [1, 2];\n%s", text_str(&body));
    return arena_printf(w->arena, "# %s as dcgen import wrote it (%s), of %s. Its constants are in %s.safetensors.\n%s",
                        name, hash_of(w->arena, text_str(&t)), quote_line(w->arena, l->model->src->path), name,
                        text_str(&t));
}

/* Names in the file of weights are unique. */
static void name_constants(Lower *l)
{
    for (int i = 0; i < l->nmemory; i++)
        for (int k = 0, n = 2; k < i && l->memory[i].kind == MEMORY_CONSTANT; k++)
            if (l->memory[k].kind == MEMORY_CONSTANT && strcmp(l->memory[k].from, l->memory[i].from) == 0) {
                l->memory[i].from = arena_printf(l->arena, "%s (%d)", l->memory[i].from, n++);
                k = -1;
            }
}

static bool write_constants(ModelWriter *w, const char *path, const char **err)
{
    Lower *l = w->lower;
    SafeTensor *tensor = ARENA_ARRAY(w->arena, (size_t)l->nmemory + 1, SafeTensor);
    int n = 0;
    for (int i = 0; i < l->nmemory; i++) {
        const Memory *m = &l->memory[i];
        if (m->kind != MEMORY_CONSTANT || !m->nread)
            continue;
        int64_t *dim = ARENA_ARRAY(w->arena, (size_t)m->rank + 1, int64_t);
        size_t bytes = m->stored->bytes;
        for (int k = 0; k < m->rank; k++) {
            poly_is_number(m->extent[k], &dim[k]);
            bytes *= (size_t)dim[k];
        }
        tensor[n++] = (SafeTensor){ .name = told_name(w, i),
                                    .type = storage_is_whole(m->stored) ? ELEMENT_S32 : ELEMENT_F32,
                                    .rank = m->rank,
                                    .dim = dim,
                                    .data = m->data,
                                    .bytes = bytes };
    }
    return safetensors_write(w->arena, path, tensor, n, err);
}

/* Is the dim an extent of inputs of whole numbers alone, and not the user's? */
static bool is_of_masks(const Lower *l, int dim)
{
    bool is_extent = false;
    for (const GivenDim *g = l->given; g < l->given + l->ngiven; g++)
        if (strcmp(g->name, polys_dim_name(l->polys, dim)) == 0)
            return false;
    for (const Memory *m = l->memory; m < l->memory + l->nmemory; m++)
        for (int k = 0; k < m->rank; k++)
            if (poly_is_dim(l->polys, m->extent[k]) == dim && (m->kind == MEMORY_INPUT || m->kind == MEMORY_STATE)) {
                if (m->kind == MEMORY_STATE || !storage_is_whole(m->stored))
                    return false;
                is_extent = true;
            }
    return is_extent;
}

/* A mask of which a node takes the first n, a sum of other sizes, has n and no more: nobody gives more, and the call
 * has a dim less. */
static void fit_mask(Lower *l, const CallOperand *o, const char *node)
{
    const Memory *m = &l->memory[o->access.memory];
    const int dim = m->kind == MEMORY_INPUT && m->rank ? poly_is_dim(l->polys, m->extent[m->rank - 1]) : -1;
    int64_t number;
    if (dim >= 0 && o->rank == m->rank && is_of_masks(l, dim)) {
        const Poly *n = o->extent[o->rank - 1];
        if (!poly_is_number(n, &number) && !poly_uses(l->polys, n, dim))
            polys_require(l->polys, poly_dim(l->polys, dim), n, arena_printf(l->arena, "the node '%s'", node));
    }
}

static void fit_masks(Lower *l)
{
    Call c;
    bool any = false;
    for (int dim = 0; dim < polys_ndim(l->polys); dim++)
        any = any || is_of_masks(l, dim);
    for (int i = 0; i < l->norder && any; i++) {
        Step *s = &l->step[l->order[i]];
        if (!s->is_gone && call_of(l, s, &c))
            for (int k = 0; k < c.noperand; k++)
                fit_mask(l, &c.operand[k], s->node);
    }
}

/* ---- what was there before ---- */

/* Is it a spec as the import wrote it? Its first line has the hash of the others. */
static bool is_as_written(Arena *a, const char *path)
{
    const char *text = text_read_file(a, path, NULL), *rest = text ? strchr(text, '\n') : NULL;
    return rest && strstr(arena_strndup(a, text, (size_t)(rest - text)), hash_of(a, rest + 1));
}

/* Keeps a file that the import did not write, which is somebody's work, under the first name of NAME~, NAME~2 ... that
 * is free. */
static bool keep(ModelWriter *w, const char *path, bool is_written, const char **err)
{
    struct stat st;
    if (is_written || stat(path, &st) != 0 || !S_ISREG(st.st_mode))
        return true;
    const char *aside = arena_printf(w->arena, "%s~", path);
    for (int i = 2; access(aside, F_OK) == 0; i++)
        aside = arena_printf(w->arena, "%s~%d", path, i);
    if (rename(path, aside) != 0) {
        *err = arena_printf(w->arena, "cannot keep %s as %s: %s", path, aside, strerror(errno));
        return false;
    }
    diag_add(w->lower->diag, DIAG_NOTE, (Loc){ 0 }, "%s was not as an import writes it; it is kept as %s", path, aside);
    return true;
}

bool write_model(Lower *l, const char *name, const char *folder, const char **err)
{
    ModelWriter w = {
        .lower = l, .arena = l->arena, .nodes = { .arena = l->arena }, .declared = { .arena = l->arena }
    };
    fit_masks(l);
    gates_join(l);
    siblings_join(l); /* adds memory */
    name_constants(l);
    w.is_declared = ARENA_ARRAY(l->arena, (size_t)l->nmemory + 1, bool);
    w.ndim = polys_ndim(l->polys);
    w.is_used = ARENA_ARRAY(l->arena, (size_t)w.ndim + 1, bool);
    w.made = ARENA_ARRAY(l->arena, (size_t)l->nmemory + 1, CallOperand);
    for (int i = 0; i < l->norder; i++)
        if (!l->step[l->order[i]].is_gone && !add_step(&w, &l->step[l->order[i]]))
            return false;
    const char *text = spec_text_of(&w, name), *path = arena_printf(l->arena, "%s/%s.cfg", folder, name);
    const char *weights = arena_printf(l->arena, "%s/%s.safetensors", folder, name);
    if (w.nlisted > SPEC_MAX_DIM)
        return diag_error(
            l->diag, (Loc){ .src = l->model->src },
            "the model has %d sizes, and a package at most %d; those that are always equal are one by --dim, as "
            "in --dim a=N:1..8 --dim b=N",
            w.nlisted, SPEC_MAX_DIM);
    if (!keep(&w, path, is_as_written(l->arena, path), err) ||
        !keep(&w, weights, safetensors_is_written(weights), err) || !write_constants(&w, weights, err))
        return false;
    if (text_write_file(path, text, strlen(text)))
        return true;
    *err = arena_printf(l->arena, "cannot write %s: %s", path, strerror(errno));
    unlink(weights); /* of no use without it */
    return false;
}
