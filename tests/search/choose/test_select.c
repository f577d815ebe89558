/* SPDX-License-Identifier: Apache-2.0
 *
 * select: budgets are kept, each shape is served by what is fast there, noise is not worth a kernel, and a prediction
 * must be better than a measurement by more than it may be off.
 */
#include "tests/search/choose/select_place.h"

/* Kernel i is much faster than the others on every shape j with j % KERNELS == i. */
static void give_each_its_shapes(void)
{
    for (int64_t j = 0; j < s->nshape; j++)
        set_time((int)(j % KERNELS), j, 0.5);
}

TEST(each_shape_gets_its_kernel)
{
    give_each_its_shapes();
    Assignment *as = choose();
    assert_int_equal(as->nkernel, KERNELS);
    for (int64_t j = 0; j < s->nshape; j++)
        assert_int_equal(server(as, j), j % KERNELS);
}

/* Three kernels of a third of the budget each fill it; one that is the whole budget fits alone, and one byte more does
 * not. */
TEST(the_last_byte_may_be_used)
{
    give_each_its_shapes();
    y.spec->budget.code_kib = 3;
    for (int i = 0; i < KERNELS; i++)
        s->trial[i].code_bytes = 1024;
    assert_int_equal(choose()->code_bytes, 3 * 1024);
    for (int i = 0; i < KERNELS; i++)
        s->trial[i].code_bytes = i == 2 ? 3 * 1024 : 3 * 1024 + 1;
    const Assignment *as = choose();
    assert_non_null(as);
    assert_int_equal(as->nkernel, 1);
    assert_int_equal(as->kernel[0], 2);
    s->trial[2].code_bytes++;
    assert_null(choose());
}

/* Each kernel is best on a sixth of the shapes. Where the noise is not known, a kernel is worth it that makes a package
 * faster by four ten-thousandths. */
TEST(a_kernel_must_be_worth_it)
{
    weigh_tuned_alone();
    for (int worth = 0; worth < 2; worth++) {
        for (int i = 0; i < KERNELS; i++)
            for (int64_t j = 0; j < s->nshape; j++)
                set_time(i, j, i == j % KERNELS ? 1 : worth ? 1.006 : 1.002);
        const Assignment *as = choose();
        assert_int_equal(as->nkernel, worth ? KERNELS : 1);
        assert_true(worth || tree_nleaf(as->tree) == 1);
    }
}

TEST(what_failed_is_never_taken)
{
    give_each_its_shapes();
    s->trial[0].status = STATUS_WRONG;
    s->trial[1].built = false;
    Assignment *as = choose();
    for (int k = 0; k < as->nkernel; k++)
        assert_true(as->kernel[k] >= 2);
    for (int i = 0; i < KERNELS; i++)
        s->trial[i].status = STATUS_WRONG;
    assert_null(choose());
}

/* Kernel 5 was not measured on the shape with the least M and the largest N, where kernel 0 is the only other: it is
 * taken if what is predicted is less even with its doubt. */
TEST(a_prediction_must_win_by_its_doubt)
{
    bool taken[2] = { false, false };
    int64_t at = 0;
    while (s->shape[at]->extent[0] != 1 || s->shape[at]->extent[1] != 3072)
        at++;
    weigh_tuned_alone();
    for (int i = 1; i < 5; i++)
        s->trial[i].status = STATUS_WRONG;
    for (int part = 20; part < 20000; part += part) {
        for (int64_t j = 0; j < s->nshape; j++)
            for (int i = 0; i < KERNELS; i++)
                set_time(i, j, i == 5 ? 0.8 : 1);
        set_time(0, at, part / 100.0);
        s->trial[5].ns[at] = 0;
        const CostModel *m = cost_fit(y.arena, s, &y.templates);
        const double ns = cost_trial(m, 5, s->shape[at]) * (1 + 2 * cost_doubt(m, 5, s->shape[at]));
        const bool is_better = ns < s->trial[0].ns[at];
        if (fabs(ns / s->trial[0].ns[at] - 1) < 0.1) /* that is not worth a leaf */
            continue;
        assert_int_equal(server(choose(), at), is_better ? 5 : 0);
        taken[is_better] = true;
    }
    assert_true(taken[false] && taken[true]);
}

/* Times and sizes without a pattern, so that exchanges happen. */
static void mix_up(uint64_t seed)
{
    synthetic_seed = seed;
    for (int i = 0; i < KERNELS; i++) {
        s->trial[i].code_bytes = 500 + (int64_t)(4000 * synthetic_draw());
        for (int64_t j = 0; j < s->nshape; j++)
            set_time(i, j, 0.5 + synthetic_draw());
    }
}

/* Point N of the curve is what a budget of N kernels gives; more kernels are never worse. */
TEST(the_curve_tells_of_other_budgets)
{
    mix_up(11);
    const Assignment *all = choose();
    assert_in_range(all->ncurve, 3, KERNELS);
    assert_int_equal(all->kept, all->ncurve - 1);
    for (int n = 1; n <= all->ncurve; n++) {
        const CurvePoint *point = &all->curve[n - 1];
        y.spec->budget.kernels = n;
        const Assignment *as = choose();
        int64_t bytes = 0;
        for (int k = 0; k < as->nkernel; k++)
            bytes += s->trial[as->kernel[k]].code_bytes;
        assert_int_equal(point->kernels, n);
        assert_int_equal(as->kept, n - 1);
        assert_memory_equal(&as->curve[as->kept], point, sizeof *point);
        assert_int_equal(as->nkernel, n);
        assert_true(bytes == point->bytes && point->above >= 0);
        assert_true(n == 1 || point->above < all->curve[n - 2].above);
        assert_memory_equal(as->curve, all->curve, sizeof *as->curve * (size_t)all->ncurve); /* and beyond its own */
    }
}

/* Kernels 1 to 3 are each faster on every fourth shape: together that is worth a kernel, but none of these shapes is
 * worth a leaf. Then the package is that of a smaller budget, which is the point of the curve that is marked, and the
 * reason is told. */
TEST(what_the_tree_leaves_out_is_not_kept)
{
    weigh_tuned_alone();
    for (int64_t j = 0; j < s->nshape; j++)
        if (j % 4 > 0)
            set_time((int)(j % 4), j, 0.998);
    const Assignment *all = choose();
    assert_in_range(all->ncurve, 3, KERNELS);
    assert_int_equal(all->nkernel, 1);
    assert_string_equal(all->fewer, "what more would gain is not worth the leaves of the dispatcher");
    for (int n = 1; n <= all->ncurve; n++) {
        y.spec->budget.kernels = n;
        const Assignment *as = choose();
        assert_int_equal(as->curve[as->kept].kernels, as->nkernel);
        assert_int_equal(as->curve[as->kept].bytes, as->code_bytes);
        assert_int_equal(as->kernel[0], all->kernel[0]);
        assert_true(n == 1 ? !as->fewer : as->fewer != NULL);
    }
}

/* Measured on every sixth shape alone, where half of the kernels are 5 % slower. What the model says of the others
 * differs by less than it may be off: no leaf follows that. */
TEST(no_leaf_follows_what_nobody_knows)
{
    for (int64_t j = 0; j < s->nshape; j++)
        for (int i = 0; i < KERNELS; i++)
            set_time(i, j, j % 6 ? 0 : (1 + 0.05 * (i % 2)) * (double)s->shape[j]->extent[0]);
    assert_int_equal(tree_nleaf(choose()->tree), 1);
}

/* The room that an exchange takes or frees counts for what comes behind it. */
TEST(exchanges_keep_the_budget_of_bytes)
{
    y.spec->budget.code_kib = 9;
    for (uint64_t seed = 1; seed <= 6; seed++) {
        mix_up(seed);
        const Assignment *as = choose();
        const CurvePoint *kept = &as->curve[as->kept];
        assert_in_range(as->code_bytes, 1, 9 * 1024);
        assert_int_equal(as->nkernel, kept->kernels);
        assert_int_equal(kept->bytes, as->code_bytes);
    }
}

/* The point that is kept has room in the budget of bytes; the curve goes on to what would not. */
TEST(the_curve_goes_on_beyond_the_bytes)
{
    give_each_its_shapes();
    y.spec->budget.code_kib = 3;
    const Assignment *as = choose();
    assert_int_equal(as->kept, 2);
    assert_int_equal(as->curve[as->kept].bytes, 3000);
    assert_int_equal(as->ncurve, KERNELS);
    assert_int_equal(as->curve[KERNELS - 1].bytes, 1000 * KERNELS);
    assert_true(as->curve[KERNELS - 1].above < as->curve[as->kept].above);
}

static double doubted(const CostModel *m, int64_t trial, const Instance *inst)
{
    return cost_trial(m, trial, inst) * (inst->tuned ? 1 : 1 + 2 * cost_doubt(m, trial, inst));
}

/* Half of the say is that of all shapes, half that of the tuned ones: of one kernel alone the curve's first point, by
 * the definition. Calls that it does not serve cost what they take by the kernel that serves all at the least. */
static void check_first_point(void)
{
    const CostModel *m = cost_fit(y.arena, s, &y.templates);
    const Assignment *as = choose();
    const int64_t stride = y.spec->ninstance / 256 + 1; /* of so many that are not tuned, one is looked at */
    double all = 0, tuned = 0, least = INFINITY, least_last = INFINITY;
    int last = -1;
    for (int64_t i = 0; i < y.spec->ninstance; i++) {
        const Instance *inst = &y.spec->instance[i];
        all += inst->tuned || i % stride == 0 ? inst->weight : 0;
        tuned += inst->tuned ? inst->weight : 0;
    }
    for (int k = -KERNELS; k < KERNELS; k++) { /* at first those for all alone */
        const int trial = k < 0 ? k + KERNELS : k;
        double sum = 0, says = 0;
        for (int64_t i = 0; i < y.spec->ninstance; i++) {
            const Instance *inst = &y.spec->instance[i];
            const double say = inst->weight / all + (inst->tuned ? inst->weight / tuned : 0);
            double best = INFINITY;
            if (!inst->tuned && i % stride != 0)
                continue;
            for (int other = 0; other < KERNELS; other++)
                best = fmin(best, doubted(m, other, inst));
            sum += say * doubted(m, k < 0 || serves(trial, i) ? trial : last, inst) / best;
            says += say;
        }
        if (k < 0 && sum < least_last) {
            least_last = sum;
            last = trial;
        }
        least = k < 0 ? least : fmin(least, sum / says - 1);
    }
    assert_true(last >= 0);
    assert_int_equal(as->curve[0].kernels, 1);
    assert_true(fabs(as->curve[0].above - least) < 1e-9);
}

TEST(the_curve_is_a_mean_of_both_halves)
{
    mix_up(5);
    for (int64_t i = 0; i < y.spec->ninstance; i++)
        y.spec->instance[i].weight = 1 + (double)(i % 7);
    check_first_point();
    for (int i = 0; i < 4; i++) {
        for (int64_t j = 0; j < s->nshape; j++)
            set_time(i, j, 0.1);
        serve_alone(i, i % 2 ? "N == 768 || M > 1000" : "M % 48 != 0");
    }
    check_first_point();
}

/* Of many shapes kernels are chosen by a part, but the dispatcher learns from all: together those that are not tuned
 * still have half of the say. A tuned shape that stands alone, where kernel 1 is faster by 3 %, so gets its leaf
 * however many others there are. */
TEST(the_tuned_half_does_not_shrink)
{
    Synthetic many;
    assert_true(synthetic_make(&many,
                               "name = \"many\"; op = \"dense\"; target = [\"host\"];\n"
                               "dims = { T = { min = 1; max = 6000; }; };\n"
                               "shapes = ( { M = \"T\"; N = 768; K = 768; }, { M = 7; N = 64; K = 64; } );\n"
                               "tune = { T = [1, 1000, 6000]; }; layout = { W = \"NK\"; packed = true; };\n",
                               2));
    for (int64_t i = 0; i < many.spec->ninstance; i++)
        many.spec->instance[i].weight = 1;
    const Study *m = many.study;
    const Candidate *c = &m->trial[0].c;
    for (int64_t j = 0; j < m->nshape; j++) {
        const double ns = cost_predict(many.law, c, m->shape[j]->extent, 1);
        for (int i = 0; i < 2; i++)
            m->trial[i].ns[j] = m->shape[j]->decl == 1 ? (i == 1 ? 1 : 1.03) * ns : (i == 0 ? 1 : 1.5) * ns;
    }
    const Assignment *as = select_kernels(many.arena, m, cost_fit(many.arena, m, &many.templates));
    for (int64_t i = 0; i < many.spec->ninstance; i++)
        if (many.spec->instance[i].decl == 1)
            assert_int_equal(as->kernel[as->chosen[i]], 1);
    arena_free(many.arena);
}

/* What is told of the choice follows from its own tables: the regret, the cheapest kernel, the best known time, and
 * kernels in the order of the weight that they serve. */
TEST(the_choice_agrees_with_its_tables)
{
    mix_up(3);
    for (int64_t i = 0; i < y.spec->ninstance; i++)
        y.spec->instance[i].weight = 1 + (double)(i % 5);
    y.spec->budget.kernels = 3;
    const Assignment *as = choose();
    double regret = 0, weight = 0, served[KERNELS] = { 0 };
    int64_t bytes = 0;
    assert_int_equal(as->general, 0);
    for (int64_t i = 0; i < y.spec->ninstance; i++) {
        const Instance *inst = &y.spec->instance[i];
        const double *row = as->cost + i * as->nkernel;
        assert_true(isfinite(row[as->chosen[i]]) && as->oracle_ns[i] > 0 && isfinite(as->oracle_ns[i]));
        const int64_t shape = inst->tuned ? study_shape(s, inst->extent, inst->threads) : -1;
        double best = INFINITY;
        for (int k = 0; k < as->nkernel; k++) {
            best = fmin(best, row[k]);
            if (shape >= 0)
                assert_true(row[k] == s->trial[as->kernel[k]].ns[shape]);
        }
        assert_true(shape < 0 || row[as->best[i]] == best);
        assert_true(as->oracle_ns[i] == (shape >= 0 ? study_best(s, shape, NULL) : row[as->best[i]]));
        regret += inst->weight * row[as->chosen[i]] / as->oracle_ns[i];
        weight += inst->weight;
        served[as->chosen[i]] += inst->weight;
    }
    assert_true(as->nkernel > 1 && fabs(as->regret - (regret / weight - 1)) < 1e-12);
    for (int k = 0; k < as->nkernel; k++) {
        assert_true(served[k] > 0 && (k == 0 || served[k] <= served[k - 1]));
        bytes += s->trial[as->kernel[k]].code_bytes;
    }
    assert_int_equal(as->code_bytes, bytes);
}

/* One that has no time anywhere is not taken for what the model says of it, unless there is no device. */
TEST(what_was_never_timed_is_left_out)
{
    give_each_its_shapes();
    for (int64_t j = 0; j < s->nshape; j++)
        s->trial[2].ns[j] = 0;
    for (int modelled = 0; modelled < 2; modelled++) {
        y.device.modelled = modelled;
        s->trial[2].code_bytes = 1000;
        const Assignment *as = choose();
        for (int k = 0; k < as->nkernel && !modelled; k++)
            assert_int_not_equal(as->kernel[k], 2);
        for (int i = 0; i < KERNELS; i++)
            s->trial[i].status = i == 2 ? STATUS_OK : STATUS_WRONG;
        assert_int_equal(choose() != NULL, modelled);
        for (int i = 0; i < KERNELS; i++)
            s->trial[i].status = STATUS_OK;
    }
}

TEST(the_tree_sees_parts_of_calls)
{
    const int64_t small[] = { 1, 2, 3 }, large[] = { 2048, 2304, 768 };
    const Assignment as = { 0 };
    int64_t x[SELECT_MAX_FEATURE];
    assert_int_equal(select_features(s, &as, large, 1, x), 3);
    y.spec->nthread = 2;
    y.spec->threads[1] = 4;
    assert_int_equal(select_features(s, &as, large, 4, x), 4);
    assert_memory_equal(x, large, sizeof large);
    assert_int_equal(x[3], 4);
    assert_int_equal(select_features(s, &as, small, 4, x), 4);
    assert_int_equal(x[3], 1);
}

/* Nothing is chosen, and it is told, where no kernel fits the budget of bytes. */
TEST(a_budget_without_room_is_told)
{
    assert_null(select_why_none(y.arena, s));
    for (int64_t i = 0; i < s->ntrial; i++)
        s->trial[i].code_bytes = 3000 + i;
    y.spec->budget.code_kib = 2;
    assert_null(choose());
    assert_string_equal(select_why_none(y.arena, s),
                        "no kernel that works fits 2 KiB of code: the smallest has 2.93 KiB");
    y.spec->budget.code_kib = 3;
    assert_null(select_why_none(y.arena, s));
    y.spec->budget.code_kib = 512;
}

/* A kernel that the package has for another function takes no bytes. */
TEST(a_kernel_that_is_present_takes_no_bytes)
{
    give_each_its_shapes();
    for (int64_t i = 0; i < s->ntrial; i++)
        s->trial[i].code_bytes = 3000;
    y.spec->budget.code_kib = 3;
    assert_int_equal(choose()->nkernel, 1);
    const char *key[] = { s->trial[1].key, s->trial[2].key };
    const KernelKeys present = { 2, key };
    s->present = &present;
    const Assignment *as = choose();
    assert_int_equal(as->nkernel, 3);
    assert_int_equal(as->curve[as->kept].bytes, 3000);
    assert_int_equal(as->code_bytes, 9000);
    y.spec->budget.code_kib = 1;
    assert_int_equal(choose()->nkernel, 2);
    assert_null(select_why_none(y.arena, s));
    s->present = NULL;
}

TEST_EACH(begin, drop)
