/* SPDX-License-Identifier: Apache-2.0
 *
 * lab_records and strategy: a search on made-up times leaves records from which the same search comes out again;
 * strategies propose what they say.
 */
#include "tests/search/measure/records_place.h"

static Place joint; /* a search of the seed 7 */

static int make_joint(void **state)
{
    begin(&joint, small_spec, STRATEGY_JOINT, 7);
    return 0;
}

static int drop_joint(void **state)
{
    end(&joint);
    return 0;
}

TEST_FILE(make_joint, drop_joint)

/* How many kernels come out in the same order. */
static int64_t again(Place *p, const Records *r, uint64_t seed, bool *left)
{
    LabRecords *l = lab_records_new(p->z.arena, r, LAB_ONCE, (LabCost){ 0 }, NULL, NULL);
    Search q = search_on(p, &lab_records, l, STRATEGY_JOINT, seed);
    *left = !search_run(&q, &err);
    int64_t n = 0;
    while (n < p->ntrial && n < q.lab->study->ntrial && strcmp(q.lab->study->trial[n].key, p->key[n]) == 0)
        n++;
    return n;
}

TEST(a_search_comes_out_again)
{
    bool left;
    Records r;
    assert_in_range(joint.ntrial, 20, 60);
    assert_int_equal(again(&joint, record_all(joint.file), 7, &left), joint.ntrial);
    assert_false(left);
    assert_true(record_read(joint.z.arena, joint.path, &r, NULL, &err)); /* what is read back says the same */
    assert_int_equal(again(&joint, &r, 7, &left), joint.ntrial);
}

/* The trace of the search is its own kernels, in their order; other devices' and targets' in the records are not
 * counted. */
static const SearchTrace *trace_of(Place *p, const Records *r, StrategyKind kind, uint64_t seed)
{
    Result out = synthetic_result(&p->z);
    out.study = study_on(&p->z);
    const SearchTrace *t = trace_make(p->z.arena, &out, r, &strategies[kind], seed, &err);
    assert_non_null(t);
    return t;
}

TEST(a_trace_is_of_what_was_recorded)
{
    Records r = *record_all(joint.file);
    KernelRecord *k = ARENA_ARRAY(joint.z.arena, (size_t)r.nkernel + 2, KernelRecord);
    memcpy(k + 2, r.kernel, (size_t)r.nkernel * sizeof *k);
    k[0] = k[1] = k[3];
    k[0].device = "another";
    k[1].target = "another";
    r.kernel = k;
    r.nkernel += 2;
    const SearchTrace *t = trace_of(&joint, &r, STRATEGY_JOINT, 7);
    assert_int_equal(t->nrecord, joint.ntrial);
    assert_int_equal(t->nstep, joint.ntrial);
    assert_true(t->same);
    for (int64_t i = 0; i < t->nstep; i++) {
        assert_in_range(t->step[i].round, i ? t->step[i - 1].round : 0, i ? t->step[i - 1].round + 1 : 0);
        assert_in_range(t->step[i].nshape, 0, joint.z.study->nshape);
    }
    assert_true(t->step[t->nstep - 1].round > 0);
    assert_false(trace_of(&joint, &r, STRATEGY_JOINT, 8)->same);
    r.nkernel--; /* one that was asked for is not there, or another stands in its place */
    t = trace_of(&joint, &r, STRATEGY_JOINT, 7);
    assert_int_equal(t->nrecord, joint.ntrial - 1);
    assert_false(t->same);
    r.nkernel++;
    const KernelRecord last = k[r.nkernel - 1];
    k[r.nkernel - 1] = k[r.nkernel - 2];
    k[r.nkernel - 2] = last;
    assert_false(trace_of(&joint, &r, STRATEGY_JOINT, 7)->same);
}

TEST(a_long_trace_is_whole)
{
    Place p;
    begin(&p, whole_spec, STRATEGY_EXHAUSTIVE, 1);
    assert_true(p.ntrial > 256); /* more than room is made for at first */
    const SearchTrace *t = trace_of(&p, record_all(p.file), STRATEGY_EXHAUSTIVE, 1);
    assert_int_equal(t->nstep, p.ntrial);
    assert_true(t->same);
    end(&p);
}

/* ---- strategies ---- */

TEST(everything_is_measured_everywhere)
{
    Place p;
    begin(&p, small_spec, STRATEGY_EXHAUSTIVE, 1);
    assert_int_equal(p.ntrial, 40); /* the budget, of a larger space */
    const Records *r = record_all(p.file);
    for (int64_t i = 1; i < p.ntrial; i++)
        for (int64_t j = 0; j < p.z.study->nshape; j++) {
            int64_t n = 0;
            for (int64_t m = 0; m < r->nmeasure; m++)
                n += strcmp(r->measure[m].key, p.key[i]) == 0 &&
                     memcmp(r->measure[m].extent, p.z.study->shape[j]->extent, 3 * sizeof(int64_t)) == 0;
            assert_true(n >= 1);
        }
    end(&p);
}

/* In the order of the space, each on the shapes that it has no time on; not those that failed. */
TEST(all_means_what_is_missing)
{
    assert_true(synthetic_make(&y, small_spec, 4));
    Study *s = new_study();
    const int64_t all = s->nshape;
    for (int i = 0; i < 4; i++) {
        const int64_t trial = study_add(s, &y.space->candidate[i]);
        s->trial[trial].built = i != 3;
        s->trial[trial].status = i == 1 ? STATUS_WRONG : STATUS_OK;
        for (int64_t j = 0; j < all; j++)
            s->trial[trial].ns[j] = i == 0 || j % 2 ? 1 : 0;
    }
    Proposal p[3];
    assert_int_equal(strategies[STRATEGY_EXHAUSTIVE].propose(y.arena, s, y.space, NULL, NULL, p, 3), 3);
    assert_true(candidate_same(&p[0].c, &y.space->candidate[2]));
    assert_int_equal(p[0].nshape, (all + 1) / 2);
    for (int k = 0; k < p[0].nshape; k++)
        assert_int_equal(p[0].shape[k], 2 * k);
    assert_true(candidate_same(&p[1].c, &y.space->candidate[4])); /* the third is not built: it is under way */
    assert_int_equal(p[1].nshape, all);
    assert_true(isinf(p[1].gain));
    Space used_up = *y.space;
    used_up.n = 3;
    assert_int_equal(strategies[STRATEGY_EXHAUSTIVE].propose(y.arena, s, &used_up, NULL, NULL, p, 3), 1);
    Rng rng = { 1 };
    assert_int_equal(strategies[STRATEGY_RANDOM].propose(y.arena, s, &used_up, NULL, &rng, p, 3), 0);
    arena_free(y.arena);
}

TEST(anything_may_be_drawn)
{
    assert_true(synthetic_make(&y, synthetic_spec, 4));
    Proposal p[32], q[32];
    Rng rng = { 5 }, same = { 5 };
    const int n = strategies[STRATEGY_RANDOM].propose(y.arena, y.study, y.space, NULL, &rng, p, 32);
    assert_int_equal(n, 32);
    assert_int_equal(strategies[STRATEGY_RANDOM].propose(y.arena, y.study, y.space, NULL, &same, q, 32), 32);
    for (int i = 0; i < n; i++) {
        assert_true(candidate_same(&p[i].c, &q[i].c));
        assert_int_equal(p[i].nshape, PROPOSE_SHAPES);
        assert_int_equal(study_find(y.study, &p[i].c), -1);
        for (int k = 0; k < i; k++)
            assert_false(candidate_same(&p[i].c, &p[k].c));
        for (int k = 0; k < p[i].nshape; k++)
            for (int l = 0; l < k; l++)
                assert_int_not_equal(p[i].shape[k], p[i].shape[l]);
    }
    arena_free(y.arena);
}
