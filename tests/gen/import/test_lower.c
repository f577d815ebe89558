/* SPDX-License-Identifier: Apache-2.0
 *
 * What models become: small ones, each of a pattern that exporters write, against the spec that is written of it
 * (lowered/NAME.cfg, without the line that names the file); what is told of nodes that are not supported; what is left
 * of a model with such nodes.
 */
#include <math.h>
#include "tests/test.h"
#include "tests/gen/import/lower_model.h"

/* ---- patterns ---- */

TEST(a_layer_with_bias_and_gelu)
{
    given("x", "B T 64");
    constant("w", "64 128", 0.5f);
    constant("b", "128", 0.25f);
    constant("root", "1", 1.41421356f);
    constant("one", "1", 1);
    constant("half", "1", 0.5f);
    node("MatMul", "x w", "h");
    node("Add", "b h", "a");
    node("Div", "a root", "d");
    node("Erf", "d", "e");
    node("Add", "e one", "s");
    node("Mul", "a s", "p");
    node("Mul", "p half", "y");
    wanted("y");
    becomes("gelu");
}

static void heads(const char *from, const char *to, const char *order)
{
    node("Reshape", arena_printf(arena, "%s split", from), arena_printf(arena, "%s_split", to));
    with_ints(node("Transpose", arena_printf(arena, "%s_split", to), to), "perm", order);
}

TEST(heads_of_attention_are_views)
{
    given("q", "B T 64");
    given("k", "B T 64");
    given("v", "B T 64");
    whole("split", "0 0 4 16");
    whole("join", "0 0 64");
    constant("root", "1", 4);
    heads("q", "qh", "0 2 1 3");
    heads("k", "kh", "0 2 3 1");
    heads("v", "vh", "0 2 1 3");
    node("MatMul", "qh kh", "scores");
    node("Div", "scores root", "scaled");
    attribute_int(node("Softmax", "scaled", "weights"), "axis", -1);
    node("MatMul", "weights vh", "mixed");
    with_ints(node("Transpose", "mixed", "rows"), "perm", "0 2 1 3");
    node("Reshape", "rows join", "y");
    wanted("y");
    becomes("attention");
}

TEST(a_layer_norm_that_is_written_out)
{
    given("x", "B T 64");
    constant("two", "1", 2);
    constant("eps", "1", 1e-5f);
    constant("gamma", "64", 1);
    constant("beta", "64", 0);
    with_ints(node("ReduceMean", "x", "mean"), "axes", "-1");
    node("Sub", "x mean", "off");
    node("Pow", "off two", "square");
    with_ints(node("ReduceMean", "square", "variance"), "axes", "-1");
    node("Add", "variance eps", "more");
    node("Sqrt", "more", "deviation");
    node("Div", "off deviation", "norm");
    node("Mul", "norm gamma", "scaled");
    node("Add", "scaled beta", "y");
    wanted("y");
    becomes("layer_norm");
}

TEST(what_is_put_together_is_written_in_parts)
{
    given("x", "B T 64");
    given("z", "B T 32");
    node("Relu", "x", "r");
    attribute_int(node("Concat", "r z", "y"), "axis", -1);
    wanted("y");
    becomes("concat");
}

TEST(kept_keys)
{
    given("past", "B 4 P 16");
    given("k", "B 4 T 16");
    given("q", "B 4 T 16");
    attribute_int(node("Concat", "past k", "present"), "axis", 2);
    with_ints(node("Transpose", "present", "turned"), "perm", "0 1 3 2");
    node("MatMul", "q turned", "scores");
    wanted("scores");
    wanted("present");
    becomes("kept");
}

/* New ones are written behind those that are kept, whichever of both the model names first. */
TEST(kept_keys_have_their_place)
{
    static const char *const order[][2] = { { "past", "k" }, { "k", "past" } };
    for (int i = 0; i < 2; i++) {
        proto = new_model();
        for (int k = 0; k < 2; k++)
            given(order[i][k], *order[i][k] == 'p' ? "B 4 P 16" : "B 4 T 16");
        attribute_int(node("Concat", "past k", "present"), "axis", 2);
        wanted("present");
        const TextList none = { 0 };
        Lower *l = lower_model(arena, good(proto), &none, false, diag_new(arena));
        assert_non_null(l);
        states_keep(l, poly_number(l->polys, 99));
        const Step *s = &l->step[l->order[1]];
        assert_int_equal(l->memory[s->out].kind, MEMORY_STATE);
        assert_string_equal(poly_text(arena, l->polys, s->at), "16*P");
    }
}

TEST(padding)
{
    given("x", "B 3 10");
    whole("pads", "0 0 2 0 1 0");
    node("Pad", "x pads", "y");
    wanted("y");
    becomes("pad");
}

/* A row is of its own places: what is taken of it, or of elements that were only seen in another order, is computed
 * before. */
TEST(parts_of_rows_and_of_reshapes)
{
    given("x", "B 4 8");
    whole("from", "0");
    whole("to", "4");
    whole("last", "-1");
    whole("joined", "-1 8");
    whole("at", "3 1 0 2 2");
    attribute_int(node("Softmax", "x", "s"), "axis", -1);
    node("Slice", "s from to last", "y");
    node("Reshape", "x joined", "rows");
    attribute_int(node("Gather", "rows at", "z"), "axis", 0);
    wanted("y");
    wanted("z");
    becomes("parts");
}

/* A dim that the model's own constants give is none of the spec, though operators have an extent of that name. */
TEST(a_dim_that_is_one_number)
{
    given("x", "B N 8");
    whole("shape", "0 7 8");
    node("Reshape", "x shape", "r");
    node("Relu", "r", "y");
    wanted("y");
    const char *text = spec_of_model(false);
    assert_non_null(text);
    assert_non_null(strstr(text, "dims   = { B = { min = 1; max = 8; }; };"));
}

TEST(a_range_that_goes_down)
{
    given("x", "T 8");
    whole("first", "0");
    whole("by", "-2");
    whole("end", "0");
    size_of("x", "first", "from");
    node("Squeeze", "end", "to");
    node("Squeeze", "by", "step");
    node("Range", "from to step", "places");
    attribute_int(node("Cast", "places", "y"), "to", 1);
    wanted("y");
    becomes("range");
}

TEST(a_slice_from_its_end)
{
    given("x", "B 10");
    whole("from", "-1");
    whole("to", "-100");
    whole("axis", "1");
    whole("step", "-3");
    node("Slice", "x from to axis step", "y");
    wanted("y");
    becomes("slice");
}

TEST(a_batch_norm_is_part_of_the_convolution_before_it)
{
    given("x", "B 8 T T");
    constant("f", "16 8 3 3", 0.5f);
    constant("scale", "16", 2);
    constant("shift", "16", 1);
    constant("mean", "16", 0.5f);
    constant("variance", "16", 0.25f);
    with_ints(node("Conv", "x f", "c"), "pads", "1 1 1 1");
    node("BatchNormalization", "c scale shift mean variance", "n");
    node("Relu", "n", "y");
    wanted("y");
    becomes("conv");
}

/* The output of a convolution may be its residual. Where that is its X too, these are two operands. */
TEST(a_residual_may_be_the_output)
{
    given("x", "B 8 T T");
    constant("f", "8 8 3 3", 0.5f);
    with_ints(node("Conv", "x f", "c"), "pads", "1 1 1 1");
    with_ints(node("Conv", "c f", "d"), "pads", "1 1 1 1");
    node("Add", "d c", "e");
    node("Relu", "e", "r");
    with_ints(node("Conv", "r f", "g"), "pads", "1 1 1 1");
    node("Add", "g r", "y");
    wanted("y");
    becomes("residual");
}

/* What one node makes of an operator's result is no part of the operator where other nodes read that result: the next
 * node does, it is an output, or it is of a convolution before a batch norm. */
TEST(results_that_others_read_too)
{
    given("x", "T 8");
    given("image", "B 8 T T");
    constant("w", "8 8", 0.5f);
    constant("f", "16 8 3 3", 0.5f);
    constant("bias", "16", 2);
    node("MatMul", "x w", "p");
    node("Relu", "p", "r");
    node("Sigmoid", "p", "s");
    node("MatMul", "r w", "y1");
    node("MatMul", "s w", "y2");
    node("MatMul", "y1 w", "q");
    node("Relu", "q", "y3");
    node("Conv", "image f", "c");
    node("BatchNormalization", "c bias bias bias bias", "n");
    node("Tanh", "c", "y4");
    node("Relu", "n", "y5");
    for (char i = '1'; i <= '5'; i++)
        wanted(arena_printf(arena, "y%c", i));
    wanted("q");
    becomes("readers");
}

/* A convolution takes it as it lies. */
TEST(a_picture)
{
    given("x", "B 3 T T");
    constant("f", "8 3 3 3", 0.5f);
    constant("g", "8 3 1 1", 0.5f);
    node("Conv", "x f", "c");
    node("Sigmoid", "x", "s");
    node("Conv", "s g", "y");
    wanted("c");
    wanted("y");
    becomes("picture");
}

TEST(a_norm_of_several_extents_is_a_row)
{
    given("x", "B 4 8 8");
    constant("scale", "4", 2);
    constant("shift", "4", 1);
    node("InstanceNormalization", "x scale shift", "y");
    wanted("y");
    becomes("instance_norm");
}

TEST(known_numbers_that_are_broadcast_against_each_other)
{
    given("x", "B 3 3");
    whole("first", "0 1 2");
    whole("second", "0 1 2");
    whole("one", "1");
    whole("zero", "0");
    node("Unsqueeze", "first one", "column");
    node("Unsqueeze", "second zero", "row");
    node("LessOrEqual", "row column", "lower");
    constant("none", "1", 0);
    node("Where", "lower x none", "y");
    wanted("y");
    becomes("mask");
}

/* Positions of what is no padding, as RoBERTa counts them: rows of a table by a sum of a mask. What real numbers become
 * is whole numbers of its own before anything is read by them. */
TEST(counted)
{
    static const char *const table[] = { "t 50 16" };
    given("ids", "B T");
    proto->graph->input[0]->type->tensor_type->elem_type = 7; /* int64 */
    constant("t", *table + 2, 0.5f);
    whole("pad", "1");
    whole("axis", "1");
    node("Equal", "ids pad", "is_pad");
    node("Not", "is_pad", "is_word");
    attribute_int(node("Cast", "is_word", "mask"), "to", 7);
    node("CumSum", "mask axis", "count");
    node("Mul", "count mask", "counted");
    node("Add", "counted pad", "position");
    node("Gather", "t position", "rows");
    wanted("rows");
    wanted("position");
    becomes("counted");
    assert_null(strstr(golden_diag(arena, said), "given as f32"));
}

/* Rows of a table by ids that are given, which may count from the end; by places that are never negative; by the place
 * of the largest element. Whole numbers stay whole. */
TEST(gathers)
{
    static const char *const table[] = { "t 50 16", "u 8 16" };
    given("ids", "B T");
    given("x", "B 8");
    proto->graph->input[0]->type->tensor_type->elem_type = 7; /* int64 */
    for (int i = 0; i < 2; i++)
        constant(arena_strndup(arena, table[i], 1), table[i] + 2, 0.5f);
    whole("from", "3");
    node("Gather", "t ids", "rows");
    Onnx__NodeProto *best = node("ArgMax", "x", "best");
    attribute_int(best, "axis", 1);
    attribute_int(best, "keepdims", 0);
    node("Gather", "u best", "chosen");
    node("Add", "ids from", "later");
    node("Shape", "ids", "shape");
    wanted("rows");
    wanted("best");
    wanted("chosen");
    wanted("later");
    wanted("shape");
    becomes("gathers");
    assert_null(strstr(golden_diag(arena, said), "given as f32"));
}

/* As a text's last token is taken: of each row of the batch the element where the largest id stands. */
TEST(an_element_of_each_row)
{
    given("x", "B T 16");
    given("ids", "B T");
    proto->graph->input[1]->type->tensor_type->elem_type = 7; /* int64 */
    whole("zero", "0");
    whole("one", "1");
    whole("last", "-1");
    size_of("x", "zero", "to");
    node("Squeeze", "zero", "from");
    node("Squeeze", "one", "step");
    node("Range", "from to step", "row");
    Onnx__NodeProto *best = node("ArgMax", "ids", "best");
    attribute_int(best, "axis", 1);
    attribute_int(best, "keepdims", 0);
    node("Unsqueeze", "row last", "rows");
    node("Unsqueeze", "best last", "places");
    attribute_int(node("Concat", "rows places", "at"), "axis", -1);
    node("GatherND", "x at", "y");
    wanted("y");
    becomes("picked");
}

TEST(outputs_of_truths_are_floats)
{
    given("x", "B 8");
    attribute_int(node("Cast", "x", "y"), "to", 9);
    wanted("y");
    const char *text = spec_of_model(false);
    assert_non_null(text);
    assert_null(strstr(text, "s32"));
    assert_has(golden_diag(arena, said), "the output 'y', of bool, is given as f32, 0 or 1");
}

/* A part that is one element wide lies along no axis by itself. */
TEST(a_narrow_part)
{
    given("x", "B 4 3");
    given("z", "B 4 1");
    attribute_int(node("Concat", "x z", "y"), "axis", 2);
    wanted("y");
    becomes("narrow");
}

TEST(updates_at_constant_places)
{
    static const int64_t place[] = { 1, 3, 1 };
    given("x", "6 T");
    given("u", "3 T");
    set_raw(add_tensor(proto->graph, "at", ELEMENT_S64, "3 1"), place, sizeof place);
    node("ScatterND", "x at u", "y");
    wanted("y");
    becomes("scatter");
}

TEST(sequences_in_reverse)
{
    given("x", "T B 16");
    given("length", "B");
    proto->graph->input[1]->type->tensor_type->elem_type = 7; /* int64 */
    node("ReverseSequence", "x length", "y");
    wanted("y");
    becomes("reverse");
}

/* ---- windows and resizing ---- */

TEST(pooling_of_volumes)
{
    given("x", "B 3 4 4 6");
    Onnx__NodeProto *pool = node("MaxPool", "x", "y places");
    with_ints(pool, "kernel_shape", "2 2 3");
    with_ints(pool, "pads", "1 0 0 0 0 0");
    with_ints(pool, "strides", "1 2 1");
    wanted("y");
    wanted("places");
    becomes("volumes");
}

/* The constant of this name. */
static const Memory *constant_of(const Lower *l, const char *name)
{
    for (int i = 0; i < l->nmemory; i++)
        if (l->memory[i].kind == MEMORY_CONSTANT && strcmp(l->memory[i].from, name) == 0)
            return &l->memory[i];
    fail_msg("there is no constant '%s'", name);
    return NULL;
}

/* Cubic, twice as large: 4 elements of the input for each of the result, at its edge the first one several times. */
TEST(what_resized_elements_are_made_of)
{
    static const float weight[] = { -0.03515625f, 0.26171875f, 0.87890625f, -0.10546875f };
    static const int32_t tap[2][4] = { { 0, 0, 0, 1 }, { 0, 0, 1, 2 } };
    const TextList none = { 0 };
    given("x", "2 3 5 4");
    float factor[] = { 1, 1, 2, 1 };
    set_raw(add_tensor(proto->graph, "factor", ELEMENT_F32, "4"), factor, sizeof factor);
    Onnx__NodeProto *resize = node("Resize", "x - factor", "y");
    Onnx__AttributeProto *mode = ATTRIBUTE(resize, "mode", STRING);
    mode->has_s = 1;
    mode->s = (ProtobufCBinaryData){ 5, (uint8_t *)"cubic" };
    wanted("y");
    const Lower *l = lower_model(arena, good(proto), &none, false, diag_new(arena));
    assert_non_null(l);
    const Memory *taps = constant_of(l, "/y/Resize: taps"), *weights = constant_of(l, "/y/Resize: weights");
    assert_true(poly_is(taps->extent[0], 10) && poly_is(taps->extent[1], 4));
    for (int i = 0; i < 4; i++) {
        assert_int_equal(((const int32_t *)taps->data)[i], tap[0][i]);
        assert_int_equal(((const int32_t *)taps->data)[4 + i], tap[1][i]);
        assert_true(fabsf(((const float *)weights->data)[i] - weight[i]) < 1e-6f);
        assert_true(fabsf(((const float *)weights->data)[4 + i] - weight[3 - i]) < 1e-6f);
    }
    factor[2] = 1.5f; /* 7 elements of 5 */
    l = lower_model(arena, good(proto), &none, false, diag_new(arena));
    assert_true(l && poly_is(constant_of(l, "/y/Resize: taps")->extent[0], 7));
}

/* ---- what is told ---- */

TEST(all_that_is_not_supported_is_told_at_once)
{
    given("x", "B 8");
    whole("k", "2");
    node("TopK", "x k", "a ai");
    node("Exp", "a", "e");
    node("TopK", "e k", "b bi");
    node("LSTM", "x x x", "l");
    NODE(proto->graph, "Foo", "own", "b", "y")->domain = "my.domain";
    ADD(proto->opset_import, proto->n_opset_import, new_opset("my.domain", 1));
    wanted("y");
    REFUSED("the node '/a ai/TopK' (TopK): this operator, which 2 nodes have, is not supported; take the largest",
            "the node '/l/LSTM' (LSTM): this operator is not supported; export the model with its steps unrolled",
            "the node 'own' (my.domain.Foo): this operator is not supported");
    assert_int_equal(diag_nerror(said), 3);
}

TEST(what_a_node_cannot_be_is_told_with_its_name)
{
    given("x", "B 8");
    given("f", "4 8 3 3");
    given("i", "B 8 T T");
    given("wide", "B 80");
    node("Conv", "i f", "c");
    with_ints(node("ReduceSum", "x x", "s"), "axes", "5");
    node("MatMul", "wide x", "p");
    wanted("c");
    wanted("s");
    wanted("p");
    REFUSED("the node '/c/Conv' (Conv): filters that are no constants are not supported",
            "the node '/s/ReduceSum' (ReduceSum): its axis is none of the 2 there are",
            "the node '/p/MatMul' (MatMul): the size 80 can never be B");
}

TEST(sizes_that_are_not_fixed)
{
    static const float factor[] = { 1, 1, 1.5f, 1 };
    given("x", "B 3 T T");
    given("at", "3 1");
    given("u", "3 T");
    proto->graph->input[1]->type->tensor_type->elem_type = 7; /* int64 */
    set_raw(add_tensor(proto->graph, "factor", ELEMENT_F32, "4"), factor, sizeof factor);
    node("Resize", "x - factor", "y");
    node("ScatterND", "u at u", "z");
    wanted("y");
    wanted("z");
    REFUSED("a factor of 1.5 is not supported where the size that it is of is not fixed",
            "indices that are no constants are not supported");
}

TEST(an_output_without_elements)
{
    given("x", "B 10");
    whole("from", "10");
    whole("to", "20");
    whole("axis", "1");
    node("Slice", "x from to axis", "y");
    wanted("y");
    REFUSED("the output 'y' has no elements");
}

/* ---- what is left ---- */

TEST(the_rest_of_a_model_with_what_is_not_supported_as_its_input)
{
    given("x", "B 8");
    whole("k", "2");
    node("Relu", "x", "r");
    node("TopK", "r k", "a i");
    node("Exp", "a", "y");
    ADD(proto->graph->value_info, proto->graph->n_value_info, new_value("a", "B 2"));
    wanted("y");
    wanted("i");
    const char *text = spec_of_model(true);
    if (!text)
        fail_msg("%s", golden_diag(arena, said));
    golden_check(arena, DCGEN_SOURCE_DIR "/tests/gen/import/lowered/partial.cfg", text);
    assert_has_all(golden_diag(arena, said), "warning: the node '/a i/TopK' (TopK): this operator is not supported",
                   "warning: the output 'i' is left out");
}

TEST(what_would_be_an_input_of_no_known_extents_is_left_out)
{
    given("x", "B 8");
    whole("k", "2");
    node("TopK", "x k", "a i");
    node("Exp", "a", "y");
    node("Relu", "x", "z");
    wanted("y");
    wanted("z");
    const char *text = spec_of_model(true);
    assert_non_null(text);
    assert_null(strstr(text, "exp("));
    assert_has_all(golden_diag(arena, said), "the node '/y/Exp' (Exp): it is left out, as it reads 'a'",
                   "the output 'y' is left out");
}

/* What --dim says of sizes, read before the model is. */
TEST(what_is_said_of_sizes)
{
    static const char *const bad[] = { "foo",       "foo=", "=B",         "a=B:",  "a=B:5..1", "a=B:-1..2",
                                       "a=B:1..2z", "a=1x", "a=int:1..2", "a=B:1", "a=B:1..",  "a=B:1..9999999999999" };
    TextList dims = { 0 };
    text_list_add(arena, &dims, "a = b=N:0..7");
    text_list_add(arena, &dims, "T=T");
    const GivenDim *g = lower_given_dims(arena, &dims, diag_new(arena));
    assert_non_null(g);
    assert_string_equal(g[0].symbol, "a = b");
    assert_string_equal(g[0].name, "N");
    assert_true(g[0].least == 0 && g[0].most == 7 && g[1].least == -1 && g[1].most == -1);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        Diag *d = diag_new(arena);
        TextList one = { 0 };
        text_list_add(arena, &one, bad[i]);
        if (lower_given_dims(arena, &one, d))
            fail_msg("'%s' is taken", bad[i]);
        assert_string_equal(golden_diag(arena, d),
                            arena_printf(arena,
                                         "dcgen: error: --dim '%s': expected NAME=D:LEAST..MOST, as in batch=B:1..16\n",
                                         bad[i]));
    }
}

TEST(a_size_that_the_model_does_not_have)
{
    TextList dims = { 0 };
    given("x", "B 10");
    node("Relu", "x", "y");
    wanted("y");
    text_list_add(arena, &dims, "B=B:1..8");
    text_list_add(arena, &dims, "bach=N:1..8");
    said = diag_new(arena);
    Lower *l = lower_model(arena, good(proto), &dims, false, said);
    assert_non_null(l);
    lower_tell_dims(l);
    assert_string_equal(golden_diag(arena, said),
                        "dcgen: warning: --dim 'bach=N' is of no effect: the model's inputs have the sizes B\n");
}

TEST_EACH(setup_model, teardown_folder)
