/* SPDX-License-Identifier: Apache-2.0
 *
 * graph: what a spec says of a model is read, each slip is told with both nodes that it is about, conditions on dims
 * are found, and in the workspace nothing lies over what is still needed, whatever the dims are.
 */
#include "tests/test.h"
#include <inttypes.h>
#include "gen/base/rng.h"
#include "gen/base/text.h"
#include "gen/graph/beside.h"
#include "gen/graph/plan.h"
#include "tests/arena.h"

static const char *const templates[] = { DCGEN_SOURCE_DIR "/templates" };

static const char functions[] =
    "name = \"tiny\"; dims = { B = { min = 1; max = 4; }; T = { min = 1; max = 64; }; S = { min = 1; max = 64; }; };\n"
    "functions = (\n"
    "  { name = \"up\"; op = \"dense\"; layout = { W = \"NK\"; packed = true; };\n"
    "    shapes = ( { M = \"B*T\"; N = 96; K = 32; } ); },\n"
    "  { name = \"scores\"; op = \"batch_matmul\"; layout = { B = \"NK\"; };\n"
    "    shapes = ( { B0 = \"B\"; B1 = 2; M = \"T\"; N = \"S\"; K = 16; } ); },\n"
    "  { name = \"add\"; op = \"rows\"; formula = \"x[m,n] + z[m,n]\"; shapes = ( { M = \"B*T\"; N = 96; } ); } );\n";

static const char graph_text[] =
    "graph = {\n"
    "  inputs = ( { name = \"x\"; extents = (\"B\", \"T\", 32); }, { name = \"k\"; "
    "extents = (\"B\", 2, \"S\", 16); } );\n"
    "  outputs = ( { name = \"y\"; extents = (\"B\", \"T\", 96); }, { name = \"s\"; "
    "extents = (\"B\", 2, \"T\", \"T\"); } );\n"
    "  constants = ( { name = \"w\"; extents = (96, 32); from = \"layer.weight\"; } );\n"
    "  views = ( { name = \"q\"; of = \"wide\"; at = 32; extents = (\"B\", 2, \"T\", 16);\n"
    "              strides = (\"96*T\", 16, 96, 1); } );\n"
    "  nodes = (\n"
    "    { call = \"up\"; name = \"first\"; X = \"x\"; W = \"w\"; Y = \"wide\"; },\n"
    "    { call = \"scores\"; A = \"q\"; B = \"k\"; Y = \"s\"; },\n"
    "    { call = \"add\"; name = \"last\"; x = \"wide\"; z = \"wide\"; Y = \"y\"; } );\n"
    "};\n";

static Diag *diag;

/* The graph of a text in which `from` is replaced by `to`. */
static Graph *graph_of(const char *from, const char *to)
{
    const char *text = arena_printf(arena, "%s%s", functions, graph_text), *at = strstr(text, from);
    assert_non_null(at);
    text = arena_printf(arena, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
    const Source *src = ARENA_NEW(arena, Source);
    *(Source *)src = (Source){ "m.cfg", text, strlen(text) };
    diag = diag_new(arena);
    const SpecFile *file = spec_file_parse(arena, src, templates, 1, diag);
    return file ? graph_read(arena, file, diag) : NULL;
}

/* All that was said, as one text. */
static const char *said(void)
{
    char *text = NULL;
    size_t n = 0;
    FILE *f = open_memstream(&text, &n);
    diag_print(diag, f);
    fclose(f);
    const char *copy = arena_strdup(arena, text);
    free(text);
    return copy;
}

TEST(a_graph_is_read)
{
    Graph *g = graph_of("layer", "layer");
    const PolyCondition *c;
    if (!g)
        print_message("%s", said());
    assert_non_null(g);
    assert_string_equal(said(), "");
    assert_int_equal(g->nnode, 3);
    assert_string_equal(g->node[0].name, "first");
    assert_string_equal(g->node[1].name, "scores");
    assert_string_equal(poly_text(arena, g->polys, g->node[0].extent[0]), "B*T"); /* what the shape says */
    assert_int_equal(g->node[1].shape, 0);
    assert_string_equal(g->tensor[names_find(NAMES(g->tensor, g->ntensor), "w")].from, "layer.weight");
    assert_string_equal(poly_text(arena, g->polys, g->node[1].operand[0].at), "32");
    assert_false(g->node[1].operand[0].dense);
    assert_int_equal(polys_conditions(g->polys, &c), 1); /* s has T columns, and k has S rows */
    assert_string_equal(poly_text(arena, g->polys, c[0].x), "S");
    assert_string_equal(poly_text(arena, g->polys, c[0].y), "T");
}

TEST(views_begin_within_their_tensors)
{
    Graph *g = graph_of("at = 32", "at = \"32*T - 64\"");
    assert_non_null(g);
    const PolyCondition *c;
    bool asked = false;
    for (int i = polys_conditions(g->polys, &c); i--;)
        asked = asked || (c[i].at_least && strcmp(poly_text(arena, g->polys, c[i].x), "32*T - 64") == 0);
    assert_true(asked);
}

TEST(conditions_are_read)
{
    Graph *g =
        graph_of("  nodes = (", "  conditions = ( { sizes = (\"T - 2\", \"2*((T - 2) / 2)\"); why = \"pairs\"; },\n"
                                "                 { sizes = (\"B*T\", \"T*B\"); } );\n  nodes = (");
    assert_non_null(g);
    const PolyCondition *c;
    assert_int_equal(polys_conditions(g->polys, &c), 2); /* the second always holds; and S is T */
    assert_string_equal(c[0].why, "pairs");
    int64_t dims[3] = { 1, 7, 7 }, x, y;
    for (int odd = 1; odd >= 0; odd--) {
        dims[1] = 6 + odd;
        assert_true(poly_at(g->polys, c[0].x, dims, &x) && poly_at(g->polys, c[0].y, dims, &y));
        assert_int_equal(x != y, odd);
    }
}

TEST(slips_are_told)
{
    static const char *const slip[][3] = {
        { "X = \"x\"", "X = \"wide\"", "the node 'first' reads 'wide', which is not there" },
        { "x = \"wide\"", "x = \"wise\"", "did you mean 'wide'?" },
        { "Y = \"y\"", "Y = \"z\"", "no node writes the output 'y'" },
        { "Y = \"y\"", "N = 32; Y = \"x\"", "would write the input 'x'" },
        { "Y = \"y\"", "Y = \"wide\"", "the node 'last' writes 'wide', which the node 'first' has written" },
        { "W = \"w\"", "W = \"x\"", "packs W once: expected a constant, found the input 'x'" },
        { "extents = (96, 32)", "extents = (96, 32, 2)", "W of the node 'first' has 3072 elements, but 'w' has 6144" },
        { "(\"B\", \"T\", 96)", "(\"B\", \"T\", 95)", "Y of the node 'last' has 96*B*T elements, but 'y' has 95*B*T" },
        { "x = \"wide\"", "x = \"x\"", "x of the node 'last' has 96*B*T elements, but 'x' has 32*B*T" },
        { "at = 32", "at = 96", "the view 'q', which the node 'scores' takes, reaches beyond the end of 'wide'" },
        { "at = 32", "at = -1", "the view 'q', which the node 'scores' takes, begins before 'wide'" },
        { "at = 32", "at = \"9223372036854775807*T\"", "the view 'q', which the node 'scores' takes, begins before" },
        { "16, 96, 1)", "16, 96, 2)", "the last stride of the view 'q' is not 1" },
        { "16, 96, 1)", "16, 96)", "expected 4 strides, one an extent; found 3" },
        { "z = \"wide\"", "z = \"q\"", "'q' does not lie densely" },
        { "z = \"wide\"", "M = 0", "lacks the operand z" },
        { "z = \"wide\"", "z = \"wide\"; Q = 1", "unknown key 'Q'" },
        { "call = \"add\"", "call = \"ad\"", "unknown function 'ad'" },
        { "call = \"add\"; ", "", "a node lacks 'call'" },
        { "\"x\"; extents", "\"int\"; extents", "is a keyword of C" },
        { "\"x\"; extents", "\"unix\"; extents", "m.cfg:9:23: error: the tensor 'unix' is taken by a macro" },
        { "\"x\"; extents", "\"int32_t\"; extents", "the tensor 'int32_t' is taken by a macro or a type of C" },
        { "Y = \"wide\"", "Y = \"INT64_MAX\"", "the tensor 'INT64_MAX' is taken by a macro" },
        { "\"w\"; extents", "\"tiny_OK\"; extents", "the tensor 'tiny_OK' may be a macro of the package" },
        { "S = { min", "EOF = { min = 1; max = 2; }; S = { min", "the dim 'EOF' is taken by a macro" },
        { "\"k\"; extents", "\"x\"; extents", "there are two tensors or views 'x'" },
        { "(\"B\", 2, \"S\", 16)", "(\"B\", 2, \"Q\", 16)", "unknown dim 'Q'" },
        { "(\"B\", 2, \"S\", 16)", "(\"B\", 2, \"S - 65\", 16)", "is negative whatever the dims are" },
        { "\"x\"; extents", "\"x\"; type = \"s32\"; extents", "X of 'up' has elements of f32, and 'x' of s32" },
        { "call = \"scores\"", "call = \"scores\"; K = 0; B1 = -1", "is never legal" },
        { "of = \"wide\"", "of = \"nothing\"", "reads 'nothing', which is not there" },
        { "outputs = (", "output = (", "unknown key 'output'" },
        { "  nodes = (", "conditions = ( { sizes = (\"T\", \"T + 1\"); } ); nodes = (", "T and T + 1 are never equal" },
        { "  nodes = (", "conditions = ( { sizes = [\"T\"]; } ); nodes = (",
          "expected two sizes that must be equal; found 1" },
        { "  nodes = (", "conditions = ( { size = 1; } ); nodes = (", "unknown key 'size'; did you mean 'sizes'?" },
        { "{ name = \"w\"; extents = (96, 32); from = \"layer.weight\"; } );\n  views = (",
          "{ name = \"both\"; extents = (2, 96, 32); } );\n  views = ( { name = \"w\"; of = \"both\"; at = 3072; "
          "extents = (96, 32); },",
          "the function 'up' packs W: expected a whole constant, found a part of 'both'" },
    };
    for (size_t i = 0; i < LENGTH(slip); i++) {
        assert_null(graph_of(slip[i][0], slip[i][1]));
        if (!strstr(said(), slip[i][2]))
            print_message("%s -> %s: expected \"%s\", said:\n%s", slip[i][0], slip[i][1], slip[i][2], said());
        assert_non_null(strstr(said(), slip[i][2]));
    }
}

TEST(what_no_kernel_is_chosen_for_is_told)
{
    assert_non_null(graph_of("call = \"add\";", "call = \"add\"; M = \"T\"; N = \"96*B\";"));
    assert_non_null(strstr(said(), "no kernel is chosen for the node 'last'"));
}

/* ---- the plan ---- */

/* A graph of n nodes that add tensors of three sizes, of which each is read some time later. */
static Graph *random_graph(int n, uint64_t seed)
{
    static const char *const size[][2] = { { "T", "96" }, { "B*T", "32" }, { "T", "T" } };
    Text t = { .arena = arena };
    Rng r = { seed };
    int last[3] = { -1, -1, -1 };
    text_add(&t, "name = \"tiny\"; dims = { B = { min = 1; max = 8; }; T = { min = 1; max = 500; }; }; functions = (\n"
                 "  { name = \"add\"; op = \"rows\"; formula = \"x[m,n] + z[m,n]\"; shapes = ( { M = \"B*T\"; N = 96; "
                 "} ); } );\n"
                 "graph = { inputs = (");
    for (int i = 0; i < 3; i++)
        text_printf(&t, "%s { name = \"i%d\"; extents = (\"%s\", \"%s\"); }", i ? "," : "", i, size[i][0], size[i][1]);
    text_add(&t, " ); outputs = (");
    for (int i = 0; i < 3; i++)
        text_printf(&t, "%s { name = \"o%d\"; extents = (\"%s\", \"%s\"); }", i ? "," : "", i, size[i][0], size[i][1]);
    text_add(&t, " ); nodes = (");
    int *of = ARENA_ARRAY(arena, (size_t)n, int);
    for (int i = 0; i < n; i++) {
        const int s = of[i] = (int)rng_below(&r, 3), at = rng_below(&r, 4) ? last[s] : -1;
        int other = (int)rng_below(&r, i + 1) - 1;
        while (other >= 0 && of[other] != s)
            other--;
        const char *x = at < 0 ? arena_printf(arena, "i%d", s) : arena_printf(arena, "t%d", at);
        const char *z = other < 0 ? arena_printf(arena, "i%d", s) : arena_printf(arena, "t%d", other);
        text_printf(&t, " { call = \"add\"; M = \"%s\"; N = \"%s\"; x = \"%s\"; z = \"%s\"; Y = \"t%d\"; },\n",
                    size[s][0], size[s][1], x, z, i);
        last[s] = i;
    }
    for (int s = 0; s < 3; s++) {
        const char *x = last[s] < 0 ? arena_printf(arena, "i%d", s) : arena_printf(arena, "t%d", last[s]);
        text_printf(&t, "%s { call = \"add\"; M = \"%s\"; N = \"%s\"; x = \"%s\"; z = \"%s\"; Y = \"o%d\"; }",
                    s ? "," : "", size[s][0], size[s][1], x, x, s);
    }
    text_add(&t, " ); };");
    Source *src = ARENA_NEW(arena, Source);
    *src = (Source){ "m.cfg", text_str(&t), t.len };
    diag = diag_new(arena);
    const SpecFile *file = spec_file_parse(arena, src, templates, 1, diag);
    Graph *g = file ? graph_read(arena, file, diag) : NULL;
    if (!g)
        print_message("%s", said());
    assert_non_null(g);
    return g;
}

enum { MOST_SLOTS = 256 };

/* The first and the last node during which a tensor must be there: with it those that may run at the same time. */
static int begins(const Graph *g, const Tensor *t) { return g->node[t->first].first; }
static int ends(const Graph *g, const Tensor *t) { return g->node[t->last].last; }

/* Is y written over x, by a node that is the only one that reads x while it runs? */
static bool is_over(const Graph *g, const Tensor *x, const Tensor *y)
{
    const int node = y->first;
    if (x->slot != y->slot || x->last != node)
        return false;
    for (int i = g->node[node].first; i <= g->node[node].last; i++)
        for (int k = 0; k < OP_MAX_OPERAND && i != node; k++)
            if (g->node[i].operand[k].tensor == x - g->tensor)
                return false;
    return true;
}

/* Lays the slots out in one order, and checks that no two tensors lie over each other while both are needed. Gives the
 * bytes of the workspace. */
static int64_t check_order(const Graph *g, const Plan *p, int order, const int64_t *dims, unsigned in_place)
{
    int64_t at[MOST_SLOTS], bytes[MOST_SLOTS], all = 0;
    bool is_placed[MOST_SLOTS] = { false };
    assert_true(p->nslot < MOST_SLOTS);
    for (int i = 0; i < p->nslot; i++) {
        const SlotPlace *x = &p->order[order][i];
        const int slot = x->slot;
        assert_true(slot >= 0 && slot < p->nslot && !is_placed[slot]);
        at[slot] = 0;
        for (int k = 0; k < x->nbelow; k++) {
            const int below = x->below[k];
            assert_true(is_placed[below]);
            at[slot] = at[below] + bytes[below] > at[slot] ? at[below] + bytes[below] : at[slot];
        }
        is_placed[slot] = true;
        assert_true(poly_at(g->polys, p->bytes[slot], dims, &bytes[slot]));
        assert_true(bytes[slot] % PLAN_ALIGN == 0);
        all = at[slot] + bytes[slot] > all ? at[slot] + bytes[slot] : all;
    }
    for (const Tensor *x = g->tensor; x < g->tensor + g->ntensor; x++)
        for (const Tensor *y = g->tensor; y < x; y++) {
            if (x->slot < 0 || y->slot < 0 || begins(g, x) > ends(g, y) || begins(g, y) > ends(g, x))
                continue;
            const bool apart =
                at[x->slot] + bytes[x->slot] <= at[y->slot] || at[y->slot] + bytes[y->slot] <= at[x->slot];
            const bool over = in_place && (is_over(g, x, y) || is_over(g, y, x));
            assert_true(apart || over);
        }
    return all;
}

/* Bytes of all that is there at once, where nothing is written in place. */
static int64_t live_bytes(const Graph *g, const Plan *p, const int64_t *dims)
{
    int64_t most = 0;
    for (int node = 0; node < g->nnode; node++) {
        int64_t live = 0, bytes;
        for (const Tensor *t = g->tensor; t < g->tensor + g->ntensor; t++)
            if (t->slot >= 0 && begins(g, t) <= node && node <= ends(g, t)) {
                assert_true(poly_at(g->polys, p->bytes[t->slot], dims, &bytes));
                live += bytes;
            }
        most = live > most ? live : most;
    }
    return most;
}

static void check_plan(const Graph *g, const Plan *p, const int64_t *dims, unsigned in_place, double most)
{
    int64_t least = INT64_MAX;
    for (int o = 0; o < p->norder; o++) {
        const int64_t bytes = check_order(g, p, o, dims, in_place);
        least = bytes < least ? bytes : least;
    }
    if (!in_place)
        assert_true((double)least <= most * (double)live_bytes(g, p, dims));
}

/* Several orders are kept where one does not do for all corners. In every other graph nodes run at the same time. */
TEST(nothing_lies_over_what_is_needed)
{
    int nseveral = 0, nbeside = 0;
    for (uint64_t seed = 1; seed <= 24; seed++) {
        Graph *g = random_graph(40, seed);
        if (seed % 2)
            graph_beside(arena, g);
        for (int i = 0; i < g->nnode; i++)
            nbeside += g->node[i].last > i;
        Rng r = { seed };
        for (unsigned in_place = 0; in_place < 4; in_place++) {
            const Plan *p = graph_plan(arena, g, &in_place);
            assert_true(p->most >= 1 && p->most <= 1.05);
            nseveral += p->norder > 1;
            for (int corner = 0; corner < 4; corner++)
                check_plan(g, p, (const int64_t[]){ corner & 1 ? 8 : 1, corner & 2 ? 500 : 1 }, in_place, 1.05);
            for (int i = 0; i < 6; i++)
                check_plan(g, p, (const int64_t[]){ 1 + rng_below(&r, 8), 1 + rng_below(&r, 500) }, in_place, 1.15);
        }
    }
    assert_true(nseveral > 0 && nbeside > 0);
}

TEST_EACH(setup, teardown)
