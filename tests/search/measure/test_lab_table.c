/* SPDX-License-Identifier: Apache-2.0
 *
 * lab_records as a table: it answers any search with the records of a whole space, each answer as the study wants it,
 * on a clock of its own.
 */
#include "tests/search/measure/records_place.h"

typedef struct {
    int64_t trials, rounds;
    double now_s;
} Seen;

static void see(void *ctx, Lab *q, const Proposal *p, int n)
{
    Seen *s = ctx;
    s->trials += n;
    s->rounds++;
    assert_true(lab_now_s(q) > s->now_s);
    s->now_s = lab_now_s(q);
}

static Place whole; /* of all of a space */

static int make_whole(void **state)
{
    begin(&whole, whole_spec, STRATEGY_EXHAUSTIVE, 1);
    return 0;
}

static int drop_whole(void **state)
{
    end(&whole);
    return 0;
}

TEST_FILE(make_whole, drop_whole)

/* A table that knows no race has times for one all the same, and each answer has its price: 0.5 s to build, 0.01 s a
 * request, and six samples of 0.3 ms at least. */
static void assert_answers(Place *t)
{
    Records r = *record_all(t->file);
    MeasureRecord *m = ARENA_ARRAY(t->z.arena, (size_t)r.nmeasure, MeasureRecord);
    memcpy(m, r.measure, (size_t)r.nmeasure * sizeof *m);
    r.measure = m;
    for (int64_t i = 0; i < r.nmeasure; i++)
        m[i].final = false;
    LabRecords *l = lab_records_new(t->z.arena, &r, LAB_TABLE, (LabCost){ 0.5, 0.01 }, NULL, NULL);
    Search q = search_on(t, &lab_records, l, STRATEGY_JOINT, 3);
    q.lab->anchor = &t->z.space->general[0];
    const int64_t anchor = study_add(q.lab->study, q.lab->anchor);
    study_kernel(q.lab->study, &(KernelRecord){ .key = q.lab->study->trial[anchor].key, .why = "" });
    Proposal p = { .c = t->z.space->candidate[5], .nshape = 2, .shape = { 1, 4 } };
    assert_false(candidate_same(&p.c, q.lab->anchor));
    assert_true(lab_records.trials(q.lab, t->z.arena, &p, 1, 1, &err));
    const int64_t trial = study_find(q.lab->study, &p.c);
    double want_s = 0.5;
    for (int64_t j = 0; j < q.lab->study->nshape; j++) {
        const bool asked = j == 1 || j == 4;
        assert_int_equal(q.lab->study->trial[trial].count[j], asked);
        assert_int_equal(q.lab->study->trial[anchor].count[j], asked);
        for (int k = 0; k < 2 && asked; k++)
            want_s += 0.01 + 6e-9 * fmax(fabs(q.lab->study->trial[k ? anchor : trial].ns[j]), 3e5);
    }
    assert_true(fabs(q.lab->now_s - want_s) < 0.02 * want_s);
    assert_int_equal(q.lab->ntimed, 2);
    assert_true(lab_records.compare(q.lab, t->z.arena, q.lab->study->shape[1], &trial, 1, false, &err));
    assert_int_equal(q.lab->study->trial[trial].count[1], 2);
    assert_int_equal(q.lab->study->trial[anchor].count[1], 2);
    assert_int_equal(q.lab->study->trial[trial].count[4], 1);
}

TEST(a_table_serves_any_search)
{
    assert_true(whole.ntrial >= whole.z.space->n);
    whole.z.spec->budget.trials = 12;
    for (StrategyKind kind = 0; kind < STRATEGY_COUNT; kind++) {
        Seen seen = { 0 };
        LabRecords *l =
            lab_records_new(whole.z.arena, record_all(whole.file), LAB_TABLE, (LabCost){ 0.5, 0.05 }, see, &seen);
        Search q = search_on(&whole, &lab_records, l, kind, 3);
        q.lab->seconds = 17;
        assert_true(search_run(&q, &err));
        assert_int_equal(seen.trials, q.lab->study->ntrial);
        assert_in_range(seen.trials, 8, 12);
        assert_true(seen.now_s >= 0.5 * (double)seen.trials);
    }
    assert_answers(&whole);
}

/* However many are asked for at once. */
TEST(a_table_answers_for_all)
{
    enum { MANY = 200 };
    assert_true(whole.z.space->n >= MANY);
    Search q = search_on(&whole, &lab_records,
                         lab_records_new(whole.z.arena, record_all(whole.file), LAB_TABLE, (LabCost){ 0 }, NULL, NULL),
                         STRATEGY_JOINT, 3);
    Proposal *p = ARENA_ARRAY(whole.z.arena, MANY, Proposal);
    for (int i = 0; i < MANY; i++)
        p[i] = (Proposal){ .c = whole.z.space->candidate[i], .nshape = 1, .shape = { 1 } };
    assert_true(lab_records.trials(q.lab, whole.z.arena, p, MANY, 1, &err));
    assert_int_equal(q.lab->study->ntrial, MANY);
    for (int i = 0; i < MANY; i++)
        assert_true(q.lab->study->trial[i].ns[1] > 0);
}

/* A trial's record on the study's third shape. */
static MeasureRecord time_on_third(const Study *s, int64_t trial, double ns)
{
    return measured(s, trial, s->shape[2], ns, 0);
}

/* Of records that serve once each is taken in its order, those of the race apart; behind the last there is none. */
TEST(each_record_serves_once)
{
    static const double ns[] = { 7e5, 9e5, 5e5, 6e5 };
    Place t;
    assert_true(synthetic_make(&t.z, small_spec, 4));
    Search q = search_on(&t, NULL, NULL, STRATEGY_JOINT, 3);
    q.lab->kind = &lab_records;
    q.lab->seconds = INFINITY;
    const int64_t trial = study_add(q.lab->study, &t.z.space->candidate[5]);
    MeasureRecord m[4];
    for (int i = 0; i < 4; i++) {
        m[i] = time_on_third(q.lab->study, trial, ns[i]);
        m[i].final = i % 2;
    }
    const Records r = { .nmeasure = 4, .measure = m };
    q.lab->data = lab_records_new(t.z.arena, &r, LAB_ONCE, (LabCost){ 0 }, NULL, NULL);
    study_kernel(q.lab->study, &(KernelRecord){ .key = m[0].key, .why = "" });
    double before_s = 0;
    for (int i = 0; i < 3; i++) {
        assert_true(lab_records.compare(q.lab, t.z.arena, q.lab->study->shape[2], &trial, 1, false, &err));
        const double took_s = q.lab->now_s - before_s;
        before_s += took_s;
        assert_true(fabs(took_s - (i == 0 ? 6e-9 * 9e5 : i == 1 ? 6e-9 * 6e5 : 0)) < 1e-12);
    }
    LabRecords *table = lab_records_new(t.z.arena, &r, LAB_TABLE, (LabCost){ 0 }, NULL,
                                        NULL); /* there the last of its kind serves again */
    q.lab->data = table;
    for (int i = 0; i < 3; i++) {
        before_s = q.lab->now_s;
        assert_true(lab_records.compare(q.lab, t.z.arena, q.lab->study->shape[2], &trial, 1, false, &err));
        assert_true(fabs(q.lab->now_s - before_s - 6e-9 * (i == 0 ? 9e5 : 6e5)) < 1e-12);
    }
    const Proposal unknown = { .c = t.z.space->candidate[6], .nshape = 1 };
    assert_false(lab_records.trials(q.lab, t.z.arena, &unknown, 1, 1, &err));
    assert_string_equal(err, "the records do not hold what the search asks for next");
    arena_free(t.z.arena);
}

/* A table with times of cold caches and of hot ones answers with those that the spec wants, wherever they stand; with
 * the others where it has no such time. */
TEST(a_table_knows_cold_times)
{
    static const double ns[] = { 7e5, 9e5, 8e5, 4e5 }; /* the second and the third are cold */
    Place t;
    assert_true(synthetic_make(&t.z, small_spec, 4));
    for (int k = 0; k < 4; k++) {
        const bool hot = k & 1, alone = k & 2;
        t.z.spec->hot = hot;
        Search q = search_on(&t, NULL, NULL, STRATEGY_JOINT, 3);
        Study *s = q.lab->study;
        const int64_t trial = study_add(s, &t.z.space->candidate[5]);
        MeasureRecord m[4];
        for (int i = 0; i < 4; i++) {
            m[i] = time_on_third(s, trial, ns[i]);
            m[i].cold = i == 1 || i == 2;
        }
        const Records r = { .nmeasure = alone ? 1 : 4, .measure = m };
        q.lab->data = lab_records_new(t.z.arena, &r, LAB_TABLE, (LabCost){ 0 }, NULL, NULL);
        study_kernel(s, &(KernelRecord){ .key = m[0].key, .why = "" });
        assert_true(study_wants_cold(s, s->shape[2]->extent) == !hot);
        assert_true(lab_records.compare(q.lab, t.z.arena, s->shape[2], &trial, 1, false, &err));
        assert_true(s->trial[trial].ns[2] == (alone ? 7e5 : hot ? 4e5 : 8e5));
    }
    arena_free(t.z.arena);
}

/* Of a shape that joins the tuned ones the lab's answers say so, whatever the record says. */
TEST(what_joins_is_said)
{
    Place t;
    assert_true(synthetic_make(&t.z, small_spec, 4));
    Search q = search_on(&t, NULL, NULL, STRATEGY_JOINT, 3);
    Study *s = q.lab->study;
    const int64_t trial = study_add(s, &t.z.space->candidate[5]), ntuned = s->nshape;
    const Instance *joins = t.z.spec->instance;
    while (joins->tuned)
        joins++;
    MeasureRecord m = time_on_third(s, trial, 7e5);
    m.extent = joins->extent;
    const Records r = { .nmeasure = 1, .measure = &m };
    q.lab->data = lab_records_new(t.z.arena, &r, LAB_TABLE, (LabCost){ 0 }, NULL, NULL);
    study_kernel(s, &(KernelRecord){ .key = m.key, .why = "" });
    for (int tunes = 0; tunes < 2; tunes++) {
        assert_true(lab_records.compare(q.lab, t.z.arena, joins, &trial, 1, tunes, &err));
        study_take_in(s);
        assert_int_equal(s->nshape, ntuned + tunes);
    }
    arena_free(t.z.arena);
}

/* Behind its share of the time no shape and no kernel is begun; what comes first is measured in any case. */
TEST(a_table_keeps_to_its_time)
{
    LabRecords *data = lab_records_new(whole.z.arena, record_all(whole.file), LAB_TABLE, (LabCost){ 1, 0 }, NULL, NULL);
    Search q = search_on(&whole, &lab_records, data, STRATEGY_JOINT, 3);
    Study *s = q.lab->study;
    Proposal p[3];
    for (int i = 0; i < 3; i++)
        p[i] = (Proposal){ .c = whole.z.space->candidate[5 + i], .nshape = 2, .shape = { 1, 4 } };
    q.lab->seconds = 5; /* a kernel takes one, and the share is three */
    assert_true(lab_records.trials(q.lab, whole.z.arena, p, 2, 0.6, &err));
    for (int i = 0; i < 2; i++)
        assert_true(s->trial[study_find(s, &p[i].c)].ns[1] > 0 && s->trial[study_find(s, &p[i].c)].ns[4] > 0);
    p[0].c = whole.z.space->candidate[8];
    assert_true(lab_records.trials(q.lab, whole.z.arena, p, 3, 0.6, &err));
    const int64_t begun = study_find(s, &p[0].c);
    assert_true(begun >= 0 && trial_usable(&s->trial[begun]) && s->trial[begun].ns[1] == 0);
    assert_int_equal(study_find(s, &p[2].c), -1);
}

static int ndisturbed, nfirst, nanchor;

/* Twice the time, a part less beside the anchor. */
static void disturb(void *ctx, bool first, bool is_anchor, MeasureRecord *m)
{
    assert_ptr_equal(ctx, &ndisturbed);
    ndisturbed++;
    nfirst += first;
    nanchor += is_anchor;
    m->anchor_ns *= 2;
    m->time_ns *= is_anchor ? 2 : 3;
}

/* Each answer is disturbed once, request by request. */
TEST(answers_may_be_disturbed)
{
    LabRecords *data = lab_records_new(whole.z.arena, record_all(whole.file), LAB_TABLE, (LabCost){ 0 }, NULL, NULL);
    Search q = search_on(&whole, &lab_records, data, STRATEGY_JOINT, 3);
    q.lab->anchor = &whole.z.space->general[0];
    const int64_t anchor = study_add(q.lab->study, q.lab->anchor);
    study_kernel(q.lab->study, &(KernelRecord){ .key = q.lab->study->trial[anchor].key, .why = "" });
    const Proposal p = { .c = whole.z.space->candidate[5], .nshape = 2, .shape = { 1, 4 } };
    assert_true(lab_records.trials(q.lab, whole.z.arena, &p, 1, 1, &err));
    const int64_t trial = study_find(q.lab->study, &p.c);
    lab_records_disturb(data, disturb, &ndisturbed);
    assert_true(lab_records.compare(q.lab, whole.z.arena, q.lab->study->shape[2], &trial, 1, false, &err));
    assert_true(
        lab_records.trials(q.lab, whole.z.arena, &(Proposal){ .c = p.c, .nshape = 1, .shape = { 3 } }, 1, 1, &err));
    assert_true(ndisturbed == 4 && nfirst == 2 && nanchor == 2);
    assert_true(q.lab->study->anchor[2].ns == 2e5);
    const MeasureRecord *m = record_all(whole.file)->measure;
    while (strcmp(m->key, q.lab->study->trial[trial].key) != 0 ||
           memcmp(m->extent, q.lab->study->shape[2]->extent, 3 * sizeof *m->extent) != 0)
        m++;
    assert_true(fabs(q.lab->study->trial[trial].ns[2] - 3 * m->time_ns) <= 1e-9 * m->time_ns);
}
