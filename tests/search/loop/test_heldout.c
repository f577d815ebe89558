/* SPDX-License-Identifier: Apache-2.0
 *
 * heldout: the sample has what it should and nothing that is tuned; the same seed gives the same. Few shapes join the
 * tuned ones, and doubtful ones alone.
 */
#include "tests/test.h"
#include "search/loop/search.h"
#include "tests/search/study_place.h"

enum { MOST = 24 };

static int begin(void **state) { return synthetic_make(&y, synthetic_spec, 40) ? 0 : -1; }

static Selection selection(void) { return (Selection){ y.assignment, y.model, 0 }; }

static int sample(uint64_t seed, int most, int64_t *at)
{
    const Selection c = selection();
    return heldout_sample(y.arena, y.study, &c, seed, most, at);
}

/* All that the package's kernels cost on an instance, and which one serves it. */
static void set_costs(int64_t instance, double ns)
{
    for (int k = 0; k < y.assignment->nkernel; k++)
        y.assignment->cost[instance * y.assignment->nkernel + k] = ns;
}

/* On all instances that are not tuned the kernel that serves them is ten times as fast as any other, or so many times,
 * as the model says. */
static void set_lead(double factor)
{
    for (int64_t i = 0; i < y.spec->ninstance; i++) {
        set_costs(i, 1e5);
        y.assignment->cost[i * y.assignment->nkernel + y.assignment->chosen[i]] = 1e5 / factor;
    }
}

static bool contains(const int64_t *at, int n, int64_t instance)
{
    for (int i = 0; i < n; i++)
        if (at[i] == instance)
            return true;
    return false;
}

/* Held out, each once, and determined by the seed. */
TEST(a_seed_means_a_sample)
{
    int64_t at[MOST], again[MOST], other[MOST];
    for (uint64_t seed = 1; seed <= 20; seed++) {
        assert_int_equal(sample(seed, MOST, at), MOST);
        for (int i = 0; i < MOST; i++) {
            assert_in_range(at[i], 0, y.spec->ninstance - 1);
            assert_false(y.spec->instance[at[i]].tuned);
            assert_false(contains(at, i, at[i]));
        }
        sample(seed, MOST, again);
        sample(seed + 1, MOST, other);
        assert_memory_equal(at, again, sizeof at);
        assert_memory_not_equal(at, other, sizeof at);
    }
}

/* Where two kernels are as fast, by predictions, is what a measurement tells most: such shapes are in any sample, the
 * weightiest first, in half of it. */
TEST(what_is_doubtful_is_in_it)
{
    int64_t at[MOST], close[MOST], n = 0;
    assert_true(y.assignment->nkernel > 1);
    set_lead(10);
    for (int64_t i = 0; i < y.spec->ninstance && n < 4; i++)
        if (!y.spec->instance[i].tuned && i % 60 == 50) {
            set_costs(i, 1e5);
            close[n++] = i;
        }
    y.spec->instance[close[3]].weight = 0.1;
    for (uint64_t seed = 1; seed <= 10; seed++) {
        assert_int_equal(sample(seed, 8, at), 8);
        for (int i = 0; i < 4; i++)
            assert_true(contains(at, 8, close[i]));
        assert_int_equal(sample(seed, 6, at), 6);
        for (int i = 0; i < 3; i++)
            assert_true(contains(at, 3, close[i]));
    }
}

/* ---- what joins the tuned ones ---- */

static int64_t join(const Instance ***inst)
{
    const Selection c = selection();
    return heldout_join(y.arena, y.study, &c, inst);
}

/* The tuned shapes, and one doubtful one for sixteen of them, and one; where nothing is doubtful, none. One less for
 * each four tuned shapes on which nobody measured the kernel that serves them. */
TEST(a_few_doubtful_ones_join)
{
    const Instance **inst;
    const int64_t ntuned = y.study->nshape;
    set_lead(10);
    assert_int_equal(join(&inst), ntuned);
    assert_memory_equal(inst, y.study->shape, (size_t)ntuned * sizeof *inst);
    set_lead(1);
    assert_int_equal(join(&inst), ntuned + 1 + ntuned / 16);
    for (int64_t j = ntuned; j < ntuned + 1 + ntuned / 16; j++)
        assert_false(inst[j]->tuned);
    for (int64_t j = 0; j < 4 * (1 + ntuned / 16); j++) {
        y.study->trial[y.assignment->kernel[y.assignment->chosen[inst[j] - y.spec->instance]]].ns[j] = 0;
        const Instance **fewer;
        assert_int_equal(join(&fewer), ntuned + 1 + ntuned / 16 - (j + 1) / 4);
    }
}

static void take_in(int64_t instance)
{
    MeasureRecord m = measured(y.study, 0, &y.spec->instance[instance], 1e5, 1e5);
    m.tunes = true;
    study_measure(y.study, &m);
    study_take_in(y.study);
}

/* At most half as many as the spec tunes; what was taken in is in no sample. */
TEST(no_more_than_half_join)
{
    const Instance **inst;
    const int64_t ntuned = y.study->nshape;
    int64_t at[MOST], n;
    for (int64_t i = 0, left = ntuned / 2; left > 0; i++)
        if (!y.spec->instance[i].tuned && i % 10 == 9) {
            take_in(i);
            left--;
            assert_true(study_tunes(y.study, &y.spec->instance[i]));
        }
    y.model = cost_fit(y.arena, y.study, &y.templates);
    y.assignment = select_kernels(y.arena, y.study, y.model);
    set_lead(1);
    n = join(&inst);
    assert_int_equal(n, y.study->nshape);
    assert_int_equal(n, ntuned + ntuned / 2);
    assert_int_equal(sample(1, MOST, at), MOST);
    for (int i = 0; i < MOST; i++)
        assert_false(study_tunes(y.study, &y.spec->instance[at[i]]));
}

/* Where few are held out they stay so. */
TEST(the_last_ones_stay_held_out)
{
    const Instance **inst;
    int64_t n = 0;
    set_lead(1);
    for (int64_t i = 0; i < y.spec->ninstance; i++)
        if (!y.spec->instance[i].tuned && n++ >= HELD_OUT_LEAST + 1)
            y.spec->instance[i].weight = 0;
    assert_int_equal(join(&inst), y.study->nshape + 1);
    for (int64_t i = y.spec->ninstance - 1, left = 1; i >= 0 && left; i--)
        if (study_holds_out(y.study, &y.spec->instance[i])) {
            y.spec->instance[i].weight = 0;
            left--;
        }
    assert_int_equal(join(&inst), y.study->nshape);
}

TEST(what_never_occurs_is_not_in_it)
{
    int64_t at[MOST], few[3] = { -1, -1, -1 }, n = 0;
    for (int64_t i = 0; i < y.spec->ninstance; i++) {
        Instance *inst = &y.spec->instance[i];
        if (!inst->tuned && n < 3 && i % 100 == 50)
            few[n++] = i;
        else
            inst->weight = 0;
    }
    assert_int_equal(n, 3);
    assert_int_equal(study_nheld_out(y.study), 3);
    assert_int_equal(sample(1, MOST, at), 3);
    for (int i = 0; i < 3; i++)
        assert_true(contains(at, 3, few[i]));
}

/* Nine tenths of the weight on one shape declaration: most of the even part is there. */
TEST(weight_draws)
{
    int64_t at[MOST];
    int heavy = 0;
    for (int64_t i = 0; i < y.spec->ninstance; i++)
        y.spec->instance[i].weight = y.spec->instance[i].decl == 1 ? 27 : 1;
    const int n = sample(3, MOST, at);
    for (int i = 0; i < n; i++)
        heavy += y.spec->instance[at[i]].decl == 1;
    assert_true(heavy > MOST / 3);
}

/* One shape as weighty as all others together: the rest of the sample is spread over these, and not taken from beside
 * it. */
TEST(a_heavy_one_does_not_draw_its_neighbours)
{
    int64_t at[MOST], heavy = 0;
    set_lead(10);
    while (y.spec->instance[heavy].tuned)
        heavy++;
    for (int64_t i = 0; i < y.spec->ninstance; i++)
        y.spec->instance[i].weight = i == heavy ? (double)y.spec->ninstance : 1;
    for (uint64_t seed = 1; seed <= 10; seed++) {
        int beside = 0;
        assert_int_equal(sample(seed, MOST, at), MOST);
        assert_true(contains(at, MOST, heavy));
        for (int i = 0; i < MOST; i++)
            beside += y.spec->instance[at[i]].decl == y.spec->instance[heavy].decl;
        assert_in_range(beside, 4, MOST / 2 - 2); /* a fourth of the shapes */
    }
}

TEST_EACH(begin, drop)
