/* SPDX-License-Identifier: Apache-2.0
 *
 * beside: nodes that may run at the same time are found where that saves time, and no others: not where one reads or
 * writes what another one writes, unless it is seen that these are parts of a tensor that lie apart.
 */
#include "tests/test.h"

#include "gen/graph/beside.h"
#include "tests/arena.h"

static const char *const templates[] = { DCGEN_SOURCE_DIR "/templates" };

/* A graph of copies of an input, `rows` by `columns` each, into the tensors and views that are named. */
static Graph *graph_of(const char *size, const char *tensors, const char *views, const char *nodes)
{
    const char *text =
        arena_printf(arena,
                     "name = \"tiny\"; dims = { T = { min = 1; max = 64; }; P = { min = 1; max = 500; }; };\n"
                     "functions = ( { name = \"copy\"; op = \"rows\"; formula = \"x[m,n]\"; strides = [\"Y\"]; shapes "
                     "= ( { M = 8; N = "
                     "\"%s\"; } ); } );\n"
                     "graph = { inputs = ( { name = \"i\"; extents = (8, \"%s\"); } );\n"
                     "  outputs = ( { name = \"o\"; extents = (8, \"%s\"); } ); tensors = ( %s ); views = ( %s ); "
                     "nodes = ( %s ); };\n",
                     size, size, size, tensors, views, nodes);
    Diag *d = diag_new(arena);
    Source *src = ARENA_NEW(arena, Source);
    *src = (Source){ "m.cfg", text, strlen(text) };
    const SpecFile *file = spec_file_parse(arena, src, templates, 1, d);
    Graph *g = file ? graph_read(arena, file, d) : NULL;
    if (!g)
        diag_print(d, stderr);
    assert_non_null(g);
    graph_beside(arena, g);
    return g;
}

#define COPY(x, y) "{ call = \"copy\"; x = \"" x "\"; Y = \"" y "\"; }"

/* "aab": the first two nodes are a group. */
static const char *groups(const Graph *g)
{
    char *text = ARENA_ARRAY(arena, (size_t)g->nnode + 1, char);
    char letter = 'a' - 1;
    for (int i = 0; i < g->nnode; i++) {
        const GraphNode *n = &g->node[i];
        assert_true(n->first <= i && i <= n->last && n->last - n->first < BESIDE_MOST);
        assert_true(g->node[n->first].first == n->first && g->node[n->first].last == n->last);
        letter = (char)(letter + (n->first == i));
        text[i] = letter;
    }
    return text;
}

TEST(nodes_that_depend_on_none_are_a_group)
{
    assert_string_equal(groups(graph_of("128*T", "", "", COPY("i", "a") "," COPY("i", "b") "," COPY("a", "o"))), "aab");
    assert_string_equal(groups(graph_of("128*T", "", "", COPY("i", "a") "," COPY("a", "b") "," COPY("b", "o"))), "abc");
}

/* Three that do not depend on each other save as much as two of them; the third saves as much again with the last. */
TEST(groups_are_made_where_they_save_most)
{
    assert_string_equal(
        groups(graph_of("128*T", "", "",
                        COPY("i", "a") "," COPY("a", "b") "," COPY("i", "c") "," COPY("i", "d") "," COPY("b", "o"))),
        "abbcc");
}

TEST(small_nodes_are_none)
{
    assert_string_equal(groups(graph_of("T", "", "", COPY("i", "a") "," COPY("i", "b") "," COPY("a", "o"))), "abc");
}

/* Each of them takes all threads. */
TEST(large_nodes_are_none)
{
    assert_string_equal(groups(graph_of("100000", "", "", COPY("i", "a") "," COPY("i", "b") "," COPY("a", "o"))),
                        "abc");
}

TEST(more_nodes_than_a_group_has_are_several)
{
    assert_string_equal(
        groups(graph_of(
            "128*T", "", "",
            COPY("i", "a") "," COPY("i", "b") "," COPY("i", "c") "," COPY("i", "d") "," COPY("i", "e") "," COPY(
                "i", "f") "," COPY("i", "g") "," COPY("i", "h") "," COPY("i", "j") "," COPY("i", "o"))),
        "aaaaaaaabb");
}

#define BOTH "{ name = \"both\"; extents = (8, \"256*T\"); }"
#define PART(name, at) "{ name = \"" name "\"; of = \"both\"; at = \"" at "\"; extents = (8, \"128*T\"); }"
#define SIDE(name, at) \
    "{ name = \"" name "\"; of = \"both\"; at = \"" at "\"; extents = (8, \"128*T\"); strides = (\"256*T\", 1); }"

TEST(parts_of_a_tensor_that_lie_apart_are_written_at_the_same_time)
{
    static const char nodes[] = COPY("i", "left") "," COPY("i", "right") "," COPY("left", "o");
    assert_string_equal(groups(graph_of("128*T", BOTH, PART("left", "0") "," PART("right", "1024*T"), nodes)), "aab");
    assert_string_equal(groups(graph_of("128*T", BOTH, PART("right", "0") "," PART("left", "1024*T"), nodes)), "aab");
    assert_string_equal(groups(graph_of("128*T", BOTH, PART("left", "0") "," PART("right", "1023*T"), nodes)), "abc");
    assert_string_equal(groups(graph_of("128*T", BOTH, PART("left", "0") "," PART("right", "16*P"), nodes)), "abc");
}

/* As keys that were there before, and the new ones behind them, in each row. */
TEST(columns_that_lie_apart_are_written_at_the_same_time)
{
    static const char nodes[] = COPY("i", "left") "," COPY("i", "right") "," COPY("i", "o");
    assert_string_equal(groups(graph_of("128*T", BOTH, SIDE("left", "0") "," SIDE("right", "128*T"), nodes)), "aab");
    assert_string_equal(groups(graph_of("128*T", BOTH, SIDE("left", "0") "," SIDE("right", "127*T"), nodes)), "abb");
    assert_string_equal(groups(graph_of("128*T", BOTH, SIDE("left", "0") "," PART("right", "1024*T"), nodes)), "abb");
}

TEST_EACH(setup, teardown)
