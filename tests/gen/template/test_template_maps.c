/* SPDX-License-Identifier: Apache-2.0
 *
 * template_maps: the tensor maps that a head declares, and faulty ones with the place of each error.
 */
#include "tests/test.h"
#include "tests/gen/template/template_small.h"

static const char maps[] =
    "maps = (\n"
    "  { name = \"x_map\"; operand = \"X\"; box = [\"8 * MR\", \"STEP\"]; swizzle = \"64 * UK\"; },\n"
    "  { name = \"w_map\"; operand = \"W\"; box = [\"1\", \"VF\"]; steps = [\"M / 2\", \"1\"]; } );\n";

/* The small template for GPUs, with what stands before its tile. */
static const char *cuda_with(const char *before_tile)
{
    const char *text = text_with(arena, small, "family  = \"cpu\"", "family  = \"cuda\"");
    return text_with(arena, text, "tile = {", arena_printf(arena, "%stile = {", before_tile));
}

TEST(test_maps)
{
    const Template *t = read_small(cuda_with(maps));
    assert_int_equal(t->nmap, 2);
    assert_string_equal(arena_printf(arena, "%s %d: %s, %s; %s", t->map[0].name, t->map[0].operand,
                                     expr_text(t->map[0].box[0]), expr_text(t->map[0].box[1]),
                                     expr_text(t->map[0].swizzle)),
                        "x_map 0: 8 * MR, STEP; 64 * UK");
    assert_string_equal(arena_printf(arena, "%s %d: %s, %s; %s", t->map[1].name, t->map[1].operand,
                                     expr_text(t->map[1].box[0]), expr_text(t->map[1].box[1]),
                                     expr_text(t->map[1].swizzle)),
                        "w_map 1: 1, VF; 0");
    assert_null(t->map[0].step[0]);
    assert_string_equal(expr_text(t->map[1].step[0]), "M / 2");
    assert_int_equal(read_small(cuda_with(""))->nmap, 0);
}

/* Maps are part of the code. */
TEST(test_maps_change_the_hash)
{
    static const char *const edit[][2] = { { "x_map", "y_map" },
                                           { "8 * MR", "MR" },
                                           { "64 * UK", "64" },
                                           { "\"X\"", "\"W\"" },
                                           { "box = [\"1\"", "box = [\"2\"" },
                                           { "M / 2", "M / 3" } };
    const char *text = cuda_with(maps), *hash = read_small(text)->hash;
    assert_string_not_equal(hash, read_small(cuda_with(""))->hash);
    for (size_t i = 0; i < LENGTH(edit); i++)
        assert_string_not_equal(hash, read_small(text_with(arena, text, edit[i][0], edit[i][1]))->hash);
}

TEST(test_faulty_maps)
{
    static const struct {
        const char *from, *to, *want;
    } cases[] = {
        { "family  = \"cuda\"", "family  = \"cpu\"", "x.c:19:1: error: kernels of the family 'cpu' have no maps" },
        { "\"x_map\"", "\"for\"", "error: the map 'for' is a keyword of C" },
        { "\"X\"", "\"Q\"", "error: unknown operand 'Q'" },
        { "[\"8 * MR\", \"STEP\"]", "[\"8 * MR\"]", "error: 1 extents: the operand 'X' has 2, and a map 2 to 5" },
        { "\"STEP\"]", "\"STEPS\"]", "error: unknown name 'STEPS'; did you mean 'STEP'?" },
        { "\"64 * UK\"", "\"M\"", "error: unknown name 'M'" },
        { " box = [\"1\", \"VF\"];", "", "error: missing key 'box'" },
        { "[\"M / 2\", \"1\"]", "[\"1\"]", "error: 1 extents: the operand 'W' has 2, and a map 2 to 5" },
        { "M / 2", "MR", "error: unknown extent 'MR'" },
        { "M / 2", "min(M, 2)", "error: each call asks this: it cannot use functions, nor numbers with fractions" },
        { "operand = \"W\";", "operand = \"W\"; rows = 1;", "error: unknown key 'rows'" },
    };
    for (size_t i = 0; i < LENGTH(cases); i++)
        check_said(text_with(arena, cuda_with(maps), cases[i].from, cases[i].to), cases[i].want);
}

TEST_FILE(setup, place_teardown)
