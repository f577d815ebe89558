/* SPDX-License-Identifier: Apache-2.0
 *
 * Models that nobody exports: long chains, nodes of many inputs, expressions that double, sizes that overflow, names of
 * any characters. Each is imported or refused with the node's name, in little time, and what is written can be read.
 */
#define _GNU_SOURCE /* memmem */
#include "tests/test.h"
#include <time.h>
#include "gen/base/conf.h"
#include "gen/base/text.h"
#include "gen/graph/graph.h"
#include "gen/import/lower.h"
#include "tests/gen/import/onnx_model.h"

static Onnx__ModelProto *proto;
static Diag *said_by;

static int setup_model(void **state)
{
    if (setup_folder(state) != 0)
        return -1;
    proto = model_of_x_and_y();
    return 0;
}

/* ---- making ---- */

static void add_whole(const char *name, int n, const int64_t *value)
{
    set_raw(add_tensor(proto->graph, name, ELEMENT_S64, arena_printf(arena, "%d", n)), value,
            (size_t)n * sizeof *value);
}

/* A chain of nodes from x to y; words: their inputs, of which v is the one before. */
static void add_chain(const char *op, int n, const char *words)
{
    const char *before = "x";
    for (int i = 0; i < n; i++) {
        const char *output = i + 1 < n ? arena_printf(arena, "v%d", i) : "y";
        Text t = { .arena = arena };
        for (const char *c = words; *c; c++)
            text_add(&t, *c == 'v' ? before : arena_strndup(arena, c, 1));
        NODE(proto->graph, op, "", text_str(&t), output);
        before = output;
    }
}

/* ---- importing ---- */

static Diag *imported; /* what was said of the last model */

/* Is it written? The settings are a file that can be read, in printable lines. */
static bool import(void)
{
    OnnxModel *m = good(proto);
    TextList dims = { 0 };
    const char *err = NULL;
    const clock_t begin = clock();
    text_list_add(arena, &dims, "N=T:1..9");
    imported = diag_new(arena);
    Lower *l = lower_model(arena, m, &dims, false, imported);
    const bool ok = l && write_model(l, "made", folder, &err);
    assert_null(err);
    assert_int_equal(!ok, diag_nerror(imported) > 0);
    assert_true((double)(clock() - begin) / CLOCKS_PER_SEC < 60);
    onnx_close(m);
    if (!ok)
        return false;
    Source *src = conf_source(arena, in_folder("made.cfg"), said_by = diag_new(arena));
    assert_non_null(src);
    if (!conf_parse(arena, src, 0, src->len, said_by))
        fail_msg("%s\n%s", golden_diag(arena, said_by), src->text);
    for (size_t i = 0; i < src->len; i++)
        assert_true(src->text[i] == '\n' || (unsigned char)src->text[i] >= 0x20);
    return true;
}

static void refused(const char *node)
{
    if (import())
        fail_msg("it was taken: %s", node);
    assert_has(golden_diag(arena, imported), node);
}

/* ---- names ---- */

TEST(names_that_c_has)
{
    static const char *const name[] = { "unix", "NULL", "INT64_MAX", "int", "int32_t", "size_t" };
    for (size_t i = 0; i < LENGTH(name); i++) {
        proto = new_model();
        ADD(proto->graph->input, proto->graph->n_input, new_value(name[i], "2 unix NULL"));
        NODE(proto->graph, "Exp", "/exp", name[i], "EOF");
        add_output(proto->graph, "EOF");
        assert_true(import());
        Source *src = conf_source(arena, in_folder("made.cfg"), said_by = diag_new(arena));
        static const char *const templates[] = { DCGEN_SOURCE_DIR "/templates" };
        const SpecFile *file = spec_file_parse(arena, src, templates, 1, said_by);
        const Graph *g = file ? graph_read(arena, file, said_by) : NULL;
        if (!g)
            fail_msg("%s\n%s", golden_diag(arena, said_by), src->text);
        assert_string_equal(g->tensor[0].from, name[i]);
    }
}

TEST(dims_that_c_has)
{
    TextList dims = { 0 };
    text_list_add(arena, &dims, "seq=EOF:1..9");
    assert_null(lower_given_dims(arena, &dims, imported = diag_new(arena)));
    assert_has(golden_diag(arena, imported), "--dim 'seq=EOF:1..9': the dim 'EOF' is taken by a macro");
}

/* ---- large ones ---- */

TEST(a_long_chain_of_sums)
{
    add_chain("Add", 5000, "v x");
    OnnxModel *m = good(proto); /* its spec has more than a spec may have: time and memory are what counts */
    TextList dims = { 0 };
    assert_non_null(lower_model(arena, m, &dims, false, diag_new(arena)));
    onnx_close(m);
}

TEST(a_long_chain_of_functions)
{
    add_chain("Sigmoid", 20000, "v");
    import();
}

TEST(a_long_chain_of_views)
{
    add_chain("Transpose", 100000, "v");
    assert_true(import());
}

TEST(what_doubles_is_computed_in_steps)
{
    add_chain("Add", 60, "v v");
    assert_true(import());
}

TEST(a_node_of_many_inputs)
{
    Text t = { .arena = arena };
    for (int i = 0; i < 10000; i++)
        text_add(&t, i ? " x" : "x");
    NODE(proto->graph, "Concat", "wide", text_str(&t), "y");
    refused("wide");
}

/* ---- sizes ---- */

TEST(sizes_that_overflow)
{
    static const struct {
        const char *op;
        int n;
        int64_t value[4];
    } row[] = {
        { "Reshape", 2, { INT64_C(1) << 62, INT64_C(1) << 62 } },
        { "Reshape", 2, { -5, 4 } },
        { "Reshape", 2, { INT64_MIN, 1 } },
        { "Reshape", 3, { -1, -1, 2 } },
        { "Pad", 4, { INT64_C(1) << 62, INT64_C(1) << 62, INT64_C(1) << 62, INT64_C(1) << 62 } },
        { "Pad", 4, { INT64_MAX, 0, 0, INT64_MIN } },
        { "ReduceSum", 2, { INT64_C(1) << 62, INT64_MIN } },
        { "Unsqueeze", 1, { INT64_MAX } },
        { "Squeeze", 1, { INT64_MIN } },
        { "Tile", 2, { INT64_MIN, INT64_MAX } },
        { "Expand", 2, { INT64_C(1) << 62, INT64_C(1) << 62 } },
    };
    for (size_t i = 0; i < LENGTH(row); i++) {
        proto = model_of_x_and_y();
        add_whole("s", row[i].n, row[i].value);
        NODE(proto->graph, row[i].op, "culprit", "x s", "y");
        if (import())
            fail_msg("%s of %lld is taken", row[i].op, (long long)row[i].value[0]);
        assert_has(golden_diag(arena, imported), "culprit");
    }
}

TEST(axes_that_are_not_there)
{
    static const char *const op[] = { "Softmax", "Flatten", "Concat", "ArgMax", "LogSoftmax" };
    static const int64_t axis[] = { 7, -9, INT64_MAX, INT64_MIN, INT64_C(1) << 32 };
    for (size_t i = 0; i < LENGTH(op); i++)
        for (size_t k = 0; k < LENGTH(axis); k++) {
            proto = model_of_x_and_y();
            attribute_int(
                NODE(proto->graph, op[i], arena_printf(arena, "%s %lld", op[i], (long long)axis[k]), "x", "y"), "axis",
                axis[k]);
            refused(arena_printf(arena, "%s %lld", op[i], (long long)axis[k]));
        }
    proto = model_of_x_and_y(); /* more of them than extents can be */
    Onnx__AttributeProto *many = ATTRIBUTE(NODE(proto->graph, "ReduceMean", "culprit", "x", "y"), "axes", INTS);
    for (int i = 0; i < 1000; i++)
        ADD(many->ints, many->n_ints, i % 2);
    import();
}

TEST(nodes_that_lack_inputs)
{
    static const LowerRow *const table[] = { lower_elements, lower_rows,   lower_views,
                                             lower_products, lower_images, lower_einsums };
    static const char *const inputs[] = { "", "x", "- x", "x -", "x - x", "x x x x x x x x x" };
    for (size_t t = 0; t < LENGTH(table); t++)
        for (const LowerRow *row = table[t]; row->op; row++)
            for (size_t i = 0; i < LENGTH(inputs); i++) {
                proto = model_of_x_and_y();
                NODE(proto->graph, row->op, "culprit", inputs[i], "y");
                import(); /* whether it can be or not */
            }
}

/* ---- names ---- */

/* A chain of sums with weights of these names, which are those of the nodes too. */
static void import_names(int n, const char *const *name)
{
    static const float ones[2] = { 1, 2 };
    const char *before = "x";
    proto = model_of_x_and_y();
    for (int i = 0; i < n; i++) {
        Onnx__NodeProto *node = NODE(proto->graph, "Add", name[i], "- -", "-");
        node->input[0] = (char *)before;
        node->input[1] = (char *)name[i];
        before = node->output[0] = i + 1 == n ? "y" : arena_printf(arena, "v %s", name[i]);
        set_raw(add_tensor(proto->graph, name[i], ELEMENT_F32, "2 1"), ones, sizeof ones);
    }
    if (!import())
        fail_msg("%s", golden_diag(arena, imported));
}

/* Each weight is in the file by the name that the graph gives it. */
static void check_weights(int n)
{
    const char *why;
    size_t bytes;
    Source *src = conf_source(arena, in_folder("made.cfg"), diag_new(arena));
    const Conf *c = conf_parse(arena, src, 0, src->len, diag_new(arena));
    const ConfSetting *list = conf_member(conf_member(c->root, "graph"), "constants");
    const char *weights = conf_read(arena, in_folder("made.safetensors"), 1 << 20, &bytes, &why);
    assert_non_null(weights);
    assert_int_equal(conf_length(list), n);
    for (int i = 0; i < n; i++) {
        const ConfSetting *from = conf_member(conf_elem(list, i), "from");
        const char *told = (from ? from : conf_member(conf_elem(list, i), "name"))->text;
        if (!strpbrk(told, "\"\\\xc3")) /* in JSON these are escaped */
            if (!memmem(weights, bytes, arena_printf(arena, "\"%s\":", told), strlen(told) + 3))
                fail_msg("%s is not in %s", told, weights + 8);
    }
}

TEST(names_of_any_characters)
{
    static const char *const name[] = { "*/",      "\"",       "a\nb",     "a\tb",  "\\",           "\\n",
                                        "?\?/",    "%s%n",     "\xc3\xa9", "#",     "\xe2\x80\xae", "\x01\x7f",
                                        "{ } ; =", "@include", "//x",      "a?\?'b" };
    for (size_t i = 0; i < LENGTH(name); i += 4) {
        import_names(4, name + i);
        check_weights(4);
    }
}

TEST_EACH(setup_model, teardown_folder)
