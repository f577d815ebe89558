/* SPDX-License-Identifier: Apache-2.0
 *
 * lab_machine: has batches of candidates built, verified, counted and timed.
 */
#include <math.h>
#include <string.h>
#include "search/measure/batch.h"
#include "search/measure/stopwatch.h"

/* Of the time that a first batch has, this part is for building it, the rest for verifying. */
static const double BUILD_PART = 0.6;
static const double CHECK_DEADLINE_S = 120; /* the emulator takes seconds for large shapes */

/* Builds, verifies and records the batch's members, as far as the time suffices. first: something has to come of it,
 * whatever the time. Without a runner what is built counts as right, and no shared object is kept. */
static bool admit_batch(Lab *l, Arena *scratch, Batch *b, double until_s, bool first, const char **err)
{
    const bool runs = l->shop->agents;
    if (!b->n)
        return true;
    if (!batch_build(l, b, first ? l->began_s + BUILD_PART * (until_s - l->began_s) : until_s, first, err))
        return false;
    const bool right = !runs || (batch_verify(l, scratch, b, until_s, first, err) &&
                                 (l->shop->assembler ? batch_count : batch_tell_errors)(l, scratch, b, err));
    const bool ok = right && batch_record(l, b, err);
    for (int i = 0; i < b->n; i++)
        if (runs)
            batch_member(l, b, i)->so = b->build[i].so;
        else
            build_remove(l->shop->builder, b->build[i].so);
    return ok;
}

/* Builds trials again that have no shared object: a resumed run has their records only. */
static bool rebuild(Lab *l, Arena *scratch, const int64_t *trial, int n, const char **err)
{
    Batch *b = ARENA_NEW(scratch, Batch);
    for (int i = 0; i < n && b->n < REQUEST_MOST; i++)
        if (!l->study->trial[trial[i]].so)
            b->trial[b->n++] = trial[i];
    if (b->n && !batch_build(l, b, INFINITY, false, err))
        return false;
    for (int i = 0; i < b->n; i++) {
        batch_member(l, b, i)->so = b->build[i].so;
        if (b->build[i].blame != BLAME_CANDIDATE) { /* it was built before, so the machine lacks something now */
            *err = arena_printf(l->arena, "a kernel cannot be built again here: %s", b->build[i].why);
            return false;
        }
        if (b->build[i].status != STATUS_OK) /* it was built before, but now it cannot be used */
            batch_member(l, b, i)->status = b->build[i].status;
    }
    return true;
}

static bool rebuild_anchor(Lab *l, Arena *scratch, const char **err)
{
    const int64_t trial = lab_anchor(l);
    return trial < 0 || !trial_usable(&l->study->trial[trial]) || rebuild(l, scratch, &trial, 1, err);
}

static Batch *new_batch(Lab *l, Arena *a, const Proposal *p, int n)
{
    Batch *b = ARENA_NEW(a, Batch);
    for (; b->n < n; b->n++)
        b->trial[b->n] = study_add(l->study, &p[b->n].c);
    return b;
}

static Batch *lesser_batch(Lab *l, Arena *a, bool one)
{
    Batch *b = ARENA_NEW(a, Batch);
    b->n = lesser_trials(l, one, b->trial, REQUEST_MOST);
    return b;
}

static bool begin_batch(Lab *l, Batch *b, const char **err)
{
    if (b->n == 0)
        return true;
    if (!batch_fill(l, b, err))
        return false;
    build_start(l->shop->builder, l->arena, b->build, b->n);
    b->begun = true;
    b->later = l->shop->begun;
    l->shop->begun = b;
    return true;
}

/* The batch of the same trials that was begun before, which leaves the list; b if there is none. */
static Batch *take_begun(const Lab *l, Batch *b)
{
    for (Batch **at = &l->shop->begun; *at; at = &(*at)->later) {
        Batch *begun = *at;
        if (begun->n != b->n || memcmp(begun->trial, b->trial, (size_t)b->n * sizeof *b->trial) != 0)
            continue;
        *at = begun->later;
        return begun;
    }
    return b;
}

bool lab_machine_ahead(Lab *l, const Proposal *p, int n, const char **err)
{
    return begin_batch(l, new_batch(l, l->arena, p, n), err);
}

bool lab_machine_lesser_ahead(Lab *l, const char **err)
{
    return begin_batch(l, lesser_batch(l, l->arena, l->brief), err);
}

void lab_machine_drop(Lab *l)
{
    build_cancel(l->shop->builder);
    l->shop->begun = NULL;
}

bool lab_machine_lesser(Lab *l, Arena *scratch, const char **err)
{
    return admit_batch(l, scratch, take_begun(l, lesser_batch(l, scratch, l->brief)), INFINITY, true, err) &&
           (!l->brief || !lesser_lacks(l) ||
            admit_batch(l, scratch, lesser_batch(l, scratch, false), INFINITY, true, err));
}

bool lab_machine_untimed(Lab *l, Arena *scratch, const Proposal *p, int n, double share, const char **err)
{
    Batch *b = take_begun(l, new_batch(l, scratch, p, n));
    return admit_batch(l, scratch, b, lab_until_s(l, share), !study_choosable(l->study, -1, NULL), err);
}

static bool time_batch(Lab *l, Arena *scratch, const Batch *b, const Proposal *p, double share, const char **err)
{
    for (int64_t j = 0; j < l->study->nshape; j++) {
        const Instance *inst = l->study->shape[j];
        Kernels *k = stopwatch_ask(l, scratch, inst, false, false, lab_until_s(l, share));
        for (int i = 0; i < b->n; i++)
            if (proposal_has(&p[i], j))
                batch_add_member(l, b, i, inst->extent, 0, k);
    }
    return lab_work(l, err);
}

/* Until a first shape was timed, one member of a batch at least is built, however late: something must be known. */
static bool machine_trials(Lab *l, Arena *scratch, const Proposal *p, int n, double share, const char **err)
{
    Batch *b = take_begun(l, new_batch(l, scratch, p, n));
    return admit_batch(l, scratch, b, lab_until_s(l, share), lab_knows_nothing(l), err) &&
           rebuild_anchor(l, scratch, err) && time_batch(l, scratch, b, p, share, err);
}

static bool take_check(Request *q, const char **err)
{
    q->out->threads = 1; /* those of the request are this machine's, not the device's */
    return stopwatch_take(q->of, q->out, err);
}

static bool emulator_check(Lab *l, Arena *scratch, int64_t trial, const int64_t *extent, const char **err)
{
    if (!rebuild(l, scratch, &trial, 1, err))
        return false;
    const Trial *t = &l->study->trial[trial];
    Request q = { .arena = scratch, .of = l, .take = take_check };
    q.measure = verify_request(l, extent, l->shop->jobs, CHECK_DEADLINE_S);
    kernels_add(&q.kernel, t->key, t->so, 0);
    if (trial_usable(t))
        agents_ask(l->shop->agents, &q);
    return lab_work(l, err);
}

/* Times those trials that can be used. Shared objects that are gone are built again. */
static bool machine_compare(Lab *l, Arena *scratch, const Instance *inst, const int64_t *trial, int n, bool tunes,
                            const char **err)
{
    if (!rebuild(l, scratch, trial, n, err) || !rebuild_anchor(l, scratch, err))
        return false;
    Kernels *k = stopwatch_ask(l, scratch, inst, true, tunes, INFINITY);
    for (int i = 0; i < n; i++) {
        const Trial *t = &l->study->trial[trial[i]];
        if (trial_usable(t) && candidate_serves(&t->c, l->study->spec, inst->extent))
            kernels_add(k, t->key, t->so, i);
    }
    return lab_work(l, err);
}

const LabKind lab_machine = { .measures = true,
                              .lesser = lab_machine_lesser,
                              .lesser_ahead = lab_machine_lesser_ahead,
                              .ahead = lab_machine_ahead,
                              .drop = lab_machine_drop,
                              .trials = machine_trials,
                              .compare = machine_compare };

const LabKind lab_emulator = { .lesser = lab_machine_lesser, .trials = lab_machine_untimed, .check = emulator_check };
