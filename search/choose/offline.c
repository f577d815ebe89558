/* SPDX-License-Identifier: Apache-2.0 */
#include "search/choose/offline.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "model/rank.h"
#include "search/choose/ending.h"
#include "search/choose/select.h"
#include "search/choose/settle.h"
#include "search/measure/lab_machine.h"
#include "search/space/cost.h"

enum { TRIALS = 48, BATCH = 12, MAX_RANKED = 20000, CHECK_ROUNDS = 8 };
static const double WORTH_A_LOOK = 1.25; /* of a shape's best prediction */
static const double CHECK_WORK = 12e9; /* operations that are emulated to check the choice, but for each kernel once */

/* ---- which candidates ---- */

/* Candidates not tried yet, the fastest on that shape first. Whether it pays to fix an extent only a measurement can tell. */
static int64_t rank_shape(const Search *q, const CostModel *m, int64_t shape, const bool *tried, Ranked *out)
{
    const Space *space = q->space;
    const Instance *inst = q->study->shape[shape];
    int64_t nplain = 0, n = 0;
    for (int64_t i = 0; i < space->n; i++)
        nplain += !candidate_is_fixed(&space->candidate[i]);
    const int64_t stride = nplain / MAX_RANKED + 1;
    for (int64_t i = 0, k = 0; i < space->n; i++)
        if (!candidate_is_fixed(&space->candidate[i]) && k++ % stride == 0 && !tried[i])
            out[n++] = (Ranked){ cost_predict(m, &space->candidate[i], inst->extent, inst->threads), i };
    qsort(out, (size_t)n, sizeof *out, ranked_compare);
    return n;
}

static void mark_tried(const Search *q, bool *tried)
{
    for (int64_t i = 0; i < q->space->n; i++)
        tried[i] = study_find(q->study, &q->space->candidate[i]) >= 0;
}

/* The best prediction for a shape, of those tried what is known of them included. */
static double best_known(const Search *q, const CostModel *m, int64_t shape)
{
    double best = INFINITY;
    for (int64_t i = 0; i < q->study->ntrial; i++)
        if (q->study->trial[i].c.target == q->study->target)
            best = fmin(best, cost_trial(m, i, q->study->shape[shape]));
    return best;
}

/* Every shape in turn names its best candidate that is not in yet, as long as it is worth a look. */
static int next_batch(const Search *q, Arena *scratch, Candidate *out, int most)
{
    const Study *s = q->study;
    CostModel *m = cost_fit(scratch, s, q->templates);
    bool *tried = ARENA_ARRAY(scratch, (size_t)q->space->n + 1, bool);
    Ranked **rank = ARENA_ARRAY(scratch, (size_t)s->nshape + 1, Ranked *);
    int64_t *nrank = ARENA_ARRAY(scratch, (size_t)s->nshape + 1, int64_t);
    int n = 0;
    mark_tried(q, tried);
    for (int64_t j = 0; j < s->nshape; j++) {
        rank[j] = ARENA_ARRAY(scratch, (size_t)(q->space->n < MAX_RANKED ? q->space->n : MAX_RANKED) + 1, Ranked);
        nrank[j] = rank_shape(q, m, j, tried, rank[j]);
        const double limit = WORTH_A_LOOK * fmin(best_known(q, m, j), nrank[j] ? rank[j][0].key : INFINITY);
        while (nrank[j] && rank[j][nrank[j] - 1].key > limit)
            nrank[j]--;
    }
    for (int64_t place = 0; n < most; place++) {
        bool any = false;
        for (int64_t j = 0; j < s->nshape && n < most; j++) {
            if (place >= nrank[j])
                continue;
            any = true;
            if (!tried[rank[j][place].at])
                out[n++] = q->space->candidate[rank[j][place].at];
            tried[rank[j][place].at] = true;
        }
        if (!any)
            break;
    }
    return n;
}

static int64_t tried_count(const Search *q)
{
    int64_t n = 0;
    for (int64_t i = 0; i < q->study->ntrial; i++)
        n += q->study->trial[i].built && q->study->trial[i].c.target == q->study->target;
    return n;
}

static int general_batch(const Search *q, Candidate *out)
{
    int n = 0;
    for (int i = 0; i < q->space->ngeneral && n < BATCH; i++) {
        const int64_t trial = study_find(q->study, &q->space->general[i]);
        if (trial < 0 || !q->study->trial[trial].built)
            out[n++] = q->space->general[i];
    }
    return n;
}

static bool try_candidates(Search *q, Arena *scratch, const char **err)
{
    const int budget = q->study->spec->budget.trials;
    const int64_t most = budget < TRIALS ? budget : TRIALS;
    Candidate batch[BATCH];
    progress_phase(q->progress, "compile and emulate", (double)most);
    if (!intake_lesser(q, scratch, err))
        return false;
    for (int n; (n = study_due(q->study, batch, BATCH)) > 0;)
        if (!intake_untimed(q, scratch, batch, n, err))
            return false;
    for (int64_t done; (done = tried_count(q)) < most;) {
        const int room = most - done < BATCH ? (int)(most - done) : BATCH;
        int n = general_batch(q, batch);
        if (!n)
            n = next_batch(q, scratch, batch, room);
        progress_update(q->progress, (double)done, "", 0);
        if (!n)
            break;
        if (!intake_untimed(q, scratch, batch, n, err))
            return false;
        arena_reset(scratch);
    }
    return true;
}

/* ---- checking the choice ---- */

/* A chosen kernel on an instance that it serves. */
typedef struct {
    int64_t trial;
    const Instance *inst;
    double work;
} Pair;

static int by_work(const void *x, const void *y)
{
    const Pair *a = x, *b = y;
    return a->work != b->work ? (a->work > b->work) - (a->work < b->work)
                              : memcmp(a->inst->extent, b->inst->extent, sizeof a->inst->extent);
}

static double work_of(const Search *q, const Instance *inst)
{
    double work = 1;
    for (int i = 0; i < q->study->spec->op->naxis; i++)
        work *= (double)inst->extent[i];
    return work;
}

/* The tuned instances and those at the ends of the ranges, each with the kernel that serves it; the smallest first. */
static int64_t chosen_pairs(const Search *q, Arena *scratch, const Assignment *as, Pair **out)
{
    const Spec *spec = q->study->spec;
    *out = ARENA_ARRAY(scratch, (size_t)spec->ninstance + 1, Pair);
    int64_t n = 0;
    for (int64_t i = 0; i < spec->ninstance; i++) {
        const Instance *inst = &spec->instance[i];
        const bool end =
            i == 0 || i + 1 == spec->ninstance || inst->decl != inst[-1].decl || inst->decl != inst[1].decl;
        if (inst->tuned || end)
            (*out)[n++] = (Pair){ as->kernel[as->chosen[i]], inst, work_of(q, inst) };
    }
    qsort(*out, (size_t)n, sizeof **out, by_work);
    return n;
}

/* It was right there in this run, or in one before. */
static bool was_checked(const Search *q, const Pair *p)
{
    const Records *r = record_all(q->records);
    const Trial *t = &q->study->trial[p->trial];
    for (int64_t i = 0; i < r->nmeasure; i++) {
        const MeasureRecord *m = &r->measure[i];
        if (strcmp(m->key, t->key) == 0 && m->status == STATUS_OK && strcmp(m->device, q->study->device->id) == 0 &&
            memcmp(m->extent, p->inst->extent, (size_t)m->naxis * sizeof *m->extent) == 0)
            return true;
    }
    return false;
}

/* The kernel serves none of the pairs before. */
static bool is_first(const Pair *pair, int64_t i)
{
    for (int64_t j = 0; j < i; j++)
        if (pair[j].trial == pair[i].trial)
            return false;
    return true;
}

/* Each kernel on the smallest shape that it serves, then on larger ones as long as that does not take too long. False also when one turned
 * out wrong: *again then. */
static bool check_choice(Search *q, Arena *scratch, const Assignment *as, bool *again, const char **err)
{
    Pair *pair;
    const int64_t n = chosen_pairs(q, scratch, as, &pair);
    double work = 0;
    *again = false;
    progress_phase(q->progress, "emulate the choice", (double)n);
    for (int64_t i = 0; i < n && !*again; i++) {
        progress_update(q->progress, (double)i, "", 0);
        if (work + pair[i].work > CHECK_WORK && !is_first(pair, i))
            continue;
        if (!was_checked(q, &pair[i]) && !intake_check(q, scratch, pair[i].trial, pair[i].inst->extent, err))
            return false;
        work += pair[i].work;
        *again = !trial_usable(&q->study->trial[pair[i].trial]);
    }
    return true;
}

static bool settle_choice(Search *q, Arena *scratch, const char **err)
{
    bool again = true;
    for (int round = 0; again && round < CHECK_ROUNDS; round++) {
        settle_reload(q);
        CostModel *m = cost_fit(scratch, q->study, q->templates);
        Assignment *as = select_kernels(scratch, q->study, m, SELECT_PACKAGE);
        if (!as) {
            *err = ending_text(q);
            return false;
        }
        if (!check_choice(q, scratch, as, &again, err))
            return false;
        arena_reset(scratch);
    }
    if (again)
        *err = "too many of the kernels chosen turn out wrong on their own shapes";
    return !again;
}

/* Asked before the study is made again of the records, which do not hold what the machine lacked. */
static bool has_kernel(Search *q, const char **err)
{
    for (int64_t i = 0; i < q->study->ntrial; i++)
        if (study_may_choose(q->study, &q->study->trial[i]))
            return true;
    *err = ending_text(q);
    return false;
}

bool offline_run(Search *q, const char **err)
{
    Arena *scratch = arena_new();
    *err = NULL;
    bool ok = try_candidates(q, scratch, err) && has_kernel(q, err) && settle_choice(q, scratch, err);
    arena_free(scratch);
    return ok;
}
