/* SPDX-License-Identifier: Apache-2.0
 *
 * overlap: whether a call's output lies over an input is said of small blocks of bytes as it is seen when their
 * elements are marked one by one. Of blocks that lie within each other without a common element only those count as
 * apart that are columns of one matrix.
 */
#include "tests/test.h"
#include <string.h>

#define MOST_EXTENTS 4
#define DCGEN
#include "templates/package/overlap.h"

static int overlap(const PACKAGE_block *x, const PACKAGE_block *y)
{
    return PACKAGE_overlap((PACKAGE_block[]){ *x, *y }, 2, 1);
}

enum { ROOM = 4096 };
static unsigned char room[ROOM];

static uint64_t drawn = 1;
static int below(int n)
{
    drawn = drawn * 6364136223846793005u + 1442695040888963407u;
    return (int)((drawn >> 33) % (uint64_t)n);
}

/* Marks the block's elements in `map`. Gives the byte behind the last one; 0: there is none. */
static int mark(const PACKAGE_block *b, unsigned char *map)
{
    int count = 1, end = 0;
    for (int i = 0; i < b->rank; i++)
        count *= (int)b->extent[i];
    for (int e = 0; e < count; e++) {
        uint64_t at = (uint64_t)((const unsigned char *)b->data - room);
        for (int i = b->rank - 1, left = e; i >= 0; i--) {
            at += (uint64_t)(left % b->extent[i]) * PACKAGE_step(b, i);
            left /= (int)b->extent[i];
        }
        memset(map + at, 1, b->bytes);
        end = (int)(at + b->bytes) > end ? (int)(at + b->bytes) : end;
    }
    return end;
}

static bool have_common(const PACKAGE_block *x, const PACKAGE_block *y)
{
    unsigned char of_x[ROOM] = { 0 }, of_y[ROOM] = { 0 };
    mark(x, of_x);
    mark(y, of_y);
    for (int i = 0; i < ROOM; i++)
        if (of_x[i] && of_y[i])
            return true;
    return false;
}

static bool ranges_meet(const PACKAGE_block *x, const PACKAGE_block *y)
{
    unsigned char map[ROOM];
    const int end_x = mark(x, map), end_y = mark(y, map);
    return end_x && end_y && (const unsigned char *)x->data < room + end_y &&
           (const unsigned char *)y->data < room + end_x;
}

static PACKAGE_block draw(int64_t stride[3])
{
    PACKAGE_block b = {
        room + 2 * below(200), (uint64_t)(2 << below(2)), 1 + below(3), { 0 }, below(3) ? stride : NULL, 0
    };
    for (int i = 0; i < b.rank; i++)
        b.extent[i] = below(20) ? 1 + below(4) : 0;
    for (int i = 0; i < 3; i++)
        stride[i] = below(30);
    return b;
}

TEST(elements_tell)
{
    int overlaps = 0, apart = 0;
    (void)state;
    for (int i = 0; i < 20000; i++) {
        int64_t of_x[3], of_y[3];
        const PACKAGE_block x = draw(of_x), y = draw(of_y);
        const int said = overlap(&x, &y);
        if (said)
            assert_true(ranges_meet(&x, &y));
        else
            assert_false(have_common(&x, &y));
        assert_int_equal(overlap(&y, &x), said);
        overlaps += said;
        apart += ranges_meet(&x, &y) && !said;
        if (!x.stride && !y.stride)
            assert_int_equal(said, ranges_meet(&x, &y));
    }
    assert_true(overlaps > 1000 && apart > 20);
}

/* What is called distinct has no two elements in one place; and so is whatever lies in any order of its extents. */
TEST(places_of_their_own)
{
    int distinct = 0;
    (void)state;
    for (int i = 0; i < 20000; i++) {
        int64_t stride[3];
        unsigned char map[ROOM] = { 0 };
        const PACKAGE_block b = draw(stride);
        int marked = 0, count = 1;
        mark(&b, map);
        for (int k = 0; k < ROOM; k++)
            marked += map[k];
        for (int k = 0; k < b.rank; k++)
            count *= (int)b.extent[k];
        const bool said = PACKAGE_is_distinct(&b);
        assert_true(!said || !count || marked == count * (int)b.bytes);
        assert_true(said || b.stride || !count);
        distinct += said && b.stride && count;
    }
    assert_true(distinct > 1000);
    for (int rows = 2; rows < 5; rows++) {
        const int64_t turned[] = { 8, 3 * 8, 8 * 3 * rows };
        assert_true(PACKAGE_is_distinct(&(PACKAGE_block){ room, 4, 4, { 3, rows, 2, 8 }, turned, 0 }));
        assert_false(PACKAGE_is_distinct(&(PACKAGE_block){ room, 4, 4, { 3, rows, 2, 9 }, turned, 0 }));
        assert_false(PACKAGE_is_distinct(&(PACKAGE_block){ room, 4, 2, { rows, 8 }, (int64_t[]){ 0 }, 0 }));
    }
    assert_true(PACKAGE_is_distinct(&(PACKAGE_block){ room, 4, 2, { 1, 8 }, (int64_t[]){ 0 }, 0 }));
}

/* The output may be an operand itself where both lie alike: strides along extents of one element do not count. */
TEST(the_same_elements)
{
    const int64_t wide[] = { 9 }, tight[] = { 5 };
    const PACKAGE_block y = { room, 4, 2, { 3, 5 }, wide, 0 };
    (void)state;
    assert_false(overlap(&(PACKAGE_block){ room, 4, 2, { 3, 5 }, wide, 1 }, &y));
    assert_true(overlap(&(PACKAGE_block){ room, 4, 2, { 3, 5 }, NULL, 1 }, &y));
    assert_true(overlap(&(PACKAGE_block){ room, 4, 2, { 3, 5 }, wide, 0 }, &y));
    assert_false(
        overlap(&(PACKAGE_block){ room, 4, 2, { 3, 5 }, tight, 1 }, &(PACKAGE_block){ room, 4, 2, { 3, 5 }, NULL, 0 }));
    assert_false(
        overlap(&(PACKAGE_block){ room, 4, 2, { 1, 5 }, wide, 1 }, &(PACKAGE_block){ room, 4, 2, { 1, 5 }, tight, 0 }));
}

/* Queries, keys and values of 3 heads of 8 numbers in one matrix of 5 rows of 128; attention's results may be columns
 * of it that nobody reads. */
TEST(columns_of_a_matrix_are_apart)
{
    static float all[5 * 128];
    const int64_t stride[] = { 0, 8, 128 };
    const PACKAGE_block q = { all, 4, 4, { 1, 3, 5, 8 }, stride, 0 }, k = { all + 24, 4, 4, { 1, 3, 5, 8 }, stride, 0 };
    for (int at = 0; at <= 128 - 24; at++) {
        const PACKAGE_block y = { all + at, 4, 4, { 1, 3, 5, 8 }, stride, 0 };
        assert_int_equal(overlap(&q, &y), at < 24);
        assert_int_equal(overlap(&y, &k), at > 0 && at < 48);
    }
    const PACKAGE_block below = { all + 5 * 128, 4, 2, { 1, 128 }, NULL, 0 },
                        last = { all + 5 * 128 - 1, 4, 1, { 1 }, NULL, 0 };
    assert_false(overlap(&below, &k));
    assert_false(overlap(&last, &k));
    assert_true(overlap(&last, &(PACKAGE_block){ all + 127, 4, 2, { 5, 1 }, (int64_t[]){ 128 }, 0 }));
}

/* As of an image without rows: no elements, or no address. */
TEST(nothing_overlaps_nothing)
{
    const PACKAGE_block y = { room, 4, 2, { 3, 5 }, NULL, 0 };
    assert_true(overlap(&y, &y));
    assert_false(overlap(&(PACKAGE_block){ room, 4, 2, { 0, 5 }, NULL, 0 }, &y));
    assert_false(overlap(&y, &(PACKAGE_block){ room, 4, 2, { 3, 0 }, NULL, 0 }));
    assert_false(overlap(&(PACKAGE_block){ room, 4, 2, { 3, 5 }, NULL, 1 },
                         &y)); /* what may be the output, and not a part of it */
    assert_true(overlap(&(PACKAGE_block){ room + 4, 4, 2, { 3, 5 }, NULL, 1 }, &y));
    assert_false(overlap(&(PACKAGE_block){ NULL, 4, 2, { 3, 5 }, NULL, 0 }, &y));
}
