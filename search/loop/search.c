/* SPDX-License-Identifier: Apache-2.0
 *
 * search: proposes rounds of candidates and has them measured, then has the race held that the choice rests on.
 */
#include "search/loop/search.h"

#include <math.h>
#include <string.h>
#include "search/measure/stopwatch.h"

enum {
    BATCH = 12,       /* candidates in a round */
    AHEAD_BATCH = 8,  /* in one that few cores compile while another is measured: neither waits long for the other */
    ASIDE_BATCH = 16, /* in one that all cores compile meanwhile */
    DEPTH = 2,        /* rounds under way in that case: one is compiled, one is measured */
    FIRST_BATCH = 8   /* general kernels in a round, at most */
};
_Static_assert((int)ASIDE_BATCH <= (int)REQUEST_MOST && (int)BATCH <= (int)ASIDE_BATCH, "LabKind.trials takes no more");
/* The search ends after PATIENCE rounds in a row with a smaller expected gain than WORTH, but not before LEAST_ROUNDS
 * rounds: a model of few measurements may be too sure. */
static const double WORTH = 5e-4;
static const double FAR_SLOWER = 4; /* so many times the time of the fastest general kernel is no time for an anchor */
enum { PATIENCE = 2, LEAST_ROUNDS = 4 };

bool search_builds_ahead(const Study *s)
{
    return s->target->family->off_cpu || s->device->cores > s->spec->threads[s->spec->nthread - 1]; /* they ascend */
}

static bool serves_spec(const Spec *spec, const Candidate *c)
{
    bool all = true;
    for (int64_t i = 0; all && c->t->serves && i < spec->ninstance; i++)
        all = candidate_serves(c, spec, spec->instance[i].extent);
    return all;
}

/* The predicted times of a general kernel on the tuned shapes, each as a multiple of the best general kernel's: their
 * mean, and the least. The mean is infinite if it does not serve all shapes of the spec. */
typedef struct {
    double mean, least;
} Slowness;

static Slowness slowness(const Space *space, const CostModel *m, const Study *s, int general)
{
    double sum = 0, least = INFINITY;
    for (int64_t j = 0; j < s->nshape; j++) {
        const Instance *inst = s->shape[j];
        double fastest = INFINITY;
        for (int k = 0; k < space->ngeneral; k++)
            fastest = fmin(fastest, cost_predict(m, &space->general[k], inst->extent, inst->threads));
        const double slow = cost_predict(m, &space->general[general], inst->extent, inst->threads) / fastest;
        sum += slow;
        least = fmin(least, slow);
    }
    return serves_spec(s->spec, &space->general[general]) ? (Slowness){ sum / (double)s->nshape, least }
                                                          : (Slowness){ INFINITY, least };
}

/* Chooses the anchor, the kernel that all times are divided by, timed beside all others: the general kernel with the
 * least predicted time; where closed forms do not rank templates, the first one that is not far slower than that, as
 * one is that serves whatever others do not. Later runs must choose the same one, so no measurement decides. */
static const Candidate *choose_anchor(Search *q, Arena *scratch)
{
    const Space *space = q->space;
    Study unrated = *q->lab->study;
    unrated.rated = NULL;
    unrated.has_cold = false;
    const CostModel *m = cost_analytic(scratch, &unrated, q->lab->templates);
    Slowness *slow = ARENA_ARRAY(scratch, (size_t)space->ngeneral + 1, Slowness);
    double least = INFINITY;
    q->far_slower = ARENA_ARRAY(q->lab->arena, (size_t)space->ngeneral + 1, bool);
    for (int i = 0; i < space->ngeneral; i++) {
        slow[i] = slowness(space, m, &unrated, i);
        least = fmin(least, slow[i].mean);
        q->far_slower[i] = slow[i].least > FAR_SLOWER;
    }
    const double most = unrated.target->family->ranks_templates ? least : FAR_SLOWER * least;
    for (int i = 0; i < space->ngeneral; i++)
        if (slow[i].mean <= most)
            return &space->general[i];
    return space->ngeneral ? &space->general[0] : NULL;
}

/* Proposes to measure a candidate in any case, on shapes that it serves, spread over the ranges. */
static Proposal proposal_of(const Study *s, const Candidate *c)
{
    Proposal p = { .c = *c, .gain = 1 };
    int64_t n = 0, seen = 0;
    for (int64_t j = 0; j < s->nshape; j++)
        n += candidate_serves(c, s->spec, s->shape[j]->extent);
    const int64_t most = n < PROPOSE_SHAPES ? n : PROPOSE_SHAPES;
    for (int64_t j = 0; j < s->nshape && p.nshape < most; j++)
        if (candidate_serves(c, s->spec, s->shape[j]->extent) && seen++ == n * p.nshape / most)
            p.shape[p.nshape++] = j;
    return p;
}

int search_general(const Search *q, Proposal *out, int most)
{
    Study *s = q->lab->study;
    int n = 0;
    for (int i = 0; i < q->space->ngeneral && n < most; i++) {
        if (q->far_slower && q->far_slower[i])
            continue;
        const int64_t trial = study_add(s, &q->space->general[i]);
        if (!s->trial[trial].built && !s->trial[trial].in_flight)
            out[n++] = proposal_of(s, &q->space->general[i]);
    }
    return n;
}

bool search_retries(const Search *q, Arena *scratch, double share, bool *any, const char **err)
{
    Lab *l = q->lab;
    Candidate c[BATCH];
    Proposal p[BATCH];
    for (int n; lab_left_s(l, share) > 0 && (n = study_due(l->study, c, BATCH)) > 0; *any = true) {
        for (int i = 0; i < n; i++)
            p[i] = proposal_of(l->study, &c[i]);
        if (!l->kind->trials(l, scratch, p, n, share, err))
            return false;
        arena_reset(scratch);
    }
    return true;
}

/* ---- rounds ---- */

typedef struct {
    int n;
    Proposal p[ASIDE_BATCH];
} Round;

typedef struct {
    Rng rng;
    int64_t n, nmeasured; /* rounds that were proposed, and measured */
    double began_s;
    int64_t idle; /* rounds in a row, up to the last one, that promised too little */
    int nwaiting; /* rounds that wait to be measured: one, or DEPTH where candidates are built ahead */
    Round waiting[DEPTH];
} Rounds;

/* Where candidates are built ahead, says of each whether it is under way, so that it is not proposed twice. */
static void set_in_flight(const Search *q, const Round *x, bool in_flight)
{
    Study *s = q->lab->study;
    for (int i = 0; i < x->n && q->ahead; i++) {
        const int64_t trial = study_add(s, &x->p[i].c); /* which may move s->trial */
        s->trial[trial].in_flight = in_flight;
    }
}

/* Nothing is measured while the first round is compiled, so it may be a large one, unless the time is short. */
static int round_size(const Search *q, const Rounds *r)
{
    const bool off_cpu = q->lab->study->target->family->off_cpu;
    return lab_fitting(q->lab, SEARCH_SHARE, off_cpu ? ASIDE_BATCH : q->ahead && r->n ? AHEAD_BATCH : BATCH);
}

static bool knows_any(const Study *s)
{
    for (int64_t i = 0; i < s->ntrial; i++)
        if (study_may_pick(s, &s->trial[i]))
            return true;
    return false;
}

/* The trials that the budget counts: not those that were only verified, for calls that others do not serve. */
static int64_t nspent(const Lab *l)
{
    const Study *s = l->study;
    int64_t n = lab_ntried(l);
    for (const Trial *t = s->trial; t < s->trial + s->ntrial && !s->device->modelled; t++)
        n -= t->c.target == s->target && trial_usable(t) && !trial_timed(s, t);
    return n;
}

/* False: no candidate is worth the time, or what comes of the rounds that wait is to be seen first. The size of a round
 * does not depend on the number of compilers, so that machines of one kind try the same in ample time. */
static bool propose_round(const Search *q, Arena *scratch, Rounds *r, Round *out)
{
    const Lab *l = q->lab;
    const CostModel *m = q->strategy->models ? cost_fit(scratch, l->study, l->templates) : NULL;
    const int size = round_size(q, r);
    int64_t most = l->study->spec->budget.trials - nspent(l);
    double gain = 0;
    for (int i = 0; i < r->nwaiting; i++)
        most -= r->waiting[i].n;
    most = most < size ? most : size;
    if (most <= 0)
        return false;
    out->n = search_general(q, out->p, most < FIRST_BATCH ? (int)most : FIRST_BATCH);
    if (out->n < most)
        out->n += q->strategy->propose(scratch, l->study, q->space, m, &r->rng, out->p + out->n, (int)most - out->n);
    for (int i = 0; i < out->n; i++)
        gain = fmax(gain, out->p[i].gain);
    if (!(gain > WORTH) && r->nwaiting > 0)
        return false;
    r->idle = gain > WORTH ? 0 : r->idle + 1;
    r->n++;
    return out->n > 0 && (r->idle < PATIENCE || r->n <= LEAST_ROUNDS);
}

/* Proposes rounds until `most` wait to be measured, or no more is worth it. */
static bool plan_rounds(const Search *q, Arena *scratch, Rounds *r, int most, const char **err)
{
    while (r->nwaiting < most) {
        Round *x = &r->waiting[r->nwaiting];
        if (!propose_round(q, scratch, r, x))
            return true;
        r->nwaiting++;
        set_in_flight(q, x, true);
        if (q->ahead && q->lab->kind->ahead && !q->lab->kind->ahead(q->lab, x->p, x->n, err))
            return false;
    }
    return true;
}

static bool measure_round(const Search *q, Arena *scratch, Rounds *r, const char **err)
{
    Lab *l = q->lab;
    const Round x = r->waiting[0];
    memmove(r->waiting, r->waiting + 1, (size_t)--r->nwaiting * sizeof *r->waiting);
    const bool ok =
        calibrate_when_due(l, scratch, false, err) && l->kind->trials(l, scratch, x.p, x.n, SEARCH_SHARE, err);
    set_in_flight(q, &x, false);
    lab_show(l, scratch);
    return ok;
}

/* True while there is time; and beyond it until a first round was measured and a kernel works. */
static bool may_go_on(const Lab *l)
{
    return nspent(l) < l->study->spec->budget.trials &&
           (lab_left_s(l, SEARCH_SHARE) > 0 || (lab_ntried(l) < BATCH && !knows_any(l->study)));
}

static bool search_rounds(const Search *q, Arena *scratch, Rounds *r, int64_t most, const char **err)
{
    Lab *l = q->lab;
    for (; r->nmeasured < most && may_go_on(l); r->nmeasured++) {
        const int64_t before = lab_ntried(l);
        if (*l->stop) {
            *err = "interrupted";
            return false;
        }
        if (!plan_rounds(q, scratch, r, q->ahead ? DEPTH : 1, err))
            return false;
        if (!r->nwaiting)
            return true;
        if (!measure_round(q, scratch, r, err))
            return false;
        if (r->nmeasured == 0) /* what later ones take is hidden behind measuring */
            lab_count_effort(l, lab_now_s(l) - r->began_s, lab_ntried(l) - before);
        arena_reset(scratch);
    }
    return true;
}

/* Proposes and measures the first round alone, so that the device has work early. All else is built meanwhile. */
static bool begin_rounds(const Search *q, Arena *scratch, Rounds *r, const char **err)
{
    Lab *l = q->lab;
    if (!plan_rounds(q, scratch, r, 1, err) || (l->kind->lesser_ahead && !l->kind->lesser_ahead(l, err)))
        return false;
    if (!l->brief)
        library_begin(l);
    const bool ok = search_rounds(q, scratch, r, 1, err);
    arena_reset(scratch);
    return ok;
}

/* *any: something was tried once more. */
static bool search_phase(const Search *q, Arena *scratch, bool *any, const char **err)
{
    Lab *l = q->lab;
    Rounds *r = ARENA_NEW(l->arena, Rounds);
    r->rng = (Rng){ q->seed };
    r->began_s = lab_now_s(l);
    progress_phase(l->progress, "search", l->study->spec->budget.trials);
    const bool ok = (!q->ahead || begin_rounds(q, scratch, r, err)) &&
                    (!l->kind->lesser || l->kind->lesser(l, scratch, err)) &&
                    search_retries(q, scratch, SEARCH_SHARE, any, err) && search_rounds(q, scratch, r, INT64_MAX, err);
    if (q->ahead && l->kind->drop)
        l->kind->drop(l);
    return ok;
}

/* ---- the choice, and the race that it rests on ---- */

bool choose(Search *q, Arena *scratch, Selection *c, const char **err)
{
    const Lab *l = q->lab;
    const double began_s = lab_now_s(l);
    arena_reset(scratch);
    study_take_in(l->study);
    c->m = cost_fit(scratch, l->study, l->templates);
    c->as = select_kernels(scratch, l->study, c->m);
    c->took_s = lab_now_s(l) - began_s;
    if (!c->as)
        *err = ending_text(q);
    return c->as;
}

/* True if all that the package will state is known: of every tuned shape, and of enough that are held out. */
static bool is_known(const Study *s, Arena *scratch, const Assignment *as)
{
    const Contract *c = contract_make(scratch, s, as);
    const int64_t all = study_nheld_out(s);
    return !contract_missing(c) && c->held_out.nshape >= (all < HELD_OUT_LEAST ? all : HELD_OUT_LEAST);
}

/* Chooses, and holds a round of the race on tuned shapes and those that join, while that is worth it. *c: the last. */
static bool race_tuned(Search *q, Arena *scratch, Selection *c, const char **err)
{
    Lab *l = q->lab;
    progress_phase(l->progress, "race", l->seconds);
    for (int64_t held = 1; held > 0;) {
        const Instance **inst;
        if (!choose(q, scratch, c, err) || !calibrate_when_due(l, scratch, false, err))
            return false;
        if (lab_left_s(l, TUNED_SHARE) <= 0)
            return true;
        const int64_t n = heldout_join(scratch, l->study, c, &inst);
        if (!race_round(l, scratch, c, inst, n, true, lab_until_s(l, TUNED_SHARE), &held, err))
            return false;
    }
    return true;
}

/* Holds the race on a sample of held-out shapes, until nothing more is worth it or some kernel fails. */
static bool race_held_out(Search *q, Arena *scratch, const Selection *c, const char **err)
{
    Lab *l = q->lab;
    const Spec *spec = l->study->spec;
    const Instance *inst[HELD_OUT_MOST];
    int64_t at[HELD_OUT_MOST];
    const int n = heldout_sample(scratch, l->study, c, q->seed, HELD_OUT_MOST, at);
    const int64_t usable = study_choosable(l->study, -1, NULL);
    for (int i = 0; i < n; i++)
        inst[i] = &spec->instance[at[i]];
    progress_phase(l->progress, "hold out", l->seconds);
    for (int64_t held = 1; held > 0 && study_choosable(l->study, -1, NULL) == usable;)
        if (!race_round(l, scratch, c, inst, n, false, lab_until_s(l, HELD_OUT_SHARE), &held, err))
            return false;
    return true;
}

/* fresh: this run measured something. A run that adds nothing to a finished one holds no race: the same command again
 * gives the same package. A kernel that turns out wrong is dropped, and all of this begins anew. */
static bool race(Search *q, Arena *scratch, bool fresh, const char **err)
{
    Lab *l = q->lab;
    Selection c;
    for (int64_t usable = -1; usable != study_choosable(l->study, -1, NULL);) {
        if (!choose(q, scratch, &c, err))
            return false;
        if (!fresh && is_known(l->study, scratch, c.as))
            return true;
        if (!race_tuned(q, scratch, &c, err))
            return false;
        usable = study_choosable(l->study, -1, NULL);
        if (!race_held_out(q, scratch, &c, err))
            return false;
    }
    return true;
}

bool search_compile(Search *q, const char **err)
{
    Arena *scratch = arena_new();
    bool any = false;
    *err = NULL;
    q->lab->anchor = choose_anchor(q, scratch);
    const bool ok = search_phase(q, scratch, &any, err);
    if (ok)
        library_build(q->lab);
    arena_free(scratch);
    return ok;
}

static bool timed_run(Search *q, Arena *scratch, const char **err)
{
    Lab *l = q->lab;
    l->anchor = choose_anchor(q, scratch);
    const int64_t before = lab_ntried(l);
    bool retried = false;
    if (!calibrate_first(l, scratch, err) || !search_phase(q, scratch, &retried, err))
        return false;
    if (l->kind->measures && !l->brief)
        library_build(l);
    return calibrate_when_due(l, scratch, true, err) && race(q, scratch, retried || lab_ntried(l) > before, err);
}

bool search_run(Search *q, const char **err)
{
    Arena *scratch = arena_new();
    const int trials = q->lab->study->spec->budget.trials, usual = trials < BATCH ? trials : BATCH;
    *err = NULL;
    q->lab->brief = lab_fitting(q->lab, SEARCH_SHARE, usual) < usual;
    const bool ok = q->lab->kind->compare ? timed_run(q, scratch, err) : offline_run(q, scratch, err);
    arena_free(scratch);
    return ok;
}
