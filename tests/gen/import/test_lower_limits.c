/* SPDX-License-Identifier: Apache-2.0
 *
 * What becomes of models at the limits of what a spec can say: sizes that are equal for some dims alone, formulas that
 * are too long, numbers that are too large or too small; and what is told of those beyond them.
 */
#include "tests/test.h"
#include "tests/gen/import/lower_model.h"

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
    node("MatMul", "inner w", "z");
    wanted("y");
    wanted("z");
    becomes("stacked");
}

/* How many nodes the model becomes. */
static int nodes_of_model(void)
{
    if (!spec_of_model(false))
        fail_msg("%s", golden_diag(arena, said));
    return graph_of_model()->nnode;
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

TEST_EACH(setup_model, teardown_folder)
