/* SPDX-License-Identifier: Apache-2.0
 *
 * grid and the sampler of tuned values: complete where that fits, corners first and evenly spread where not.
 */
#include "tests/test.h"
#include "gen/spec/spec_private.h"

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
