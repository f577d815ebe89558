/* SPDX-License-Identifier: Apache-2.0
 *
 * offline: the search where no device can be timed. Every shape names candidates that the analytic model ranks first;
 * they are compiled (registers, spills, size), executed by the emulator (every awkward shape; sectors, wavefronts,
 * barriers), and ranked again by what was found; the kernels chosen are executed on the shapes that they are chosen
 * for, and those that fail are replaced. Which candidates are looked at depends on nothing but the spec, the templates
 * and the target: the same command gives the same package on any machine.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "search/loop/search.h"
#include "search/measure/stopwatch.h"

enum { TRIALS = 48, BATCH = 12, MAX_RANKED = 20000, CHECK_ROUNDS = 8 };
_Static_assert((int)BATCH <= (int)REQUEST_MOST, "LabKind.trials takes no more");
static const double WORTH_A_LOOK = 1.25; /* of a shape's best prediction */
/* Operations that are emulated to check the choice; each kernel has its first check in any case. */
static const double CHECK_WORK = 12e9;

/* Lists members of the space that were not tried yet, of a large space an even sample, and returns how many. None has a
 * fixed extent: only a measurement can tell whether fixing one pays. */
static int64_t list_untried(const Search *q, int64_t *out)
{
    const Space *space = q->space;
    int64_t nplain = 0, k = 0, n = 0;
    for (int64_t i = 0; i < space->n; i++)
        nplain += !candidate_is_fixed(&space->candidate[i]);
    const int64_t stride = nplain / MAX_RANKED + 1;
    for (int64_t i = 0; i < space->n; i++)
        if (!candidate_is_fixed(&space->candidate[i]) && k++ % stride == 0 &&
            study_find(q->lab->study, &space->candidate[i]) < 0)
            out[n++] = i;
    return n;
}

typedef struct {
    int64_t n;
    Ranked *rank;
} Wishes;

/* Those of n untried candidates that are worth a look, given what is known of those that were tried. */
static Wishes wishes_of(const Search *q, Arena *scratch, const CostModel *m, const Instance *inst, const int64_t *at,
                        int64_t n)
{
    const Study *s = q->lab->study;
    Wishes w = { n, ARENA_ARRAY(scratch, (size_t)n + 1, Ranked) };
    double best = INFINITY;
    for (int64_t i = 0; i < s->ntrial; i++)
        best = s->trial[i].c.target == s->target ? fmin(best, cost_trial(m, i, inst)) : best;
    for (int64_t k = 0; k < n; k++) {
        w.rank[k] = (Ranked){ cost_predict(m, &q->space->candidate[at[k]], inst->extent, inst->threads), at[k] };
        best = fmin(best, w.rank[k].key);
    }
    qsort(w.rank, (size_t)n, sizeof *w.rank, ranked_compare);
    while (w.n && w.rank[w.n - 1].key > WORTH_A_LOOK * best)
        w.n--;
    return w;
}

static int propose_batch(const Search *q, Arena *scratch, Proposal *out, int most)
{
    const Study *s = q->lab->study;
    const CostModel *m = cost_fit(scratch, s, q->lab->templates);
    int64_t *untried = ARENA_ARRAY(scratch, (size_t)q->space->n + 1, int64_t), nuntried = list_untried(q, untried);
    bool *taken = ARENA_ARRAY(scratch, (size_t)q->space->n + 1, bool), any = true;
    Wishes *w = ARENA_ARRAY(scratch, (size_t)s->nshape + 1, Wishes);
    int n = 0;
    for (int64_t j = 0; j < s->nshape; j++)
        w[j] = wishes_of(q, scratch, m, s->shape[j], untried, nuntried);
    for (int64_t place = 0; any && n < most; place++) {
        any = false;
        for (int64_t j = 0; j < s->nshape && n < most; j++) {
            if (place >= w[j].n)
                continue;
            const int64_t at = w[j].rank[place].at;
            any = true;
            if (!taken[at])
                out[n++] = (Proposal){ .c = q->space->candidate[at] };
            taken[at] = true;
        }
    }
    return n;
}

/* True while there is time, or none of the first ones works: there is to be a result always. */
static bool may_go_on(const Lab *l, int64_t done)
{
    return lab_left_s(l, SEARCH_SHARE) > 0 || (done < BATCH && !study_choosable(l->study, -1, NULL));
}

static bool try_candidates(const Search *q, Arena *scratch, const char **err)
{
    Lab *l = q->lab;
    const int budget = l->study->spec->budget.trials;
    const int64_t most = budget < TRIALS ? budget : TRIALS;
    Proposal batch[BATCH];
    bool any;
    progress_phase(l->progress, "compile and emulate", (double)most);
    if (!l->kind->lesser(l, scratch, err) || !search_retries(q, scratch, SEARCH_SHARE, &any, err))
        return false;
    for (int64_t done; (done = lab_ntried(l)) < most && may_go_on(l, done);) {
        const double began_s = lab_now_s(l);
        const int size = lab_fitting(l, SEARCH_SHARE, BATCH), room = most - done < size ? (int)(most - done) : size;
        int n = search_general(q, batch, room);
        if (!n)
            n = propose_batch(q, scratch, batch, room);
        lab_show(l, scratch);
        if (!n)
            break;
        if (!l->kind->trials(l, scratch, batch, n, SEARCH_SHARE, err))
            return false;
        lab_count_effort(l, lab_now_s(l) - began_s, lab_ntried(l) - done);
        arena_reset(scratch);
    }
    return true;
}

/* ---- checking the choice ---- */

typedef struct {
    int64_t trial;
    const Instance *inst;
    double work; /* the product of the axes */
} Pair;

static int by_work(const void *x, const void *y)
{
    const Pair *a = x, *b = y;
    return a->work != b->work ? (a->work > b->work) - (a->work < b->work)
                              : memcmp(a->inst->extent, b->inst->extent, sizeof a->inst->extent);
}

/* The tuned instances and those at the ends of the ranges, each with the kernel that serves it; the smallest first. */
static int64_t list_chosen_pairs(const Spec *spec, Arena *scratch, const Assignment *as, Pair **out)
{
    *out = ARENA_ARRAY(scratch, (size_t)spec->ninstance + 1, Pair);
    int64_t n = 0;
    for (int64_t i = 0; i < spec->ninstance; i++) {
        const Instance *inst = &spec->instance[i];
        const bool end =
            i == 0 || i + 1 == spec->ninstance || inst->decl != inst[-1].decl || inst->decl != inst[1].decl;
        if (!inst->tuned && !end)
            continue;
        (*out)[n] = (Pair){ as->kernel[as->chosen[i]], inst, .work = 1 };
        for (int k = 0; k < spec->op->naxis; k++)
            (*out)[n].work *= (double)inst->extent[k];
        n++;
    }
    qsort(*out, (size_t)n, sizeof **out, by_work);
    return n;
}

static bool was_checked(const Lab *l, const Pair *p)
{
    const Records *r = record_all(l->shop->records);
    const Trial *t = &l->study->trial[p->trial];
    for (int64_t i = 0; i < r->nmeasure; i++) {
        const MeasureRecord *m = &r->measure[i];
        if (strcmp(m->key, t->key) == 0 && m->naxis == l->study->spec->op->ngiven && m->status == STATUS_OK &&
            strcmp(m->device, l->study->device->id) == 0 &&
            memcmp(m->extent, p->inst->extent, (size_t)m->naxis * sizeof *m->extent) == 0)
            return true;
    }
    return false;
}

/* Checks each kernel on the smallest shape that it serves, then on larger ones until CHECK_WORK is done. Where the time
 * is too short, the rest were right on awkward shapes, and it is said how many. *wrong: one is. */
static bool check_choice(Lab *l, Arena *scratch, const Assignment *as, bool *wrong, const char **err)
{
    Pair *pair;
    const int64_t n = list_chosen_pairs(l->study->spec, scratch, as, &pair);
    bool *seen = ARENA_ARRAY(scratch, (size_t)l->study->ntrial, bool); /* one a trial */
    const double began_s = lab_now_s(l);
    double work = 0, emulated = 0;                                     /* emulated: what of it this run does */
    bool *late = ARENA_ARRAY(scratch, (size_t)l->study->ntrial, bool); /* it has no check for want of time */
    int nlate = 0;
    *wrong = false;
    progress_phase(l->progress, "emulate the choice", (double)n);
    for (int64_t i = 0; i < n && !*wrong; i++) {
        const Pair *p = &pair[i];
        const bool known = was_checked(l, p);
        const double rate = emulated > 0 ? (lab_now_s(l) - began_s) / emulated : 0;
        progress_update(l->progress, (double)i, "", fmax(lab_left_s(l, 1), 0));
        if (work + p->work > CHECK_WORK && seen[p->trial])
            continue;
        if (!known && lab_left_s(l, HELD_OUT_SHARE) <= rate * p->work) {
            nlate += !seen[p->trial] && !late[p->trial];
            late[p->trial] = true;
            continue;
        }
        seen[p->trial] = true;
        if (!known && !l->kind->check(l, scratch, p->trial, p->inst->extent, err))
            return false;
        work += p->work;
        emulated += known ? 0 : p->work;
        *wrong = !trial_usable(&l->study->trial[p->trial]);
    }
    if (nlate && !*wrong)
        progress_line(l->progress,
                      "the time was too short to execute %d of the %d kernels on shapes that they serve: they were "
                      "right on the awkward shapes that each is verified on",
                      nlate, as->nkernel);
    return true;
}

bool offline_run(Search *q, Arena *scratch, const char **err)
{
    bool wrong = true;
    if (!try_candidates(q, scratch, err))
        return false;
    for (int round = 0; wrong && round < CHECK_ROUNDS; round++) {
        Selection c;
        if (!choose(q, scratch, &c, err) || !check_choice(q->lab, scratch, c.as, &wrong, err))
            return false;
    }
    if (wrong)
        *err = "too many of the kernels chosen turn out wrong on their own shapes";
    return !wrong;
}
