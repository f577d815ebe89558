/* SPDX-License-Identifier: Apache-2.0
 *
 * lower_model: makes small models, and tells what they become: the spec that is written of them, or why they are
 * refused.
 */
#ifndef DCGEN_TESTS_LOWER_MODEL_H
#define DCGEN_TESTS_LOWER_MODEL_H

#include "tests/test.h"
#include "gen/base/text.h"
#include "gen/graph/graph.h"
#include "gen/import/lower.h"
#include "tests/gen/import/onnx_model.h"

static Onnx__ModelProto *proto;

static inline int setup_model(void **state)
{
    if (setup_folder(state) != 0)
        return -1;
    proto = new_model();
    return 0;
}

/* ---- making ---- */

static inline void given(const char *name, const char *dims)
{
    ADD(proto->graph->input, proto->graph->n_input, new_value(name, dims));
}

static inline void wanted(const char *name) { add_output(proto->graph, name); }

static inline Onnx__NodeProto *node(const char *op, const char *input, const char *output)
{
    return NODE(proto->graph, op, arena_printf(arena, "/%s/%s", output, op), input, output);
}

/* Of floats, all the same. */
static inline void constant(const char *name, const char *dims, float value)
{
    size_t n, count = 1;
    char **word = names(dims, &n);
    for (size_t i = 0; i < n; i++)
        count *= strtoull(word[i], NULL, 10);
    float *data = ARENA_ARRAY(arena, count, float);
    for (size_t i = 0; i < count; i++)
        data[i] = value;
    set_raw(add_tensor(proto->graph, name, ELEMENT_F32, dims), data, count * sizeof *data);
}

/* A list of whole numbers. */
static inline void whole(const char *name, const char *numbers)
{
    size_t n;
    char **word = names(numbers, &n);
    int64_t *data = ARENA_ARRAY(arena, n, int64_t);
    for (size_t i = 0; i < n; i++)
        data[i] = strtoll(word[i], NULL, 10);
    set_raw(add_tensor(proto->graph, name, ELEMENT_S64, arena_printf(arena, "%zu", n)), data, n * sizeof *data);
}

static inline Onnx__NodeProto *with_ints(Onnx__NodeProto *to, const char *name, const char *numbers)
{
    Onnx__AttributeProto *p = ATTRIBUTE(to, name, INTS);
    size_t n;
    char **word = names(numbers, &n);
    for (size_t i = 0; i < n; i++)
        ADD(p->ints, p->n_ints, strtoll(word[i], NULL, 10));
    return to;
}

/* An extent of a value, as a scalar. at: the name of a list that says which. */
static inline void size_of(const char *value, const char *at, const char *output)
{
    const char *sizes = arena_printf(arena, "%s.sizes", output), *one = arena_printf(arena, "%s.list", output);
    node("Shape", value, sizes);
    node("Gather", arena_printf(arena, "%s %s", sizes, at), one);
    node("Squeeze", one, output);
}

/* ---- importing ---- */

static Diag *said;

/* The spec of the model, without its first line; NULL: it is refused. */
static inline const char *spec_of_model(bool is_partial)
{
    OnnxModel *m = good(proto);
    TextList dims = { 0 };
    const char *err = NULL;
    text_list_add(arena, &dims, "B=B:1..8");
    text_list_add(arena, &dims, "T=T:1..64");
    said = diag_new(arena);
    Lower *l = lower_model(arena, m, &dims, is_partial, said);
    const bool ok = l && write_model(l, "m", folder, &err);
    onnx_close(m);
    assert_int_equal(!ok, diag_nerror(said) > 0);
    return ok ? strchr(text_read_file(arena, in_folder("m.cfg"), NULL), '\n') + 1 : NULL;
}

/* The graph of the spec that was written last, which must be one. */
static inline Graph *graph_of_model(void)
{
    static const char *const templates[] = { DCGEN_SOURCE_DIR "/templates" };
    Diag *d = diag_new(arena);
    const char *text = strstr(text_read_file(arena, in_folder("m.cfg"), NULL), "\ndtype");
    text = arena_printf(arena, "name = \"made\"; %s", text); /* no package may be called m */
    Source *src = ARENA_NEW(arena, Source);
    *src = (Source){ "m.cfg", text, strlen(text) };
    const SpecFile *file = spec_file_parse(arena, src, templates, 1, d);
    Graph *g = file ? graph_read(arena, file, d) : NULL;
    if (!g)
        fail_msg("the import is refused: %s", golden_diag(arena, d));
    return g;
}

static inline void becomes(const char *golden)
{
    const char *text = spec_of_model(false);
    if (!text)
        fail_msg("%s", golden_diag(arena, said));
    golden_check(arena, arena_printf(arena, DCGEN_SOURCE_DIR "/tests/gen/import/lowered/%s.cfg", golden), text);
    graph_of_model();
}

static inline void is_refused(const char *const *why)
{
    if (spec_of_model(false))
        fail_msg("it was taken; expected: %s", why[0]);
    const char *text = golden_diag(arena, said);
    for (; *why; why++)
        assert_has(text, *why);
}

#define REFUSED(...) is_refused((const char *const[]){ __VA_ARGS__, NULL })

#endif
