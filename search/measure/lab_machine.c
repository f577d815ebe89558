/* SPDX-License-Identifier: Apache-2.0
 *
 * lab_machine: builds, verifies, counts and times batches of candidates, and records what came of each.
 */
#include <math.h>
#include <string.h>
#include "search/measure/stopwatch.h"
#include "search/space/verify_shapes.h"

enum { COUNT_STEPS = 8 };
/* Of the time that a first batch has, this part is for building it, the rest for verifying. */
static const double BUILD_PART = 0.6;
static const double TELLING_FLOPS = 1e9;    /* at most, of the shape that errors are told of */
static const double CHECK_DEADLINE_S = 120; /* the emulator takes seconds for large shapes */

/* Trials that are built together. */
typedef struct Batch {
    struct Batch *later; /* the next of those that are built in the background */
    bool begun;          /* its builds were started in the background */
    int n;
    int64_t trial[STOPWATCH_MOST];
    Build build[STOPWATCH_MOST];
    int nfact[STOPWATCH_MOST]; /* what compiler and emulator told of each */
    Param fact[STOPWATCH_MOST][RECORD_MAX_FACT];
    const char *why[STOPWATCH_MOST]; /* why a member that was built failed; else NULL */
} Batch;

static Trial *member(const Lab *l, const Batch *b, int i) { return &l->study->trial[b->trial[i]]; }

/* Was it built, and has it not failed so far? */
static bool works(const Lab *l, const Batch *b, int i)
{
    return b->build[i].status == STATUS_OK && member(l, b, i)->status == STATUS_OK;
}

/* Adds a member to the kernels of a request for a call, if it was built, has not failed, and serves that. gap: elements
 * between the rows of strided operands. */
static void add_member(const Lab *l, const Batch *b, int i, const int64_t *extent, int64_t gap, Kernels *k)
{
    const Candidate *c = &member(l, b, i)->c;
    if (works(l, b, i) && candidate_serves(c, l->study->spec, extent) &&
        !(c->t->asks_align && gap % ALIGN_MOST != 0 && !candidate_serves_all(c, l->study->spec)))
        kernels_add(k, b->build[i].name, b->build[i].so, i);
}

/* ---- building ---- */

/* A fact that does not fit is dropped. */
static void add_fact(Batch *b, int i, const char *name, int64_t value)
{
    if (b->nfact[i] < RECORD_MAX_FACT)
        b->fact[i][b->nfact[i]++] = (Param){ name, value };
}

/* Reads what compilers say of registers and spills. Code that does not fit its registers counts as not built and is
 * never used: a smaller tile is faster than moving sums to memory and back. There are two exceptions. A CPU that stands
 * in for the tuned one has one kernel alone, the general one of a template: slow there is better than nothing. And
 * where a template's loops do what a formula says (may_spill), no tile at all may fit. A loop that stores and does not
 * load again does not count: gcc leaves such stores behind without being short of registers. */
static void read_report(Lab *l, Batch *b, int i)
{
    Build *build = &b->build[i];
    const SpillReport *s = &build->spills;
    const Candidate *c = &member(l, b, i)->c;
    PtxasReport gpu;
    const char *why = NULL;
    if (spills_read_ptxas(build->log, &gpu)) {
        add_fact(b, i, "regs", gpu.regs);
        add_fact(b, i, "spill_bytes", gpu.spill_bytes);
        add_fact(b, i, "stack_bytes", gpu.stack_bytes);
        if (gpu.spill_bytes > 0 || gpu.stack_bytes > 0)
            why = arena_printf(l->arena, "%s %lld bytes a thread in local memory", gpu.spill_bytes ? "spills" : "keeps",
                               (long long)(gpu.spill_bytes ? gpu.spill_bytes : gpu.stack_bytes));
    } else if (s->loops > 0) {
        add_fact(b, i, "spilled", s->stored + s->loaded);
        if (s->loaded > 0 && !c->t->may_spill && c->target == l->study->target)
            why = arena_printf(l->arena,
                               "spills: %d vectors to the stack and %d from it in a round of %d multiplications",
                               s->stored, s->loaded, s->multiplications);
    }
    if (why) {
        build->status = STATUS_BUILD_FAILED;
        build->why = why;
    }
}

/* Replaces the GPU code of those that have not failed so far by code that can be run here. code_bytes stays that of the
 * GPU code. */
static void build_runnable(Lab *l, Batch *b)
{
    Build runnable[STOPWATCH_MOST];
    int at[STOPWATCH_MOST], n = 0;
    for (int i = 0; i < b->n; i++)
        if (b->build[i].status == STATUS_OK) {
            at[n] = i;
            runnable[n++] = (Build){ .name = b->build[i].name, .text = b->build[i].text };
        }
    build_all(l->shop->builder, l->arena, runnable, n, l->stop);
    for (int k = 0; k < n; k++) {
        Build *build = &b->build[at[k]];
        runnable[k].code_bytes = runnable[k].status == STATUS_OK ? build->code_bytes : 0;
        build_remove(l->shop->assembler, build->so);
        *build = runnable[k];
    }
}

static bool fill_texts(Lab *l, Batch *b, const char **err)
{
    for (int i = 0; i < b->n; i++) {
        const Trial *t = member(l, b, i);
        int64_t value[TEMPLATE_MAX_PARAM];
        candidate_values(&t->c, value);
        const UnitKernel k = { t->c.t, t->c.target, value, { 0 }, NULL };
        char *text = unit_candidate(l->arena, l->shop->unit, &k, l->shop->diag);
        if (!text) {
            *err = "a template cannot be filled";
            return false;
        }
        b->build[i] = (Build){ .name = t->key, .text = text };
    }
    return true;
}

/* Leaves only those members that were built, or failed, before the time was up. */
static void keep_tried(Batch *b)
{
    int n = 0;
    for (int i = 0; i < b->n; i++)
        if (!build_was_ended(&b->build[i])) {
            b->trial[n] = b->trial[i];
            b->build[n++] = b->build[i];
        }
    b->n = n;
}

/* Builds those members whose builds were ended together with another batch, when that batch's time was up. */
static void build_ended(Lab *l, Builder *builder, Batch *b)
{
    for (int i = 0; i < b->n; i++)
        if (build_was_ended(&b->build[i])) {
            b->build[i] = (Build){ .name = b->build[i].name, .text = b->build[i].text };
            build_all(builder, l->arena, &b->build[i], 1, l->stop);
        }
}

/* Builds the batch, or waits for its builds in the background. Members whose builds are not done by until_s leave the
 * batch; but of the `first` batch one is waited for. False with *err set: interrupted, or this machine cannot build. */
static bool build_batch(Lab *l, Batch *b, double until_s, bool first, const char **err)
{
    Workshop *m = l->shop;
    Builder *builder = m->assembler ? m->assembler : m->builder;
    if (!b->begun && !fill_texts(l, b, err))
        return false;
    if (!b->begun && isinf(until_s)) {
        build_all(builder, l->arena, b->build, b->n, l->stop);
    } else {
        if (!b->begun)
            build_start(builder, l->arena, b->build, b->n);
        const bool done = (first ? build_wait_for_one : build_wait)(builder, b->build, until_s, l->stop);
        l->brief = l->brief || (first && !done && isfinite(until_s));
        if (!done && isinf(until_s))
            build_ended(l, builder, b);
        else if (!done && !*l->stop)
            keep_tried(b);
    }
    for (int i = 0; i < b->n; i++)
        if (b->build[i].status == STATUS_OK)
            read_report(l, b, i);
    if (m->assembler && !*l->stop)
        build_runnable(l, b);
    if (*l->stop) {
        *err = "interrupted";
        return false;
    }
    for (int i = 0; i < b->n; i++)
        if (b->build[i].blame == BLAME_MACHINE) {
            *err = arena_printf(l->arena, "kernels cannot be built here: %s", b->build[i].why);
            return false;
        }
    return true;
}

/* ---- recording ---- */

/* The number of the candidate that is recorded next (KernelRecord.n). Lines may be in any order, so the last one need
 * not have the highest. */
static int64_t next_n(const Records *r)
{
    int64_t most = 0;
    for (int64_t i = 0; i < r->nkernel; i++)
        most = r->kernel[i].n > most ? r->kernel[i].n : most;
    return most < INT64_MAX ? most + 1 : most;
}

static bool record_member(Lab *l, const Batch *b, int i, const char **err)
{
    RecordFile *file = l->shop->records;
    const Build *build = &b->build[i];
    const bool built = build->status == STATUS_OK;
    const char *why = built ? b->why[i] : build->why;
    const Trial *t = member(l, b, i);
    const Spec *s = l->study->spec;
    int64_t value[TEMPLATE_MAX_PARAM];
    Param param[TEMPLATE_MAX_PARAM];
    KernelRecord k = { .key = t->key,
                       .device = l->study->device->id,
                       .op = s->op->name,
                       .dtype = s->dtype,
                       .template_name = t->c.t->name,
                       .template_hash = t->c.t->hash,
                       .target = t->c.target->name,
                       .nparam = t->c.t->nparam,
                       .param = param,
                       .status = built ? t->status : build->status,
                       .code_bytes = build->code_bytes,
                       .n = file ? next_n(record_all(file)) : 0,
                       .again = t->tried_again,
                       .nfact = b->nfact[i],
                       .fact = b->fact[i],
                       .why = why ? why : "" };
    candidate_values(&t->c, value);
    for (int p = 0; p < k.nparam; p++)
        param[p] = (Param){ t->c.t->param[p].name, value[p] };
    study_kernel(l->study, &k);
    return !file || record_add_kernel(file, &k, err);
}

/* Members that failed for what the machine lacks are left out. */
static bool record_batch(Lab *l, const Batch *b, const char **err)
{
    for (int i = 0; i < b->n; i++) {
        if (b->build[i].blame != BLAME_CANDIDATE)
            study_leave(l->study, b->trial[i], b->build[i].why);
        if (!member(l, b, i)->aside && !record_member(l, b, i, err))
            return false;
    }
    return true;
}

/* ---- verifying ---- */

/* Into how many parts the call on the i-th awkward shape is split; some are more than it has tiles. A kernel on a GPU
 * is one launch; the emulator takes the number of cores that it may use. */
static int parts_of(const Lab *l, int i)
{
    static const int parts[] = { 1, 3, 1, 2, 1, 16 };
    if (l->study->target->family->told_parts)
        return parts[(size_t)i % LENGTH(parts)];
    return l->shop->assembler ? l->shop->jobs : 1;
}

/* A request that verifies and times nothing. The emulator is told how much shared memory a block of the target can
 * have. */
static MeasureRequest verify_request(const Lab *l, const int64_t *extent, int threads, double deadline_s)
{
    MeasureRequest r = { .extent = extent, .threads = threads, .deadline_s = deadline_s };
    if (l->shop->assembler)
        target_fact(l->study->target, "SMEM_BLOCK", &r.smem_limit);
    return r;
}

/* Has the runner verify kernels on one shape, and notes which failed, with reasons that last as long as scratch
 * (study_why). */
static bool verify_kernels(Lab *l, Arena *scratch, Batch *b, const MeasureRequest *r, const Kernels *k,
                           MeasureRecord *out, const char **err)
{
    if (k->n && !measure(l->shop->agents->agent->runner, scratch, r, k->key, k->so, k->n, out, l->stop, err))
        return false;
    for (int i = 0; i < k->n; i++) {
        const int at = k->at[i];
        if (out[i].status == STATUS_OK)
            continue;
        if (out[i].blame != BLAME_CANDIDATE)
            study_leave(l->study, b->trial[at], out[i].why);
        else
            member(l, b, at)->status = out[i].status;
        b->why[at] = study_why(l->study, scratch, r->extent, r->threads, out[i].why ? out[i].why : "");
    }
    return true;
}

/* Verifies n members from `first` on, on shapes around their tiles. *in_time becomes false where the time was up before
 * that was done. */
static bool verify_members(Lab *l, Arena *scratch, Batch *b, int first, int n, double until_s, bool *in_time,
                           const char **err)
{
    VerifyShapes w;
    const Candidate *candidate[STOPWATCH_MOST];
    for (int i = 0; i < n; i++)
        candidate[i] = &member(l, b, first + i)->c;
    verify_shapes(l->study, candidate, n, &w);
    *in_time = true;
    for (int i = 0; i < w.n && *in_time; i++) {
        Kernels k = { 0 };
        MeasureRecord out[STOPWATCH_MOST];
        MeasureRequest r = verify_request(l, w.extent[i], parts_of(l, i), stopwatch_deadline_s(l));
        r.gap = w.gap[i];
        r.data = w.edges[i] ? data_names[DATA_EDGES] : NULL;
        r.way = w.way[i];
        for (int j = first; j < first + n; j++)
            add_member(l, b, j, r.extent, r.gap, &k);
        *in_time = !k.n || lab_now_s(l) <= until_s;
        if (*in_time && !verify_kernels(l, scratch, b, &r, &k, out, err))
            return false;
    }
    return true;
}

/* Verifies the batch on awkward shapes. Members for which the time does not suffice leave the batch; of the `first`
 * batch only once one works. All are executed on the same shapes, so that the reference is computed once. Where
 * executing them takes longer than the reference (in the emulator), they come one after the other, each on shapes
 * around its own tile: what is one tile to a kernel may be many to another. */
static bool verify_batch(Lab *l, Arena *scratch, Batch *b, double until_s, bool first, const char **err)
{
    bool in_time = true, alone = l->shop->assembler;
    lab_show(l, scratch);
    for (int i = 0; i < b->n;) {
        const int step = alone ? 1 : b->n;
        if (!verify_members(l, scratch, b, i, step, first && alone ? INFINITY : until_s, &in_time, err))
            return false;
        if (!in_time && first) { /* one of them alone takes less */
            alone = true;
            continue;
        }
        if (!in_time)
            b->n = i;
        first = first && !works(l, b, i);
        i += step;
    }
    return true;
}

/* Has the emulator count what each kernel does in one whole tile of its own, COUNT_STEPS tiles of k deep: sectors and
 * shared-memory wavefronts. Kernels that are fixed for extents are left out, and those for which such a call is not
 * legal. */
static bool count_accesses(Lab *l, Arena *scratch, Batch *b, const char **err)
{
    for (int i = 0; i < b->n; i++) {
        const Candidate *c = &member(l, b, i)->c;
        Kernels k = { 0 };
        int64_t extent[OP_MAX_EXTENT];
        MeasureRecord out = { 0 };
        const bool counts = !candidate_is_fixed(c) && verify_shapes_one_tile(l->study, c, COUNT_STEPS, extent);
        MeasureRequest r = verify_request(l, extent, 1, stopwatch_deadline_s(l));
        r.count = true;
        if (counts)
            add_member(l, b, i, extent, 0, &k);
        if (!verify_kernels(l, scratch, b, &r, &k, &out, err))
            return false;
        for (int f = 0; f < out.nfact; f++)
            add_fact(b, i, arena_strdup(l->arena, out.fact[f].name), out.fact[f].value);
    }
    return true;
}

/* The tuned shape that errors of a candidate are told of: of those that it serves the one with the most work up to
 * TELLING_FLOPS; where all have more, the one with the least. */
static const Instance *telling_shape(const Study *s, const Candidate *c)
{
    const Instance *best = NULL;
    double most = 0, flops;
    for (int64_t j = 0; j < s->nshape; j++) {
        if (expr_real_at(s->spec->op->flops, s->shape[j]->extent, &flops) != EXPR_OK ||
            !candidate_serves(c, s->spec, s->shape[j]->extent))
            continue;
        if (!best || (flops > most ? flops <= TELLING_FLOPS : most > TELLING_FLOPS)) {
            most = flops;
            best = s->shape[j];
        }
    }
    return best;
}

/* Has the runner tell the errors on a shape, on several kinds of data, of those members that it is the telling one
 * of. */
static bool tell_errors_on(Lab *l, Arena *scratch, Batch *b, const Instance *shape, const char **err)
{
    static const struct {
        DataKind data;
        const char *fact;
    } told[] = { { DATA_NORMAL, "err_normal" }, { DATA_OUTLIERS, "err_outliers" }, { DATA_SPREAD, "err_spread" } };
    for (size_t i = 0; i < LENGTH(told); i++) {
        Kernels k = { 0 };
        MeasureRecord out[STOPWATCH_MOST];
        MeasureRequest r = verify_request(l, shape->extent, 1, stopwatch_deadline_s(l));
        r.data = data_names[told[i].data];
        for (int j = 0; j < b->n; j++)
            if (!candidate_is_fixed(&member(l, b, j)->c) && telling_shape(l->study, &member(l, b, j)->c) == shape)
                add_member(l, b, j, shape->extent, 0, &k);
        if (!verify_kernels(l, scratch, b, &r, &k, out, err))
            return false;
        for (int j = 0; j < k.n; j++)
            if (out[j].status == STATUS_OK)
                add_fact(b, k.at[j], told[i].fact, llround(fmin(out[j].max_err * 1000, 1e15)));
    }
    return true;
}

/* Where the spec allows more than the rounding error of plain sums: has the runner tell the errors of each kernel, in
 * thousandths of a tolerance of plain sums. Kernels that are fixed for extents are left out. */
static bool tell_errors(Lab *l, Arena *scratch, Batch *b, const char **err)
{
    bool ok = true;
    for (int64_t j = 0; ok && l->study->spec->accuracy > 1 && j < l->study->nshape; j++)
        ok = tell_errors_on(l, scratch, b, l->study->shape[j], err);
    return ok;
}

/* Builds, verifies and records the batch's members, as far as the time suffices. first: something has to come of it,
 * whatever the time. Without a runner what is built counts as right, and no shared object is kept. */
static bool admit_batch(Lab *l, Arena *scratch, Batch *b, double until_s, bool first, const char **err)
{
    const bool runs = l->shop->agents;
    if (!b->n)
        return true;
    if (!build_batch(l, b, first ? l->began_s + BUILD_PART * (until_s - l->began_s) : until_s, first, err))
        return false;
    const bool right = !runs || (verify_batch(l, scratch, b, until_s, first, err) &&
                                 (l->shop->assembler ? count_accesses : tell_errors)(l, scratch, b, err));
    const bool ok = right && record_batch(l, b, err);
    for (int i = 0; i < b->n; i++)
        if (runs)
            member(l, b, i)->so = b->build[i].so;
        else
            build_remove(l->shop->builder, b->build[i].so);
    return ok;
}

/* ---- building again ---- */

/* Builds trials again that have no shared object: a resumed run has their records only. */
static bool rebuild(Lab *l, Arena *scratch, const int64_t *trial, int n, const char **err)
{
    Batch *b = ARENA_NEW(scratch, Batch);
    for (int i = 0; i < n && b->n < STOPWATCH_MOST; i++)
        if (!l->study->trial[trial[i]].so)
            b->trial[b->n++] = trial[i];
    if (b->n && !build_batch(l, b, INFINITY, false, err))
        return false;
    for (int i = 0; i < b->n; i++) {
        member(l, b, i)->so = b->build[i].so;
        if (b->build[i].blame != BLAME_CANDIDATE) { /* it was built before, so the machine lacks something now */
            *err = arena_printf(l->arena, "a kernel cannot be built again here: %s", b->build[i].why);
            return false;
        }
        if (b->build[i].status != STATUS_OK) /* it was built before, but now it cannot be used */
            member(l, b, i)->status = b->build[i].status;
    }
    return true;
}

static bool rebuild_anchor(Lab *l, Arena *scratch, const char **err)
{
    const int64_t trial = lab_anchor(l);
    return trial < 0 || !trial_usable(&l->study->trial[trial]) || rebuild(l, scratch, &trial, 1, err);
}

/* ---- ahead ---- */

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
    b->n = lesser_trials(l, one, b->trial, STOPWATCH_MOST);
    return b;
}

/* Starts to build a batch in the background. */
static bool begin_batch(Lab *l, Batch *b, const char **err)
{
    if (b->n == 0)
        return true;
    if (!fill_texts(l, b, err))
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

/* ---- what the labs do ---- */

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

/* Is there no time yet of any kernel that works, from this run or an earlier one? */
static bool knows_nothing(const Lab *l)
{
    bool known = l->ntimed > 0;
    for (int64_t j = 0; j < l->study->nshape && !known; j++)
        known = study_choosable(l->study, j, NULL) > 0;
    return !known;
}

/* Times the batch shape by shape. A first shape is always timed, so that something is known when the time is up. */
static bool time_batch(Lab *l, Arena *scratch, const Batch *b, const Proposal *p, double share, const char **err)
{
    const Study *s = l->study;
    for (int64_t j = 0; j < s->nshape; j++) {
        Kernels k = { 0 };
        for (int i = 0; i < b->n; i++)
            if (proposal_has(&p[i], j))
                add_member(l, b, i, s->shape[j]->extent, 0, &k);
        if (!k.n || (lab_now_s(l) > lab_until_s(l, share) && !knows_nothing(l)))
            continue;
        lab_show(l, scratch);
        if (!stopwatch_time(l, scratch, s->shape[j], &k, false, false, err))
            return false;
    }
    return true;
}

/* Until a first shape was timed, at least one member of a batch is built, however late it is: something must be known
 * in the end. */
static bool machine_trials(Lab *l, Arena *scratch, const Proposal *p, int n, double share, const char **err)
{
    Batch *b = take_begun(l, new_batch(l, scratch, p, n));
    return admit_batch(l, scratch, b, lab_until_s(l, share), knows_nothing(l), err) &&
           rebuild_anchor(l, scratch, err) && time_batch(l, scratch, b, p, share, err);
}

static bool emulator_check(Lab *l, Arena *scratch, int64_t trial, const int64_t *extent, const char **err)
{
    MeasureRecord out;
    const MeasureRequest r = verify_request(l, extent, l->shop->jobs, CHECK_DEADLINE_S);
    if (!rebuild(l, scratch, &trial, 1, err))
        return false;
    const Trial *t = &l->study->trial[trial];
    if (!trial_usable(t))
        return true;
    if (!measure(l->shop->agents->agent->runner, scratch, &r, &t->key, &t->so, 1, &out, l->stop, err))
        return false;
    out.threads = 1; /* those of the request are this machine's, not the device's */
    return stopwatch_take(l, &out, err);
}

/* Times those trials that can be used. Shared objects that are gone are built again. */
static bool machine_compare(Lab *l, Arena *scratch, const Instance *inst, const int64_t *trial, int n, bool tunes,
                            const char **err)
{
    Kernels k = { 0 };
    if (!rebuild(l, scratch, trial, n, err) || !rebuild_anchor(l, scratch, err))
        return false;
    for (int i = 0; i < n; i++)
        if (trial_usable(&l->study->trial[trial[i]]) &&
            candidate_serves(&l->study->trial[trial[i]].c, l->study->spec, inst->extent))
            kernels_add(&k, l->study->trial[trial[i]].key, l->study->trial[trial[i]].so, i);
    return !k.n || stopwatch_time(l, scratch, inst, &k, true, tunes, err);
}

const LabKind lab_machine = { .measures = true,
                              .lesser = lab_machine_lesser,
                              .lesser_ahead = lab_machine_lesser_ahead,
                              .ahead = lab_machine_ahead,
                              .drop = lab_machine_drop,
                              .trials = machine_trials,
                              .compare = machine_compare };

const LabKind lab_emulator = { .lesser = lab_machine_lesser, .trials = lab_machine_untimed, .check = emulator_check };
