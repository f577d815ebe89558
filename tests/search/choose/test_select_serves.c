/* SPDX-License-Identifier: Apache-2.0
 *
 * select, where kernels serve some calls alone: every call has a kernel that serves it, and costs what that takes.
 */
#include "tests/search/choose/select_place.h"

/* Kernels 0, 1 and 2 are each for one N, and the others, which take 3, 4 and 5 times as long, for all. */
static void give_each_its_width(void)
{
    static const char *const serves[] = { "N == 768", "N == 2304", "N == 3072" };
    for (int i = 0; i < KERNELS; i++)
        for (int64_t j = 0; j < s->nshape; j++)
            set_time(i, j, i < 3 ? 1 : i);
    for (int i = 0; i < 3; i++)
        serve_alone(i, serves[i]);
}

/* Each instance goes to the kernel that the tree chooses, or if that does not serve it to the first that does, and
 * costs what that takes. Returns how many of them the tree's choice does not serve. */
static int64_t check_served(const Assignment *as)
{
    const CostModel *m = cost_fit(y.arena, s, &y.templates);
    int64_t n = 0;
    double regret = 0, weight = 0;
    bool for_all = false;
    for (int k = 0; k < as->nkernel; k++)
        for_all = for_all || candidate_serves_all(&s->trial[as->kernel[k]].c, y.spec);
    assert_true(for_all);
    for (int64_t i = 0; i < y.spec->ninstance; i++) {
        const Instance *inst = &y.spec->instance[i];
        int64_t x[SELECT_MAX_FEATURE];
        select_features(s, as, inst->extent, inst->threads, x);
        const int by_tree = tree_choose(as->tree, x);
        for (int k = 0; k < as->nkernel; k++) {
            int want = 0;
            while (!serves(as->kernel[want], i))
                want++;
            want = serves(as->kernel[k], i) ? k : want;
            assert_int_equal(select_serving(s, as, inst->extent, k), want);
            assert_true(k != by_tree || as->chosen[i] == want);
            assert_true(as->cost[i * as->nkernel + k] == cost_trial(m, as->kernel[k], inst));
            assert_int_equal(isfinite(as->cost[i * as->nkernel + k]), serves(as->kernel[k], i));
        }
        assert_true(serves(as->kernel[as->chosen[i]], i) && serves(as->kernel[as->best[i]], i));
        regret += inst->weight * as->cost[i * as->nkernel + as->chosen[i]] / as->oracle_ns[i];
        weight += inst->weight;
        n += as->chosen[i] != by_tree;
    }
    assert_true(fabs(as->regret - (regret / weight - 1)) < 1e-12);
    return n;
}

/* A budget of three kernels, and of no more bytes than these have, goes to the fast ones; the fastest of those for all
 * comes on top, at the end. */
TEST(a_kernel_for_all_calls_comes_on_top)
{
    give_each_its_width();
    y.spec->budget.kernels = 3;
    y.spec->budget.code_kib = 3;
    const Assignment *as = choose();
    check_served(as);
    assert_true(as->nkernel == 4 && as->general == 0 && as->kept == 2 && as->kernel[3] == 3);
    assert_int_equal(as->curve[as->kept].kernels, 3);
    assert_int_equal(as->curve[as->kept].bytes, 3000);
    assert_int_equal(as->code_bytes, 4000);
    assert_null(as->fewer);
    for (int64_t i = 0; i < y.spec->ninstance; i++)
        assert_true(as->kernel[as->chosen[i]] < 3);
}

/* Where the budget is for one kernel, all calls that it does not serve go to the one on top, and cost what that
 * takes. */
TEST(what_is_not_served_goes_to_the_one_on_top)
{
    weigh_tuned_alone();
    give_each_its_width();
    y.spec->budget.kernels = 1;
    const Assignment *as = choose();
    check_served(as);
    assert_true(as->nkernel == 2 && as->kept == 0);
    assert_true(as->kernel[0] == 0 && as->kernel[1] == 3);
    for (int64_t i = 0; i < y.spec->ninstance; i++)
        assert_int_equal(as->chosen[i], y.spec->instance[i].extent[1] != 768);
}

/* The tree cannot tell multiples of 48 from others: it chooses the fast kernel for all, and the calls that this does
 * not serve go to the first that serves them. */
TEST(the_tree_may_choose_what_does_not_serve)
{
    for (int i = 0; i < KERNELS; i++)
        for (int64_t j = 0; j < s->nshape; j++)
            set_time(i, j, i == 0 ? 0.5 : i == 1 && s->shape[j]->extent[2] == 3072 ? 0.4 : i == 5 ? 1 : 3);
    serve_alone(0, "M % 48 != 0");
    serve_alone(1, "M % 144 != 0");
    for (int n = 1; n <= 3; n++) {
        y.spec->budget.kernels = n;
        const Assignment *as = choose();
        assert_int_equal(as->nkernel, n < 3 ? n + 1 : 3);
        assert_true(select_kernel_of(as, 5) >= 0);
        assert_true(check_served(as) > y.spec->ninstance / (n == 1 ? 10 : 20));
    }
}

/* If the kernel for all calls is picked, none comes on top: where it is the best everywhere, it is alone. Where another
 * one is faster on a width, these two are there. */
TEST(the_one_for_all_calls_may_be_picked)
{
    weigh_tuned_alone();
    give_each_its_width();
    for (int64_t j = 0; j < s->nshape; j++)
        set_time(4, j, 0.5);
    const Assignment *as = choose();
    check_served(as);
    assert_true(as->nkernel == 1 && as->kernel[0] == 4 && as->curve[as->kept].kernels == 1);
    for (int64_t j = 0; j < s->nshape; j++)
        set_time(4, j, s->shape[j]->extent[1] == 2304 ? 2 : 0.5);
    as = choose();
    check_served(as);
    assert_true(as->nkernel == 2 && select_kernel_of(as, 4) >= 0 && select_kernel_of(as, 1) >= 0);
}

/* Kernel 5, which is for all calls, was measured on one shape, kernel 0 on another that hardly counts. Of a third one
 * there are predictions. Where 0 is said to be better on that and no worse on the first, it is picked; but the tree
 * leaves it out, as predictions so near each other tell nothing. Then 5 is there by itself. */
TEST(the_one_for_all_calls_may_be_alone)
{
    bool alone = false;
    int64_t untuned = y.spec->ninstance / 5;
    while (y.spec->instance[untuned].tuned)
        untuned++;
    for (int i = 1; i < 5; i++)
        s->trial[i].status = STATUS_WRONG;
    for (Instance *in = y.spec->instance; in < y.spec->instance + y.spec->ninstance; in++)
        in->weight = in == s->shape[1] || in == &y.spec->instance[untuned] ? 1 : in == s->shape[0] ? 1e-9 : 0;
    y.spec->budget.kernels = 1;
    for (double part = 0.12; part < 0.16; part *= 1.02) {
        for (int64_t j = 0; j < s->nshape; j++) {
            set_time(0, j, j == 0 ? part : 0);
            set_time(5, j, j == 1);
        }
        serve_alone(0, "M != 17");
        const Assignment *as = choose();
        alone = alone || as->kept < 0;
        assert_true(as->kept >= 0 || (as->nkernel == 1 && as->kernel[0] == 5));
    }
    assert_true(alone);
}

/* Kernel 0 is for one width, 3 the best of those for all, and 4, which is for all too, is better on another width
 * alone. Two of them are picked, 0 and 4, as what 0 does not serve costs what 3 takes: so that is there too. */
TEST(costs_are_those_of_a_kernel_that_is_there)
{
    static const int64_t server_of[][2] = { { 768, 0 }, { 2304, 4 }, { 3072, 3 } }; /* N, the trial */
    weigh_tuned_alone();
    for (int i = 0; i < KERNELS; i++) {
        s->trial[i].status = i == 0 || i == 3 || i == 4 ? STATUS_OK : STATUS_WRONG;
        for (int64_t j = 0; j < s->nshape; j++)
            set_time(i, j, i == 0 ? 0.5 : i == 3 ? 2 : s->shape[j]->extent[1] == 2304 ? 1 : 6);
    }
    serve_alone(0, "N == 768");
    y.spec->budget.kernels = 2;
    const Assignment *as = choose();
    check_served(as);
    assert_true(as->nkernel == 3 && as->kept == 1 && as->kernel[2] == 3);
    for (int64_t j = 0; j < s->nshape; j++)
        for (size_t k = 0; k < sizeof server_of / sizeof *server_of; k++)
            if (s->shape[j]->extent[1] == server_of[k][0])
                assert_int_equal(server(as, j), server_of[k][1]);
}

/* Where none of the kernels that work serves every call, nothing is chosen, and it is told. One that was never timed
 * will do. */
TEST(none_that_serves_every_call_is_told)
{
    give_each_its_width();
    for (int i = 3; i < KERNELS; i++)
        s->trial[i].status = STATUS_WRONG;
    assert_null(choose());
    assert_string_equal(select_why_none(y.arena, s), "none of the kernels that work serves every call");
    y.spec->budget.code_kib = 0;
    assert_has(select_why_none(y.arena, s), "no kernel that works fits 0 KiB of code");
    y.spec->budget.code_kib = 512;
    s->trial[4].status = STATUS_OK;
    for (int64_t j = 0; j < s->nshape; j++)
        s->trial[4].ns[j] = 0;
    const Assignment *as = choose();
    assert_non_null(as);
    assert_null(select_why_none(y.arena, s));
    assert_true(as->nkernel == 4 && as->kernel[3] == 4);
    check_served(as);
}

TEST_EACH(begin, drop)
