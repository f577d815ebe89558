/* SPDX-License-Identifier: Apache-2.0
 *
 * propose: what is proposed is new, legal and to be measured on few shapes; and it is what promises most.
 * ctest: label=slow
 */
#include "tests/test.h"
#include "search/space/propose.h"
#include "tests/search/study_place.h"

enum { BATCH = 12, NSEED = 3, ROUND_SHAPES = 16 };

static Proposal batch_of[NSEED][BATCH]; /* a seed each, which takes most of this test's time */
static int size_of[NSEED];

static int ask(uint64_t seed, Proposal *out, int n)
{
    Rng rng = { seed };
    return propose(y.arena, y.study, y.space, y.model, &rng, out, n);
}

static int begin(void **state)
{
    if (!synthetic_make(&y, synthetic_spec, 60))
        return -1;
    for (int seed = 0; seed < NSEED; seed++)
        size_of[seed] = ask((uint64_t)seed, batch_of[seed], BATCH);
    return 0;
}

/* And to be measured on few shapes, of each and of all of a batch. */
TEST(proposals_are_new_and_legal)
{
    for (int seed = 0; seed < NSEED; seed++) {
        const Proposal *p = batch_of[seed];
        bool used[256] = { false };
        int nused = 0;
        assert_int_equal(size_of[seed], BATCH);
        for (int i = 0; i < BATCH; i++) {
            assert_true(candidate_fits(&p[i].c, y.spec, &y.device));
            assert_int_equal(study_find(y.study, &p[i].c), -1);
            for (int j = 0; j < i; j++)
                assert_false(candidate_same(&p[i].c, &p[j].c));
            assert_in_range(p[i].nshape, 1, PROPOSE_SHAPES);
            for (int k = 0; k < p[i].nshape; k++) {
                assert_in_range(p[i].shape[k], 0, y.study->nshape - 1);
                nused += !used[p[i].shape[k]];
                used[p[i].shape[k]] = true;
                for (int l = 0; l < k; l++)
                    assert_int_not_equal(p[i].shape[k], p[i].shape[l]);
            }
        }
        assert_in_range(nused, 1, ROUND_SHAPES);
    }
}

/* Nearly all the weight on one declaration: that is where proposals are measured. */
TEST(weights_say_where)
{
    int n = 0, heavy = 0;
    for (int64_t i = 0; i < y.spec->ninstance; i++)
        y.spec->instance[i].weight *= y.spec->instance[i].decl == 1 ? 1 : 1e-6;
    for (uint64_t batch = 1; batch <= 2; batch++) {
        Proposal p[BATCH];
        ask(batch, p, BATCH);
        for (int i = 0; i < BATCH; i++)
            for (int k = 0; k < p[i].nshape; k++, n++)
                heavy += y.study->shape[p[i].shape[k]]->decl == 1;
    }
    for (int64_t i = 0; i < y.spec->ninstance; i++)
        y.spec->instance[i].weight *= y.spec->instance[i].decl == 1 ? 1 : 1e6;
    assert_true(heavy > 0.8 * n);
}

TEST(a_used_up_space_proposes_less)
{
    Space small = *y.space;
    Proposal p[BATCH];
    Rng rng = { 3 };
    Study *s = new_study();
    small.n = 5;
    study_add(s, &small.candidate[2]);
    assert_int_equal(propose(y.arena, s, &small, cost_fit(y.arena, s, &y.templates), &rng, p, BATCH), 4);
}

static const char small_spec[] =
    "name = \"small\"; op = \"dense\"; target = [\"host\"]; dims = { T = { min = 1; max = 128; }; };\n"
    "shapes = ( { M = \"T\"; N = 768; K = 768; weight = 3; }, { M = \"T\"; N = 768; K = 3072; } );\n"
    "tune = { T = [1, 24, 60, 128]; }; layout = { W = \"NK\"; packed = true; };\n"
    "space = { MR = [4, 6, 8]; KC = [0]; UK = [4]; PF = [16, 32]; };\n";

/* log2 of what the model predicts of one candidate, a shape each. */
typedef struct {
    double log2t[64];
} Predicted;

static Predicted predicted(const Synthetic *z, const Candidate *c)
{
    Predicted p = { { 0 } };
    for (int64_t j = 0; j < z->study->nshape; j++)
        p.log2t[j] = log2(cost_predict(z->model, c, z->study->shape[j]->extent, z->study->shape[j]->threads));
    return p;
}

/* E[max(0, best - t)] over all shapes by their weights, t normal around the prediction; best: log2 of the best time. */
static double expected_gain(const Synthetic *z, const Predicted *p, const double *best, const double *sigma)
{
    double sum = 0, weight = 0;
    for (int64_t j = 0; j < z->study->nshape; j++) {
        const double x = (best[j] - p->log2t[j]) / sigma[j], share = z->study->shape[j]->weight;
        const double normal = exp(-x * x / 2) / sqrt(2 * M_PI), below = (1 + erf(x / sqrt(2))) / 2;
        sum += share * sigma[j] * (x * below + normal) * log(2);
        weight += share;
    }
    return sum / weight;
}

/* Where the pool holds all of the space, the batch is what the definition says: each time the candidate with the
 * largest gain, over what those before it are believed to reach; but for the eighth, which is any. */
TEST(the_largest_gain_comes_first)
{
    enum { SLOTS = 11 };
    Synthetic z;
    Proposal p[SLOTS];
    Rng rng = { 4 };
    double best[64], sigma[64];
    assert_true(synthetic_make(&z, small_spec, COVER_TRIALS));
    assert_in_range(z.space->n, 20, 1600);
    assert_int_equal(propose(z.arena, z.study, z.space, z.model, &rng, p, SLOTS), SLOTS);
    Predicted *all = ARENA_ARRAY(z.arena, (size_t)z.space->n, Predicted);
    for (int64_t i = 0; i < z.space->n; i++)
        all[i] = predicted(&z, &z.space->candidate[i]);
    for (int64_t j = 0; j < z.study->nshape; j++) {
        best[j] = log2(study_best(z.study, j, NULL));
        sigma[j] = z.model->sigma[j];
    }
    for (int k = 0; k < SLOTS; k++) {
        double most = 0;
        for (int64_t i = 0; i < z.space->n; i++) {
            const Candidate *c = &z.space->candidate[i];
            bool taken = study_find(z.study, c) >= 0;
            for (int before = 0; before < k; before++)
                taken = taken || candidate_same(c, &p[before].c);
            most = taken ? most : fmax(most, expected_gain(&z, &all[i], best, sigma));
        }
        const Predicted chosen = predicted(&z, &p[k].c);
        if (k % 8 != 7) {
            assert_true(fabs(p[k].gain - most) < 1e-9);
            assert_true(fabs(expected_gain(&z, &chosen, best, sigma) - most) < 1e-9);
        }
        for (int64_t j = 0; j < z.study->nshape; j++)
            best[j] = fmin(best[j], chosen.log2t[j]);
        assert_int_equal(p[k].nshape, PROPOSE_SHAPES);
    }
    arena_free(z.arena);
}

/* In a space that the pool is a ninth of, what descends from the best of the pool is nearly as good as the best of
 * all. */
TEST(evolution_finds_the_best)
{
    double best[64], sigma[64], most = 0, mean = 0;
    assert_true(y.space->n > 10000 && y.study->nshape <= 64);
    for (int64_t j = 0; j < y.study->nshape; j++) {
        best[j] = log2(study_best(y.study, j, NULL));
        sigma[j] = y.model->sigma[j];
    }
    for (int64_t i = 0; i < y.space->n; i++) {
        const Predicted p = predicted(&y, &y.space->candidate[i]);
        if (study_find(y.study, &y.space->candidate[i]) < 0)
            most = fmax(most, expected_gain(&y, &p, best, sigma));
    }
    for (int seed = 0; seed < NSEED; seed++)
        mean += batch_of[seed][0].gain / most / NSEED;
    assert_in_range(1000 * mean, 910, 1000); /* 0.93; bred from any of the pool 0.85 */
}

/* Whatever the strategy, a kernel that is fixed for an extent is measured only where shapes have it. */
TEST(fixed_kernels_are_measured_where_they_are_meant_for)
{
    enum { MOST = 300 };
    Synthetic z;
    assert_true(synthetic_make(&z, synthetic_strides, 40));
    Proposal *p = ARENA_ARRAY(z.arena, MOST, Proposal);
    for (int k = 0; k < STRATEGY_COUNT; k++) {
        int fixed = 0;
        Rng rng = { 1 };
        const int n = strategies[k].propose(z.arena, z.study, z.space, z.model, &rng, p, MOST);
        for (int i = 0; i < n; i++) {
            assert_true(p[i].nshape > 0);
            fixed += candidate_is_fixed(&p[i].c);
            for (int at = 0; at < p[i].nshape; at++)
                assert_true(candidate_serves(&p[i].c, z.spec, z.study->shape[p[i].shape[at]]->extent));
        }
        assert_true(fixed > 20);
    }
    arena_free(z.arena);
}

/* Nor is one proposed that is fixed for what no tuned shape has. */
TEST(kernels_for_no_tuned_shape_are_not_proposed)
{
    Synthetic z;
    Proposal p[BATCH];
    assert_true(synthetic_make(&z, synthetic_strides, 40));
    Study half = *z.study; /* of stride 1 alone */
    CostModel m = *z.model;
    half.nshape = z.study->nshape / 2;
    m.study = &half;
    for (uint64_t seed = 1; seed <= 2; seed++) {
        Rng rng = { seed };
        assert_int_equal(propose(z.arena, &half, z.space, &m, &rng, p, BATCH), BATCH);
        for (int i = 0; i < BATCH; i++)
            assert_true(candidate_serves(&p[i].c, z.spec, half.shape[0]->extent));
    }
    arena_free(z.arena);
}

TEST_FILE(begin, drop)
