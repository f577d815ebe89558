/* SPDX-License-Identifier: Apache-2.0
 *
 * rows: which rows of a large output are compared, where the reference has sums of rows and where it has none; and how
 * far a sum may be off.
 */
#include "tests/test.h"
#include <stdlib.h>
#include "search/runner/runner.h"

enum { A = 50, B = 37, C = 100, D = 300 };

static Shape s;

static void check_of(const int64_t *e, const void *const *operand, int64_t row0, int64_t row1, double *sum,
                     double *bound)
{
}

static void choose(int64_t rows, int64_t row_elems, int64_t terms, bool sums)
{
    const Setup setup = { .seed = 1, .check = sums ? check_of : NULL };
    free(s.row);
    s.rows = rows;
    s.row_elems = row_elems;
    s.terms = terms;
    assert_true(shape_choose_rows(&setup, &s));
    for (int64_t i = 0; i < s.nrow; i++)
        assert_in_range(s.row[i], 0, rows - 1);
}

static int make(void **state)
{
    s = (Shape){ .out_extent = { A, B, C, D } };
    return 0;
}

static int drop(void **state)
{
    free(s.row);
    return 0;
}

TEST(all_where_that_is_cheap)
{
    choose(1000, 1, 1 << 16, false);
    assert_true(s.full && s.nrow == 1000 && s.row[999] == 999 && s.nsum == 0);
    choose(1000, 1, 1 << 17, false);
    assert_true(!s.full && s.nrow == 1000 && s.row[999] == 999);
    choose(10000, 1, 1 << 17, false);
    assert_true(!s.full && s.nrow == 1024 && s.nsum == 0);
    choose(10000, 1, 1 << 17, true);
    assert_true(!s.full && s.nrow == 32 && s.nsum == 10000);
    choose(10000, 100, 1 << 27, false);
    assert_int_equal(s.nrow, 3); /* of 300 elements */
    choose(10000, 1, 1 << 27, false);
    assert_int_equal(s.nrow, 256); /* so many elements at least */
    choose(1 << 24, 1, 1, false);
    assert_int_equal(s.nrow, 2048); /* no more */
    choose(64, 1 << 22, 1, false);
    assert_int_equal(s.nrow, 3);
}

static int64_t place(int64_t row, int axis)
{
    for (int i = 3; i > axis; i--)
        row /= s.out_extent[i];
    return row % s.out_extent[axis];
}

/* Along each extent the tails of usual tiles at both their ends, and each part of a large tile; and all corners. */
TEST(each_part_of_a_tile)
{
    static const int tiles[] = { 4, 6, 8, 16, 24, 32, 64, 128 };
    choose((int64_t)A * B * C * D, 1, 1000, false);
    assert_int_equal(s.nrow, 2048);
    int corners = 0;
    for (int axis = 0; axis < 4; axis++)
        for (size_t t = 0; t < sizeof tiles / sizeof *tiles; t++) {
            const int64_t extent = s.out_extent[axis], tail = extent / tiles[t] * tiles[t];
            int first = 0, last = 0, before = 0;
            bool part[16] = { 0 };
            for (int64_t i = 0; i < s.nrow; i++) {
                const int64_t at = place(s.row[i], axis);
                first += at == tail;
                before += at == tail - 1;
                last += at == extent - 1;
                part[at % tiles[t] * 16 / tiles[t]] = true;
            }
            assert_true(last >= 5 && (tail == extent || first >= 5) && (tail == 0 || before >= 5));
            for (int i = 0; i < 16 && tiles[t] >= 16 && tail > 0; i++)
                assert_true(part[i]);
        }
    for (int64_t i = 0; i < 16; i++) {
        bool is_corner = true;
        for (int axis = 0; axis < 4; axis++)
            is_corner = is_corner && place(s.row[i], axis) % (s.out_extent[axis] - 1) == 0;
        corners += is_corner;
    }
    assert_int_equal(corners, 16);
    assert_int_equal(s.row[0], 0);
    assert_int_equal(s.row[15], s.rows - 1);
}

/* Rows of several elements: the extents within a row do not count. Extents that are not known, or not rows times
 * elements: one extent. */
TEST(rows_of_known_extents)
{
    choose((int64_t)A * B, (int64_t)C * D, 1 << 16, true);
    assert_int_equal(s.nrow, 3);
    s.out_extent[3] = 3;
    choose((int64_t)A * B, (int64_t)C * 3, 1 << 14, true);
    assert_int_equal(s.nrow, 27);
    bool ends_inside = false; /* of the second extent, in the middle of the first */
    for (int64_t i = 1; i < s.nrow - 4; i++)
        ends_inside = ends_inside || (s.row[i] % B == B - 1 && s.row[i] / B < A - 1);
    assert_true(ends_inside);
    choose((int64_t)A * B + 1, (int64_t)C * 3, 1 << 14, true);
    assert_int_equal(s.row[26], A * B);
    s.out_extent[0] = 0;
    choose((int64_t)A * B, (int64_t)C * 3, 1 << 14, true);
    assert_int_equal(s.row[26], A * B - 1);
}

/* Every part of all rows has one. */
TEST(an_even_sample)
{
    enum { PARTS = 100 };
    bool met[PARTS] = { 0 };
    choose(1000000, 1, 1 << 16, false);
    for (int64_t i = 0; i < s.nrow; i++)
        met[s.row[i] / (1000000 / PARTS)] = true;
    for (int i = 0; i < PARTS; i++)
        assert_true(met[i]);
}

/* The sum of a row of n elements, or an element alone (n = 0), off by so many times the tolerance of its elements: is
 * it right? */
static bool is_right(int64_t n, double off, double accuracy)
{
    const Storage *f32 = storage_find("f32");
    const Setup setup = {
        .noperand = 1, .stored = { f32 }, .rounding = dtype_rounding(dtype_find("f32"), f32), .accuracy = accuracy
    };
    const int64_t elems = n ? n : 1;
    int64_t first = 0;
    float *out = calloc((size_t)elems, sizeof *out); /* which makes their magnitude 0 */
    double bound = 16.0 * (double)elems, want = off * rounding_tolerance(&setup.rounding, 64, bound, 0);
    Shape row = { .rows = 1, .row_elems = elems, .terms = 64, .has_reference = true, .nsum = n > 0, .nrow = n == 0 };
    row.sum = row.y = &want;
    row.sum_bound = row.bound = &bound;
    row.row = &first;
    Kernel k = { .status = STATUS_OK };
    assert_non_null(out);
    const bool right = kernel_check_output(&k, &setup, &row, out);
    assert_int_equal(k.status, right ? STATUS_OK : STATUS_WRONG);
    free(out);
    return right;
}

/* The elements' errors are independent: of many the sum is off by less than all of them together, so that one missing
 * term stands out. */
TEST(sums_of_rows_and_elements)
{
    static const struct {
        int64_t n;
        double right, wrong, accuracy;
    } rows[] = { { 9, 0.99, 1.01, 1 },   { 9, 3.99, 4.01, 4 },
                 { 64, 0.49, -0.51, 1 }, { 4096, -0.99 / 16, 1.01 / 16, 1 },
                 { 0, 0.99, -1.01, 1 },  { 0, 3.99, 4.01, 4 } };
    for (size_t i = 0; i < LENGTH(rows); i++) {
        assert_true(is_right(rows[i].n, rows[i].right, rows[i].accuracy));
        assert_false(is_right(rows[i].n, rows[i].wrong, rows[i].accuracy));
    }
}

TEST_EACH(make, drop)
