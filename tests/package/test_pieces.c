/* SPDX-License-Identifier: Apache-2.0
 *
 * How a call is shared out: threads that its work is worth, and pieces that they take in turn.
 */
#include "tests/test.h"
#include "templates/package/pieces.h"

/* A thread of a pool for 256 thousand operations, a new one for 8 million, and no more than are allowed. */
TEST(threads_are_worth_their_start)
{
    static const struct {
        int threads, pooled, started;
        double flops;
    } row[] = { { 8, 1, 1, 0 },      { 8, 1, 1, 256e3 },  { 8, 1, 1, 511e3 },     { 8, 2, 1, 512e3 },
                { 8, 7, 1, 2047e3 }, { 8, 8, 1, 2048e3 }, { 8, 8, 1, 15.9e6 },    { 8, 8, 2, 16e6 },
                { 3, 3, 2, 16e6 },   { 1, 1, 1, 1e12 },   { 256, 256, 125, 1e9 }, { 256, 256, 256, 1e18 } };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        assert_int_equal(PACKAGE_worthwhile(row[i].threads, row[i].flops, PACKAGE_POOLED_FLOPS), row[i].pooled);
        assert_int_equal(PACKAGE_worthwhile(row[i].threads, row[i].flops, PACKAGE_NEW_FLOPS), row[i].started);
    }
}

/* One for each 2 million operations, but as many for each thread: one to four. */
TEST(pieces_are_of_two_million)
{
    static const struct {
        int threads, pieces;
        double flops;
    } row[] = { { 3, 3, 0 },     { 3, 3, 2e6 },    { 3, 3, 5.9e6 },    { 3, 3, 6e6 },
                { 3, 3, 7.9e6 }, { 3, 3, 11.9e6 }, { 3, 6, 12e6 },     { 3, 9, 23.9e6 },
                { 3, 12, 24e6 }, { 3, 12, 1e15 },  { 256, 1024, 1e15 } };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++)
        assert_int_equal(PACKAGE_pieces(row[i].threads, row[i].flops), row[i].pieces);
}
