/* SPDX-License-Identifier: Apache-2.0
 *
 * lab_model: the times that kernels have in its worlds. Compilers are made up.
 *
 *   ctest: replaces
 */
#include "tests/test.h"
#include "search/measure/lab.h"
#include "tests/search/study_place.h"

static Lab lab;
static int nbuilt;
static bool fails;

/* The third does not fit its registers. */
bool lab_machine_untimed(Lab *q, Arena *scratch, const Proposal *p, int n, double share, const char **err)
{
    *err = "no compiler";
    for (int i = 0; i < n; i++) {
        const int64_t trial = study_add(q->study, &p[i].c);
        Trial *t = &q->study->trial[trial];
        t->built = true;
        t->status = i == 2 ? STATUS_BUILD_FAILED : STATUS_OK;
    }
    nbuilt += n;
    return !fails;
}

bool lab_machine_lesser(Lab *q, Arena *scratch, const char **err) { return q && scratch && err; }
bool lab_machine_lesser_ahead(Lab *q, const char **err) { return q && err; }
bool lab_machine_ahead(Lab *q, const Proposal *p, int n, const char **err) { return q && p && n && err; }
void lab_machine_drop(Lab *q) { (void)q; }

static Proposal p[3];

static int begin(void **state)
{
    if (make(state) != 0)
        return -1;
    for (int i = 0; i < 3; i++)
        p[i] = (Proposal){ .c = y.space->candidate[7 * i], .nshape = 2, .shape = { 1, 4 } };
    nbuilt = 0;
    fails = false;
    return 0;
}

static void run(uint64_t world)
{
    const char *err = NULL;
    lab = (Lab){
        .kind = &lab_model, .arena = y.arena, .templates = &y.templates, .study = new_study(), .anchor = &p[0].c
    };
    lab.data = lab_model_new(y.arena, &lab, world);
    if (!lab_model.trials(&lab, y.arena, p, 3, 0.5, &err))
        fail_msg("%s", err);
}

/* As a part of what the analytic model says of it. */
static double part(int i, int shape)
{
    const Instance *inst = lab.study->shape[shape];
    return lab.study->trial[i].ns[shape] / cost_predict(y.law, &p[i].c, inst->extent, inst->threads);
}

TEST(in_world_0_the_model_is_right)
{
    run(0);
    assert_true(nbuilt == 3);
    for (int i = 0; i < 2; i++)
        for (int shape = 0; shape < lab.study->nshape; shape++)
            if (shape == 1 || shape == 4)
                assert_true(fabs(part(i, shape) - 1) < 1e-9);
            else
                assert_true(lab.study->trial[i].ns[shape] == 0);
    assert_true(lab.study->trial[2].ns[1] == 0); /* it failed */
    assert_false(lab_model.measures);
    assert_true(lab_now_s(&lab) == 0);
}

/* One is like itself, and unlike the others; kernels are off by different parts, and of one kernel by much the same on
 * its shapes. */
TEST(worlds_differ)
{
    double seen[4][2];
    for (int k = 0; k < 4; k++) {
        run(k < 3 ? (uint64_t)k + 1 : 1);
        for (int i = 0; i < 2; i++) {
            seen[k][i] = part(i, 1);
            assert_true(seen[k][i] > 0.2 && seen[k][i] < 5);
            assert_true(fabs(log(part(i, 4) / part(i, 1))) < 0.3);
        }
        assert_true(seen[k][0] != seen[k][1]);
    }
    assert_true(seen[3][0] == seen[0][0] && seen[3][1] == seen[0][1]);
    assert_true(seen[0][0] != seen[1][0] && seen[1][0] != seen[2][0]);
}

/* Where both are known; where all that have a time there failed there is no best. */
TEST(the_best_is_told_as_a_part_of_the_general_kernel)
{
    run(0);
    Trial *t = lab.study->trial;
    for (int64_t j = 0; j < lab.study->nshape; j++) {
        t[0].ns[j] = j == 1 || j == 4 ? 300 : 0;
        t[1].ns[j] = j == 1 || j == 5 ? 200 : 0;
    }
    assert_string_equal(lab_best_text(&lab, y.arena), "1.22x of the general kernel"); /* 1.5 on one, 1 on the other */
    t[0].status = STATUS_WRONG;
    assert_string_equal(lab_best_text(&lab, y.arena), "1.50x of the general kernel");
    t[1].status = STATUS_WRONG;
    assert_string_equal(lab_best_text(&lab, y.arena), "");
}

TEST(a_compiler_that_is_gone_ends_it)
{
    const char *err = NULL;
    run(0);
    fails = true;
    assert_false(lab_model.trials(&lab, y.arena, p, 3, 0.5, &err));
    assert_string_equal(err, "no compiler");
}

TEST_EACH(begin, drop)
