/* SPDX-License-Identifier: Apache-2.0
 *
 * order: blocks that are there at the same time are known, and what they need at once; an order that does for all
 * corners is the only one, and others follow where none does.
 */
#include "tests/test.h"

#include <stdlib.h>
#include "gen/base/rng.h"
#include "gen/graph/order.h"
#include "tests/arena.h"

/* Blocks of two corners: first, last, the sizes. */
static Blocks *blocks_of(const int (*text)[4], int n)
{
    Blocks *b = ARENA_NEW(arena, Blocks);
    b->nblock = n;
    b->ncorner = 2;
    b->block = ARENA_ARRAY(arena, (size_t)n, Block);
    for (int i = 0; i < n; i++)
        b->block[i] = (Block){ text[i][0], text[i][1], .size = { text[i][2], text[i][3] } };
    blocks_meet(arena, b);
    return b;
}

TEST(what_meets_is_known)
{
    static const int text[][4] = { { 0, 1, 10, 1 }, { 1, 2, 20, 2 }, { 2, 3, 5, 4 }, { 3, 3, 1, 1 } };
    const Blocks *b = blocks_of(text, 4);
    assert_int_equal(b->block[0].nclash, 1);
    assert_int_equal(b->block[0].clash[0], 1);
    assert_int_equal(b->block[1].nclash, 2);
    assert_int_equal(b->block[2].nclash, 2);
    assert_true(b->live[0] == 30 && b->live[1] == 6);
}

/* As they come, the fourth lies above all others; below the second it fits. */
TEST(the_best_order_is_found)
{
    static const int text[][4] = { { 0, 2, 1, 1 }, { 1, 3, 1, 1 }, { 2, 4, 1, 1 }, { 3, 5, 2, 2 }, { 5, 6, 3, 3 } };
    Blocks *b = blocks_of(text, 5);
    int *order[ORDER_MOST];
    double most;
    assert_int_equal(blocks_order(arena, b, order, &most), 1);
    assert_true(most <= 1.05);
}

TEST(nothing_needs_an_order_too)
{
    Blocks none = { .ncorner = 1 };
    int *order[ORDER_MOST];
    double most;
    assert_int_equal(blocks_order(arena, &none, order, &most), 1);
    assert_true(most == 1);
}

static double bytes_of(const Blocks *b, const int *order, int corner)
{
    double at[64], total = 0;
    bool placed[64] = { false };
    for (int i = 0; i < b->nblock; i++) {
        const Block *x = &b->block[order[i]];
        at[order[i]] = 0;
        assert_false(placed[order[i]]);
        for (int k = 0; k < x->nclash; k++)
            if (placed[x->clash[k]] && at[x->clash[k]] + b->block[x->clash[k]].size[corner] > at[order[i]])
                at[order[i]] = at[x->clash[k]] + b->block[x->clash[k]].size[corner];
        placed[order[i]] = true;
        total = at[order[i]] + x->size[corner] > total ? at[order[i]] + x->size[corner] : total;
    }
    return total;
}

/* What is said of the worst corner is what the orders give; several only where the first does not do. */
TEST(orders_keep_what_is_said)
{
    int nseveral = 0;
    for (uint64_t seed = 1; seed <= 60; seed++) {
        Rng r = { seed };
        int text[40][4], *order[ORDER_MOST];
        double most, worst = 1, first = 1;
        for (int i = 0; i < 40; i++) {
            const int kind = (int)rng_below(&r, 3),
                      stays = (int)(rng_below(&r, 3) ? rng_below(&r, 5) : rng_below(&r, 40));
            text[i][0] = i;
            text[i][1] = i + 1 + stays;
            text[i][2] = kind == 0 ? 96 : kind == 1 ? 32 : 1;
            text[i][3] = kind == 0 ? 96 : kind == 1 ? 256 : 500;
        }
        Blocks *b = blocks_of(text, 40);
        const int n = blocks_order(arena, b, order, &most);
        for (int c = 0; c < 2; c++) {
            double least = 1e9;
            for (int o = 0; o < n; o++) {
                const double over = bytes_of(b, order[o], c) / b->live[c];
                least = over < least ? over : least;
                first = o == 0 && over > first ? over : first;
            }
            worst = least > worst ? least : worst;
        }
        assert_true(worst == most && most <= 1.05);
        assert_true((n > 1) == (first > 1.05));
        nseveral += n > 1;
    }
    assert_true(nseveral > 0);
}

TEST_EACH(setup, teardown)
