/* SPDX-License-Identifier: Apache-2.0
 *
 * records_place: what the tests of lab_records share: a lab that makes times up and records them, and searches on it
 * and on its records. Included once by each.
 */
#ifndef DCGEN_TEST_RECORDS_PLACE_H
#define DCGEN_TEST_RECORDS_PLACE_H

#include <unistd.h>
#include "gen/print/dump.h"
#include "search/loop/search.h"
#include "search/measure/lab.h"
#include "tests/gen/kernel_record.h"
#include "tests/search/study_place.h"
#include "tests/tmp_folder.h"

#define SPEC(TRIALS)                                                                      \
    "name = \"small\"; op = \"dense\"; target = [\"host\"];\n"                            \
    "dims = { T = { min = 1; max = 32; }; };\n"                                           \
    "shapes = ( { M = \"T\"; N = 768; K = 768; }, { M = \"T\"; N = 768; K = 3072; } );\n" \
    "tune = { T = [1, 8, 32]; }; layout = { W = \"NK\"; packed = true; };\n"              \
    "budget = { kernels = 4; trials = " TRIALS "; seconds = 100; };\n"                    \
    "space = { MR = [4, 6, 8]; KC = [0]; UK = [4, 8]; PF = [8, 16, 32, 64]; };\n"
static const char small_spec[] = SPEC("40"), whole_spec[] = SPEC("9999");

static const volatile int never = 0;

/* ---- a lab that makes times up, and records them as the real one does ---- */

typedef struct {
    Synthetic *z;
    RecordFile *file;
} Maker;

static inline double made_up_ns(const Synthetic *z, const Candidate *c, const Instance *inst)
{
    const Talent talent = { 1 + 0.01 * (c->choice[0] * 7 % 5), 3 + c->choice[1], 9.5 + 0.2 * c->choice[2] };
    return rint(synthetic_time(z, c, inst, &talent));
}

static inline void add_kernel(Lab *q, const Trial *t)
{
    const Maker *k = q->data;
    const char *err = NULL;
    const KernelRecord r = kernel_record(&t->c, t->key, q->study->device);
    assert_true(record_add_kernel(k->file, &r, &err));
    study_kernel(q->study, &r);
}

static inline void add_measure(Lab *q, int64_t trial, const Instance *inst, bool final, double anchor_ns)
{
    const Maker *k = q->data;
    const char *err = NULL;
    MeasureRecord m = measured(q->study, trial, inst, made_up_ns(k->z, &q->study->trial[trial].c, inst), anchor_ns);
    m.time_ns = 0; /* which records work out */
    m.final = final;
    assert_true(record_add_measure(k->file, &m, &err));
    const Records *r = record_all(k->file);
    study_measure(q->study, &r->measure[r->nmeasure - 1]);
}

static inline bool make_compare(Lab *q, Arena *scratch, const Instance *inst, const int64_t *trial, int n, bool tunes,
                                const char **err)
{
    const int64_t anchor = lab_anchor(q);
    bool there = false;
    for (int i = 0; i < n; i++) {
        add_measure(q, trial[i], inst, true, 1e5);
        there = there || trial[i] == anchor;
    }
    if (!there)
        add_measure(q, anchor, inst, true, 1e5);
    q->now_s += 8;
    q->ntimed++;
    return true;
}

static inline bool make_trials(Lab *q, Arena *scratch, const Proposal *p, int n, double share, const char **err)
{
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
    Synthetic z;
    RecordFile *file;
    char folder[TMP_FOLDER_BYTES];
    const char *path;
    int64_t ntrial;
    const char **key;
} Place;

static inline Search search_on(Place *p, const LabKind *kind, void *data, StrategyKind strategy, uint64_t seed)
{
    Synthetic *z = &p->z;
    Lab *l = ARENA_NEW(z->arena, Lab);
    *l = (Lab){ .kind = kind,
                .data = data,
                .arena = z->arena,
                .templates = &z->templates,
                .study = study_on(z),
                .seconds = 100,
                .stop = &never };
    return (Search){ .lab = l,
                     .strategy = &strategies[strategy],
                     .space = z->space,
                     .seed = seed,
                     .ahead = search_builds_ahead(l->study) };
}

static inline void begin(Place *p, const char *spec, StrategyKind kind, uint64_t seed)
{
    const char *err = NULL;
    assert_true(synthetic_make(&p->z, spec, 4));
    assert_non_null(tmp_folder(p->folder));
    p->path = arena_printf(p->z.arena, "%s/records", p->folder);
    p->file = record_open(p->z.arena, p->path, NULL, &err);
    assert_non_null(p->file);
    assert_true(record_add_device(p->file, &p->z.device, &err));
    Maker k = { &p->z, p->file };
    LabKind maker = lab_records;
    maker.trials = make_trials;
    maker.compare = make_compare;
    Search q = search_on(p, &maker, &k, kind, seed);
    assert_true(search_run(&q, &err));
    p->ntrial = q.lab->study->ntrial;
    p->key = ARENA_ARRAY(p->z.arena, (size_t)p->ntrial, const char *);
    for (int64_t i = 0; i < p->ntrial; i++)
        p->key[i] = q.lab->study->trial[i].key;
}

static inline void end(Place *p)
{
    record_close(p->file);
    assert_int_equal(tmp_folder_remove(p->folder), 0);
    arena_free(p->z.arena);
}

static const char *err; /* of the last call that failed */

#endif
