/* SPDX-License-Identifier: Apache-2.0 */
#include "search/measure/lab_machine.h"

#include <math.h>
#include <string.h>
#include "gen/base/process.h"
#include "search/measure/batch.h"
#include "search/measure/stopwatch.h"
#include "search/measure/verify_shapes.h"

enum { SEARCH_REPEATS = 5, LONG_REPEATS = 3, BATCH_PASSES = 3, COUNT_STEPS = 8, AHEAD_MOST = 4 };
static const double LONG_NS = 3e6;
static const double CHECK_DEADLINE_S = 120; /* the emulator takes seconds for large shapes */

/* Those that were begun ahead, in order. */
typedef struct Begun {
    int n;
    Batch *batch[AHEAD_MOST];
    Batch *lesser; /* general kernels of lesser targets; NULL: not begun, or taken */
} Begun;

static Begun *begun_of(Search *q) { return q->begun = q->begun ? q->begun : ARENA_NEW(q->arena, Begun); }

/* What a block of the target can have, for kernels that the emulator runs; else 0. */
static int64_t smem_limit(const Search *q)
{
    int64_t bytes = 0;
    if (q->assembler)
        target_fact(q->study->target, "SMEM_BLOCK", &bytes);
    return bytes;
}

/* ---- recording ---- */

/* Of the candidate that is recorded next: the order of lines need not stay. */
static int64_t next_n(const Records *r)
{
    int64_t most = 0;
    for (int64_t i = 0; i < r->nkernel; i++)
        most = r->kernel[i].n > most ? r->kernel[i].n : most;
    return most < INT64_MAX ? most + 1 : most;
}

static bool record_trial(Search *q, int64_t trial, Status status, int64_t code_bytes, const char *why, int nfact,
                         const Param *fact, const char **err)
{
    const Trial *t = &q->study->trial[trial];
    const Spec *s = q->study->spec;
    int64_t value[TEMPLATE_MAX_PARAM];
    KernelRecord k = { .key = t->key,
                       .device = q->study->device->id,
                       .op = s->op->name,
                       .dtype = s->dtype,
                       .template_name = t->c.t->name,
                       .template_hash = t->c.t->hash,
                       .target = t->c.target->name,
                       .nparam = t->c.t->nparam,
                       .status = status,
                       .code_bytes = code_bytes,
                       .n = q->records ? next_n(record_all(q->records)) : 0,
                       .again = t->tried_again,
                       .nfact = nfact,
                       .why = why ? why : "" };
    candidate_values(&t->c, value);
    for (int i = 0; i < k.nparam; i++)
        k.param[i] = (Param){ t->c.t->param[i].name, value[i] };
    for (int i = 0; i < nfact; i++)
        k.fact[i] = fact[i];
    study_kernel(q->study, &k);
    return !q->records || record_add_kernel(q->records, &k, err);
}

/* ---- verifying ---- */

/* What came of measuring a trial; *why lasts as long as scratch. */
static void take_failure(Search *q, Arena *scratch, int64_t trial, const MeasureRecord *m, const char **why)
{
    if (m->blame != BLAME_CANDIDATE)
        study_leave(q->study, trial, m->why);
    else
        q->study->trial[trial].status = m->status;
    *why = arena_strdup(scratch, m->why ? m->why : "");
}

/* Parts that a call is split into, more than there are tiles among them. */
enum { TASK_COUNTS = 6 };
static const int task_counts[TASK_COUNTS] = { 1, 3, 1, 2, 1, 16 };

/* Those of the batch that were built and have not failed; their places in the batch go to at[]. */
static int alive(const Search *q, const Batch *b, const char **key, const char **so, int *at)
{
    int n = 0;
    for (int i = 0; i < b->n; i++)
        if (b->build[i].status == STATUS_OK && q->study->trial[b->trial[i]].status == STATUS_OK) {
            key[n] = b->build[i].name;
            so[n] = b->build[i].so;
            at[n++] = i;
        }
    return n;
}

/* A kernel on a GPU is one launch; for the emulator, the number of cores that it may use. */
static int parts_of(const Search *q, int i)
{
    return !target_is_cuda(q->study->target) ? task_counts[i % TASK_COUNTS] : q->assembler ? q->jobs : 1;
}

/* Nothing is left of a batch whose time is up meanwhile. */
static bool verify(Search *q, Arena *scratch, Batch *b, const char **why, double until_s, const char **err)
{
    Awkward w;
    const Candidate *candidate[STOPWATCH_MOST];
    for (int i = 0; i < b->n; i++)
        candidate[i] = &q->study->trial[b->trial[i]].c;
    awkward_shapes(q->study, candidate, b->n, &w);
    for (int i = 0; i < w.n; i++) {
        const char *key[STOPWATCH_MOST], *so[STOPWATCH_MOST];
        int at[STOPWATCH_MOST], n = alive(q, b, key, so, at);
        if (q->lab->now_s(q) > until_s) {
            b->n = 0;
            return true;
        }
        MeasureRecord out[STOPWATCH_MOST];
        MeasureRequest r = { .extent = w.extent[i],
                             .threads = parts_of(q, i),
                             .deadline_s = stopwatch_deadline_s(q),
                             .smem_limit = smem_limit(q) };
        if (n && !measure(q->runner, scratch, &r, key, so, n, out, q->stop, err))
            return false;
        for (int k = 0; k < n; k++)
            if (out[k].status != STATUS_OK)
                take_failure(q, scratch, b->trial[at[k]], &out[k], &why[at[k]]);
    }
    return true;
}

/* What a kernel that is fixed for no extents does in one whole tile of its own, COUNT_STEPS tiles of k deep: sectors and shared-memory
 * wavefronts, as the emulator counts them. */
static bool count_one(Search *q, Arena *scratch, Batch *b, int i, const char **why, const char **err)
{
    const Candidate *c = &q->study->trial[b->trial[i]].c;
    const char *key = b->build[i].name, *so = b->build[i].so;
    int64_t extent[OP_MAX_AXIS];
    MeasureRecord out;
    const Op *op = q->study->spec->op;
    for (int axis = 0; axis < op->naxis; axis++)
        extent[axis] = awkward_tile(q->study, c, axis) * (op->axis[axis].kind == AXIS_REDUCE ? COUNT_STEPS : 1);
    MeasureRequest r = { .extent = extent,
                         .threads = 1,
                         .deadline_s = stopwatch_deadline_s(q),
                         .count = true,
                         .smem_limit = smem_limit(q) };
    if (!measure(q->runner, scratch, &r, &key, &so, 1, &out, q->stop, err))
        return false;
    for (int k = 0; k < out.nfact; k++)
        batch_fact(b, i, arena_strdup(q->arena, out.fact[k].name), out.fact[k].value);
    if (out.status != STATUS_OK)
        take_failure(q, scratch, b->trial[i], &out, &why[i]);
    return true;
}

static bool count(Search *q, Arena *scratch, Batch *b, const char **why, const char **err)
{
    for (int i = 0; i < b->n; i++)
        if (b->build[i].status == STATUS_OK && q->study->trial[b->trial[i]].status == STATUS_OK &&
            !candidate_is_fixed(&q->study->trial[b->trial[i]].c) && !count_one(q, scratch, b, i, why, err))
            return false;
    return true;
}

/* Members that failed for what the machine lacks are left out. why: of those that were built and failed. */
static bool record_batch(Search *q, Batch *b, const char *const *why, const char **err)
{
    for (int i = 0; i < b->n; i++) {
        const Build *build = &b->build[i];
        if (build->blame != BLAME_CANDIDATE)
            study_leave(q->study, b->trial[i], build->why);
        if (q->study->trial[b->trial[i]].aside)
            continue;
        Status status = build->status == STATUS_OK ? q->study->trial[b->trial[i]].status : build->status;
        if (!record_trial(q, b->trial[i], status, build->code_bytes, build->status == STATUS_OK ? why[i] : build->why,
                          b->nfact[i], b->fact[i], err))
            return false;
    }
    return true;
}

/* Builds, verifies and records the batch's members. */
static bool admit(Search *q, Arena *scratch, Batch *b, double until_s, const char **err)
{
    const char *why[STOPWATCH_MOST] = { 0 };
    if (!batch_build(q, b, until_s, err))
        return false;
    search_show(q, scratch);
    return !b->n || (verify(q, scratch, b, why, until_s, err) && (!q->assembler || count(q, scratch, b, why, err)) &&
                     record_batch(q, b, why, err));
}

/* ---- measuring ---- */

static bool rebuild(Search *q, Arena *scratch, const int64_t *trial, int n, const char **err)
{
    Batch *b = ARENA_NEW(scratch, Batch);
    for (int i = 0; i < n && b->n < STOPWATCH_MOST; i++)
        if (!q->study->trial[trial[i]].so)
            b->trial[b->n++] = trial[i];
    if (b->n && !batch_build(q, b, INFINITY, err))
        return false;
    for (int i = 0; i < b->n; i++) {
        q->study->trial[b->trial[i]].so = b->build[i].so;
        if (b->build[i].blame != BLAME_CANDIDATE) { /* it was built before, so the machine has less now */
            *err = arena_printf(q->arena, "a kernel cannot be built again here: %s", b->build[i].why);
            return false;
        }
        if (b->build[i].status != STATUS_OK) /* it was built before; now it is of no use */
            q->study->trial[b->trial[i]].status = b->build[i].status;
    }
    return true;
}

/* A resumed run has the anchor's record, yet not its shared object. */
static bool rebuild_anchor(Search *q, Arena *scratch, const char **err)
{
    int64_t trial = search_anchor(q);
    return trial < 0 || !trial_usable(&q->study->trial[trial]) || rebuild(q, scratch, &trial, 1, err);
}

bool intake_quiet(Search *q, Arena *scratch, const Instance *const *inst, int64_t n, const char **err)
{
    return rebuild_anchor(q, scratch, err) && stopwatch_learn(q, scratch, inst, n, err);
}

/* Fewer where one call takes so long that noise averages out within it. */
int intake_repeats(const Search *q, int64_t shape)
{
    double best = study_best(q->study, shape, NULL);
    return isfinite(best) && best > LONG_NS ? LONG_REPEATS : SEARCH_REPEATS;
}

/* A search of its own finds what the package has for these machines. */
static bool has_own_search(const Search *q, const Target *target)
{
    for (int i = 0; i < q->ntuned; i++)
        if (q->tuned[i] == target && !target_is_inherited(target))
            return true;
    return false;
}

/* The general kernels that the package carries for machines without the tuned targets. */
static Batch *lesser_batch(Search *q, Arena *scratch)
{
    const TargetList *targets = q->unit->targets;
    Batch *b = ARENA_NEW(scratch, Batch);
    for (int i = 0; i < targets->n; i++)
        for (int j = 0; j < q->templates->n && b->n < STOPWATCH_MOST; j++) {
            const Target *target = &targets->t[i];
            const Template *t = q->templates->t[j];
            Candidate c;
            if (!target_is_fallback(targets, target, q->study->target) || has_own_search(q, target) ||
                !template_suits(t, q->study->spec, target) || !candidate_general(t, target, &c))
                continue;
            int64_t trial = study_add(q->study, &c);
            study_begin(q->study, trial);
            if (!q->study->trial[trial].built)
                b->trial[b->n++] = trial;
        }
    return b;
}

/* Those that were begun, or all. */
static Batch *take_lesser(Search *q, Arena *scratch)
{
    Batch *begun = q->begun ? q->begun->lesser : NULL;
    if (begun)
        q->begun->lesser = NULL;
    return begun ? begun : lesser_batch(q, scratch);
}

/* Built and verified, never timed. */
bool intake_lesser(Search *q, Arena *scratch, const char **err)
{
    Batch *b = take_lesser(q, scratch);
    return !b->n || admit(q, scratch, b, INFINITY, err);
}

bool intake_lesser_ahead(Search *q, const char **err)
{
    Batch *b = lesser_batch(q, q->arena);
    return !b->n || (batch_begin(q, b, err) && (begun_of(q)->lesser = b));
}

/* The members of the batch that are to be timed on shape j. */
static int wanted_on(const Search *q, const Batch *b, const Proposal *p, int64_t j, const char **key, const char **so)
{
    int at[STOPWATCH_MOST], all = alive(q, b, key, so, at), m = 0;
    for (int k = 0; k < all; k++)
        if (proposal_has(&p[at[k]], j)) {
            key[m] = key[k];
            so[m++] = so[k];
        }
    return m;
}

/* All shapes, then again those that were put off. */
static bool time_batch(Search *q, Arena *scratch, const Batch *b, const Proposal *p, double share, const char **err)
{
    bool *done = ARENA_ARRAY(scratch, (size_t)q->study->nshape + 1, bool);
    for (int pass = 0; pass < BATCH_PASSES; pass++)
        for (int64_t j = 0; j < q->study->nshape; j++) {
            const char *key[STOPWATCH_MOST], *so[STOPWATCH_MOST];
            const int n = done[j] ? 0 : wanted_on(q, b, p, j, key, so);
            bool put_off = false;
            /* Something must be known when time is up: the first shape of the first batch is always timed. */
            if (!n || (q->lab->now_s(q) > q->began_s + share * q->seconds && q->ntimed > 0))
                continue;
            search_show(q, scratch);
            if (!stopwatch_time(q, scratch, q->study->shape[j], key, so, n, intake_repeats(q, j), false, NULL,
                                pass + 1 < BATCH_PASSES ? &put_off : NULL, err))
                return false;
            done[j] = !put_off;
        }
    return true;
}

static Batch *new_batch(Search *q, Arena *a, const Proposal *p, int n)
{
    Batch *b = ARENA_NEW(a, Batch);
    for (; b->n < n && b->n < STOPWATCH_MOST; b->n++)
        b->trial[b->n] = study_add(q->study, &p[b->n].c);
    return b;
}

bool intake_ahead(Search *q, const Proposal *p, int n, const char **err)
{
    Batch *b = new_batch(q, q->arena, p, n);
    Begun *begun = begun_of(q);
    if (begun->n == AHEAD_MOST)
        return true;
    if (!batch_begin(q, b, err))
        return false;
    begun->batch[begun->n++] = b;
    return true;
}

void intake_drop(Search *q)
{
    build_cancel(q->builder);
    if (q->begun)
        *q->begun = (Begun){ 0 };
}

/* These proposals as they were begun ahead; NULL: they were not. */
static Batch *take_begun(Search *q, const Proposal *p, int n)
{
    Begun *begun = q->begun;
    Batch *b = begun && begun->n ? begun->batch[0] : NULL;
    bool same = b && b->n == n;
    for (int i = 0; same && i < n; i++)
        same = b->trial[i] == study_find(q->study, &p[i].c);
    if (!same)
        return NULL;
    memmove(begun->batch, begun->batch + 1, (size_t)--begun->n * sizeof *begun->batch);
    return b;
}

static Batch *batch_of(Search *q, Arena *scratch, const Proposal *p, int n)
{
    Batch *begun = take_begun(q, p, n);
    return begun ? begun : new_batch(q, scratch, p, n);
}

static bool intake_trials(Search *q, Arena *scratch, const Proposal *p, int n, double share, const char **err)
{
    Batch *b = batch_of(q, scratch, p, n);
    /* Something must be known when time is up: the first batch is always built. */
    const double until_s = q->ntimed ? q->began_s + share * q->seconds : INFINITY;
    const bool ok = admit(q, scratch, b, until_s, err);
    for (int i = 0; i < b->n; i++)
        q->study->trial[b->trial[i]].so = b->build[i].so;
    return ok && intake_quiet(q, scratch, q->study->shape, q->study->nshape, err) &&
           time_batch(q, scratch, b, p, share, err);
}

/* Without a runner: what is built counts as right. */
static bool build_only(Search *q, Batch *b, const char **err)
{
    static const char *const nothing[STOPWATCH_MOST];
    const bool ok = !b->n || (batch_build(q, b, INFINITY, err) && record_batch(q, b, nothing, err));
    for (int i = 0; i < b->n; i++)
        if (b->build[i].so)
            build_remove(q->builder, b->build[i].so);
    return ok;
}

bool intake_built(Search *q, Arena *scratch, const Proposal *p, int n, const char **err)
{
    return build_only(q, batch_of(q, scratch, p, n), err);
}

bool intake_built_lesser(Search *q, Arena *scratch, const char **err)
{
    return build_only(q, take_lesser(q, scratch), err);
}

bool intake_untimed(Search *q, Arena *scratch, const Candidate *c, int n, const char **err)
{
    Batch *b = ARENA_NEW(scratch, Batch);
    for (; b->n < n && b->n < STOPWATCH_MOST; b->n++)
        b->trial[b->n] = study_add(q->study, &c[b->n]);
    bool ok = admit(q, scratch, b, INFINITY, err);
    for (int i = 0; i < b->n; i++)
        q->study->trial[b->trial[i]].so = b->build[i].so;
    return ok;
}

bool intake_check(Search *q, Arena *scratch, int64_t trial, const int64_t *extent, const char **err)
{
    MeasureRecord out;
    if (!rebuild(q, scratch, &trial, 1, err))
        return false;
    const Trial *t = &q->study->trial[trial];
    MeasureRequest r = {
        .extent = extent, .threads = q->jobs, .deadline_s = CHECK_DEADLINE_S, .smem_limit = smem_limit(q)
    };
    if (!trial_usable(t))
        return true;
    if (!measure(q->runner, scratch, &r, &t->key, &t->so, 1, &out, q->stop, err))
        return false;
    out.threads = 1; /* the emulator's are of this machine, not of the device */
    return stopwatch_take(q, &out, err);
}

bool intake_race(Search *q, Arena *scratch, const Instance *inst, const int64_t *trial, int n, int repeats, bool final,
                 double *ns, const char **err)
{
    const char *key[STOPWATCH_MOST], *so[STOPWATCH_MOST];
    double time[STOPWATCH_MOST];
    int at[STOPWATCH_MOST], m = 0;
    if (!rebuild(q, scratch, trial, n, err) || !rebuild_anchor(q, scratch, err))
        return false;
    for (int i = 0; i < n && m < STOPWATCH_MOST; i++)
        if (trial_usable(&q->study->trial[trial[i]])) {
            key[m] = q->study->trial[trial[i]].key;
            so[m] = q->study->trial[trial[i]].so;
            at[m++] = i;
        }
    for (int i = 0; ns && i < n; i++)
        ns[i] = 0;
    if (m && !stopwatch_time(q, scratch, inst, key, so, m, repeats, final, time, NULL, err))
        return false;
    for (int i = 0; ns && i < m; i++)
        ns[at[i]] = time[i];
    return true;
}

static bool intake_compare(Search *q, Arena *scratch, int64_t shape, const int64_t *trial, int n, int repeats,
                           const char **err)
{
    return intake_race(q, scratch, q->study->shape[shape], trial, n, repeats, true, NULL, err);
}

static double intake_now_s(const Search *q)
{
    (void)q;
    return process_clock_s();
}

const Lab lab_intake = { .measures = true,
                         .now_s = intake_now_s,
                         .lesser = intake_lesser,
                         .lesser_ahead = intake_lesser_ahead,
                         .ahead = intake_ahead,
                         .drop = intake_drop,
                         .trials = intake_trials,
                         .compare = intake_compare };
