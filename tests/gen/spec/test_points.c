/* SPDX-License-Identifier: Apache-2.0
 *
 * points: every declared shape once, or corners and thresholds with their neighbours; no overflow however wide the
 * ranges; always the same. The grid and the sampler of tuned values below them: complete where that fits, corners first
 * and evenly spread where not.
 */
#include "tests/test.h"
#include "gen/spec/points.h"
#include "gen/spec/spec_private.h"
#include "tests/arena.h"
#include "tests/gen/spec_text.h"

static Spec *spec_of(const char *dims, const char *shapes, const char *threads)
{
    const char *text = arena_printf(arena,
                                    "name = \"x\"; op = \"dense\"; dtype = \"f32\";\ndims = { %s };\nshapes = ( %s );\n"
                                    "threads = [%s];\n",
                                    dims, shapes, threads);
    return spec_good(arena, text, spec_templates, 1);
}

static bool holds(const int64_t *x, const int64_t *want) { return memcmp(x, want, 4 * sizeof *x) == 0; }

/* How often a point comes. */
static int count_of(Points *p, const int64_t *want)
{
    int n = 0;
    for (int64_t x[POINTS_MAX_AXIS]; points_next(p, x);)
        n += holds(x, want);
    return n;
}

/* T of 3 values twice, S of 4 once, with two thread counts. A shape over one dim is not repeated for the other. */
TEST(every_declared_shape_once)
{
    const Spec *s = spec_of("T = { min = 2; max = 4; }; S = { min = 0; max = 3; };",
                            "{ M = \"T\"; N = 7; K = 5; }, { M = \"10*T\"; N = 8; K = \"S+1\"; }", "1, 6");
    int64_t seen[64][4], n = 0;
    Points *p = points_declared(arena, s, 1000);
    assert_true(points_are_all(p));
    for (int64_t x[POINTS_MAX_AXIS]; points_next(p, x); n++) {
        assert_true(n < 64);
        memcpy(seen[n], x, sizeof seen[n]);
        for (int64_t i = 0; i < n; i++)
            assert_false(holds(seen[i], x));
        assert_true(x[1] == 7 ? x[0] >= 2 && x[0] <= 4 && x[2] == 5 : x[0] >= 20 && x[0] <= 40 && x[2] >= 1);
        assert_true(x[3] == 1 || x[3] == 6);
    }
    assert_int_equal(n, 2 * (3 + 3 * 4));
    assert_false(points_next(p, seen[0]));
}

/* 6 dims of 2^31 values each: a sample of just that many, corners among them. */
TEST(the_widest_ranges)
{
    static const char range[] = "{ min = 0; max = 2147483647; };";
    const Spec *s = spec_of(
        arena_printf(arena, "A = %s B = %s C = %s D = %s E = %s F = %s", range, range, range, range, range, range),
        "{ M = \"1 + max(A, B) / 2 + max(C, D) / 3\"; N = \"1 + E / 524288\"; K = \"1 + F / 524288\"; }", "1");
    Points *p = points_declared(arena, s, 5000);
    assert_false(points_are_all(p));
    int64_t n = 0;
    for (int64_t x[POINTS_MAX_AXIS]; points_next(p, x); n++)
        for (int i = 0; i < 3; i++)
            assert_in_range(x[i], 1, INT32_MAX);
    assert_int_equal(n, 5000);
    assert_int_equal(count_of(points_declared(arena, s, 5000), (int64_t[]){ 1, 1, 1, 1 }), 1);
    assert_int_equal(count_of(points_declared(arena, s, 5000), (int64_t[]){ 1789569706, 4096, 4096, 1 }), 9);
}

/* 12 dims have more corners than there are points: some of these, with both ends of each dim, and points between. */
TEST(more_corners_than_points)
{
    const int64_t count[] = { 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9 };
    Grid g = grid_make(12, count, 64);
    int least[12] = { 0 }, most[12] = { 0 }, ncorner = 0;
    int64_t p[GRID_MAX_DIM];
    while (grid_next(&g, p)) {
        bool corner = true;
        for (int i = 0; i < 12; i++) {
            corner = corner && (p[i] == 0 || p[i] == 8);
            least[i] += p[i] == 0;
            most[i] += p[i] == 8;
        }
        ncorner += corner;
    }
    assert_int_equal(ncorner, 32);
    for (int i = 0; i < 12; i++)
        assert_true(least[i] >= 8 && most[i] >= 8 && least[i] + most[i] < 56);
}

/* One large shape is enough, wherever it stands. */
TEST(a_part_is_not_all)
{
    const char *dims = "T = { min = 1; max = 3; }; S = { min = 1; max = 100000; };";
    const char *few = "{ M = \"T\"; N = 8; K = 3; }", *many = "{ M = \"S\"; N = 9; K = 3; }";
    for (int i = 0; i < 2; i++) {
        const char *shapes = arena_printf(arena, "%s, %s", i ? few : many, i ? many : few);
        assert_false(points_are_all(points_declared(arena, spec_of(dims, shapes, "1"), 1000)));
    }
}

TEST(the_same_points_each_time)
{
    const Spec *s = spec_of("T = { min = 1; max = 100000; }; S = { min = 1; max = 100000; };",
                            "{ M = \"T\"; N = \"S\"; K = 3; }", "1, 2");
    Points *p = points_declared(arena, s, 3000), *q = points_declared(arena, s, 3000);
    int64_t n = 0, x[POINTS_MAX_AXIS] = { 0 }, y[POINTS_MAX_AXIS] = { 0 };
    for (; points_next(p, x); n++) {
        assert_true(points_next(q, y));
        assert_memory_equal(x, y, 4 * sizeof *x);
    }
    assert_int_equal(n, 3000);
    assert_false(points_next(q, y));
}

/* The limit is that of all shapes together, and a grid of just so many points is no sample. */
TEST(the_limit_is_kept)
{
    const Spec *two =
        spec_of("T = { min = 1; max = 100000; };", "{ M = \"T\"; N = 1; K = 3; }, { M = \"T\"; N = 2; K = 3; }", "1");
    const Spec *few =
        spec_of("T = { min = 1; max = 50; };", "{ M = \"T\"; N = 1; K = 3; }, { M = \"T\"; N = 2; K = 3; }", "1");
    int64_t cut[] = { 3 }, n = 0, x[POINTS_MAX_AXIS];
    for (Points *p = points_declared(arena, two, 1000); points_next(p, x);)
        n++;
    assert_int_equal(n, 1000);
    assert_true(points_are_all(points_declared(arena, few, 100)));
    assert_false(points_are_all(points_declared(arena, few, 99)));
    const PointAxis axis = { 1, 9, cut, 1 };
    Points *p = points_cuts(arena, &axis, 1, 1000);
    for (n = 0; points_next(p, x);)
        n++;
    assert_true(points_are_all(points_cuts(arena, &axis, 1, n)));
    assert_false(points_are_all(points_cuts(arena, &axis, 1, n - 1)));
}

/* One threshold an axis, and ranges: all neighbours of one with all neighbours of the other. */
TEST(thresholds_cross)
{
    int64_t m[] = { 40, 10, 40 }, k[] = { 7 };
    const PointAxis axis[] = { { 1, 64, m, 3 }, { 3, 3, NULL, 0 }, { 2, 9, k, 1 }, { 1, 4, NULL, 0 } };
    static const int64_t wanted[][4] = {
        { 39, 3, 6, 1 }, { 40, 3, 7, 4 },
        { 41, 3, 8, 1 }, { 9, 2, 7, 1 },
        { 11, 4, 8, 5 }, { 0, 3, 2, 1 },
        { 1, 3, 1, 0 },  { 65, 3, 10, INT64_MIN },
        { 64, 3, 9, 4 }, { INT64_MAX, INT64_MIN, 0, INT32_MIN },
        { 0, 0, 1, 2 },  { INT32_MAX, INT32_MAX + 1L, 9 + (1L << 32), 4 + (1L << 32) },
    };
    Points *all = points_cuts(arena, axis, 4, 10000000);
    assert_true(points_are_all(all));
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
        if (count_of(points_cuts(arena, axis, 4, 10000000), wanted[i]) != 1)
            fail_msg("%d: not there just once", (int)i);
}

/* Above the limit: still every value of each axis, at each corner of the other ranges. */
TEST(thresholds_meet_corners)
{
    enum { SEVERAL = 7 }; /* extents, as many operators have */
    enum { CUTS = 300, LIMIT = 1000000 };
    int64_t cut[CUTS];
    for (int i = 0; i < CUTS; i++)
        cut[i] = 1000 * (i + 1);
    PointAxis axis[SEVERAL];
    for (int i = 0; i < SEVERAL; i++)
        axis[i] = (PointAxis){ 5, 400000, cut, CUTS };
    Points *p = points_cuts(arena, axis, SEVERAL, LIMIT);
    assert_false(points_are_all(p));
    int64_t n = 0, at_corners[SEVERAL] = { 0 };
    for (int64_t x[SEVERAL]; points_next(p, x); n++) {
        int ncut = 0, nend = 0, of = 0;
        for (int i = 0; i < SEVERAL; i++) {
            nend += x[i] == 5 || x[i] == 400000;
            ncut += x[i] == 77001;
            of = x[i] == 77001 ? i : of;
        }
        at_corners[of] += ncut == 1 && nend == SEVERAL - 1;
    }
    assert_in_range(n, LIMIT / 2, LIMIT);
    for (int i = 0; i < SEVERAL; i++)
        assert_int_equal(at_corners[i], 1 << (SEVERAL - 1));
}

/* Of many axes there are more corners than that: the limit is one on all points together. */
TEST(many_axes_keep_to_the_limit)
{
    enum { MANY = 21, LIMIT = 100000 };
    PointAxis axis[MANY];
    for (int i = 0; i < MANY; i++)
        axis[i] = (PointAxis){ 5, 400000, NULL, 0 };
    Points *p = points_cuts(arena, axis, MANY, LIMIT);
    int64_t n = 0;
    for (int64_t x[MANY]; points_next(p, x); n++)
        continue;
    assert_false(points_are_all(p));
    assert_in_range(n, LIMIT * 9 / 10, LIMIT);
}

/* The ends of 64 bits have neighbours on one side only. */
TEST(cuts_at_the_ends_of_64_bits)
{
    int64_t cut[] = { INT64_MIN, INT64_MAX };
    const PointAxis axis = { INT64_MIN, INT64_MAX, cut, 2 };
    Points *p = points_cuts(arena, &axis, 1, 1000);
    int64_t x, before = 0, n = 0;
    for (; points_next(p, &x); n++) {
        assert_true(n == 0 || x > before);
        before = x;
    }
    assert_int_equal(n, 2 + 1 + 1 + 2 + 2); /* the ends of 64 bits, those of 32, and 0 */
    assert_true(before == INT64_MAX);
}

/* ---- the grid ---- */

TEST(test_all)
{
    Grid g = grid_make(3, (int64_t[]){ 2, 1, 3 }, 6);
    assert_true(g.all);
    assert_int_equal(g.npoint, 6);
    int64_t p[GRID_MAX_DIM];
    for (int64_t k = 0; k < 6; k++) {
        assert_true(grid_next(&g, p));
        assert_int_equal(p[0] * 3 + p[2], k);
        assert_int_equal(p[1], 0);
    }
    assert_false(grid_next(&g, p));
}

TEST(test_no_dims)
{
    Grid g = grid_make(0, NULL, 1);
    int64_t p[GRID_MAX_DIM];
    assert_true(g.all);
    assert_true(grid_next(&g, p));
    assert_false(grid_next(&g, p));
}

TEST(test_corners_first)
{
    const int64_t count[] = { 100, 1, 1000 };
    Grid g = grid_make(3, count, 50);
    assert_false(g.all);
    int64_t p[GRID_MAX_DIM];
    for (int64_t k = 0; k < 4; k++) {
        assert_true(grid_next(&g, p));
        assert_int_equal(p[0], k & 1 ? 99 : 0);
        assert_int_equal(p[1], 0);
        assert_int_equal(p[2], k & 2 ? 999 : 0);
    }
    int n = 4;
    for (; grid_next(&g, p); n++)
        for (int i = 0; i < 3; i++)
            assert_in_range(p[i], 0, count[i] - 1);
    assert_int_equal(n, 50);
}

/* Each of 8 x 8 cells must get its share of 6400 points, give or take a tenth. */
TEST(test_even)
{
    enum { CELLS = 8, EACH = 100 };
    Grid g = grid_make(2, (int64_t[]){ 8000, INT32_MAX }, CELLS * CELLS * EACH);
    int64_t p[GRID_MAX_DIM], hits[CELLS][CELLS] = { 0 };
    while (grid_next(&g, p))
        hits[p[0] * CELLS / 8000][p[1] * CELLS / INT32_MAX]++;
    for (int i = 0; i < CELLS; i++)
        for (int j = 0; j < CELLS; j++)
            assert_in_range(hits[i][j], EACH - EACH / 10, EACH + EACH / 10);
}

TEST(test_huge)
{
    const int64_t count[] = { INT32_MAX, INT32_MAX, INT32_MAX, INT32_MAX, INT32_MAX, INT32_MAX };
    Grid g = grid_make(6, count, 1000);
    assert_false(g.all);
    assert_int_equal(g.npoint, 1000);
    int64_t p[GRID_MAX_DIM];
    while (grid_next(&g, p))
        for (int i = 0; i < 6; i++)
            assert_in_range(p[i], 0, INT32_MAX - 1);
}

TEST(test_tune_values)
{
    static const struct {
        int64_t min, max;
        int n;
        int64_t want[8];
    } cases[] = {
        { 1, 128, 8, { 1, 4, 12, 26, 47, 72, 100, 128 } },
        { 7, 7, 1, { 7 } },
        { 1, 2, 2, { 1, 2 } },
        { 0, 7, 8, { 0, 1, 2, 3, 4, 5, 6, 7 } },
        { 1, 9, 8, { 1, 2, 3, 4, 5, 7, 8, 9 } },
        { 0, 100, 8, { 0, 3, 9, 21, 36, 56, 77, 100 } },
        { 1000, 1010, 8, { 1000, 1002, 1003, 1005, 1006, 1008, 1009, 1010 } },
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        int64_t v[8] = { 0 };
        assert_int_equal(spec_tune_values(cases[i].min, cases[i].max, v), cases[i].n);
        assert_memory_equal(v, cases[i].want, sizeof v);
    }
}

/* For any range: ascending, from min to max, 8 values or all. */
TEST(test_tune_values_always)
{
    static const int64_t ends[] = { 0,        1, 2, 3, 8, 9, 10, 63, 64, 1000, 65535, 65536, 1000000007, INT32_MAX - 1,
                                    INT32_MAX };
    for (size_t a = 0; a < LENGTH(ends); a++)
        for (size_t b = a; b < LENGTH(ends); b++) {
            int64_t v[8], size = ends[b] - ends[a] + 1;
            int n = spec_tune_values(ends[a], ends[b], v);
            assert_int_equal(n, size < 8 ? size : 8);
            assert_int_equal(v[0], ends[a]);
            assert_int_equal(v[n - 1], ends[b]);
            for (int i = 1; i < n; i++)
                assert_true(v[i - 1] < v[i]);
        }
}

TEST_FILE(setup, teardown)
