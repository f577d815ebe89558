/* SPDX-License-Identifier: Apache-2.0
 *
 * offline: the search where no device can be timed. Every shape names candidates that the analytic model ranks first; they are compiled
 * (registers, spills, size), executed by the emulator (every awkward shape; sectors, wavefronts, barriers), and ranked again by what was
 * found; the kernels chosen are executed on the shapes that they are chosen for, and those that fail are replaced. Which candidates are looked
 * at depends on nothing but the spec, the templates and the target: the same command gives the same package on any machine.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "model/rank.h"
#include "search/choose/match.h"
#include "search/choose/search.h"

enum { TRIALS = 48, BATCH = 12, MAX_RANKED = 20000, CHECK_ROUNDS = 8 };
static const double WORTH_A_LOOK = 1.25; /* of a shape's best prediction */
static const double CHECK_WORK = 12e9; /* operations that are emulated to check the choice, but for each kernel once */

/* ---- which candidates ---- */

/* Members of the space that one shape would try, the fastest first. */
typedef struct {
    int64_t n;
    Ranked *rank;
} Wishes;

/* The best prediction for a shape, of those tried what is known of them included. */
static double best_known(const Study *s, const CostModel *m, int64_t shape)
{
    double best = INFINITY;
    for (int64_t i = 0; i < s->ntrial; i++)
        if (s->trial[i].c.target == s->target)
            best = fmin(best, cost_trial(m, i, s->shape[shape]));
    return best;
}

/* Candidates not tried yet, as long as they are worth a look; of a large space an even sample. Whether it pays to fix an extent only a
 * measurement can tell. */
static Wishes wishes_of(const Search *q, Arena *scratch, const CostModel *m, int64_t shape, const bool *tried)
{
    const Space *space = q->space;
    const Instance *inst = q->lab->study->shape[shape];
    int64_t nplain = 0, k = 0;
    for (int64_t i = 0; i < space->n; i++)
        nplain += !candidate_is_fixed(&space->candidate[i]);
    const int64_t stride = nplain / MAX_RANKED + 1;
    Wishes w = { 0, ARENA_ARRAY(scratch, (size_t)(nplain / stride) + 1, Ranked) };
    for (int64_t i = 0; i < space->n; i++)
        if (!candidate_is_fixed(&space->candidate[i]) && k++ % stride == 0 && !tried[i])
            w.rank[w.n++] = (Ranked){ cost_predict(m, &space->candidate[i], inst->extent, inst->threads), i };
    qsort(w.rank, (size_t)w.n, sizeof *w.rank, ranked_compare);
    const double limit = WORTH_A_LOOK * fmin(best_known(q->lab->study, m, shape), w.n ? w.rank[0].key : INFINITY);
    while (w.n && w.rank[w.n - 1].key > limit)
        w.n--;
    return w;
}

/* Every shape in turn names its best candidate that is not in yet. */
static int next_batch(const Search *q, Arena *scratch, Proposal *out, int most)
{
    const Study *s = q->lab->study;
    const CostModel *m = cost_fit(scratch, s, q->lab->templates);
    bool *tried = ARENA_ARRAY(scratch, (size_t)q->space->n + 1, bool), any = true;
    Wishes *w = ARENA_ARRAY(scratch, (size_t)s->nshape + 1, Wishes);
    int n = 0;
    for (int64_t i = 0; i < q->space->n; i++)
        tried[i] = study_find(s, &q->space->candidate[i]) >= 0;
    for (int64_t j = 0; j < s->nshape; j++)
        w[j] = wishes_of(q, scratch, m, j, tried);
    for (int64_t place = 0; any && n < most; place++) {
        any = false;
        for (int64_t j = 0; j < s->nshape && n < most; j++) {
            if (place >= w[j].n)
                continue;
            const int64_t at = w[j].rank[place].at;
            any = true;
            if (!tried[at])
                out[n++] = (Proposal){ .c = q->space->candidate[at] };
            tried[at] = true;
        }
    }
    return n;
}

static bool try_candidates(const Search *q, Arena *scratch, const char **err)
{
    Lab *l = q->lab;
    const int budget = l->study->spec->budget.trials;
    const int64_t most = budget < TRIALS ? budget : TRIALS;
    Proposal batch[BATCH];
    bool any;
    progress_phase(l->progress, "compile and emulate", (double)most);
    if (!l->kind->lesser(l, scratch, err) || !search_again(q, scratch, INFINITY, &any, err))
        return false;
    for (int64_t done; (done = lab_ntried(l)) < most;) {
        int n = search_general(q, batch, BATCH);
        if (!n)
            n = next_batch(q, scratch, batch, most - done < BATCH ? (int)(most - done) : BATCH);
        progress_update(l->progress, (double)done, "", 0);
        if (!n)
            break;
        if (!l->kind->trials(l, scratch, batch, n, INFINITY, err))
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

static double work_of(const Spec *s, const Instance *inst)
{
    double work = 1;
    for (int i = 0; i < s->op->naxis; i++)
        work *= (double)inst->extent[i];
    return work;
}

/* The tuned instances and those at the ends of the ranges, each with the kernel that serves it; the smallest first. */
static int64_t chosen_pairs(const Spec *spec, Arena *scratch, const Assignment *as, Pair **out)
{
    *out = ARENA_ARRAY(scratch, (size_t)spec->ninstance + 1, Pair);
    int64_t n = 0;
    for (int64_t i = 0; i < spec->ninstance; i++) {
        const Instance *inst = &spec->instance[i];
        const bool end =
            i == 0 || i + 1 == spec->ninstance || inst->decl != inst[-1].decl || inst->decl != inst[1].decl;
        if (inst->tuned || end)
            (*out)[n++] = (Pair){ as->kernel[as->chosen[i]], inst, work_of(spec, inst) };
    }
    qsort(*out, (size_t)n, sizeof **out, by_work);
    return n;
}

/* It was right there in this run, or in one before. */
static bool was_checked(const Lab *l, const Pair *p)
{
    const Records *r = record_all(l->shop->records);
    const Trial *t = &l->study->trial[p->trial];
    for (int64_t i = 0; i < r->nmeasure; i++) {
        const MeasureRecord *m = &r->measure[i];
        if (strcmp(m->key, t->key) == 0 && m->status == STATUS_OK && strcmp(m->device, l->study->device->id) == 0 &&
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

/* Each kernel on the smallest shape that it serves, then on larger ones as long as that does not take too long. *again: one turned out
 * wrong. */
static bool check_choice(Lab *l, Arena *scratch, const Assignment *as, bool *again, const char **err)
{
    Pair *pair;
    const int64_t n = chosen_pairs(l->study->spec, scratch, as, &pair);
    double work = 0;
    *again = false;
    progress_phase(l->progress, "emulate the choice", (double)n);
    for (int64_t i = 0; i < n && !*again; i++) {
        const Pair *p = &pair[i];
        progress_update(l->progress, (double)i, "", 0);
        if (work + p->work > CHECK_WORK && !is_first(pair, i))
            continue;
        if (!was_checked(l, p) && !l->kind->check(l, scratch, p->trial, p->inst->extent, err))
            return false;
        work += p->work;
        *again = !trial_usable(&l->study->trial[p->trial]);
    }
    return true;
}

bool offline_run(Search *q, Arena *scratch, const char **err)
{
    bool again = true;
    if (!try_candidates(q, scratch, err))
        return false;
    /* Asked before the study is made again of the records, which do not hold what the machine lacked. */
    if (match_usable(q->lab->study, -1, NULL) == 0) {
        *err = ending_text(q);
        return false;
    }
    for (int round = 0; again && round < CHECK_ROUNDS; round++) {
        Selection c;
        if (!reselect(q, scratch, &c, err) || !check_choice(q->lab, scratch, c.as, &again, err))
            return false;
    }
    if (again)
        *err = "too many of the kernels chosen turn out wrong on their own shapes";
    return !again;
}
