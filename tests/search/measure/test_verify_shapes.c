/* SPDX-License-Identifier: Apache-2.0
 *
 * verify_shapes: kernels are verified where their tiles end, on every axis.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "search/measure/verify_shapes.h"
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
static bool has(const VerifyShapes *w, int axis, int64_t extent)
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
        VerifyShapes w;
        for (int i = 0; i < FEW; i++)
            c[i] = &y.space->candidate[first + i];
        verify_shapes(y.study, c, FEW, &w);
        assert_in_range(w.n, 1, VERIFY_SHAPES_MAX - 1); /* nothing was left out for want of room */
        for (int axis = 0; axis < op->naxis; axis++) {
            int64_t tile = 1;
            for (int i = 0; i < FEW; i++)
                tile = verify_shapes_tile(y.study, c[i], axis) > tile ? verify_shapes_tile(y.study, c[i], axis) : tile;
            for (int64_t v = 1; v <= (axis == 0 ? (tile < ROWS ? tile : ROWS) : 2); v++)
                assert_true(has(&w, axis, v));
            assert_true(tile == 1 || has(&w, axis, tile - 1));
            assert_true(has(&w, axis, tile));
            assert_true(has(&w, axis, tile + 1));
            assert_true(has(&w, axis, 2 * tile + 5));
            assert_int_equal(has(&w, axis, 0), op->extent[axis].kind == AXIS_REDUCE);
        }
        for (int i = 0; i < w.n; i++)
            for (int k = 0; k < i; k++)
                assert_memory_not_equal(w.extent[i], w.extent[k], (size_t)op->naxis * sizeof **w.extent);
    }
}

/* A kernel that is fixed for extents meets them, with the others as they are; two that are fixed alike meet them once. */
static void fixed_extents(void **state)
{
    (void)state;
    Template t = *y.space->candidate[0].t;
    Candidate fixed = y.space->candidate[0], plain = fixed;
    VerifyShapes w, without;
    t.param[0].axis = 1;
    t.param[0].choice[0] = 0;
    t.param[0].choice[1] = 1237;
    fixed.t = plain.t = &t;
    fixed.choice[0] = 1;
    plain.choice[0] = 0;
    verify_shapes(y.study, (const Candidate *[]){ &plain, &plain }, 2, &without);
    verify_shapes(y.study, (const Candidate *[]){ &plain, &fixed, &fixed }, 3, &w);
    int n = 0;
    for (int i = 0; i < w.n; i++)
        if (w.extent[i][1] == 1237) {
            n++;
            for (int axis = 0; axis < 3; axis += 2) {
                int64_t tile = verify_shapes_tile(y.study, &plain, axis);
                tile =
                    verify_shapes_tile(y.study, &fixed, axis) > tile ? verify_shapes_tile(y.study, &fixed, axis) : tile;
                assert_int_equal(w.extent[i][axis], (tile < 64 ? tile : 64) + 3);
            }
        }
    assert_int_equal(n, 1);
    assert_false(has(&without, 1, 1237));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_end_of_a_tile),
        cmocka_unit_test(fixed_extents),
    };
    return cmocka_run_group_tests(tests, make, drop);
}
