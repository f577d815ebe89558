/* SPDX-License-Identifier: Apache-2.0
 *
 * batch_verify: what is asked of a runner about the kernels of a batch before they are timed: whether they are right,
 * what they do, and how large their errors are.
 */
#include "search/measure/batch.h"

#include <math.h>
#include "search/measure/stopwatch.h"
#include "search/space/verify_shapes.h"

enum { COUNT_STEPS = 8 };                /* tiles of k that are counted */
static const double TELLING_FLOPS = 1e9; /* at most, of the shape that errors are told of */

typedef struct {
    Request q;
    Lab *lab;
    Batch *batch;
    const char *fact; /* which says how large the errors were; NULL: nobody asks */
    double until_s;   /* it is not begun after that, */
    bool *late;       /* nor when it was too late for one before it */
} Verification;

/* Into how many parts the call on the i-th awkward shape is split; some are more than it has tiles. A kernel on a GPU
 * is one launch; the emulator takes the number of cores that it may use. */
static int parts_of(const Lab *l, int i)
{
    static const int parts[] = { 1, 3, 1, 2, 1, 16 };
    if (l->study->target->family->splits_calls)
        return parts[(size_t)i % LENGTH(parts)];
    return l->shop->assembler ? l->shop->jobs : 1;
}

MeasureRequest verify_request(const Lab *l, const int64_t *extent, int threads, double deadline_s)
{
    MeasureRequest r = { .extent = extent, .threads = threads, .deadline_s = deadline_s };
    if (l->shop->assembler)
        target_fact(l->study->target, "SMEM_BLOCK", &r.smem_limit);
    return r;
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

static bool is_wanted(Request *q)
{
    const Verification *v = q->of;
    if (*v->late || !lab_still_wants(v->lab, &q->kernel))
        return false;
    *v->late = lab_now_s(v->lab) > v->until_s;
    return !*v->late;
}

/* Notes which kernels failed, with reasons that last as long as scratch (study_why), and what was told of them. */
static bool take_verification(Request *q, const char **err)
{
    (void)err;
    const Verification *v = q->of;
    Lab *l = v->lab;
    Batch *b = v->batch;
    for (int i = 0; i < q->kernel.n; i++) {
        const int at = q->kernel.at[i];
        const MeasureRecord *m = &q->out[i];
        for (int f = 0; f < m->nfact && q->measure.count; f++)
            batch_add_fact(b, at, arena_strdup(l->arena, m->fact[f].name), m->fact[f].value);
        if (m->status == STATUS_OK && v->fact)
            batch_add_fact(b, at, v->fact, llround(fmin(m->max_err * 1000, 1e15)));
        if (m->status == STATUS_OK)
            continue;
        if (m->blame != BLAME_CANDIDATE)
            study_leave(l->study, b->trial[at], m->why);
        else
            batch_member(l, b, at)->status = m->status;
        b->why[at] = study_why(l->study, q->arena, q->measure.extent, q->measure.threads, m->why ? m->why : "");
    }
    return true;
}

static Verification *ask(Lab *l, Arena *scratch, Batch *b, const MeasureRequest *r, double until_s, bool *late)
{
    Verification *v = ARENA_NEW(scratch, Verification);
    *v = (Verification){ .lab = l, .batch = b, .until_s = until_s, .late = late };
    v->q = (Request){ .arena = scratch, .of = v, .fill = is_wanted, .take = take_verification, .measure = *r };
    agents_ask(l->shop->agents, &v->q);
    return v;
}

/* Verifies n members from `first` on, on shapes around their tiles. *late: the time was up before the end. */
static bool verify_members(Lab *l, Arena *scratch, Batch *b, int first, int n, double until_s, bool *late,
                           const char **err)
{
    VerifyShapes w;
    const Candidate *candidate[REQUEST_MOST];
    for (int i = 0; i < n; i++)
        candidate[i] = &batch_member(l, b, first + i)->c;
    verify_shapes(l->study, candidate, n, &w);
    *late = false;
    for (int i = 0; i < w.n; i++) {
        MeasureRequest r = verify_request(l, w.extent[i], parts_of(l, i), stopwatch_deadline_s(l));
        r.gap = w.gap[i];
        r.lie = w.lie[i];
        r.data = w.edges[i] ? data_names[DATA_EDGES] : NULL;
        r.way = w.way[i];
        Verification *v = ask(l, scratch, b, &r, until_s, late);
        for (int j = first; j < first + n; j++)
            batch_add_member(l, b, j, r.extent, r.gap, &v->q.kernel);
    }
    return lab_work(l, err);
}

bool batch_verify(Lab *l, Arena *scratch, Batch *b, double until_s, bool first, const char **err)
{
    bool late = false, alone = l->shop->assembler;
    lab_show(l, scratch);
    for (int i = 0; i < b->n;) {
        const int step = alone ? 1 : b->n;
        if (!verify_members(l, scratch, b, i, step, first && alone ? INFINITY : until_s, &late, err))
            return false;
        if (late && first) { /* one of them alone takes less */
            alone = true;
            continue;
        }
        if (late)
            b->n = i;
        first = first && !batch_works(l, b, i);
        i += step;
    }
    return true;
}

bool batch_count(Lab *l, Arena *scratch, Batch *b, const char **err)
{
    bool late = false;
    for (int i = 0; i < b->n; i++) {
        const Candidate *c = &batch_member(l, b, i)->c;
        int64_t *extent = ARENA_ARRAY(scratch, OP_MAX_EXTENT, int64_t);
        if (candidate_is_fixed(c) || !verify_shapes_one_tile(l->study, c, COUNT_STEPS, extent))
            continue;
        MeasureRequest r = verify_request(l, extent, 1, stopwatch_deadline_s(l));
        r.count = true;
        batch_add_member(l, b, i, extent, 0, &ask(l, scratch, b, &r, INFINITY, &late)->q.kernel);
    }
    return lab_work(l, err);
}

bool batch_tell_errors(Lab *l, Arena *scratch, Batch *b, const char **err)
{
    static const struct {
        DataKind data;
        const char *fact;
    } told[] = { { DATA_NORMAL, "err_normal" }, { DATA_OUTLIERS, "err_outliers" }, { DATA_SPREAD, "err_spread" } };
    const Instance *of[REQUEST_MOST]; /* one a member: where its errors are told; NULL: nowhere */
    bool late = false;
    if (l->study->spec->accuracy <= 1)
        return true;
    for (int k = 0; k < b->n; k++) {
        const Candidate *c = &batch_member(l, b, k)->c;
        of[k] = candidate_is_fixed(c) ? NULL : telling_shape(l->study, c);
    }
    for (int64_t j = 0; j < l->study->nshape; j++) {
        const Instance *shape = l->study->shape[j];
        bool tells = false;
        for (int k = 0; k < b->n; k++)
            tells = tells || of[k] == shape;
        for (size_t i = 0; tells && i < LENGTH(told); i++) {
            MeasureRequest r = verify_request(l, shape->extent, 1, stopwatch_deadline_s(l));
            r.data = data_names[told[i].data];
            Verification *v = ask(l, scratch, b, &r, INFINITY, &late);
            v->fact = told[i].fact;
            for (int k = 0; k < b->n; k++)
                if (of[k] == shape)
                    batch_add_member(l, b, k, shape->extent, 0, &v->q.kernel);
        }
    }
    return lab_work(l, err);
}
