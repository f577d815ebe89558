/* SPDX-License-Identifier: Apache-2.0
 *
 * lab_records and strategy: a search on made-up times leaves records from which the same search comes out again; a table of all times
 * serves any search; strategies propose what they say.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <unistd.h>
#include "gen/command/dump.h"
#include "search/loop/search.h"
#include "search/measure/lab.h"
#include "tests/gen/kernel_record.h"
#include "tests/gen/synthetic.h"
#include "tests/tmp_folder.h"

#define SPEC(TRIALS)                                                                      \
    "name = \"small\"; op = \"dense\"; target = [\"host\"];\n"                            \
    "dims = { T = { min = 1; max = 128; }; };\n"                                          \
    "shapes = ( { M = \"T\"; N = 768; K = 768; }, { M = \"T\"; N = 768; K = 3072; } );\n" \
    "tune = { T = [1, 24, 128]; }; layout = { W = \"NK\"; packed = true; };\n"            \
    "budget = { kernels = 4; trials = " TRIALS "; seconds = 100; };\n"                    \
    "space = { MR = [4, 6, 8]; KC = [0]; UK = [1]; PF = [16, 32]; };\n"
static const char small_spec[] = SPEC("60"), whole_spec[] = SPEC("9999");

static const volatile int never = 0;

/* ---- a lab that makes times up, and records them as the real one does ---- */

typedef struct {
    Synthetic *y;
    RecordFile *file;
} Maker;

static double made_up_ns(const Synthetic *y, const Candidate *c, const Instance *inst)
{
    const Talent talent = { 1 + 0.01 * (c->choice[0] * 7 % 5), 3 + c->choice[1], 9.5 + 0.2 * c->choice[2] };
    return rint(synthetic_time(y, c, inst, &talent));
}

static void add_kernel(Lab *q, const Trial *t)
{
    const Maker *k = q->data;
    const char *err = NULL;
    const KernelRecord r = kernel_record(&t->c, t->key, q->study->device);
    assert_true(record_add_kernel(k->file, &r, &err));
    study_kernel(q->study, &r);
}

static void add_measure(Lab *q, int64_t trial, const Instance *inst, bool final, double anchor_ns)
{
    const Maker *k = q->data;
    const char *err = NULL;
    MeasureRecord m = { .key = q->study->trial[trial].key,
                        .device = q->study->device->id,
                        .naxis = 3,
                        .threads = 1,
                        .nsample = 1,
                        .ns = { made_up_ns(k->y, &q->study->trial[trial].c, inst) },
                        .anchor_ns = anchor_ns,
                        .final = final,
                        .why = "" };
    memcpy(m.extent, inst->extent, sizeof inst->extent);
    assert_true(record_add_measure(k->file, &m, &err));
    const Records *r = record_all(k->file);
    study_measure(q->study, &r->measure[r->nmeasure - 1]);
}

static bool make_compare(Lab *q, Arena *scratch, const Instance *inst, const int64_t *trial, int n, bool tunes,
                         const char **err)
{
    const int64_t anchor = lab_anchor(q);
    (void)scratch, (void)tunes, (void)err;
    bool there = false;
    for (int i = 0; i < n; i++) {
        add_measure(q, trial[i], inst, true, 1e5);
        there = there || trial[i] == anchor;
    }
    if (!there)
        add_measure(q, anchor, inst, true, 1e5);
    q->now_s += 3;
    q->ntimed++;
    return true;
}

static bool make_trials(Lab *q, Arena *scratch, const Proposal *p, int n, double share, const char **err)
{
    (void)scratch, (void)share, (void)err;
    for (int i = 0; i < n; i++) {
        const int64_t trial = study_add(q->study, &p[i].c);
        add_kernel(q, &q->study->trial[trial]);
    }
    for (int64_t j = 0; j < q->study->nshape; j++) {
        bool any = false, anchor = false;
        for (int i = 0; i < n; i++)
            for (int k = 0; k < p[i].nshape; k++)
                if (p[i].shape[k] == j) {
                    const int64_t trial = study_find(q->study, &p[i].c);
                    add_measure(q, trial, q->study->shape[j], false, 1e5);
                    any = true;
                    anchor = anchor || trial == lab_anchor(q);
                }
        if (any && !anchor)
            add_measure(q, lab_anchor(q), q->study->shape[j], false, 1e5);
    }
    q->ntimed++;
    return true;
}

/* ---- a search ---- */

typedef struct {
    Synthetic y;
    RecordFile *file;
    char folder[TMP_FOLDER_BYTES];
    const char *path;
    int64_t ntrial;
    const char **key;
} Place;

static Search search_on(Place *p, const LabKind *kind, void *data, StrategyKind strategy, uint64_t seed)
{
    Synthetic *y = &p->y;
    Lab *l = ARENA_NEW(y->arena, Lab);
    *l = (Lab){ .kind = kind,
                .data = data,
                .arena = y->arena,
                .templates = &y->templates,
                .study = study_new(y->arena, y->spec, &y->device, y->study->target, "0123456789abcdef"),
                .seconds = 100,
                .stop = &never };
    return (Search){ .lab = l,
                     .strategy = &strategies[strategy],
                     .space = y->space,
                     .seed = seed,
                     .ahead = search_builds_ahead(l->study) };
}

static void begin(Place *p, const char *spec, StrategyKind kind, uint64_t seed)
{
    const char *err = NULL;
    assert_true(synthetic_make(&p->y, spec, 4));
    assert_non_null(tmp_folder(p->folder));
    p->path = arena_printf(p->y.arena, "%s/records", p->folder);
    p->file = record_open(p->y.arena, p->path, NULL, &err);
    assert_non_null(p->file);
    assert_true(record_add_device(p->file, &p->y.device, &err));
    Maker k = { &p->y, p->file };
    LabKind maker = lab_records;
    maker.trials = make_trials;
    maker.compare = make_compare;
    Search q = search_on(p, &maker, &k, kind, seed);
    assert_true(search_run(&q, &err));
    p->ntrial = q.lab->study->ntrial;
    p->key = ARENA_ARRAY(p->y.arena, (size_t)p->ntrial, const char *);
    for (int64_t i = 0; i < p->ntrial; i++)
        p->key[i] = q.lab->study->trial[i].key;
}

static void end(Place *p)
{
    record_close(p->file);
    assert_int_equal(tmp_folder_remove(p->folder), 0);
    arena_free(p->y.arena);
}

/* How many kernels come out in the same order. */
static int64_t again(Place *p, const Records *r, uint64_t seed, bool *left)
{
    const char *err = NULL;
    LabRecords *l = lab_records_new(p->y.arena, r, LAB_ONCE, (LabCost){ 0 }, NULL, NULL);
    Search q = search_on(p, &lab_records, l, STRATEGY_JOINT, seed);
    *left = !search_run(&q, &err);
    int64_t n = 0;
    while (n < p->ntrial && n < q.lab->study->ntrial && strcmp(q.lab->study->trial[n].key, p->key[n]) == 0)
        n++;
    return n;
}

static void a_search_comes_out_again(void **state)
{
    (void)state;
    Place p;
    bool left;
    Records r;
    const char *err = NULL;
    begin(&p, small_spec, STRATEGY_JOINT, 7);
    assert_in_range(p.ntrial, 20, 60);
    assert_int_equal(again(&p, record_all(p.file), 7, &left), p.ntrial);
    assert_false(left);
    assert_true(record_read(p.y.arena, p.path, &r, NULL, &err)); /* what is read back says the same */
    assert_int_equal(again(&p, &r, 7, &left), p.ntrial);
    end(&p);
}

static void another_seed_leaves_the_records(void **state)
{
    (void)state;
    Place p;
    bool left;
    begin(&p, small_spec, STRATEGY_JOINT, 7);
    assert_true(again(&p, record_all(p.file), 8, &left) < p.ntrial);
    assert_true(left);
    end(&p);
}

/* The trace of the search is its own kernels, in their order; other devices' and targets' in the records are not counted. */
static const SearchTrace *trace_of(Place *p, const Records *r, StrategyKind kind, uint64_t seed)
{
    const char *err = NULL;
    Result out = synthetic_result(&p->y);
    out.study = study_new(p->y.arena, p->y.spec, &p->y.device, p->y.study->target, "0123456789abcdef");
    const SearchTrace *t = trace_make(p->y.arena, &out, r, &strategies[kind], seed, &err);
    assert_non_null(t);
    return t;
}

static void a_trace_is_of_what_was_recorded(void **state)
{
    (void)state;
    Place p;
    begin(&p, small_spec, STRATEGY_JOINT, 7);
    Records r = *record_all(p.file);
    KernelRecord *k = ARENA_ARRAY(p.y.arena, (size_t)r.nkernel + 2, KernelRecord);
    memcpy(k + 2, r.kernel, (size_t)r.nkernel * sizeof *k);
    k[0] = k[1] = k[3];
    k[0].device = "another";
    k[1].target = "another";
    r.kernel = k;
    r.nkernel += 2;
    const SearchTrace *t = trace_of(&p, &r, STRATEGY_JOINT, 7);
    assert_int_equal(t->nrecord, p.ntrial);
    assert_int_equal(t->nstep, p.ntrial);
    assert_true(t->same);
    for (int64_t i = 0; i < t->nstep; i++) {
        assert_in_range(t->step[i].round, i ? t->step[i - 1].round : 0, i ? t->step[i - 1].round + 1 : 0);
        assert_in_range(t->step[i].nshape, 0, p.y.study->nshape);
    }
    assert_true(t->step[t->nstep - 1].round > 0);
    assert_false(trace_of(&p, &r, STRATEGY_JOINT, 8)->same);
    r.nkernel--; /* one that was asked for is not there, or another stands in its place */
    t = trace_of(&p, &r, STRATEGY_JOINT, 7);
    assert_int_equal(t->nrecord, p.ntrial - 1);
    assert_false(t->same);
    r.nkernel++;
    const KernelRecord last = k[r.nkernel - 1];
    k[r.nkernel - 1] = k[r.nkernel - 2];
    k[r.nkernel - 2] = last;
    assert_false(trace_of(&p, &r, STRATEGY_JOINT, 7)->same);
    end(&p);
}

static void a_long_trace_is_whole(void **state)
{
    (void)state;
    Place p;
    begin(&p, whole_spec, STRATEGY_EXHAUSTIVE, 1);
    assert_true(p.ntrial > 256); /* more than room is made for at first */
    const SearchTrace *t = trace_of(&p, record_all(p.file), STRATEGY_EXHAUSTIVE, 1);
    assert_int_equal(t->nstep, p.ntrial);
    assert_true(t->same);
    end(&p);
}

/* ---- a table ---- */

typedef struct {
    int64_t trials, rounds;
    double now_s;
} Seen;

static void see(void *ctx, Lab *q, const Proposal *p, int n)
{
    Seen *s = ctx;
    (void)p;
    s->trials += n;
    s->rounds++;
    assert_true(lab_now_s(q) > s->now_s);
    s->now_s = lab_now_s(q);
}

/* A table that knows no race has times for one all the same, and each answer has its price: 0.5 s to build, 0.01 s a request, and six
 * samples of 0.3 ms at least. */
static void assert_answers(Place *t)
{
    const char *err = NULL;
    Records r = *record_all(t->file);
    MeasureRecord *m = ARENA_ARRAY(t->y.arena, (size_t)r.nmeasure, MeasureRecord);
    memcpy(m, r.measure, (size_t)r.nmeasure * sizeof *m);
    r.measure = m;
    for (int64_t i = 0; i < r.nmeasure; i++)
        m[i].final = false;
    LabRecords *l = lab_records_new(t->y.arena, &r, LAB_AGAIN, (LabCost){ 0.5, 0.01 }, NULL, NULL);
    Search q = search_on(t, &lab_records, l, STRATEGY_JOINT, 3);
    q.lab->anchor = &t->y.space->general[0];
    const int64_t anchor = study_add(q.lab->study, q.lab->anchor);
    study_kernel(q.lab->study, &(KernelRecord){ .key = q.lab->study->trial[anchor].key, .why = "" });
    Proposal p = { .c = t->y.space->candidate[5], .nshape = 2, .shape = { 1, 4 } };
    assert_false(candidate_same(&p.c, q.lab->anchor));
    assert_true(lab_records.trials(q.lab, t->y.arena, &p, 1, 1, &err));
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
    assert_true(lab_records.compare(q.lab, t->y.arena, q.lab->study->shape[1], &trial, 1, false, &err));
    assert_int_equal(q.lab->study->trial[trial].count[1], 2);
    assert_int_equal(q.lab->study->trial[anchor].count[1], 2);
    assert_int_equal(q.lab->study->trial[trial].count[4], 1);
}

static void a_table_serves_any_search(void **state)
{
    (void)state;
    Place t;
    begin(&t, whole_spec, STRATEGY_EXHAUSTIVE, 1);
    assert_true(t.ntrial >= t.y.space->n);
    t.y.spec->budget.trials = 40;
    for (StrategyKind kind = 0; kind < STRATEGY_COUNT; kind++) {
        Seen seen = { 0 };
        const char *err = NULL;
        LabRecords *l = lab_records_new(t.y.arena, record_all(t.file), LAB_AGAIN, (LabCost){ 0.5, 0.05 }, see, &seen);
        Search q = search_on(&t, &lab_records, l, kind, 3);
        q.lab->seconds = 60;
        assert_true(search_run(&q, &err));
        assert_int_equal(seen.trials, q.lab->study->ntrial);
        assert_in_range(seen.trials, 20, 40);
        assert_true(seen.now_s >= 0.5 * (double)seen.trials);
    }
    assert_answers(&t);
    end(&t);
}

/* However many are asked for at once. */
static void a_table_answers_for_all(void **state)
{
    (void)state;
    enum { MANY = 200 };
    Place t;
    const char *err = NULL;
    begin(&t, whole_spec, STRATEGY_EXHAUSTIVE, 1);
    assert_true(t.y.space->n >= MANY);
    Search q = search_on(&t, &lab_records,
                         lab_records_new(t.y.arena, record_all(t.file), LAB_AGAIN, (LabCost){ 0 }, NULL, NULL),
                         STRATEGY_JOINT, 3);
    Proposal *p = ARENA_ARRAY(t.y.arena, MANY, Proposal);
    for (int i = 0; i < MANY; i++)
        p[i] = (Proposal){ .c = t.y.space->candidate[i], .nshape = 1, .shape = { 1 } };
    assert_true(lab_records.trials(q.lab, t.y.arena, p, MANY, 1, &err));
    assert_int_equal(q.lab->study->ntrial, MANY);
    for (int i = 0; i < MANY; i++)
        assert_true(q.lab->study->trial[i].ns[1] > 0);
    end(&t);
}

/* A trial's record on the study's third shape. */
static MeasureRecord time_on_third(const Study *s, int64_t trial, double ns)
{
    MeasureRecord m = { .key = s->trial[trial].key,
                        .device = s->device->id,
                        .naxis = 3,
                        .threads = 1,
                        .nsample = 1,
                        .ns = { ns },
                        .time_ns = ns,
                        .why = "" };
    memcpy(m.extent, s->shape[2]->extent, sizeof m.extent);
    return m;
}

/* Of records that serve once each is taken in its order, those of the race apart; behind the last there is none. */
static void each_record_serves_once(void **state)
{
    (void)state;
    static const double ns[] = { 7e5, 9e5, 5e5, 6e5 };
    Place t;
    assert_true(synthetic_make(&t.y, small_spec, 4));
    Search q = search_on(&t, NULL, NULL, STRATEGY_JOINT, 3);
    q.lab->kind = &lab_records;
    q.lab->seconds = INFINITY;
    const int64_t trial = study_add(q.lab->study, &t.y.space->candidate[5]);
    MeasureRecord m[4];
    for (int i = 0; i < 4; i++) {
        m[i] = time_on_third(q.lab->study, trial, ns[i]);
        m[i].final = i % 2;
    }
    const Records r = { .nmeasure = 4, .measure = m };
    const char *err = NULL;
    q.lab->data = lab_records_new(t.y.arena, &r, LAB_ONCE, (LabCost){ 0 }, NULL, NULL);
    study_kernel(q.lab->study, &(KernelRecord){ .key = m[0].key, .why = "" });
    double before_s = 0;
    for (int i = 0; i < 3; i++) {
        assert_true(lab_records.compare(q.lab, t.y.arena, q.lab->study->shape[2], &trial, 1, false, &err));
        const double took_s = q.lab->now_s - before_s;
        before_s += took_s;
        assert_true(fabs(took_s - (i == 0 ? 6e-9 * 9e5 : i == 1 ? 6e-9 * 6e5 : 0)) < 1e-12);
    }
    LabRecords *table = lab_records_new(t.y.arena, &r, LAB_AGAIN, (LabCost){ 0 }, NULL,
                                        NULL); /* there the last of its kind serves again */
    q.lab->data = table;
    for (int i = 0; i < 3; i++) {
        before_s = q.lab->now_s;
        assert_true(lab_records.compare(q.lab, t.y.arena, q.lab->study->shape[2], &trial, 1, false, &err));
        assert_true(fabs(q.lab->now_s - before_s - 6e-9 * (i == 0 ? 9e5 : 6e5)) < 1e-12);
    }
    const Proposal unknown = { .c = t.y.space->candidate[6], .nshape = 1 };
    assert_false(lab_records.trials(q.lab, t.y.arena, &unknown, 1, 1, &err));
    assert_string_equal(err, "the records do not hold what the search asks for next");
    arena_free(t.y.arena);
}

/* A table with times of cold caches and of hot ones answers with those that the spec wants, wherever they stand; with the others where it has no
 * such time. */
static void a_table_knows_cold_times(void **state)
{
    (void)state;
    static const double ns[] = { 7e5, 9e5, 8e5, 4e5 }; /* the second and the third are cold */
    Place t;
    assert_true(synthetic_make(&t.y, small_spec, 4));
    for (int k = 0; k < 4; k++) {
        const bool hot = k & 1, alone = k & 2;
        t.y.spec->hot = hot;
        Search q = search_on(&t, NULL, NULL, STRATEGY_JOINT, 3);
        Study *s = q.lab->study;
        const int64_t trial = study_add(s, &t.y.space->candidate[5]);
        MeasureRecord m[4];
        for (int i = 0; i < 4; i++) {
            m[i] = time_on_third(s, trial, ns[i]);
            m[i].cold = i == 1 || i == 2;
        }
        const Records r = { .nmeasure = alone ? 1 : 4, .measure = m };
        const char *err = NULL;
        q.lab->data = lab_records_new(t.y.arena, &r, LAB_AGAIN, (LabCost){ 0 }, NULL, NULL);
        study_kernel(s, &(KernelRecord){ .key = m[0].key, .why = "" });
        assert_true(study_wants_cold(s, s->shape[2]->extent) == !hot);
        assert_true(lab_records.compare(q.lab, t.y.arena, s->shape[2], &trial, 1, false, &err));
        assert_true(s->trial[trial].ns[2] == (alone ? 7e5 : hot ? 4e5 : 8e5));
    }
    arena_free(t.y.arena);
}

/* Of a shape that joins the tuned ones the lab's answers say so, whatever the record says. */
static void what_joins_is_said(void **state)
{
    (void)state;
    Place t;
    const char *err = NULL;
    assert_true(synthetic_make(&t.y, small_spec, 4));
    Search q = search_on(&t, NULL, NULL, STRATEGY_JOINT, 3);
    Study *s = q.lab->study;
    const int64_t trial = study_add(s, &t.y.space->candidate[5]), ntuned = s->nshape;
    const Instance *joins = t.y.spec->instance;
    while (joins->tuned)
        joins++;
    MeasureRecord m = time_on_third(s, trial, 7e5);
    memcpy(m.extent, joins->extent, sizeof m.extent);
    const Records r = { .nmeasure = 1, .measure = &m };
    q.lab->data = lab_records_new(t.y.arena, &r, LAB_AGAIN, (LabCost){ 0 }, NULL, NULL);
    study_kernel(s, &(KernelRecord){ .key = m.key, .why = "" });
    for (int tunes = 0; tunes < 2; tunes++) {
        assert_true(lab_records.compare(q.lab, t.y.arena, joins, &trial, 1, tunes, &err));
        study_take_in(s);
        assert_int_equal(s->nshape, ntuned + tunes);
    }
    arena_free(t.y.arena);
}

/* Behind its share of the time no shape and no kernel is begun; what comes first is measured in any case. */
static void a_table_keeps_to_its_time(void **state)
{
    (void)state;
    Place t;
    const char *err = NULL;
    begin(&t, whole_spec, STRATEGY_EXHAUSTIVE, 1);
    LabRecords *data = lab_records_new(t.y.arena, record_all(t.file), LAB_AGAIN, (LabCost){ 1, 0 }, NULL, NULL);
    Search q = search_on(&t, &lab_records, data, STRATEGY_JOINT, 3);
    Study *s = q.lab->study;
    Proposal p[3];
    for (int i = 0; i < 3; i++)
        p[i] = (Proposal){ .c = t.y.space->candidate[5 + i], .nshape = 2, .shape = { 1, 4 } };
    q.lab->seconds = 5; /* a kernel takes one, and the share is three */
    assert_true(lab_records.trials(q.lab, t.y.arena, p, 2, 0.6, &err));
    for (int i = 0; i < 2; i++)
        assert_true(s->trial[study_find(s, &p[i].c)].ns[1] > 0 && s->trial[study_find(s, &p[i].c)].ns[4] > 0);
    p[0].c = t.y.space->candidate[8];
    assert_true(lab_records.trials(q.lab, t.y.arena, p, 3, 0.6, &err));
    const int64_t begun = study_find(s, &p[0].c);
    assert_true(begun >= 0 && trial_usable(&s->trial[begun]) && s->trial[begun].ns[1] == 0);
    assert_int_equal(study_find(s, &p[2].c), -1);
    end(&t);
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
static void answers_may_be_disturbed(void **state)
{
    (void)state;
    Place t;
    const char *err = NULL;
    begin(&t, whole_spec, STRATEGY_EXHAUSTIVE, 1);
    LabRecords *data = lab_records_new(t.y.arena, record_all(t.file), LAB_AGAIN, (LabCost){ 0 }, NULL, NULL);
    Search q = search_on(&t, &lab_records, data, STRATEGY_JOINT, 3);
    q.lab->anchor = &t.y.space->general[0];
    const int64_t anchor = study_add(q.lab->study, q.lab->anchor);
    study_kernel(q.lab->study, &(KernelRecord){ .key = q.lab->study->trial[anchor].key, .why = "" });
    const Proposal p = { .c = t.y.space->candidate[5], .nshape = 2, .shape = { 1, 4 } };
    assert_true(lab_records.trials(q.lab, t.y.arena, &p, 1, 1, &err));
    const int64_t trial = study_find(q.lab->study, &p.c);
    lab_records_disturb(data, disturb, &ndisturbed);
    assert_true(lab_records.compare(q.lab, t.y.arena, q.lab->study->shape[2], &trial, 1, false, &err));
    assert_true(lab_records.trials(q.lab, t.y.arena, &(Proposal){ .c = p.c, .nshape = 1, .shape = { 3 } }, 1, 1, &err));
    assert_true(ndisturbed == 4 && nfirst == 2 && nanchor == 2);
    assert_true(q.lab->study->anchor[2].ns == 2e5);
    const MeasureRecord *m = record_all(t.file)->measure;
    while (strcmp(m->key, q.lab->study->trial[trial].key) != 0 ||
           memcmp(m->extent, q.lab->study->shape[2]->extent, sizeof m->extent) != 0)
        m++;
    assert_true(fabs(q.lab->study->trial[trial].ns[2] - 3 * m->time_ns) <= 1e-9 * m->time_ns);
    end(&t);
}

/* ---- strategies ---- */

static void everything_is_measured_everywhere(void **state)
{
    (void)state;
    Place p;
    begin(&p, small_spec, STRATEGY_EXHAUSTIVE, 1);
    assert_int_equal(p.ntrial, 60); /* the budget, of a larger space */
    const Records *r = record_all(p.file);
    for (int64_t i = 1; i < p.ntrial; i++)
        for (int64_t j = 0; j < p.y.study->nshape; j++) {
            int64_t n = 0;
            for (int64_t m = 0; m < r->nmeasure; m++)
                n += strcmp(r->measure[m].key, p.key[i]) == 0 &&
                     memcmp(r->measure[m].extent, p.y.study->shape[j]->extent, 3 * sizeof(int64_t)) == 0;
            assert_true(n >= 1);
        }
    end(&p);
}

/* In the order of the space, each on the shapes that it has no time on; not those that failed. */
static void all_means_what_is_missing(void **state)
{
    (void)state;
    Synthetic y;
    assert_true(synthetic_make(&y, small_spec, 4));
    Study *s = study_new(y.arena, y.spec, &y.device, y.study->target, "0123456789abcdef");
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

static void anything_may_be_drawn(void **state)
{
    (void)state;
    Synthetic y;
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_search_comes_out_again),
        cmocka_unit_test(another_seed_leaves_the_records),
        cmocka_unit_test(a_trace_is_of_what_was_recorded),
        cmocka_unit_test(a_long_trace_is_whole),
        cmocka_unit_test(a_table_serves_any_search),
        cmocka_unit_test(everything_is_measured_everywhere),
        cmocka_unit_test(anything_may_be_drawn),
        cmocka_unit_test(each_record_serves_once),
        cmocka_unit_test(answers_may_be_disturbed),
        cmocka_unit_test(all_means_what_is_missing),
        cmocka_unit_test(a_table_answers_for_all),
        cmocka_unit_test(a_table_knows_cold_times),
        cmocka_unit_test(what_joins_is_said),
        cmocka_unit_test(a_table_keeps_to_its_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
