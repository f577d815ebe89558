/* SPDX-License-Identifier: Apache-2.0
 *
 * fuzz_onnx: any bytes as a model. Nodes that are read come behind those whose outputs they read, names are there once,
 * tensors have as many bytes as their extents say, and all of it can be looked at.
 */
#include "gen/base/index.h"
#include "gen/import/onnx.h"
#include "tests/fuzz/fuzz.h"

static uint64_t seen; /* of all bytes, so that they are looked at */

static void look_at(const char *text) { seen = index_word(text, seen); }

static void check_tensor(const OnnxTensor *t)
{
    int64_t count, bytes;
    REQUIRE(t->rank >= 0 && t->rank <= ONNX_MAX_RANK && t->type > ELEMENT_NONE && t->type < ELEMENT_COUNT);
    REQUIRE(element_count(t->dim, t->rank, &count) && element_bytes(t->type, count, &bytes));
    REQUIRE(t->count == count && t->bytes == (size_t)bytes && (t->bytes == 0) == (t->data == NULL));
    const size_t unit = elements[t->type].bits < 16 ? 1 : (size_t)elements[t->type].bits / 8;
    REQUIRE((uintptr_t)t->data % unit == 0);
    look_at(t->name);
    seen = index_hash(t->data ? t->data : "", t->bytes, seen);
}

static void check_value(const OnnxGraph *g, const OnnxValue *v)
{
    REQUIRE(onnx_value(g, v->name) && v->rank >= 0 && v->rank <= ONNX_MAX_RANK && (v->has_shape || v->rank == 0));
    for (int i = 0; i < v->rank; i++) {
        REQUIRE(v->dim[i].value >= -1 && (v->dim[i].value == -1 || !v->dim[i].symbol));
        look_at(v->dim[i].symbol ? v->dim[i].symbol : "");
    }
}

static void check_graph(const OnnxGraph *g, int depth);

static void check_attribute(const OnnxNode *node, const OnnxAttribute *at, int depth)
{
    int n;
    REQUIRE(onnx_attribute(node, at->name) == at);
    onnx_int(node, at->name, 0);
    onnx_float(node, at->name, 0);
    look_at(onnx_string(node, at->name, ""));
    const int64_t *integers = onnx_ints(node, at->name, &n);
    seen = index_hash(integers ? (const void *)integers : "", (size_t)n * sizeof *integers, seen);
    const float *reals = onnx_floats(node, at->name, &n);
    seen = index_hash(reals ? (const void *)reals : "", (size_t)n * sizeof *reals, seen);
    const char *const *strings = onnx_strings(node, at->name, &n);
    for (int i = 0; i < n; i++)
        look_at(strings[i]);
    if (onnx_tensor(node, at->name))
        check_tensor(at->tensor);
    if (onnx_graph(node, at->name))
        check_graph(at->graph, depth + 1);
}

static void check_node(const OnnxGraph *g, int place, int depth)
{
    const OnnxNode *node = &g->node[place];
    REQUIRE(*node->name && *node->op && node->model);
    look_at(node->domain);
    for (int i = 0; i < node->ninput; i++) {
        const OnnxNode *writer = *node->input[i] ? onnx_writer(g, node->input[i]) : NULL;
        REQUIRE(!writer || writer < g->node || writer >= g->node + g->nnode || writer < node);
    }
    for (int i = 0; i < node->noutput; i++)
        REQUIRE(!*node->output[i] || onnx_writer(g, node->output[i]) == node);
    for (int i = 0; i < node->nattribute; i++)
        check_attribute(node, &node->attribute[i], depth);
}

static void check_graph(const OnnxGraph *g, int depth)
{
    REQUIRE(depth <= ONNX_MAX_NESTED && (g->outer || g->ncaptured == 0));
    look_at(g->name);
    for (int i = 0; i < g->nconstant; i++) {
        check_tensor(&g->constant[i]);
        REQUIRE(onnx_constant(g, g->constant[i].name) == &g->constant[i]);
    }
    for (int i = 0; i < g->ninput; i++)
        check_value(g, &g->input[i]);
    for (int i = 0; i < g->noutput; i++)
        check_value(g, &g->output[i]);
    for (int i = 0; i < g->nnode; i++)
        check_node(g, i, depth);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Arena *a = arena_new();
    Diag *d = diag_new(a);
    OnnxModel *m = onnx_read(a, fuzz_file(data, size), d);
    REQUIRE(!m == (diag_nerror(d) > 0));
    if (m) {
        REQUIRE(m->opset >= ONNX_MIN_OPSET && m->opset <= ONNX_MAX_OPSET);
        look_at(m->producer);
        check_graph(m->graph, 0);
    }
    FILE *out = fopen("/dev/null", "w");
    REQUIRE(out);
    diag_print(d, out);
    fclose(out);
    onnx_close(m);
    arena_free(a);
    return 0;
}
