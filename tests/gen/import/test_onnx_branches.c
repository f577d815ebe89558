/* SPDX-License-Identifier: Apache-2.0
 *
 * onnx_branches: branches in the place of If nodes: what they call their own values, what they read of the graph around
 * them, branches in branches; conditions that follow from sizes, one from the other; those that do not.
 */
#include "tests/test.h"
#include "gen/import/lower.h"
#include "tests/gen/import/onnx_model.h"

/* A node with two branches, each an operator and then another one; both call what is between h. */
static Onnx__NodeProto *choice(Onnx__GraphProto *g, const char *name, const char *input, const char *output)
{
    static const char *const op[2] = { "Relu", "Exp" };
    Onnx__NodeProto *node = NODE(g, "If", name, input, output);
    for (int i = 0; i < 2; i++) {
        Onnx__GraphProto *branch = graph_in(node, i ? "else_branch" : "then_branch");
        NODE(branch, op[i], arena_printf(arena, "%s_%s", name, op[i]), "x", "h");
        NODE(branch, "Neg", "", "h", "o");
        add_output(branch, "o");
    }
    return node;
}

static void add_truth(Onnx__GraphProto *g, const char *name, uint8_t is)
{
    uint8_t *byte = ARENA_NEW(arena, uint8_t);
    *byte = is;
    set_raw(add_tensor(g, name, ELEMENT_BOOL, ""), byte, 1);
}

/* The nodes of the model in which each If node takes its then branch, or the other one. */
static const char *taken(const Onnx__ModelProto *p, bool is_then)
{
    const OnnxModel *m = good(p);
    const OnnxGraph **branch = ARENA_ARRAY(arena, (size_t)m->graph->nnode + 1, const OnnxGraph *);
    for (int i = 0; i < m->graph->nnode; i++)
        branch[i] = strcmp(m->graph->node[i].op, "If") == 0 ? onnx_branch(&m->graph->node[i], is_then) : NULL;
    return nodes_text(onnx_with_branches(arena, m, branch)->graph);
}

TEST(branches_have_names_of_their_own)
{
    Onnx__ModelProto *p = model_of_x_and_y();
    add_truth(p->graph, "c", 1);
    choice(p->graph, "a", "c", "u");
    choice(p->graph, "b", "c", "a/h"); /* a name that one of the branch would get */
    NODE(p->graph, "Add", "add", "u a/h", "y");
    assert_string_equal(taken(p, true), "a_Relu=Relu(x)a/h_; Neg_2=Neg(a/h_)a/o; a/output_0=Identity(a/o)u; "
                                        "b_Relu=Relu(x)b/h; Neg_7=Neg(b/h)b/o; b/output_0=Identity(b/o)a/h; "
                                        "add=Add(u,a/h)y");
    assert_has(taken(p, false), "a_Exp=Exp(x)a/h_; ");
}

/* A branch's constants, and what a graph within it reads of it. */
TEST(branches_in_branches)
{
    Onnx__ModelProto *p = model_of_x_and_y();
    add_truth(p->graph, "c", 1);
    Onnx__NodeProto *node = NODE(p->graph, "If", "a", "c", "y");
    Onnx__GraphProto *yes = graph_in(node, "then_branch"), *no = graph_in(node, "else_branch");
    add_one(yes, "one");
    NODE(yes, "Add", "add", "x one", "x1");
    Onnx__NodeProto *inner = NODE(yes, "If", "i", "c", "r");
    for (int i = 0; i < 2; i++) {
        Onnx__GraphProto *branch = graph_in(inner, i ? "else_branch" : "then_branch");
        NODE(branch, "Mul", "", "x1 x", "t");
        add_output(branch, i ? "x1" : "t");
    }
    add_output(yes, "r");
    add_output(no, "x");
    const char *all = "add=Add(x,a/one)a/x1; i=If(c)a/r; a/output_0=Identity(a/r)y";
    assert_string_equal(taken(p, true), all);
    assert_string_equal(taken(p, false), "a/output_0=Identity(x)y");
    const OnnxModel *m = good(p);
    const OnnxGraph *branch = onnx_branch(&m->graph->node[0], true);
    m = onnx_with_branches(arena, m, &branch);
    const OnnxNode *within = onnx_writer(m->graph, "a/r");
    assert_string_equal(nodes_text(onnx_branch(within, true)), "Mul_3=Mul(a/x1,x)t");
    assert_string_equal(onnx_branch(within, false)->output[0].name, "a/x1");
    assert_true(onnx_constant(m->graph, "a/one")->count == 1);
}

/* ---- conditions ---- */

static Diag *said;

static Lower *lowered(const Onnx__ModelProto *p)
{
    const TextList none = { 0 };
    said = diag_new(arena);
    return lower_model(arena, good(p), &none, false, said);
}

/* Whether x has 2 rows, and whether what that gives has two axes. */
TEST(conditions_follow_from_sizes)
{
    static const int64_t number[] = { 2, 0 };
    Onnx__ModelProto *p = model_of_x_and_y();
    for (int i = 0; i < 2; i++)
        set_raw(add_tensor(p->graph, i ? "zero" : "two", ELEMENT_S64, ""), &number[i], sizeof *number);
    NODE(p->graph, "Shape", "", "x", "s");
    NODE(p->graph, "Gather", "", "s zero", "rows");
    NODE(p->graph, "Equal", "", "rows two", "c");
    choice(p->graph, "a", "c", "u");
    NODE(p->graph, "Shape", "", "u", "su");
    NODE(p->graph, "Size", "", "su", "axes");
    NODE(p->graph, "Equal", "", "axes zero", "cu");
    choice(p->graph, "b", "cu", "v");
    NODE(p->graph, "Add", "", "u v", "y");
    const Lower *l = lowered(p);
    assert_non_null(l);
    assert_has(nodes_text(l->model->graph), "a_Relu=Relu(x)a/h; ");
    assert_has(nodes_text(l->model->graph), "b_Exp=Exp(x)b/h; ");
    assert_null(strstr(nodes_text(l->model->graph), "=If("));
}

TEST(conditions_that_are_data)
{
    Onnx__ModelProto *p = model_of_x_and_y();
    choice(p->graph, "a", "x", "y");
    assert_null(lowered(p));
    assert_has(golden_diag(arena, said),
               "the node 'a' (If): this operator is not supported; its condition does not follow from "
               "sizes: fix it when the model is exported");
}

/* One that is known, but has no such branch. */
TEST(branches_that_are_not_there)
{
    Onnx__ModelProto *p = model_of_x_and_y();
    add_truth(p->graph, "c", 0);
    choice(p->graph, "a", "c", "y")->n_attribute = 1;
    assert_null(lowered(p));
    assert_has(golden_diag(arena, said), "the node 'a' (If): this operator is not supported");
}

TEST_EACH(setup_folder, teardown_folder)
