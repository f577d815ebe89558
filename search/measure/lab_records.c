/* SPDX-License-Identifier: Apache-2.0
 *
 * lab_records: finds the record that answers, and puts a price on it for the lab's own clock.
 */
#include "search/measure/stopwatch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct LabRecords {
    const Records *records;
    LabUse use;
    LabCost cost;
    const MeasureRecord **measure; /* sorted by kernel and shape; those of one pair in the order of the records */
    bool *used;                    /* one a measure: it has served */
    LabSeen *seen;
    void *ctx;
    LabDisturb *disturb; /* NULL: answers are as recorded */
    void *noise;
};

static int compare_pairs(const MeasureRecord *a, const MeasureRecord *b)
{
    int order = strcmp(a->key, b->key);
    order = order ? order : measure_compare_shapes(a, b);
    return order ? order : a->threads - b->threads;
}

static int by_pair(const void *x, const void *y)
{
    const MeasureRecord *a = *(const MeasureRecord *const *)x, *b = *(const MeasureRecord *const *)y;
    const int order = compare_pairs(a, b);
    return order ? order : (a > b) - (a < b); /* both are in Records.measure, whose order decides */
}

LabRecords *lab_records_new(Arena *a, const Records *r, LabUse use, LabCost cost, LabSeen *seen, void *ctx)
{
    LabRecords *x = ARENA_NEW(a, LabRecords);
    *x = (LabRecords){ .records = r, .use = use, .cost = cost, .seen = seen, .ctx = ctx };
    x->measure = ARENA_ARRAY(a, (size_t)r->nmeasure + 1, const MeasureRecord *);
    x->used = ARENA_ARRAY(a, (size_t)r->nmeasure + 1, bool);
    for (int64_t i = 0; i < r->nmeasure; i++)
        x->measure[i] = &r->measure[i];
    qsort(x->measure, (size_t)r->nmeasure, sizeof *x->measure, by_pair);
    return x;
}

void lab_records_disturb(LabRecords *x, LabDisturb *disturb, void *ctx)
{
    x->disturb = disturb;
    x->noise = ctx;
}

static int64_t first_of(const LabRecords *x, const MeasureRecord *pair)
{
    int64_t low = 0, high = x->records->nmeasure;
    while (low < high) {
        const int64_t mid = low + (high - low) / 2;
        if (compare_pairs(x->measure[mid], pair) < 0)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

/* The next measurement of a kernel on a shape, of cold caches or hot ones, final or not as asked for. A table
 * (LAB_TABLE) that has no more gives the last one again, or else one of the other kind. NULL: none. */
static const MeasureRecord *next_of(LabRecords *x, const MeasureRecord *pair, bool final, bool cold)
{
    const MeasureRecord *last = NULL, *other = NULL;
    for (int64_t i = first_of(x, pair); i < x->records->nmeasure; i++) {
        const MeasureRecord *m = x->measure[i];
        if (compare_pairs(m, pair) != 0)
            break;
        if (m->cold != cold)
            continue;
        if (!x->used[i] && m->final == final) {
            x->used[i] = true;
            return m;
        }
        if (m->nsample > 0)
            *(m->final == final ? &last : &other) = m;
    }
    return x->use == LAB_ONCE ? NULL : last ? last : other;
}

/* The next one of the caches that the study wants, or else of the others. NULL: none. */
static const MeasureRecord *next_measure(LabRecords *x, const Lab *l, const char *key, const Instance *inst, bool final)
{
    const bool cold = study_wants_cold(l->study, inst->extent);
    const MeasureRecord pair = {
        .key = key, .naxis = l->study->spec->op->ngiven, .extent = inst->extent, .threads = inst->threads
    };
    const MeasureRecord *m = next_of(x, &pair, final, cold);
    return m ? m : next_of(x, &pair, final, !cold);
}

/* Times kernels on one shape, and the anchor too, if it works and is not among them. */
static void time_shape(Lab *l, const Instance *inst, const int64_t *trial, int n, bool final, bool tunes)
{
    LabRecords *x = l->data;
    const int64_t anchor = lab_anchor(l);
    bool any = false, anchor_too = anchor >= 0 && trial_usable(&l->study->trial[anchor]);
    for (int i = 0; i < n; i++)
        anchor_too = anchor_too && trial[i] != anchor;
    for (int i = 0; i < n + anchor_too; i++) {
        const int64_t at = i < n ? trial[i] : anchor;
        const MeasureRecord *m = next_measure(x, l, l->study->trial[at].key, inst, final);
        if (!m)
            continue;
        MeasureRecord taken = *m;
        taken.final = final;
        taken.tunes = tunes && !inst->tuned;
        if (x->disturb)
            x->disturb(x->noise, !any, at == anchor, &taken);
        study_measure(l->study, &taken);
        any = true;
        l->now_s += x->cost.request_s +
                    (STOPWATCH_REPEATS + STOPWATCH_OVERHEAD) * (1e-9 * fmax(m->time_ns, STOPWATCH_SAMPLE_NS));
    }
    l->ntimed += any;
}

/* Takes a kernel's record over. False: there is none. */
static bool take_kernel(Lab *l, int64_t trial)
{
    const LabRecords *x = l->data;
    const KernelRecord *k = x->records->kernel, *end = k + x->records->nkernel;
    while (k < end && strcmp(k->key, l->study->trial[trial].key) != 0)
        k++;
    if (k == end)
        return false;
    study_kernel(l->study, k);
    l->now_s += x->cost.kernel_s;
    return true;
}

/* True once that share of the time is over, but not before something was timed. */
static bool is_over(const Lab *l, double share) { return l->ntimed > 0 && lab_left_s(l, share) < 0; }

static bool records_trials(Lab *l, Arena *scratch, const Proposal *p, int n, double share, const char **err)
{
    const LabRecords *x = l->data;
    const Study *s = l->study;
    int64_t *trial = ARENA_ARRAY(scratch, (size_t)n + 1, int64_t);
    int64_t *wanted = ARENA_ARRAY(scratch, (size_t)n + 1, int64_t);
    for (int i = 0; i < n; i++) {
        if (is_over(l, share)) {
            n = i;
            break;
        }
        trial[i] = study_add(l->study, &p[i].c);
        if (!take_kernel(l, trial[i])) {
            *err = "the records do not hold what the search asks for next";
            return false;
        }
    }
    for (int64_t j = 0; j < s->nshape && !is_over(l, share); j++) {
        int m = 0;
        for (int i = 0; i < n; i++)
            if (proposal_has(&p[i], j) && trial_usable(&s->trial[trial[i]]))
                wanted[m++] = trial[i];
        if (m)
            time_shape(l, s->shape[j], wanted, m, false, false);
    }
    if (x->seen)
        x->seen(x->ctx, l, p, n);
    return true;
}

static bool records_compare(Lab *l, Arena *scratch, const Instance *inst, const int64_t *trial, int n, bool tunes,
                            const char **err)
{
    (void)scratch, (void)err;
    time_shape(l, inst, trial, n, true, tunes);
    return true;
}

/* It builds nothing ahead: what is recorded was built before. */
const LabKind lab_records = { .own_clock = true, .trials = records_trials, .compare = records_compare };
