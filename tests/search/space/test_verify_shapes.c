/* SPDX-License-Identifier: Apache-2.0
 *
 * verify_shapes: kernels are verified where their tiles end, on every axis, and on calls that they serve.
 */
#include "tests/test.h"
#include "search/space/verify_shapes.h"
#include "tests/gen/serve.h"
#include "tests/gen/synthetic_place.h"

enum { FEW = 6, SMALL = 24 };

/* A shape with this extent on the axis. */
static bool has(const VerifyShapes *w, int axis, int64_t extent)
{
    for (int i = 0; i < w->n; i++)
        if (w->extent[i][axis] == extent)
            return true;
    return false;
}

/* The largest tile of several kernels counts. */
TEST(every_end_of_a_tile)
{
    const Op *op = y.spec->op;
    for (int64_t first = 0; first + FEW <= y.space->n; first += y.space->n / 50 + 1) {
        const Candidate *c[FEW];
        int64_t tile[OP_MAX_AXIS] = { 0 };
        VerifyShapes w, want;
        for (int i = 0; i < FEW; i++) {
            c[i] = &y.space->candidate[first + i];
            for (int axis = 0; axis < op->naxis; axis++) {
                const int64_t own = verify_shapes_tile(y.study, c[i], axis);
                tile[axis] = own > tile[axis] ? own : tile[axis];
            }
        }
        verify_shapes(y.study, c, FEW, &w);
        verify_shapes_of_tiles(op, tile, &want);
        assert_in_range(w.n, 1, VERIFY_SHAPES_MAX - 1); /* nothing was left out for want of room */
        assert_int_equal(w.n, want.n);
        for (int i = 0; i < w.n; i++)
            assert_memory_equal(w.extent[i], want.extent[i], (size_t)op->naxis * sizeof **w.extent);
    }
}

/* Of any op: so many axes with these tiles, the last one reduced. */
static VerifyShapes shapes_of(Op *op, int naxis, const int64_t *tile)
{
    VerifyShapes w;
    *op = (Op){ .naxis = naxis };
    for (int i = 0; i < naxis; i++)
        op->extent[i].kind = i == naxis - 1 ? AXIS_REDUCE : AXIS_SPATIAL;
    verify_shapes_of_tiles(op, tile, &w);
    return w;
}

static bool has_pair(const VerifyShapes *w, int a, int64_t extent_a, int b, int64_t extent_b)
{
    for (int i = 0; i < w->n; i++)
        if (w->extent[i][a] == extent_a && w->extent[i][b] == extent_b)
            return true;
    return false;
}

/* Each pair of axes meets each pair of one, a tile and its neighbours, and that in few shapes, which are not large. */
TEST(pairs_of_tails)
{
    static const struct {
        int naxis, most; /* shapes */
        int64_t tile[6];
    } cases[] = { { 1, 12, { 8 } },
                  { 2, 40, { 8, 16 } },
                  { 3, 60, { 8, 16, 32 } },
                  { 3, 70, { 256, 128, 64 } },
                  { 4, 60, { 1, 8, 16, 32 } },
                  { 6, 75, { 1, 1, 16, 64, 32, 5 } },
                  { 6, 20, { 1, 1, 1, 1, 1, 1 } },
                  { 6, 75, { 16, 16, 16, 16, 16, 16 } } };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        const int naxis = cases[c].naxis;
        const int64_t *tile = cases[c].tile;
        Op op;
        const VerifyShapes w = shapes_of(&op, naxis, tile);
        assert_in_range(w.n, 1, cases[c].most);
        for (int a = 0; a < naxis; a++) {
            const int64_t of_a[] = { 1, tile[a] - 1, tile[a], tile[a] + 1 };
            for (int64_t v = 1; v <= (tile[a] < SMALL ? tile[a] : SMALL); v++)
                assert_true(has(&w, a, v));
            assert_true(has(&w, a, 2 * tile[a] + 5) && has(&w, a, 0) == (a == naxis - 1));
            for (int b = a + 1; b < naxis; b++)
                for (int i = 0; i < 4; i++)
                    for (int k = 0; k < 4; k++) {
                        const int64_t of_b[] = { 1, tile[b] - 1, tile[b], tile[b] + 1 };
                        assert_true(of_a[i] < 1 || of_b[k] < 1 || has_pair(&w, a, of_a[i], b, of_b[k]));
                    }
        }
        for (int i = 0; i < w.n; i++) {
            double points = 1;
            for (int axis = 0; axis < naxis; axis++)
                points *= (double)w.extent[i][axis];
            assert_true(points <= 1 << 23);
            for (int k = 0; k < i; k++)
                assert_memory_not_equal(w.extent[i], w.extent[k], (size_t)naxis * sizeof **w.extent);
        }
    }
}

/* What an op wants to be tried is; nothing twice. */
TEST(extents_to_try)
{
    Op op = { .naxis = 2, .extent = { { .kind = AXIS_SPATIAL, .ntry = 3, .tries = { 7, 64, 100 } }, { .ntry = 0 } } };
    const int64_t tile[] = { 8, 4 };
    VerifyShapes w, without;
    verify_shapes_of_tiles(&op, tile, &w);
    op.extent[0].ntry = 0;
    verify_shapes_of_tiles(&op, tile, &without);
    assert_true(has(&w, 0, 64) && has(&w, 0, 100) && !has(&without, 0, 64));
    assert_int_equal(w.n, without.n + 2); /* 7 is a tile but one */
}

/* ---- calls that kernels serve ---- */

enum { FEWEST = 10 /* calls that a kernel meets of those that it serves */ };

/* Nothing is there twice. */
static void assert_all_differ(const Op *op, const VerifyShapes *w)
{
    assert_in_range(w->n, 1, VERIFY_SHAPES_MAX - 1);
    for (int i = 0; i < w->n; i++)
        for (int k = 0; k < i; k++)
            assert_true(memcmp(w->extent[i], w->extent[k], (size_t)op->ngiven * sizeof **w->extent) != 0 ||
                        w->gap[i] != w->gap[k] || w->way[i] != w->way[k] || w->edges[i] != w->edges[k]);
}

/* How many calls it meets of those that it serves. Some of them have an odd extent on an axis that its condition does
 * not name. */
static int count_served(const Study *s, const Candidate *c, const VerifyShapes *w)
{
    const Op *op = s->spec->op;
    int n = 0, nodd = 0;
    for (int i = 0; i < w->n; i++) {
        bool odd = false;
        if (!candidate_serves(c, s->spec, w->extent[i]))
            continue;
        for (int axis = 0; axis < op->naxis; axis++)
            odd = odd || (w->extent[i][axis] > 1 && w->extent[i][axis] % 2 && c->t->serves &&
                          !expr_uses(c->t->serves, op->extent[axis].name));
        nodd += odd;
        n++;
    }
    assert_true(nodd > 0 || n == 0 || !c->t->serves);
    return n;
}

/* A kernel that serves some calls alone meets such calls too, behind those that there are without: of another one
 * beside it, the ones of that. M of the spec's shapes is 1 to 2048, N 768, 2304 and 3072, K 768 and 3072. */
TEST(calls_that_are_served)
{
    static const char *const serves[] = { "N == 2304",          "N % 4 == 0 && K % 4 == 0", "K == 768",
                                          "M > 100 && K >= 64", "K == 768 || N == 1",       "K % 2 == 1 || N == 1" };
    Template t = *y.space->candidate[0].t, other = t;
    Candidate c = y.space->candidate[0], all = c, beside = c;
    VerifyShapes w, without;
    verify_shapes(y.study, (const Candidate *[]){ &all }, 1, &without);
    serve(y.arena, &other, y.spec, "N == 3072");
    beside.t = &other;
    for (size_t i = 0; i < sizeof serves / sizeof *serves; i++) {
        serve(y.arena, &t, y.spec, serves[i]);
        c.t = &t;
        for (int n = 1; n <= 3; n++) {
            verify_shapes(y.study, (const Candidate *[]){ &c, n == 2 ? &all : &c, &beside }, n, &w);
            assert_true(count_served(y.study, &c, &w) >= FEWEST);
            assert_true(n < 3 || count_served(y.study, &beside, &w) >= FEWEST);
            assert_all_differ(y.spec->op, &w);
            assert_memory_equal(w.extent, without.extent, (size_t)without.n * sizeof *w.extent);
        }
    }
}

/* How many extents of the axis there are from the shape numbered `from` on, from `least` to `most`. */
static int count_extents(const VerifyShapes *w, int from, int axis, int64_t least, int64_t most)
{
    int n = 0;
    for (int i = from; i < w->n; i++) {
        int k = from;
        while (w->extent[k][axis] != w->extent[i][axis])
            k++;
        n += k == i && w->extent[i][axis] >= least && w->extent[i][axis] <= most;
    }
    return n;
}

/* What a kernel meets takes its extents from one shape of the spec after the other, and is made of calls from all over
 * the list: of these it has many tails on the axes that may be anything. */
TEST(calls_that_are_served_are_many)
{
    static const struct {
        const char *serves;
        int axis, free[2];
        int64_t least; /* of the axis that it names */
    } cases[] = { { "M > 300", 0, { 1, 2 }, 301 }, { "M > 500 && N > 1", 0, { 2, 1 }, 501 } };
    Template t = *y.space->candidate[0].t;
    Candidate c = y.space->candidate[0];
    const Candidate *const one[] = { &c };
    VerifyShapes w, without;
    verify_shapes(y.study, one, 1, &without);
    c.t = &t;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        serve(y.arena, &t, y.spec, cases[i].serves);
        verify_shapes(y.study, one, 1, &w);
        assert_true(count_extents(&w, without.n, cases[i].axis, cases[i].least, 2048) >= 8);
        for (int k = 0; k < 2; k++)
            assert_true(count_extents(&w, without.n, cases[i].free[k], 2, 64) >= 4);
    }
}

/* Of a kernel for calls that no shape of the spec is like there is none to meet. */
TEST(calls_that_no_shape_is_like)
{
    Template t = *y.space->candidate[0].t;
    Candidate c = y.space->candidate[0];
    const Candidate *const one[] = { &c };
    VerifyShapes w, without;
    verify_shapes(y.study, one, 1, &without);
    serve(y.arena, &t, y.spec, "N == 1237 && K == 1237");
    c.t = &t;
    verify_shapes(y.study, one, 1, &w);
    assert_int_equal(w.n, without.n);
    assert_int_equal(count_served(y.study, &c, &w), 0);
}

/* A kernel that is fixed for extents meets them; two that are fixed alike meet them once. */
TEST(fixed_extents)
{
    Template t = *y.space->candidate[0].t;
    Candidate fixed = y.space->candidate[0], plain = fixed;
    VerifyShapes w, twice, without;
    t.param[0].name = "P";
    t.param[0].axis = 1;
    t.param[0].choice[0] = 0;
    t.param[0].choice[1] = 2304;
    t.nvalue = 0; /* they have the parameter's own name */
    for (int axis = 0; axis < y.spec->op->naxis; axis++)
        t.tile[axis] = expr_number(y.arena, 8);
    serve(y.arena, &t, y.spec, "P == 0 || N == P");
    fixed.t = plain.t = &t;
    fixed.choice[0] = 1;
    plain.choice[0] = 0;
    verify_shapes(y.study, (const Candidate *[]){ &plain, &plain }, 2, &without);
    verify_shapes(y.study, (const Candidate *[]){ &plain, &fixed }, 2, &w);
    verify_shapes(y.study, (const Candidate *[]){ &fixed, &plain, &fixed }, 3, &twice);
    assert_false(has(&without, 1, 2304));
    assert_true(count_served(y.study, &fixed, &w) >= FEWEST);
    assert_int_equal(twice.n, w.n);
    assert_memory_equal(twice.extent, w.extent, (size_t)w.n * sizeof *w.extent);
}

/* Shipped templates: every kernel of a convolution meets calls that it serves, one by one and as kernels of a package,
 * with the attributes of a shape. */
TEST(kernels_of_convolutions)
{
    static const char plain[] =
        "name = \"plain\"; op = \"conv2d\"; dtype = \"f32\"; target = [\"host\"];\n"
        "dims = { T = { min = 7; max = 56; }; };\n"
        "shapes = ( { N = 1; G = 1; H = \"T\"; W = 28; C = 64; K = 48; R = 1; S = 1; STRIDE = 2; },\n"
        "           { N = 1; G = 1; H = \"T\"; W = 28; C = 64; K = 48; R = 3; S = 3; PAD = 1; } );\n"
        "tune = { T = [7, 56]; }; layout = { packed = true; }; threads = [1];\n";
    static const char *const specs[] = { synthetic_strides, plain };
    for (int k = 0; k < 2; k++) {
        Synthetic z;
        int n = 0, less = 0;
        assert_true(synthetic_make(&z, specs[k], 1));
        for (int64_t i = 0; i < z.space->n; i += z.space->n / 100 + 1, n++) {
            const Candidate *c = &z.space->candidate[i];
            int64_t value[TEMPLATE_MAX_PARAM];
            VerifyShapes w;
            candidate_values(c, value);
            verify_shapes(z.study, &c, 1, &w);
            less += !candidate_serves_all(c, z.spec);
            assert_true(count_served(z.study, c, &w) >= FEWEST);
            assert_all_differ(z.spec->op, &w);
            verify_shapes_of_kernels(z.spec, &z.device, &(UnitKernel){ .t = c->t, .target = c->target, .value = value },
                                     1, &w);
            assert_true(count_served(z.study, c, &w) >= FEWEST);
        }
        assert_true(n > 50 && less > n - 3);
        arena_free(z.arena);
    }
}

/* ---- gaps, parts, attributes, rows ---- */

/* Where operands are strided, a few shapes come besides with gaps, both kinds of these, and every stride counts: all
 * axes within a tile, beyond one, of two points, and some that were there; at last those within a tile and beyond one
 * with repeated rows, and with outer extents in the opposite order. */
TEST(gaps)
{
    Op op = *y.spec->op;
    Spec spec = *y.spec;
    Study study = *y.study;
    const Candidate *c = &y.space->candidate[0];
    VerifyShapes w, without;
    spec.op = &op;
    study.spec = &spec;
    verify_shapes(&study, &c, 1, &without);
    for (int i = 0; i < without.n; i++)
        assert_int_equal(without.gap[i], 0);
    op.operand[1].strided = true;
    verify_shapes(&study, &c, 1, &w);
    assert_in_range(w.n - without.n, 7, 7 + without.n / 10);
    assert_memory_equal(w.extent, without.extent, (size_t)without.n * sizeof *w.extent);
    for (int i = 0; i < 4; i++) {
        const int at = w.n - 4 + i, usual = without.n + i % 2;
        assert_true(w.gap[at] == 16 && w.lie[at] == (i < 2 ? LIE_REPEATED : LIE_TURNED));
        assert_memory_equal(w.extent[at], w.extent[usual], (size_t)op.naxis * sizeof *w.extent[0]);
    }
    for (int i = without.n; i < w.n - 4; i++) {
        const int kind = i - without.n;
        assert_true(w.gap[i] == (kind % 2 ? 3 : 16) && w.lie[i] == LIE_APART);
        for (int axis = 0; axis < op.naxis; axis++) {
            const int64_t extent = w.extent[i][axis], tile = verify_shapes_tile(&study, c, axis);
            assert_true(extent > 1);
            assert_true(kind != 0 || extent <= (tile > 2 ? tile : 2));
            assert_true(kind != 1 || extent > (tile < 64 ? tile : 64));
            assert_true(kind != 2 || extent == 2);
            assert_true(kind < 3 || has(&without, axis, extent));
        }
    }
}

/* Where operands divide an extent into parts, there is each way to, also for one and the same shape, with gaps and
 * without. */
TEST(parts)
{
    Op op = *y.spec->op;
    Spec spec = *y.spec;
    Study study = *y.study;
    const Candidate *c = &y.space->candidate[0];
    VerifyShapes w, without;
    int n[WAY_COUNT] = { 0 }, same = 0;
    spec.op = &op;
    study.spec = &spec;
    op.operand[1].strided = true;
    verify_shapes(&study, &c, 1, &without);
    op.operand[0].data = DATA_OFFSETS;
    verify_shapes(&study, &c, 1, &w);
    assert_in_range(w.n - without.n, 6, without.n / 2);
    const size_t bytes = (size_t)op.naxis * sizeof *w.extent[0];
    for (int i = 0; i < without.n; i++)
        assert_memory_equal(w.extent[i], without.extent[i], bytes);
    assert_memory_equal(w.gap, without.gap, (size_t)without.n * sizeof *w.gap);
    for (int i = 0; i < w.n; i++) {
        unsigned ways = 0;
        n[w.way[i]]++;
        for (int k = 0; k < w.n; k++)
            if (memcmp(w.extent[i], w.extent[k], bytes) == 0 && w.gap[i] == w.gap[k])
                ways |= 1u << w.way[k];
        same += ways == (1 << WAY_COUNT) - 1;
        assert_int_equal(without.way[i < without.n ? i : 0], 0);
    }
    for (int way = 0; way < WAY_COUNT; way++)
        assert_true(n[way] >= w.n / 5);
    assert_true(same >= 8);
}

/* The call that accesses are counted in has attributes of a shape for which it is legal, and what follows from them. */
TEST(one_tile_with_attributes)
{
    Op op = *y.spec->op;
    Spec spec = *y.spec;
    Study study = *y.study;
    Instance inst[2] = { 0 };
    Diag *d = diag_new(y.arena);
    op.extent[3] = (Extent){ .name = "PAD", .kind = EXTENT_ATTRIBUTE, .least = -OP_MAX_NUMBER, .most = OP_MAX_NUMBER };
    op.ngiven = 4;
    op.extent[4] = (Extent){ .name = "P",
                             .kind = EXTENT_DERIVED,
                             .most = OP_MAX_NUMBER,
                             .expr = expr_parse(y.arena, "K + PAD", (Loc){ 0 }, d) };
    op.nextent = 5;
    expr_bind(op.extent[4].expr, NAMES(op.extent, 4));
    spec.op = &op;
    spec.instance = inst;
    spec.ninstance = 2;
    study.spec = &spec;
    inst[0].extent[3] = -1000;
    inst[1].extent[3] = 5;
    int64_t extent[OP_MAX_EXTENT];
    assert_true(verify_shapes_one_tile(&study, &y.space->candidate[0], 8, extent));
    for (int i = 0; i < 3; i++)
        assert_int_equal(extent[i], verify_shapes_tile(&study, &y.space->candidate[0], i) * (i == 2 ? 8 : 1));
    assert_int_equal(extent[3], 5);
    assert_int_equal(extent[4], extent[2] + 5);
    inst[1].extent[3] = -1000;
    assert_false(verify_shapes_one_tile(&study, &y.space->candidate[0], 8, extent));
}

/* Nor is there one that the kernel does not serve. */
TEST(one_tile_that_is_served)
{
    Template t = *y.space->candidate[0].t;
    Candidate c = y.space->candidate[0];
    int64_t extent[OP_MAX_EXTENT];
    c.t = &t;
    for (int served = 0; served < 2; served++) {
        const long tile = (long)verify_shapes_tile(y.study, &c, 1);
        serve(y.arena, &t, y.spec, arena_printf(y.arena, "N == %ld", served ? tile : tile + 1));
        assert_int_equal(verify_shapes_one_tile(y.study, &c, 8, extent), served);
    }
}

/* Where a formula reads rows there are shapes with many rows of all kinds: of ops that may reduce them one within the
 * tile and a long one, of others one. A bias has no rows. */
TEST(rows_of_all_kinds)
{
    static const struct {
        const char *rest;
        int n;
    } cases[] = { { "op = \"rows\"; formula = \"layernorm[n](x[m,n], 1e-5)\"; shapes = ( { M = 8; N = 8; } )", 2 },
                  { "op = \"row_values\"; formula = \"sum[n](x[m,n])\"; shapes = ( { M = 8; N = 8; } )", 2 },
                  { "op = \"dense\"; epilogue = \"acc + r[m,n]\"; shapes = ( { M = 8; N = 8; K = 8; } )", 1 },
                  { "op = \"dense\"; epilogue = \"acc + b[n]\"; shapes = ( { M = 8; N = 8; K = 8; } )", 0 } };
    Arena *a = arena_new();
    Diag *d = diag_new(a);
    TargetList targets;
    assert_true(target_read_all(a, DCGEN_SOURCE_DIR "/templates/targets", &targets, d));
    const Target *target = target_find(&targets, "avx2");
    const Device device = device_typical(a, target);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *text = arena_printf(a, "name = \"x\"; target = [\"avx2\"]; %s;", cases[i].rest);
        const Spec *spec = spec_text(a, text, spec_templates, 1, d);
        TemplateList templates;
        VerifyShapes w;
        int n = 0;
        assert_true(spec && template_read_all(a, spec, spec_templates, 1, &templates, d));
        const Space *space = space_make(a, spec, &templates, target, &device, d);
        const Candidate *c = space->candidate;
        const Study study = { .spec = spec, .device = &device };
        verify_shapes(&study, &c, 1, &w);
        for (int k = 0; k < w.n; k++) {
            n += w.edges[k];
            assert_true(!w.edges[k] || (w.extent[k][0] > 20 && w.gap[k] == 0));
        }
        if (n != cases[i].n)
            fail_msg("%s: %d shapes have rows of all kinds", cases[i].rest, n);
        const int64_t tile = verify_shapes_tile(&study, c, 1);
        assert_true(n < 2 || (w.extent[w.n - 2][1] < tile + 3 && w.extent[w.n - 1][1] > 1000));
    }
    arena_free(a);
}

TEST_FILE(make, drop)
