/* SPDX-License-Identifier: Apache-2.0
 *
 * onnx: what a model says of itself and of its values; nodes in order, by their own names; graphs within graphs;
 * attributes.
 */
#include "tests/test.h"
#include "tests/gen/import/onnx_model.h"

/* ---- the model ---- */

TEST(a_model_says_who_made_it)
{
    Onnx__ModelProto *p = model_of_x_and_y();
    p->producer_name = "pytorch";
    p->producer_version = "2.1";
    NODE(p->graph, "Relu", "r", "x", "y");
    const OnnxModel *m = good(p);
    assert_int_equal(m->ir_version, 8);
    assert_int_equal(m->opset, 17);
    assert_string_equal(m->producer, "pytorch 2.1");
    assert_string_equal(m->graph->name, "main");
    assert_string_equal(nodes_text(m->graph), "r=Relu(x)y");
    assert_ptr_equal(m->graph->node[0].model, m);
}

TEST(versions)
{
    static const struct {
        const char *domain, *why;
        int64_t opset;
    } row[] = { { "", "expected an opset of 11 to 21, found 10", 10 },
                { "", NULL, 11 },
                { "ai.onnx", NULL, 21 },
                { "", "expected an opset of 11 to 21, found 22", 22 },
                { "com.microsoft", "expected an opset of 11 to 21, found none", 17 } };
    for (size_t i = 0; i < LENGTH(row); i++) {
        Onnx__ModelProto *p = model_of_x_and_y();
        NODE(p->graph, "Relu", "r", "x", "y");
        p->opset_import[0] = new_opset(row[i].domain, row[i].opset);
        if (row[i].why)
            bad(p, row[i].why);
        else
            assert_int_equal(good(p)->opset, row[i].opset);
    }
    Onnx__ModelProto *p = model_of_x_and_y();
    NODE(p->graph, "Relu", "r", "x", "y");
    p->ir_version = 2;
    bad(p, "expected a version of the format from 3, found 2");
    p->graph = NULL;
    bad(p, "is no ONNX model: expected a graph in it");
}

/* ---- values ---- */

TEST(shapes_of_values)
{
    Onnx__ModelProto *p = new_model();
    ADD(p->graph->input, p->graph->n_input, new_value("x", "batch 0 ? 7"));
    ADD(p->graph->output, p->graph->n_output, new_value("y", NULL));
    ADD(p->graph->value_info, p->graph->n_value_info, new_value("h", ""));
    NODE(p->graph, "Relu", "r", "x", "h");
    NODE(p->graph, "Relu", "s", "h", "y");
    const OnnxGraph *g = good(p)->graph;
    const OnnxValue *x = onnx_value(g, "x"), *y = onnx_value(g, "y"), *h = onnx_value(g, "h");
    assert_int_equal(g->ninput, 1);
    assert_int_equal(g->noutput, 1);
    assert_true(x->has_shape && x->rank == 4 && x->type == ELEMENT_F32 && !x->other);
    assert_string_equal(x->dim[0].symbol, "batch");
    assert_true(x->dim[0].value == -1 && x->dim[1].value == 0 && x->dim[2].value == -1 && x->dim[3].value == 7);
    assert_true(!x->dim[1].symbol && !x->dim[2].symbol);
    assert_true(!y->has_shape && h->has_shape && h->rank == 0);
    assert_null(onnx_value(g, "z"));
    assert_string_equal(onnx_writer(g, "h")->name, "r");
    assert_null(onnx_writer(g, "x"));
    assert_null(onnx_constant(g, "h"));
}

TEST(values_that_are_wrong)
{
    static const struct {
        const char *dims, *why;
    } row[] = { { "2 -1", "value 'x': expected an extent from 0, found -1" },
                { "1 1 1 1 1 1 1 1 1 1 1 1 1", "value 'x' has 13 dimensions; expected at most 12" } };
    for (size_t i = 0; i < LENGTH(row); i++) {
        Onnx__ModelProto *p = new_model();
        ADD(p->graph->input, p->graph->n_input, new_value("x", row[i].dims));
        bad(p, row[i].why);
    }
    Onnx__ModelProto *p = model_of_x_and_y();
    NODE(p->graph, "Relu", "", "x", "y");
    p->graph->input[0]->type->tensor_type->elem_type = 99;
    bad(p, "value 'x': the type of its elements, 99, is unknown");
}

/* What is no tensor may be there, where nothing needs it. */
TEST(a_value_that_is_no_tensor)
{
    Onnx__ModelProto *p = model_of_x_and_y();
    Onnx__TypeProto__Sequence *s = NEW(Onnx__TypeProto__Sequence, onnx__type_proto__sequence__init);
    s->elem_type = p->graph->input[0]->type;
    p->graph->input[0]->type = NEW(Onnx__TypeProto, onnx__type_proto__init);
    p->graph->input[0]->type->value_case = ONNX__TYPE_PROTO__VALUE_SEQUENCE_TYPE;
    p->graph->input[0]->type->sequence_type = s;
    NODE(p->graph, "SequenceAt", "", "x", "y");
    const OnnxValue *x = onnx_value(good(p)->graph, "x");
    assert_string_equal(x->other, "sequence");
    assert_int_equal(x->type, ELEMENT_NONE);
}

/* Files of old versions list constants as inputs too. */
TEST(constants_are_no_inputs)
{
    Onnx__ModelProto *p = model_of_x_and_y();
    add_input(p->graph, "w");
    add_one(p->graph, "w");
    NODE(p->graph, "Add", "", "x w", "y");
    const OnnxGraph *g = good(p)->graph;
    assert_int_equal(g->ninput, 1);
    assert_string_equal(g->input[0].name, "x");
    assert_ptr_equal(onnx_constant(g, "w"), &g->constant[0]);
}

/* ---- order ---- */

TEST(nodes_are_put_in_order)
{
    static const struct {
        const char *list, *order; /* of nodes that are called as their output: "a:b c" reads b and c */
    } row[] = { { "y:x", "y" },
                { "b:x a:x y:a,b", "b a y" },
                { "y:c c:b b:a a:x", "a b c y" },
                { "y:a,b d:x b:d a:c c:x", "c a d b y" },
                { "p:x q:x y:q p2:p", "p q y p2" } };
    for (size_t i = 0; i < LENGTH(row); i++) {
        Onnx__ModelProto *p = model_of_x_and_y();
        TextList nodes = { 0 };
        text_list_split(arena, &nodes, row[i].list, " ");
        for (int k = 0; k < nodes.n; k++) {
            const char *colon = strchr(nodes.item[k], ':');
            char *name = arena_strndup(arena, nodes.item[k], (size_t)(colon - nodes.item[k]));
            char *reads = arena_strdup(arena, colon + 1);
            if (strchr(reads, ','))
                *strchr(reads, ',') = ' ';
            NODE(p->graph, "Op", name, reads, name);
        }
        const OnnxGraph *g = good(p)->graph;
        Text order = { .arena = arena };
        for (int k = 0; k < g->nnode; k++) {
            text_printf(&order, "%s%s", k ? " " : "", g->node[k].name);
            assert_ptr_equal(onnx_writer(g, g->node[k].output[0]), &g->node[k]);
        }
        assert_string_equal(text_str(&order), row[i].order);
    }
}

TEST(a_cycle_is_named)
{
    Onnx__ModelProto *p = model_of_x_and_y();
    NODE(p->graph, "Relu", "first", "x", "a");
    NODE(p->graph, "Add", "left", "a c", "b");
    NODE(p->graph, "Relu", "right", "b", "c");
    NODE(p->graph, "Relu", "last", "b", "y");
    bad(p, "node 'left' (Add) reads what is made of its own output; expected no cycle");
    p = model_of_x_and_y();
    NODE(p->graph, "Relu", "self", "y", "y");
    bad(p, "node 'self' (Relu) reads what is made of its own output");
}

TEST(a_long_chain_backwards)
{
    enum { LONG = 100000 };
    Onnx__ModelProto *p = model_of_x_and_y();
    Onnx__GraphProto *g = p->graph;
    g->node = ARENA_ARRAY(arena, LONG, Onnx__NodeProto *);
    for (int i = 0; i < LONG; i++)
        g->node[g->n_node++] = new_node("Relu", "", i == LONG - 1 ? "x" : arena_printf(arena, "v%d", i + 1),
                                        i == 0 ? "y" : arena_printf(arena, "v%d", i));
    const OnnxGraph *read = good(p)->graph;
    assert_int_equal(read->nnode, LONG);
    assert_string_equal(read->node[0].input[0], "x");
    assert_string_equal(read->node[LONG - 1].name, "Relu_0");
}

TEST(each_value_is_written_once_and_what_is_read_is_written)
{
    Onnx__ModelProto *p = model_of_x_and_y();
    add_one(p->graph, "w");
    NODE(p->graph, "Relu", "a", "x", "y");
    NODE(p->graph, "Relu", "b", "x", "y");
    bad(p, "node 'b' (Relu) writes 'y', which is there already");
    p->graph->node[1] = new_node("Relu", "b", "x", "x");
    bad(p, "node 'b' (Relu) writes 'x', which is there already");
    p->graph->node[1] = new_node("Relu", "b", "x", "w");
    bad(p, "node 'b' (Relu) writes 'w', which is there already");
    p->graph->node[1] = new_node("Split", "b", "x", "u u");
    bad(p, "node 'b' (Split) writes 'u', which is there already");
    p->graph->node[1] = new_node("Clip", "b", "x - nobody", "u -");
    bad(p, "node 'b' (Clip) reads 'nobody'; expected a value that an input, a constant or a node writes");
    p->graph->node[1] = new_node("Clip", "b", "x - w", "- u");
    assert_string_equal(nodes_text(good(p)->graph), "a=Relu(x)y; b=Clip(x,,w),u");
    add_output(p->graph, "z");
    bad(p, "nobody writes the output 'z'; expected a node that does");
    p->graph->n_output = 1;
    add_one(p->graph, "w");
    bad(p, "two initializers are called 'w'");
    p->graph->n_initializer = 1;
    add_input(p->graph, "x");
    bad(p, "two inputs are called 'x'");
    p->graph->input[1] = new_value("", "");
    bad(p, "input 1 has no name");
}

TEST(all_errors_are_said)
{
    Onnx__ModelProto *p = model_of_x_and_y();
    add_tensor(p->graph, "w", ELEMENT_F32, "-1");
    NODE(p->graph, "Add", "a", "x w", "b");
    NODE(p->graph, "Add", "c", "b q", "y");
    ATTRIBUTE(p->graph->node[0], "t", TENSOR);
    assert_null(read_model(p));
    const char *said = golden_diag(arena, diag);
    assert_has_all(said, "tensor 'w': expected an extent from 0, found -1",
                   "node 'a' (Add): expected a tensor in its attribute 't'", "node 'c' (Add) reads 'q'; expected");
    assert_int_equal(occurrences(said, "error: "), 3);
}

/* ---- names ---- */

TEST(names_of_nodes_are_unique)
{
    Onnx__ModelProto *p = model_of_x_and_y();
    NODE(p->graph, "Relu", "", "x", "a");
    NODE(p->graph, "Relu", "same", "a", "b");
    NODE(p->graph, "Relu", "same", "b", "c");
    NODE(p->graph, "Add", "", "c c", "y");
    NODE(p->graph, "Add", "Add_3", "c c", "d");
    NODE(p->graph, "Add", "Add_3", "c c", "e");
    assert_string_equal(nodes_text(good(p)->graph),
                        "Relu_0=Relu(x)a; same=Relu(a)b; Relu_2=Relu(b)c; Add_3_2=Add(c,c)y; "
                        "Add_3=Add(c,c)d; Add_5=Add(c,c)e");
}

TEST(names_are_kept_and_said_safely)
{
    static char name[] = "*/ \n\033[31m\"%s\xff";
    Onnx__ModelProto *p = model_of_x_and_y();
    Onnx__NodeProto *node = NODE(p->graph, "Relu", name, "x", "y");
    assert_string_equal(good(p)->graph->node[0].name, name);
    ADD(node->input, node->n_input, name);
    assert_null(read_model(p));
    const char *said = golden_diag(arena, diag);
    assert_has(said, "node '*/  ?[31m\"%s?' (Relu) reads '*/  ?[31m\"%s?'; expected");
    assert_int_equal(occurrences(said, "\n"), 1);
    node->n_input = 1;
    node->op_type = NULL;
    bad(p, "has no operator; expected its name");
}

TEST(a_long_name_is_cut_in_messages)
{
    Onnx__ModelProto *p = model_of_x_and_y();
    char *name = arena_alloc(arena, 4098);
    memset(name, 'n', 4096);
    NODE(p->graph, "Relu", name, "q", "y");
    bad(p, "nnn...' (Relu) reads 'q'; expected");
    name[4096] = 'n';
    bad(p, "has a name of 4097 bytes at byte ");
    name[0] = '\0';
    p->graph->node[0]->doc_string = name + 1;
    p->graph->doc_string = arena_printf(arena, "%s%s", name + 1, name + 1);
    p->graph->node[0]->input[0] = "x";
    good(p);
}

TEST(domains)
{
    Onnx__ModelProto *p = model_of_x_and_y();
    NODE(p->graph, "Relu", "", "x", "a")->domain = "ai.onnx";
    NODE(p->graph, "Gelu", "", "a", "y")->domain = "com.microsoft";
    const OnnxGraph *g = good(p)->graph;
    assert_string_equal(g->node[0].domain, "");
    assert_string_equal(g->node[1].domain, "com.microsoft");
}

/* ---- attributes ---- */

static Onnx__NodeProto *node_with_attributes(Onnx__ModelProto *p)
{
    static char text[] = "SAME", *word = "w\0z";
    static const float reals[] = { 0.5f, 2 };
    static const int64_t integers[] = { 1, -2, 3 };
    Onnx__NodeProto *node = NODE(p->graph, "Conv", "c", "x", "y");
    attribute_int(node, "axis", -1);
    Onnx__AttributeProto *at = ATTRIBUTE(node, "alpha", FLOAT);
    at->has_f = 1;
    at->f = 0.25f;
    at = ATTRIBUTE(node, "pad", STRING);
    at->has_s = 1;
    at->s = (ProtobufCBinaryData){ 4, (uint8_t *)text };
    at = ATTRIBUTE(node, "ints", INTS);
    at->ints = (int64_t *)integers;
    at->n_ints = 3;
    at = ATTRIBUTE(node, "floats", FLOATS);
    at->floats = (float *)reals;
    at->n_floats = 2;
    at = ATTRIBUTE(node, "strings", STRINGS);
    ADD(at->strings, at->n_strings, ((ProtobufCBinaryData){ 1, (uint8_t *)word }));
    ADD(at->strings, at->n_strings, ((ProtobufCBinaryData){ 0, NULL }));
    at = ATTRIBUTE(node, "tensor", TENSOR);
    at->t = set_raw(new_tensor("", ELEMENT_F32, "2"), reals, sizeof reals);
    ATTRIBUTE(node, "others", TENSORS);
    return node;
}

static void check_attributes(const OnnxNode *node)
{
    int n;
    assert_int_equal(onnx_int(node, "axis", 7), -1);
    assert_true(onnx_float(node, "alpha", 7) == 0.25);
    assert_string_equal(onnx_string(node, "pad", ""), "SAME");
    const int64_t *ints = onnx_ints(node, "ints", &n);
    assert_true(n == 3 && ints[0] == 1 && ints[1] == -2 && ints[2] == 3);
    const float *floats = onnx_floats(node, "floats", &n);
    assert_true(n == 2 && floats[0] == 0.5f && floats[1] == 2);
    const char *const *strings = onnx_strings(node, "strings", &n);
    assert_int_equal(n, 2);
    assert_string_equal(strings[0], "w");
    assert_string_equal(strings[1], "");
    const OnnxTensor *t = onnx_tensor(node, "tensor");
    assert_true(t->count == 2 && t->bytes == 8 && ((const float *)t->data)[1] == 2);
}

TEST(attributes_of_all_kinds)
{
    Onnx__ModelProto *p = model_of_x_and_y();
    Onnx__NodeProto *node = node_with_attributes(p);
    const OnnxNode *read = good(p)->graph->node;
    check_attributes(read);
    assert_int_equal(onnx_attribute(read, "others")->kind, ONNX_OTHER);
    int n;
    assert_int_equal(onnx_int(read, "none", 7), 7);
    assert_true(onnx_float(read, "none", 7) == 7);
    assert_string_equal(onnx_string(read, "none", "d"), "d");
    assert_true(!onnx_tensor(read, "none") && !onnx_graph(read, "none") && !onnx_ints(read, "none", &n) && n == 0);
    assert_true(!onnx_floats(read, "none", &n) && !onnx_strings(read, "none", &n) && n == 0);
    assert_int_equal(diag_nerror(diag), 0);
    for (size_t i = 0; i < node->n_attribute; i++) /* old files do not say of which kind they are */
        node->attribute[i]->has_type = 0;
    check_attributes(good(p)->graph->node);
}

TEST(an_attribute_of_another_kind_is_an_error)
{
    Onnx__ModelProto *p = model_of_x_and_y();
    node_with_attributes(p);
    const OnnxNode *node = good(p)->graph->node;
    int n;
    assert_int_equal(onnx_int(node, "alpha", 7), 7);
    golden_fault(golden_diag(arena, diag),
                 "node 'c' (Conv): expected a whole number in its attribute 'alpha', found a number");
    assert_null(onnx_ints(node, "axis", &n));
    assert_null(onnx_graph(node, "others"));
    assert_has_all(golden_diag(arena, diag), "expected whole numbers in its attribute 'axis', found a whole number",
                   "expected a graph in its attribute 'others', found something else");
}

TEST(attributes_that_are_wrong)
{
    Onnx__ModelProto *p = model_of_x_and_y();
    Onnx__NodeProto *node = NODE(p->graph, "Relu", "r", "x", "y");
    attribute_int(node, "axis", 1);
    attribute_int(node, "axis", 1);
    bad(p, "node 'r' (Relu) has two attributes 'axis'");
    node->n_attribute = 0;
    attribute_reference(node, "axis", "of_call");
    bad(p, "node 'r' (Relu): the attribute 'axis' refers to one of a function, and is in none");
    node->n_attribute = 0;
    ATTRIBUTE(node, "body", GRAPH);
    bad(p, "node 'r' (Relu): expected a graph in its attribute 'body'");
    node->n_attribute = 0;
    for (int i = 0; i < 129; i++)
        attribute_int(node, arena_printf(arena, "a%d", i), i);
    bad(p, "node 'r' (Relu) has 129 attributes; expected at most 128");
}

/* ---- graphs within graphs ---- */

/* A node comes behind those whose outputs its graphs read. */
TEST(nested_graphs)
{
    Onnx__ModelProto *p = model_of_x_and_y();
    Onnx__NodeProto *node = NODE(p->graph, "If", "if", "c", "y");
    add_input(p->graph, "c");
    Onnx__GraphProto *yes = graph_in(node, "then_branch"), *no = graph_in(node, "else_branch");
    NODE(yes, "Add", "add", "late x", "t");
    add_output(yes, "t");
    add_output(no, "late");
    NODE(p->graph, "Relu", "relu", "x", "late");
    ADD(p->graph->value_info, p->graph->n_value_info, new_value("late", "9"));
    const OnnxGraph *g = good(p)->graph, *then = onnx_graph(&g->node[1], "then_branch");
    assert_string_equal(nodes_text(g), "relu=Relu(x)late; if=If(c)y");
    assert_string_equal(nodes_text(then), "add=Add(late,x)t");
    assert_ptr_equal(then->outer, g);
    assert_int_equal(then->ncaptured, 2);
    assert_string_equal(then->captured[0], "late");
    assert_string_equal(onnx_writer(then, "late")->name, "relu");
    assert_int_equal(onnx_value(then, "late")->dim[0].value, 9);
    assert_int_equal(onnx_graph(&g->node[1], "else_branch")->ncaptured, 1);
    assert_int_equal(g->ncaptured, 0);
    yes->node[0]->input[0] = "nobody";
    bad(p, "node 'if' (If) reads 'nobody'; expected");
}

TEST(a_cycle_through_a_nested_graph)
{
    Onnx__ModelProto *p = model_of_x_and_y();
    Onnx__NodeProto *node = NODE(p->graph, "If", "if", "x", "y");
    add_output(graph_in(node, "then_branch"), "y");
    bad(p, "node 'if' (If) reads what is made of its own output");
}

TEST(graphs_are_nested_so_deep)
{
    for (int depth = ONNX_MAX_NESTED; depth <= ONNX_MAX_NESTED + 1; depth++) {
        Onnx__ModelProto *p = model_of_x_and_y();
        Onnx__GraphProto *g = p->graph;
        for (int i = 0; i < depth; i++)
            g = graph_in(NODE(g, "If", "", "x", i == 0 ? "y" : arena_printf(arena, "y%d", i)),
                         arena_printf(arena, "g%d", i));
        NODE(g, "Relu", "inner", "x", "z");
        if (depth == ONNX_MAX_NESTED)
            good(p);
        else
            bad(p, "graph 'g16' is nested deeper than 16; expected at most that many");
    }
}

TEST_EACH(setup_folder, teardown_folder)
