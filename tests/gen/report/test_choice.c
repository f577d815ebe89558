/* SPDX-License-Identifier: Apache-2.0
 *
 * choice: what is known of the chosen kernel, the runner-up and the best known one of a shape; of two kernels whose
 * times are set by hand.
 */
#include "tests/test.h"
#include "gen/report/choice.h"
#include "tests/gen/by_hand.h"

TEST(knows_runner_up_and_best)
{
    static const struct {
        int m, kernel; /* kernel 0 is trial 1, kernel 1 is trial 0 */
        double cost[HAND_KERNEL];
        bool measured;
        double best_ns;
        int64_t best_trial;
        int runner;
    } row[] = {
        { 1, 1, { 1250, 1000 }, true, 1000, 0, 0 },
        { 1, 0, { 1250, 1000 }, true, 1000, 0, 1 },
        { 3, 0, { 2000, 3000 }, true, 2000, 1, 1 },
        { 8, 1, { 9000, 8000 }, true, 6400, 2, 0 }, /* none of the package's */
        { 4, 0, { 4000, 3200 }, false, 3200, 0, 1 },
        { 4, 1, { 4000, 3200 }, false, 3200, 0, 0 },
        { 4, 0, { 4000, INFINITY }, false, 4000, 1, -1 },
        { 4, 0, { INFINITY, 3200 }, false, 3200, 0, 1 },
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        const Instance *inst = &hand.y.spec->instance[row[i].m - 1];
        const Choice c = choice_make(hand.y.study, &hand.as, inst, row[i].cost, row[i].kernel);
        assert_int_equal(c.kernel, row[i].kernel);
        assert_true(c.ns == row[i].cost[row[i].kernel]);
        assert_int_equal(c.measured, row[i].measured);
        assert_true(c.best_ns == row[i].best_ns);
        assert_int_equal(c.best_trial, row[i].best_trial);
        assert_int_equal(c.runner, row[i].runner);
        assert_true(c.runner_ns == (row[i].runner < 0 ? INFINITY : row[i].cost[row[i].runner]));
    }
}

/* Of three kernels the faster of the two others; a tuned shape that this kernel was not measured on is predicted. */
TEST(knows_which_other_is_faster)
{
    Assignment as = hand.as;
    const double cost[] = { 8000, 7000, 6500 };
    const Instance *inst = &hand.y.spec->instance[7];
    as.nkernel = 3;
    as.kernel = (int64_t[]){ 1, 0, 2 };
    assert_int_equal(choice_make(hand.y.study, &as, inst, cost, 0).runner, 2);
    assert_int_equal(choice_make(hand.y.study, &as, inst, cost, 2).runner, 1);
    hand.y.study->trial[1].ns[2] = 0;
    assert_false(choice_make(hand.y.study, &as, inst, cost, 0).measured);
    hand.y.study->trial[1].ns[2] = 9000;
}

/* A shape that is held out is chosen for by predictions; once it was measured, its time is what is told, and what
 * rivals are compared with. */
TEST(tells_times_of_shapes_held_out)
{
    Study *s = hand.y.study;
    const double cost[] = { 4000, 3200 };
    const Instance *inst = &hand.y.spec->instance[3];
    const double ns = 2900;
    by_hand_measure(&hand, 1, inst, ns);
    const Choice c = choice_make(s, &hand.as, inst, cost, 0);
    assert_true(c.measured && c.ns == ns && c.best_ns == ns && c.best_trial == 1 && c.runner_ns == 3200);
    const Choice other = choice_make(s, &hand.as, inst, cost, 1);
    assert_true(!other.measured && other.ns == 3200 && other.best_ns == ns && other.runner == 0);
}

/* Nothing along an axis, or of the output; an attribute of 0 is none of this. */
TEST(knows_where_nothing_is_computed)
{
    Op op = *hand.y.spec->op;
    Spec spec = *hand.y.spec;
    spec.op = &op;
    op.extent[3] = (Extent){ .name = "PAD", .kind = EXTENT_ATTRIBUTE };
    op.ngiven = op.nextent = 4;
    assert_false(choice_is_empty(&spec, (int64_t[OP_MAX_EXTENT]){ 2, 3, 4, 0 }));
    assert_true(choice_is_empty(&spec, (int64_t[OP_MAX_EXTENT]){ 2, 3, 0, 1 }));
    op.extent[3].kind = EXTENT_DERIVED; /* rows of the output */
    op.ngiven = 3;
    for (int i = 0; i < op.noperand; i++)
        if (op.operand[i].role == ROLE_OUT) {
            op.operand[i].elems = expr_parse(hand.y.arena, "PAD * N", (Loc){ 0 }, diag_new(hand.y.arena));
            expr_bind(op.operand[i].elems, NAMES(op.extent, 4));
        }
    assert_false(choice_is_empty(&spec, (int64_t[OP_MAX_EXTENT]){ 2, 3, 4, 1 }));
    assert_true(choice_is_empty(&spec, (int64_t[OP_MAX_EXTENT]){ 2, 3, 4, 0 }));
}

TEST_FILE(by_hand_setup, by_hand_teardown)
