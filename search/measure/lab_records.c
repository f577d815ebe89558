/* SPDX-License-Identifier: Apache-2.0 */
#include "search/measure/lab_records.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "search/measure/lab_machine.h"

enum { MAX_KERNEL = 64 };

struct LabRecords {
    Arena *arena;
    const Records *records;
    LabUse use;
    LabCost cost;
    double now_s;
    const MeasureRecord **measure; /* by kernel and shape; of one pair in the order of the records */
    bool *used;                    /* one a measurement, in that order */
    bool left;
    void (*seen)(void *ctx, Search *q, const Proposal *p, int n);
    void *ctx;
};

static int by_shape(const MeasureRecord *a, const MeasureRecord *b)
{
    const int order = memcmp(a->extent, b->extent, sizeof a->extent);
    return order ? order : a->threads - b->threads;
}

static int by_pair(const void *x, const void *y)
{
    const MeasureRecord *a = *(const MeasureRecord *const *)x, *b = *(const MeasureRecord *const *)y;
    int order = strcmp(a->key, b->key);
    order = order ? order : by_shape(a, b);
    return order ? order : (a > b) - (a < b); /* both are in Records.measure */
}

LabRecords *lab_records_new(Arena *a, const Records *r, LabUse use, LabCost cost)
{
    LabRecords *l = ARENA_NEW(a, LabRecords);
    *l = (LabRecords){ .arena = a, .records = r, .use = use, .cost = cost };
    l->measure = ARENA_ARRAY(a, (size_t)r->nmeasure + 1, const MeasureRecord *);
    l->used = ARENA_ARRAY(a, (size_t)r->nmeasure + 1, bool);
    for (int64_t i = 0; i < r->nmeasure; i++)
        l->measure[i] = &r->measure[i];
    qsort(l->measure, (size_t)r->nmeasure, sizeof *l->measure, by_pair);
    return l;
}

void lab_records_watch(LabRecords *l, void (*seen)(void *ctx, Search *q, const Proposal *p, int n), void *ctx)
{
    l->seen = seen;
    l->ctx = ctx;
}

bool lab_records_left(const LabRecords *l) { return l->left; }

static double records_now_s(const Search *q)
{
    const LabRecords *l = q->lab_data;
    return l->now_s;
}

static const KernelRecord *find_kernel(const LabRecords *l, const char *key)
{
    for (int64_t i = 0; i < l->records->nkernel; i++)
        if (strcmp(l->records->kernel[i].key, key) == 0)
            return &l->records->kernel[i];
    return NULL;
}

/* Place of the first measurement of this pair. */
static int64_t first_of(const LabRecords *l, const MeasureRecord *pair)
{
    int64_t low = 0, high = l->records->nmeasure;
    while (low < high) {
        const int64_t mid = low + (high - low) / 2;
        const int order = strcmp(l->measure[mid]->key, pair->key);
        if (order < 0 || (order == 0 && by_shape(l->measure[mid], pair) < 0))
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

/* The next measurement of a kernel on a shape of the kind asked for; of a table that has no more of them the last one again, or one of the
 * other kind. NULL: there is none, as where the time of the search that was recorded was up. */
static const MeasureRecord *next_measure(LabRecords *l, const Search *q, const char *key, int64_t shape, bool final)
{
    const Instance *inst = q->study->shape[shape];
    MeasureRecord pair = { .key = key, .threads = inst->threads };
    memcpy(pair.extent, inst->extent, (size_t)q->study->spec->op->naxis * sizeof *pair.extent);
    const MeasureRecord *again = NULL, *other = NULL;
    for (int64_t i = first_of(l, &pair); i < l->records->nmeasure; i++) {
        const MeasureRecord *m = l->measure[i];
        if (strcmp(m->key, key) != 0 || by_shape(m, &pair) != 0)
            break;
        if (!l->used[i] && m->final == final) {
            l->used[i] = true;
            return m;
        }
        if (m->nsample > 0)
            *(m->final == final ? &again : &other) = m;
    }
    return l->use == LAB_ONCE ? NULL : again ? again : other;
}

static double sample_s(const MeasureRecord *m) { return 1e-9 * fmax(m->time_ns, STOPWATCH_SAMPLE_NS); }

/* The kernels and the anchor on one shape. */
static void time_shape(Search *q, LabRecords *l, int64_t shape, const int64_t *trial, int n, int repeats, bool final)
{
    int64_t all[MAX_KERNEL + 1];
    const int64_t anchor = search_anchor(q);
    bool there = anchor < 0 || !trial_usable(&q->study->trial[anchor]);
    int nall = 0;
    for (; nall < n; nall++) {
        all[nall] = trial[nall];
        there = there || trial[nall] == anchor;
    }
    if (!there)
        all[nall++] = anchor;
    for (int i = 0; i < nall; i++) {
        const MeasureRecord *m = next_measure(l, q, q->study->trial[all[i]].key, shape, final);
        if (!m)
            continue;
        MeasureRecord taken = *m;
        taken.final = final;
        study_measure(q->study, &taken);
        l->now_s += l->cost.request_s + (repeats + STOPWATCH_OVERHEAD) * sample_s(m);
    }
    q->ntimed++;
}

/* False when a kernel is not in the records. */
static bool admit(Search *q, LabRecords *l, int64_t trial)
{
    const KernelRecord *k = find_kernel(l, q->study->trial[trial].key);
    l->left = l->left || !k;
    if (!k)
        return false;
    study_kernel(q->study, k);
    l->now_s += l->cost.kernel_s;
    return true;
}

static bool records_trials(Search *q, Arena *scratch, const Proposal *p, int n, double share, const char **err)
{
    LabRecords *l = q->lab_data;
    int64_t trial[MAX_KERNEL];
    (void)scratch;
    (void)share;
    for (int i = 0; i < n; i++) {
        trial[i] = study_add(q->study, &p[i].c);
        if (!admit(q, l, trial[i])) {
            *err = "the records do not hold what the search asks for next";
            return false;
        }
    }
    for (int64_t j = 0; j < q->study->nshape; j++) {
        int64_t wanted[MAX_KERNEL];
        int m = 0;
        for (int i = 0; i < n; i++)
            if (proposal_has(&p[i], j) && trial_usable(&q->study->trial[trial[i]]))
                wanted[m++] = trial[i];
        if (m)
            time_shape(q, l, j, wanted, m, intake_repeats(q, j), false);
    }
    if (l->seen)
        l->seen(l->ctx, q, p, n);
    return true;
}

static bool records_compare(Search *q, Arena *scratch, int64_t shape, const int64_t *trial, int n, int repeats,
                            const char **err)
{
    (void)scratch;
    (void)err;
    time_shape(q, q->lab_data, shape, trial, n < MAX_KERNEL ? n : MAX_KERNEL, repeats, true);
    return true;
}

/* They are never chosen, so nothing need be known of them. */
static bool records_lesser(Search *q, Arena *scratch, const char **err)
{
    (void)q;
    (void)scratch;
    (void)err;
    return true;
}

const Lab lab_records = {
    .now_s = records_now_s, .lesser = records_lesser, .trials = records_trials, .compare = records_compare
};
