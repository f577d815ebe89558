/* SPDX-License-Identifier: Apache-2.0
 *
 * awkward: kernels are verified where their tiles end, on every axis.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "search/awkward.h"
#include "tests/gen/synthetic.h"

enum { FEW = 6, ROWS = 24 };

static Synthetic y;

static int make(void **state)
{
    (void)state;
    return synthetic_make(&y, synthetic_spec, 4) ? 0 : -1;
}

static int drop(void **state)
{
    (void)state;
    arena_free(y.arena);
    return 0;
}

/* A shape with this extent on the axis. */
static bool has(const Awkward *w, int axis, int64_t extent)
{
    for (int i = 0; i < w->n; i++)
        if (w->extent[i][axis] == extent)
            return true;
    return false;
}

static void every_end_of_a_tile(void **state)
{
    (void)state;
    const Op *op = y.spec->op;
    for (int64_t first = 0; first + FEW <= y.space->n; first += y.space->n / 50 + 1) {
        const Candidate *c[FEW];
        Awkward w;
        for (int i = 0; i < FEW; i++)
            c[i] = &y.space->candidate[first + i];
        awkward_shapes(y.study, c, FEW, &w);
        assert_in_range(w.n, 1, AWKWARD_MAX - 1); /* nothing was left out for want of room */
        for (int axis = 0; axis < op->naxis; axis++) {
            int64_t tile = 1;
            for (int i = 0; i < FEW; i++)
                tile = awkward_tile(y.study, c[i], axis) > tile ? awkward_tile(y.study, c[i], axis) : tile;
            for (int64_t v = 1; v <= (axis == 0 ? (tile < ROWS ? tile : ROWS) : 2); v++)
                assert_true(has(&w, axis, v));
            assert_true(tile == 1 || has(&w, axis, tile - 1));
            assert_true(has(&w, axis, tile + 1));
            assert_true(has(&w, axis, 2 * tile + 5));
            assert_int_equal(has(&w, axis, 0), op->axis[axis].kind == AXIS_REDUCE);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_end_of_a_tile),
    };
    return cmocka_run_group_tests_name("search/awkward", tests, make, drop);
}
