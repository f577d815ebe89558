/* SPDX-License-Identifier: Apache-2.0
 *
 * What becomes of models at the limits of what a spec can say: sizes that are equal for some dims alone, formulas that
 * are too long, numbers that are too large or too small; and what is told of those beyond them.
 */
#include <math.h>
#include "tests/test.h"
#include "tests/gen/import/lower_model.h"

/* How many nodes the model becomes. */
static int nodes_of_model(void)
{
    if (!spec_of_model(false))
        fail_msg("%s", golden_diag(arena, said));
    return graph_of_model()->nnode;
}

/* Frames of sound, two and two, without a batch: x[T,8] is read as [T/2,16], and a product's result as well. */
TEST(rows_that_are_stacked)
{
    given("x", "T 8");
    constant("w", "16 4", 0.5f);
    constant("square", "8 8", 0.25f);
    whole("shape", "-1 16");
    node("Reshape", "x shape", "pairs");
    node("MatMul", "pairs w", "y");
    node("MatMul", "x square", "h");
    node("Reshape", "h shape", "inner");
    node("Relu", "inner", "r");
    node("MatMul", "r w", "z");
    wanted("y");
    wanted("z");
    becomes("stacked");
}

/* Sizes that are computed in floats: a half rounded up, three quarters; and what is missing to a multiple of 4. */
TEST(sizes_that_go_through_floats)
{
    static const char *const scaled[][4] = { { "Div", "two", "Ceil", "up" }, { "Mul", "part", "Floor", "down" } };
    given("x", "T 8");
    whole("first", "0");
    whole("four", "4");
    constant("two", "", 2);
    constant("part", "", 0.75f);
    size_of("x", "first", "n");
    attribute_int(node("Cast", "n", "real"), "to", 1);
    for (int i = 0; i < 2; i++) {
        const char *const *s = scaled[i];
        node(s[0], arena_printf(arena, "real %s", s[1]), arena_printf(arena, "%s.real", s[3]));
        node(s[2], arena_printf(arena, "%s.real", s[3]), arena_printf(arena, "%s.whole", s[3]));
        attribute_int(node("Cast", arena_printf(arena, "%s.whole", s[3]), arena_printf(arena, "%s.size", s[3])), "to",
                      7);
        node("Unsqueeze", arena_printf(arena, "%s.size first", s[3]), arena_printf(arena, "%s.end", s[3]));
        node("Slice", arena_printf(arena, "x first %s.end first", s[3]), s[3]);
        wanted(s[3]);
    }
    node("Neg", "n", "less");
    node("Mod", "less four", "missing");
    node("Concat", "first first missing first", "pads");
    attribute_int(proto->graph->node[proto->graph->n_node - 1], "axis", 0);
    node("Pad", "x pads", "padded");
    wanted("padded");
    becomes("sizes");
}

/* A number that is negative for some sizes counts from the end there. */
TEST(a_slice_from_an_end_of_either_sign)
{
    given("x", "T 8");
    whole("five", "5");
    whole("axis", "0");
    whole("end", "1000000");
    whole("shape", "-1");
    size_of("x", "axis", "n");
    node("Sub", "n five", "scalar");
    node("Reshape", "scalar shape", "from");
    node("Slice", "x from end axis", "y");
    wanted("y");
    assert_non_null(spec_of_model(false));
    Graph *g = graph_of_model();
    const Tensor *y = &g->tensor[names_find(NAMES(g->tensor, g->ntensor), "y")];
    for (int64_t size = 1; size < 12; size++) {
        int64_t rows, from = size < 5 ? 2 * size - 5 : size - 5;
        assert_true(poly_at(g->polys, y->extent[0], &size, &rows));
        assert_int_equal(rows, size - (from > 0 ? from : 0));
    }
}

/* A quotient of floats that is no size stays what it is; so do numbers that may be negative. */
TEST(what_is_no_size)
{
    given("x", "T");
    whole("axis", "0");
    size_of("x", "axis", "n");
    attribute_int(node("Cast", "n", "real"), "to", 1);
    node("Div", "real x", "q");
    node("Floor", "q", "f");
    attribute_int(node("Cast", "f", "y"), "to", 7);
    wanted("y");
    assert_has(spec_of_model(false), "floor(((1.0 * N) / x[n]))");
}

/* What is made whole and padded then is read within its own extent alone. */
TEST(a_whole_part_of_a_choice)
{
    static const float zero[] = { 0 };
    given("x", "B T");
    whole("pads", "0 2 0 1");
    set_raw(add_tensor(proto->graph, "zero", ELEMENT_F32, ""), zero, sizeof zero);
    attribute_int(node("Cast", "x", "whole"), "to", 7);
    node("Pad", "whole pads", "y");
    wanted("y");
    assert_in_range(nodes_of_model(), 2, 4);
}

/* A part of the rows, by twos: none may be left over, which no operand of a call shows. */
TEST(a_part_that_is_stacked)
{
    given("x", "T 8");
    whole("from", "2");
    whole("to", "1000000");
    whole("axis", "0");
    whole("pairs", "-1 16");
    node("Slice", "x from to axis", "part");
    node("Relu", "part", "r");
    node("Reshape", "r pairs", "y");
    wanted("y");
    becomes("stacked_part");
}

/* What is computed by rows and given stacked. */
TEST(rows_that_are_given_stacked)
{
    given("x", "T 8");
    constant("square", "8 8", 0.25f);
    whole("shape", "-1 16");
    node("MatMul", "x square", "h");
    node("Reshape", "h shape", "y");
    wanted("y");
    becomes("stacked_result");
}

/* Rows along the middle extent, before a product and behind it: its result lies as products write it. */
TEST(a_product_between_rows_of_another_order)
{
    given("x", "B T 8");
    constant("w", "8 4", 0.5f);
    with_ints(node("ReduceMax", "x", "most"), "axes", "1");
    node("Add", "x most", "a");
    node("MatMul", "a w", "p");
    with_ints(node("ReduceMean", "p", "mean"), "axes", "1");
    node("Add", "p mean", "y");
    wanted("y");
    becomes("turned");
}

/* Distances of places, and their products, in floats. */
TEST(products_of_places)
{
    given("x", "T T");
    whole("first", "0");
    whole("second", "1");
    whole("one", "1");
    size_of("x", "first", "n");
    size_of("first", "first", "start"); /* 1 */
    node("Sub", "start start", "zero");
    node("Range", "zero n start", "i");
    attribute_int(node("Cast", "i", "r"), "to", 1);
    node("Unsqueeze", "r first", "row");
    node("Unsqueeze", "r second", "column");
    node("Sub", "row column", "d");
    node("Mul", "d d", "square");
    node("Mul", "row column", "angle");
    node("Sin", "angle", "sine");
    node("Add", "x square", "a");
    node("Add", "a sine", "y");
    wanted("y");
    becomes("places");
}

TEST(chains_that_are_nested_too_deeply_for_a_formula)
{
    given("x", "B T");
    node("Tanh", "x", "h0");
    for (int i = 0; i < 300; i++)
        node(i % 2 ? "Tanh" : "Relu", arena_printf(arena, "h%d", i), arena_printf(arena, i < 299 ? "h%d" : "y", i + 1));
    wanted("y");
    assert_in_range(nodes_of_model(), 2, 4);
}

TEST(a_part_of_a_whole_that_is_nested_too_deeply)
{
    given("x", "B T");
    node("Tanh", "x", "h0");
    for (int i = 0; i < 200; i++)
        node(i % 2 ? "Tanh" : "Relu", arena_printf(arena, "h%d", i), arena_printf(arena, "h%d", i + 1));
    attribute_int(node("Concat", "x h200", "y"), "axis", 1);
    wanted("y");
    assert_int_equal(nodes_of_model(), 3);
}

TEST(sums_that_are_too_long_for_a_formula)
{
    given("x", "B T");
    given("h0", "B T");
    for (int i = 0; i < 200; i++) {
        const char *c = arena_printf(arena, "c%d", i), *h = arena_printf(arena, "h%d", i);
        constant(c, "1", (float)i + 0.5f);
        node("Mul", arena_printf(arena, "x %s", c), arena_printf(arena, "p%d", i));
        node("Add", arena_printf(arena, "%s p%d", h, i), arena_printf(arena, i < 199 ? "h%d" : "y", i + 1));
    }
    wanted("y");
    assert_in_range(nodes_of_model(), 2, 6);
}

/* Along either axis each of them is copied to its place. */
TEST(many_parts_of_a_whole)
{
    for (int axis = 0; axis < 2; axis++) {
        Text t = { .arena = arena };
        proto = new_model();
        for (int i = 0; i < LOWER_MAX_LIST; i++) {
            const char *name = arena_printf(arena, "x%d", i);
            given(name, "T 8");
            text_printf(&t, "%s%s", i ? " " : "", name);
        }
        attribute_int(node("Concat", text_str(&t), "y"), "axis", axis);
        wanted("y");
        assert_int_equal(nodes_of_model(), LOWER_MAX_LIST);
    }
}

/* What is below the numbers of formulas is a product of two, or 0 where floats have none so small. */
TEST(small_numbers)
{
    static const double tiny[] = { 1e-320 };
    given("x", "B T");
    constant("denormal", "1", 1.4e-45f);
    constant("least", "1", -1.17549435e-38f);
    set_raw(add_tensor(proto->graph, "tiny", ELEMENT_F64, "1"), tiny, sizeof tiny);
    node("Max", "x denormal", "a");
    node("Max", "a tiny", "b");
    node("Min", "b least", "y");
    wanted("y");
    const char *text = spec_of_model(false);
    assert_non_null(text);
    assert_has_all(text, ", (2.3509887e-38 * 5.9604644775390625e-08))", ", 0.0)",
                   ", (-1.9721523e-31 * 5.9604644775390625e-08))");
    graph_of_model();
}

/* ---- what is beyond them ---- */

TEST(numbers_that_packages_do_not_have)
{
    static const double most[] = { 1e300 }, none[] = { NAN };
    given("x", "B T");
    given("ids", "B T");
    proto->graph->input[1]->type->tensor_type->elem_type = 7; /* int64 */
    whole("large", "1099511627776");
    set_raw(add_tensor(proto->graph, "most", ELEMENT_F64, "1"), most, sizeof most);
    set_raw(add_tensor(proto->graph, "none", ELEMENT_F64, "1"), none, sizeof none);
    node("Add", "ids large", "a");
    node("Mul", "x most", "b");
    node("Min", "x none", "c");
    wanted("a");
    REFUSED("the node '/a/Add' (Add): it computes with 1099511627776, and whole numbers have 32 bits");
    proto->graph->output[0]->name = (char *)"b";
    REFUSED("the node '/b/Mul' (Mul): it computes with the constant 1e+300, which is no f32");
    proto->graph->output[0]->name = (char *)"c";
    REFUSED("the node '/c/Min' (Min): it computes with the constant nan, which is no f32");
}

TEST(places_that_are_not_there)
{
    given("x", "T 8");
    whole("at", "7 8");
    whole("one", "-9");
    whole("some", "0 3 1 11");
    attribute_int(node("Gather", "x at", "a"), "axis", 1);
    attribute_int(node("Gather", "x one", "b"), "axis", 1);
    attribute_int(node("Gather", "x some", "c"), "axis", 1);
    wanted("a");
    wanted("b");
    wanted("c");
    REFUSED("the node '/a/Gather' (Gather): it reads the place 8 along an extent of 8",
            "the node '/b/Gather' (Gather): it reads the place -1 along an extent of 8",
            "the node '/c/Gather' (Gather): it reads the place 11 along an extent of 8");
}

/* What has no elements reads none. */
TEST(no_places_that_are_not_there)
{
    given("x", "0 8");
    given("z", "8 T");
    whole("shape", "8 0");
    attribute_int(node("Reshape", "x shape", "r"), "allowzero", 1);
    attribute_int(node("Concat", "r z", "y"), "axis", 1);
    wanted("y");
    assert_non_null(spec_of_model(false));
}

/* Whatever the size is: the last window may reach behind the image and its padding, but does not begin there. */
TEST(pooling_that_rounds_up)
{
    static const char *const window[][3] = { { "3 3", "2 2", "0 0 0 0" },
                                             { "2 2", "3 3", "1 1 1 1" },
                                             { "3 3", "3 3", "1 1 1 1" },
                                             { "5 5", "2 2", "2 2 2 2" } };
    for (size_t i = 0; i < LENGTH(window); i++) {
        const int64_t kernel = *window[i][0] - '0', stride = *window[i][1] - '0', pad = *window[i][2] - '0';
        proto = new_model();
        given("x", "B 4 T 5");
        Onnx__NodeProto *pool = with_ints(node("MaxPool", "x", "y"), "kernel_shape", window[i][0]);
        with_ints(with_ints(pool, "strides", window[i][1]), "pads", window[i][2]);
        attribute_int(pool, "ceil_mode", 1);
        wanted("y");
        assert_non_null(spec_of_model(false));
        Graph *g = graph_of_model();
        const Tensor *y = &g->tensor[names_find(NAMES(g->tensor, g->ntensor), "y")];
        const PolyCondition *c;
        const int n = polys_conditions(g->polys, &c);
        for (int64_t size = kernel; size <= 64; size++) {
            int64_t dims[2], rows, all = (size + 2 * pad - kernel + stride - 1) / stride + 1;
            all -= (all - 1) * stride >= size + pad;
            dims[polys_find(g->polys, "B")] = 1;
            dims[polys_find(g->polys, "T")] = size;
            assert_true(poly_at(g->polys, y->extent[2], dims, &rows));
            assert_int_equal(rows, all);
            for (int k = 0; k < n; k++) { /* the operator's rows are those, too */
                int64_t has, wants;
                assert_true(poly_at(g->polys, c[k].x, dims, &has) && poly_at(g->polys, c[k].y, dims, &wants));
                assert_true(c[k].at_least ? has >= wants : has == wants);
            }
        }
    }
}

TEST(windows_and_biases_that_are_none)
{
    given("x", "B 3 T T");
    constant("w", "4 3 3 3", 0.5f);
    constant("b", "3", 0.5f);
    node("Conv", "x w b", "y");
    with_ints(node("Conv", "x w", "z"), "strides", "0 1");
    wanted("y");
    wanted("z");
    REFUSED("the node '/y/Conv' (Conv): its bias is not one number for each of its 4 channels",
            "the node '/z/Conv' (Conv): its strides and dilations are not all from 1 on");
}

TEST(more_sizes_than_specs_have)
{
    given("x0", "a b c d e f g");
    given("x1", "h i j k l m n");
    node("Relu", "x0", "y");
    node("Relu", "x1", "z");
    wanted("y");
    wanted("z");
    REFUSED("the model has 14 sizes, and a package at most 12; those that are always equal are one by --dim");
}

/* One error for each thing that is wrong. */
TEST(what_is_told_once)
{
    given("x", "B 8");
    given("z", "B 8");
    node("Relu", "z", "r");
    attribute_int(node("Concat", "x x", "y"), "axis", 5);
    proto->graph->input[1]->type->tensor_type->shape = NULL;
    wanted("y");
    wanted("r");
    REFUSED("the input 'z' has no shape", "the node '/y/Concat' (Concat): its axis is none of the 2 there are");
    assert_int_equal(diag_nerror(said), 2);
}

TEST(f64_that_becomes_f32)
{
    given("x", "B 8");
    node("Relu", "x", "y");
    wanted("y");
    proto->graph->input[0]->type->tensor_type->elem_type = 11; /* double */
    assert_int_equal(nodes_of_model(), 1);
    assert_has(golden_diag(arena, said), "note: the input 'x', of f64, is f32 in the package");
}

TEST(a_size_that_is_said_twice)
{
    TextList dims = { 0 };
    text_list_add(arena, &dims, "T=T:1..3");
    text_list_add(arena, &dims, "T=U:1..3");
    said = diag_new(arena);
    assert_null(lower_given_dims(arena, &dims, said));
    assert_string_equal(golden_diag(arena, said),
                        "dcgen: error: --dim 'T=U:1..3': what 'T' is was said by 'T=T:1..3' already\n");
}

TEST(a_size_that_can_only_be_one_number)
{
    TextList dims = { 0 };
    text_list_add(arena, &dims, "T=T:1..64");
    given("x", "B T");
    constant("c", "1 5", 0.5f);
    node("Add", "x c", "y");
    wanted("y");
    said = diag_new(arena);
    Lower *l = lower_model(arena, good(proto), &dims, false, said);
    assert_non_null(l);
    lower_tell_dims(l);
    assert_has(golden_diag(arena, said), "--dim 'T=T' is of no effect: the node '/y/Add' asks for 5");
}

TEST(extents_that_no_call_can_have)
{
    given("x", "T 8");
    whole("shape", "2147483648 1 8");
    node("Expand", "x shape", "y");
    wanted("y");
    REFUSED("the node '/y/Expand': it goes over 2147483648");
}

/* What the import did not write is somebody's work, and is not lost: a spec that was changed, other weights. */
TEST(files_that_are_there)
{
    static const char mine[] = "name = \"mine\";\n", weights[] = "my own weights";
    given("x", "T 8");
    constant("c", "8", 0.5f);
    node("Mul", "x c", "y");
    wanted("y");
    assert_true(text_write_file(in_folder("m.cfg"), mine, strlen(mine)));
    assert_true(text_write_file(in_folder("m.safetensors"), weights, strlen(weights)));
    assert_non_null(spec_of_model(false));
    assert_has(golden_diag(arena, said), "m.cfg was not as an import writes it; it is kept as ");
    assert_has(golden_diag(arena, said), "m.safetensors was not as an import writes it; it is kept as ");
    proto->graph->node[0]->op_type = "Add";
    assert_non_null(spec_of_model(false)); /* another model, of which nothing was changed by hand */
    assert_null(strstr(golden_diag(arena, said), "kept"));
    const char *changed = arena_printf(arena, "%s# mine\n", text_read_file(arena, in_folder("m.cfg"), NULL));
    assert_true(text_write_file(in_folder("m.cfg"), changed, strlen(changed)));
    assert_non_null(spec_of_model(false));
    assert_string_equal(text_read_file(arena, in_folder("m.cfg~"), NULL), mine);
    assert_string_equal(text_read_file(arena, in_folder("m.cfg~2"), NULL), changed);
    assert_string_equal(text_read_file(arena, in_folder("m.safetensors~"), NULL), weights);
    assert_null(text_read_file(arena, in_folder("m.safetensors~2"), NULL));
}

TEST(a_spec_that_cannot_be_written)
{
    const char *err = NULL;
    const TextList none = { 0 };
    given("x", "T 8");
    constant("w", "8 4", 0.5f);
    node("MatMul", "x w", "y");
    wanted("y");
    Lower *l = lower_model(arena, good(proto), &none, false, diag_new(arena));
    assert_non_null(l);
    assert_int_equal(mkdir(in_folder("m.cfg"), 0777), 0);
    assert_false(write_model(l, "m", folder, &err));
    assert_has(err, "cannot write");
    assert_int_not_equal(access(in_folder("m.safetensors"), F_OK), 0);
}

TEST_EACH(setup_model, teardown_folder)
