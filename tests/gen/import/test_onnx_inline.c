/* SPDX-License-Identifier: Apache-2.0
 *
 * onnx_inline: functions of a model in the place of their calls: names, attributes, inputs and outputs that are left
 * out, functions that call others; those that call themselves, or grow without end, are refused.
 */
#include "tests/test.h"
#include "tests/gen/import/onnx_model.h"

static Onnx__FunctionProto *new_function(const char *name, const char *input, const char *output)
{
    Onnx__FunctionProto *f = NEW(Onnx__FunctionProto, onnx__function_proto__init);
    f->domain = "local";
    f->name = (char *)name;
    f->input = names(input, &f->n_input);
    f->output = names(output, &f->n_output);
    return f;
}

#define FUNCTION(p, name, input, output) ADD((p)->functions, (p)->n_functions, new_function(name, input, output))

static Onnx__NodeProto *new_call(const char *function, const char *name, const char *input, const char *output)
{
    Onnx__NodeProto *node = new_node(function, name, input, output);
    node->domain = "local";
    return node;
}

#define CALL(to, function, name, input, output) ADD((to)->node, (to)->n_node, new_call(function, name, input, output))

TEST(a_call_is_replaced)
{
    Onnx__ModelProto *p = model_of_x_and_y();
    Onnx__FunctionProto *f = FUNCTION(p, "twice", "a b", "c");
    NODE(f, "Mul", "mul", "a b", "h");
    NODE(f, "Add", "", "h h", "c");
    CALL(p->graph, "twice", "t1", "x x", "u");
    CALL(p->graph, "twice", "t2", "u x", "y");
    assert_string_equal(nodes_text(good(p)->graph),
                        "t1/mul=Mul(x,x)t1/h; t1/Add_2=Add(t1/h,t1/h)u; t2/mul=Mul(u,x)t2/h; t2/Add_5=Add(t2/h,t2/h)y");
    p->graph->node[0]->domain = "other"; /* an operator of that domain */
    assert_has(nodes_text(good(p)->graph), "t1=twice(x,x)u; ");
}

/* Names that are made up differ from those of the file, also from later ones. */
TEST(made_up_names_are_new)
{
    Onnx__ModelProto *p = model_of_x_and_y();
    Onnx__FunctionProto *f = FUNCTION(p, "f", "a", "c");
    NODE(f, "Relu", "r", "a", "h");
    NODE(f, "Relu", "r", "h", "c");
    CALL(p->graph, "f", "t", "x", "t/h_2");
    NODE(p->graph, "Relu", "t/r", "t/h_2", "t/h");
    NODE(p->graph, "Relu", "", "t/h", "y");
    assert_string_equal(nodes_text(good(p)->graph), "t/r_2=Relu(x)t/h_3; t/r_3=Relu(t/h_3)t/h_2; t/r=Relu(t/h_2)t/h; "
                                                    "Relu_4=Relu(t/h)y");
}

TEST(functions_call_functions)
{
    Onnx__ModelProto *p = model_of_x_and_y();
    Onnx__FunctionProto *outer = FUNCTION(p, "outer", "a", "c"), *inner = FUNCTION(p, "inner", "a", "c");
    CALL(outer, "inner", "i", "a", "h");
    CALL(outer, "inner", "", "h", "c");
    NODE(inner, "Relu", "r", "a", "c");
    CALL(p->graph, "outer", "o", "x", "y");
    assert_string_equal(nodes_text(good(p)->graph), "o/i/r=Relu(x)o/h; o/inner_3/r=Relu(o/h)y");
}

/* ---- inputs and outputs ---- */

TEST(what_a_call_leaves_out)
{
    Onnx__ModelProto *p = model_of_x_and_y();
    Onnx__FunctionProto *f = FUNCTION(p, "f", "a b c", "d e");
    NODE(f, "Clip", "k", "a b c", "d");
    NODE(f, "Relu", "r", "d", "e");
    CALL(p->graph, "f", "t", "x -", "- y");
    assert_string_equal(nodes_text(good(p)->graph), "t/k=Clip(x,,)t/d; t/r=Relu(t/d)y");
    p->graph->node[0] = new_call("f", "t", "x", "y");
    assert_string_equal(nodes_text(good(p)->graph), "t/k=Clip(x,,)y; t/r=Relu(y)t/e");
    p->graph->node[0] = new_call("f", "t", "x x x x", "y");
    bad(p, "node 't' has 4 inputs and 1 outputs; expected at most 3 and 2, as the function 'f' has");
    p->graph->node[0] = new_call("f", "t", "x", "y u w");
    bad(p, "node 't' has 1 inputs and 3 outputs; expected at most 3 and 2, as the function 'f' has");
}

TEST(an_output_that_is_an_input)
{
    Onnx__ModelProto *p = model_of_x_and_y();
    FUNCTION(p, "f", "a", "a a");
    CALL(p->graph, "f", "t", "x", "u y");
    assert_string_equal(nodes_text(good(p)->graph), "t/Identity=Identity(x)u; t/Identity_2=Identity(x)y");
}

TEST(an_output_that_nobody_writes)
{
    Onnx__ModelProto *p = model_of_x_and_y();
    FUNCTION(p, "f", "a", "c");
    CALL(p->graph, "f", "t", "x", "u");
    NODE(p->graph, "Relu", "r", "u", "y");
    bad(p, "node 'r' (Relu) reads 'u'; expected");
    NODE(p->functions[0], "Relu", "q", "none", "c");
    bad(p, "node 't/q' (Relu) reads 't/none'; expected");
}

/* ---- attributes ---- */

static int64_t axis_of(const Onnx__ModelProto *p) { return onnx_int(good(p)->graph->node, "axis", 99); }

TEST(attributes_of_the_call)
{
    Onnx__ModelProto *p = model_of_x_and_y();
    Onnx__FunctionProto *f = FUNCTION(p, "f", "a", "c");
    attribute_reference(NODE(f, "Softmax", "s", "a", "c"), "axis", "dim");
    ADD(f->attribute, f->n_attribute, "dim");
    Onnx__NodeProto *call = CALL(p->graph, "f", "t", "x", "y");
    assert_int_equal(axis_of(p), 99);
    attribute_int(call, "dim", 3);
    assert_int_equal(axis_of(p), 3);
    Onnx__FunctionProto *outer = FUNCTION(p, "outer", "a", "c"); /* through two calls */
    attribute_reference(CALL(outer, "f", "t", "a", "c"), "dim", "d");
    p->graph->node[0] = new_call("outer", "o", "x", "y");
    attribute_int(p->graph->node[0], "d", 4);
    assert_int_equal(axis_of(p), 4);
}

TEST(a_constant_of_the_calls)
{
    Onnx__ModelProto *p = model_of_x_and_y();
    Onnx__FunctionProto *f = FUNCTION(p, "f", "a", "c");
    attribute_reference(NODE(f, "Constant", "k", "", "n"), "value_int", "dim");
    NODE(f, "Add", "add", "a n", "c");
    attribute_int(CALL(p->graph, "f", "t", "x", "u"), "dim", 3);
    attribute_int(CALL(p->graph, "f", "v", "u", "y"), "dim", 4);
    const OnnxGraph *g = good(p)->graph;
    assert_int_equal(*(const int64_t *)onnx_constant(g, "t/n")->data, 3);
    assert_int_equal(*(const int64_t *)onnx_constant(g, "v/n")->data, 4);
}

/* A field that a message's schema may be too old for: its length, then its bytes. */
static void add_late(ProtobufCMessage *m, unsigned number, const void *bytes, size_t n)
{
    uint8_t *data = arena_alloc(arena, n + 1);
    assert_true(n < 128);
    data[0] = (uint8_t)n;
    memcpy(data + 1, bytes, n);
    const ProtobufCMessageUnknownField field = { number, PROTOBUF_C_WIRE_TYPE_LENGTH_PREFIXED, n + 1, data };
    ADD(m->unknown_fields, m->n_unknown_fields, field);
}

enum { LATE_OVERLOAD_OF_NODE = 8, LATE_DEFAULTS = 11, LATE_OVERLOAD = 13 };

TEST(defaults_of_attributes)
{
    Onnx__ModelProto *p = model_of_x_and_y();
    Onnx__FunctionProto *f = FUNCTION(p, "f", "a", "c");
    attribute_reference(NODE(f, "Softmax", "s", "a", "c"), "axis", "dim");
    Onnx__NodeProto *call = CALL(p->graph, "f", "t", "x", "y"), *other = new_node("", "", "", "");
    static const int64_t value[] = { 7, -5 };
    static const char *const name[] = { "other", "dim" };
    for (int i = 0; i < 2; i++) {
        uint8_t bytes[100];
        const size_t n = onnx__attribute_proto__pack(attribute_int(other, name[i], value[i]), bytes);
        add_late(&f->base, LATE_DEFAULTS, bytes, n);
    }
    assert_int_equal(axis_of(p), -5);
    attribute_int(call, "dim", 3);
    assert_int_equal(axis_of(p), 3);
    add_late(&f->base, LATE_DEFAULTS, "\x0a\x05", 2);
    assert_null(read_model(p));
}

TEST(functions_by_overload)
{
    Onnx__ModelProto *p = model_of_x_and_y();
    Onnx__FunctionProto *plain = FUNCTION(p, "f", "a", "c"), *other = FUNCTION(p, "f", "a", "c");
    NODE(plain, "Relu", "r", "a", "c");
    NODE(other, "Tanh", "r", "a", "c");
    Onnx__NodeProto *call = CALL(p->graph, "f", "t", "x", "y");
    bad(p, "two functions are called 'f'");
    add_late(&other->base, LATE_OVERLOAD, "o2", 2);
    assert_string_equal(nodes_text(good(p)->graph), "t/r=Relu(x)y");
    add_late(&call->base, LATE_OVERLOAD_OF_NODE, "o2", 2);
    assert_string_equal(nodes_text(good(p)->graph), "t/r=Tanh(x)y");
}

/* ---- graphs in functions ---- */

TEST(a_graph_in_a_function)
{
    Onnx__ModelProto *p = model_of_x_and_y();
    Onnx__FunctionProto *f = FUNCTION(p, "f", "cond a", "c");
    NODE(f, "Relu", "relu", "a", "h");
    Onnx__NodeProto *node = NODE(f, "If", "if", "cond", "c");
    Onnx__GraphProto *g = NEW(Onnx__GraphProto, onnx__graph_proto__init);
    ATTRIBUTE(node, "then_branch", GRAPH)->g = g;
    NODE(g, "Add", "add", "h w", "s");
    add_one(g, "w");
    add_output(g, "s");
    add_input(p->graph, "b");
    CALL(p->graph, "f", "t", "b x", "u");
    CALL(p->graph, "f", "v", "b u", "y");
    const OnnxGraph *read = good(p)->graph;
    assert_string_equal(nodes_text(read), "t/relu=Relu(x)t/h; t/if=If(b)u; v/relu=Relu(u)v/h; v/if=If(b)y");
    const OnnxGraph *first = onnx_graph(&read->node[1], "then_branch"),
                    *last = onnx_graph(&read->node[3], "then_branch");
    assert_string_equal(nodes_text(first), "t/add=Add(t/h,t/w)t/s");
    assert_string_equal(nodes_text(last), "v/add=Add(v/h,v/w)v/s");
    assert_string_equal(last->output[0].name, "v/s");
    assert_ptr_equal(onnx_constant(first, "t/w")->data, onnx_constant(last, "v/w")->data);
    assert_null(onnx_constant(read, "t/w"));
}

/* ---- without end ---- */

TEST(a_function_that_calls_itself)
{
    Onnx__ModelProto *p = model_of_x_and_y();
    Onnx__FunctionProto *f = FUNCTION(p, "f", "a", "c"), *g = FUNCTION(p, "g", "a", "c");
    CALL(f, "g", "i", "a", "c");
    CALL(g, "f", "k", "a", "c");
    CALL(p->graph, "f", "t", "x", "y");
    bad(p, "node 't/i/k' calls the function 'f', which calls itself");
    p->graph->node[0]->op_type = "Relu"; /* nobody calls it */
    good(p);
}

/* f0 calls f1 `width` times, which calls f2 as often ... */
static Onnx__ModelProto *tower(int depth, int width)
{
    Onnx__ModelProto *p = model_of_x_and_y();
    for (int i = 0; i < depth; i++) {
        Onnx__FunctionProto *f = FUNCTION(p, arena_printf(arena, "f%d", i), "a", "c");
        for (int k = 0; k < width; k++)
            ADD(f->node, f->n_node,
                new_call(arena_printf(arena, i + 1 < depth ? "f%d" : "op", i + 1), "n", "a",
                         k == 0 ? "c" : arena_printf(arena, "c%d", k)));
    }
    CALL(p->graph, "f0", "t", "x", "y");
    return p;
}

TEST(calls_within_calls)
{
    assert_int_equal(good(tower(64, 1))->graph->nnode, 1);
    bad(tower(65, 1), "functions call each other deeper than 64; expected at most that many");
    assert_int_equal(good(tower(5, 5))->graph->nnode, 3125);
    bad(tower(60, 2), "is too large once its functions stand in place of their calls; expected at most");
    bad(tower(8, 20), "is too large once its functions stand in place of their calls; expected at most");
}

enum { MANY = 50000 };

/* Names that are there often get numbers, and that does not take longer each time. */
TEST(many_nodes_of_one_name)
{
    Onnx__ModelProto *p = model_of_x_and_y();
    Onnx__FunctionProto *f = FUNCTION(p, "f", "a", "c");
    f->node = ARENA_ARRAY(arena, MANY, Onnx__NodeProto *);
    for (int i = 0; i < MANY; i++)
        f->node[f->n_node++] = new_node("Relu", "r", "a", i == 0 ? "c" : arena_printf(arena, "h%d", i));
    CALL(p->graph, "f", "t", "x", "y");
    NODE(p->graph, "Relu", "t/r", "x", "z");
    const OnnxGraph *g = good(p)->graph;
    assert_string_equal(g->node[0].name, "t/r_2");
    assert_string_equal(g->node[MANY - 1].name, "t/r_50001");
    assert_string_equal(g->node[MANY].name, "t/r");
}

/* Many calls of a function with one long name in it. */
TEST(names_within_calls_do_not_grow_without_end)
{
    Onnx__ModelProto *p = model_of_x_and_y();
    Onnx__FunctionProto *f = FUNCTION(p, "f", "a", "c");
    char *name = arena_alloc(arena, 4097);
    memset(name, 'n', 4096);
    NODE(f, "Relu", "r", "a", name);
    NODE(f, "Relu", "s", name, "c");
    p->graph->node = ARENA_ARRAY(arena, MANY, Onnx__NodeProto *);
    for (int i = 0; i < MANY; i++)
        p->graph->node[p->graph->n_node++] = new_call("f", "", "x", i == 0 ? "y" : arena_printf(arena, "y%d", i));
    bad(p, "is too large once its functions stand in place of their calls; expected at most");
}

TEST_EACH(setup_folder, teardown_folder)
