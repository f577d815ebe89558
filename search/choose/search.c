/* SPDX-License-Identifier: Apache-2.0
 *
 * search: proposes rounds of candidates and has them measured, then compares the finalists. settle.c has what follows.
 */
#include "search/choose/search.h"

#include <math.h>
#include <string.h>
#include "search/choose/match.h"
#include "search/choose/select.h"
#include "search/measure/lab.h"
#include "search/measure/stopwatch.h"

enum {
    BATCH = 12,       /* candidates in a round */
    AHEAD_BATCH = 16, /* candidates in a round that is compiled on all cores while another is measured */
    DEPTH = 2,        /* rounds under way in that case: one is compiled, one is measured */
    FIRST_BATCH = 8,  /* general kernels in a round, at most */
    MAX_FINALIST = 24
};
_Static_assert((int)AHEAD_BATCH <= (int)STOPWATCH_MOST && (int)BATCH <= (int)AHEAD_BATCH,
               "LabKind.trials takes no more");
/* The search ends after PATIENCE rounds in a row with a smaller expected gain than WORTH, but not before LEAST_ROUNDS rounds: a model of few
 * measurements may be too sure. */
static const double WORTH = 5e-4;
static const double FAR_SLOWER = 4; /* so many times the time of the fastest general kernel is no time for an anchor */
enum { PATIENCE = 2, LEAST_ROUNDS = 4 };

/* The predicted time of a general kernel over all tuned shapes, each relative to the best general kernel's: 1 is the least. */
static double slowness(const Space *space, const CostModel *m, const Study *s, int general)
{
    double sum = 0;
    for (int64_t j = 0; j < s->nshape; j++) {
        const Instance *inst = s->shape[j];
        double fastest = INFINITY;
        for (int k = 0; k < space->ngeneral; k++)
            fastest = fmin(fastest, cost_predict(m, &space->general[k], inst->extent, inst->threads));
        sum += cost_predict(m, &space->general[general], inst->extent, inst->threads) / fastest;
    }
    return sum / (double)s->nshape;
}

/* Chooses the anchor, the kernel that all times are divided by, and that is timed beside all others: the general kernel with the least predicted time;
 * where closed forms do not rank templates, the first one that is not far slower than that, as a template is where it serves calls that it is not
 * for. Later runs must choose the same one, so it depends on no measurement, nor on measured rates. */
static const Candidate *choose_anchor(const Search *q, Arena *scratch)
{
    const Space *space = q->space;
    Study unrated = *q->lab->study;
    unrated.rated = NULL;
    const CostModel *m = cost_analytic(scratch, &unrated, q->lab->templates);
    double *slow = ARENA_ARRAY(scratch, (size_t)space->ngeneral + 1, double), least = INFINITY;
    for (int i = 0; i < space->ngeneral; i++) {
        slow[i] = slowness(space, m, &unrated, i);
        least = fmin(least, slow[i]);
    }
    const double most = unrated.target->family->ranks_templates ? least : FAR_SLOWER * least;
    for (int i = 0; i < space->ngeneral; i++)
        if (slow[i] <= most)
            return &space->general[i];
    return space->ngeneral ? &space->general[0] : NULL;
}

/* Proposes to measure a candidate in any case, on shapes spread over the ranges. */
static Proposal proposal_of(const Study *s, const Candidate *c)
{
    Proposal p = { .c = *c, .gain = 1 };
    for (; p.nshape < PROPOSE_SHAPES && p.nshape < s->nshape; p.nshape++)
        p.shape[p.nshape] = s->nshape * p.nshape / PROPOSE_SHAPES;
    return p;
}

int search_general(const Search *q, Proposal *out, int most)
{
    Study *s = q->lab->study;
    int n = 0;
    for (int i = 0; i < q->space->ngeneral && n < most; i++) {
        const int64_t trial = study_add(s, &q->space->general[i]);
        if (!s->trial[trial].built && !s->trial[trial].in_flight)
            out[n++] = proposal_of(s, &q->space->general[i]);
    }
    return n;
}

bool search_again(const Search *q, Arena *scratch, double share, bool *any, const char **err)
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

/* Candidates that are proposed together. */
typedef struct {
    int n;
    Proposal p[AHEAD_BATCH];
} Round;

/* The rounds of a search. */
typedef struct {
    Rng rng;
    int64_t n, nmeasured; /* rounds that were proposed, and measured */
    int64_t idle;         /* rounds in a row, up to the last one, that promised too little */
    int nwaiting;         /* rounds that wait to be measured: one, or DEPTH where candidates are built ahead */
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

/* False: no candidate is worth the time, or what comes of the rounds that wait is to be seen first. The size of a round does not depend on the
 * number of compilers, so that machines of one kind try the same. */
static bool propose_round(const Search *q, Arena *scratch, Rounds *r, Round *out)
{
    const Lab *l = q->lab;
    const CostModel *m = q->strategy->models ? cost_fit(scratch, l->study, l->templates) : NULL;
    const int size = q->ahead ? AHEAD_BATCH : BATCH;
    int64_t most = l->study->spec->budget.trials - lab_ntried(l);
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
        if (q->ahead && !q->lab->kind->ahead(q->lab, x->p, x->n, err))
            return false;
    }
    return true;
}

/* Measures the round that has waited longest. */
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

/* The first round is measured even if the time is up, so that there is always a result. */
static bool search_rounds(const Search *q, Arena *scratch, Rounds *r, int64_t most, const char **err)
{
    const Lab *l = q->lab;
    for (int64_t n; r->nmeasured < most && (n = lab_ntried(l)) < l->study->spec->budget.trials &&
                    (lab_left_s(l, SEARCH_SHARE) > 0 || n == 0);
         r->nmeasured++) {
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
        arena_reset(scratch);
    }
    return true;
}

/* Proposes and measures the first round alone, so that the device has work early. All else is built while that is measured. */
static bool begin_rounds(const Search *q, Arena *scratch, Rounds *r, const char **err)
{
    Lab *l = q->lab;
    if (!plan_rounds(q, scratch, r, 1, err) || !l->kind->lesser_ahead(l, err))
        return false;
    library_begin(l);
    const bool ok = search_rounds(q, scratch, r, 1, err);
    arena_reset(scratch);
    return ok;
}

/* *any: something was tried again. */
static bool search_phase(const Search *q, Arena *scratch, bool *any, const char **err)
{
    Lab *l = q->lab;
    Rounds *r = ARENA_NEW(l->arena, Rounds);
    r->rng = (Rng){ q->seed };
    progress_phase(l->progress, "search", l->study->spec->budget.trials);
    const bool ok = (!q->ahead || begin_rounds(q, scratch, r, err)) &&
                    (!l->kind->lesser || l->kind->lesser(l, scratch, err)) &&
                    search_again(q, scratch, SEARCH_SHARE, any, err) && search_rounds(q, scratch, r, INT64_MAX, err);
    if (q->ahead)
        l->kind->drop(l);
    return ok;
}

/* ---- the last comparison ---- */

/* Enters for each shape the kernels that come near the best of n trials, and as the last one the anchor. Returns what one sample of all matches
 * takes. */
static double make_matches(const Lab *l, const CostModel *m, const int64_t *trial, int64_t n, Match *match)
{
    const Study *s = l->study;
    const int64_t base = lab_anchor(l);
    double ns = 0;
    for (int64_t j = 0; j < s->nshape; j++) {
        Match *x = &match[j];
        *x = (Match){ .inst = s->shape[j] };
        const double best = match_near(x, &match_rules[MATCH_FINALISTS], m, trial, n, base);
        if (base >= 0 && trial_usable(&s->trial[base]))
            match_enter(x, base, cost_trial(m, base, x->inst));
        x->library_ns = l->shop && l->shop->library.so ? best : 0;
        ns += match_ns(x);
    }
    return ns;
}

/* Holds all matches, several times over. The first pass is held, with fewer kernels where time is short, as long as any time is left; a later
 * one if the fewest samples fit into the phase. ns: one sample of all matches. */
static bool hold_matches(Lab *l, Arena *scratch, Match *match, double ns, const char **err)
{
    const MatchRule *rule = &match_rules[MATCH_FINALISTS];
    const Study *s = l->study;
    const int64_t nshape = s->nshape, n = rule->passes * nshape;
    double first_ns = ns, all_ns = rule->passes * ns; /* one sample of what is left of the first pass, and of all */
    progress_phase(l->progress, "compare", (double)n);
    for (int64_t i = 0; i < n; i++) {
        const int pass = (int)(i / nshape);
        Match *m = &match[i % nshape];
        const double planned_ns = match_ns(m);
        progress_update(l->progress, (double)i, lab_best_text(l, scratch), fmax(lab_left_s(l, FINAL_SHARE), 0));
        if (pass == 0) {
            const double first_s = stopwatch_expect_s(l, (double)(nshape - i), first_ns, rule->few_repeats);
            const double part = match_expect_s(l, m, rule->few_repeats) / first_s;
            match_shrink(l, m, rule->few_repeats, part * lab_left_s(l, FINAL_SHARE));
        }
        const bool fits = pass == 0 || match_expect_s(l, m, rule->few_repeats) <= lab_left_s(l, FINAL_SHARE);
        if (fits && lab_left_s(l, 1) > 0 && !match_was_held(s, i % nshape, m, pass + 1)) {
            int repeats = rule->repeats;
            while (repeats > rule->few_repeats &&
                   stopwatch_expect_s(l, (double)(n - i), all_ns, repeats) > lab_left_s(l, FINAL_SHARE))
                repeats--;
            if (!calibrate_when_due(l, scratch, false, err) || !match_hold(l, scratch, m, repeats, true, NULL, err))
                return false;
        }
        first_ns -= planned_ns;
        all_ns -= planned_ns;
    }
    return true;
}

/* Compares the finalists: twice as many kernels as the package may keep, fewer when time is short; or all trials, where the strategy compares
 * all. Each meets the others on every shape where it comes near the best, so that the choice is made between times that were taken
 * side by side. */
static bool final_phase(Search *q, Arena *scratch, const char **err)
{
    Lab *l = q->lab;
    const Study *s = l->study;
    const bool everyone = q->strategy->compares_all;
    CostModel *m = cost_fit(scratch, s, l->templates);
    Assignment *as = select_kernels(scratch, s, m, SELECT_FINALISTS);
    if (!as) {
        *err = ending_text(q);
        return false;
    }
    if (l->kind->measures)
        library_build(l);
    Match *match = ARENA_ARRAY(scratch, (size_t)s->nshape + 1, Match);
    int64_t *all = ARENA_ARRAY(scratch, (size_t)s->ntrial + 1, int64_t);
    const int64_t *trial = everyone ? all : as->kernel;
    int64_t n = everyone ? match_usable(s, -1, all) : as->nkernel < MAX_FINALIST ? as->nkernel : MAX_FINALIST;
    double ns = make_matches(l, m, trial, n, match);
    while (!everyone && n > 1 &&
           stopwatch_expect_s(l, (double)s->nshape, ns, match_rules[MATCH_FINALISTS].few_repeats) >
               lab_left_s(l, FINAL_SHARE))
        ns = make_matches(l, m, trial, --n, match);
    return hold_matches(l, scratch, match, ns, err);
}

/* ---- the choice ---- */

bool reselect(Search *q, Arena *scratch, Selection *c, const char **err)
{
    Lab *l = q->lab;
    const Study *old = l->study;
    Study *s = l->study = study_new(l->arena, old->spec, old->device, old->target, old->context_hash);
    s->present = old->present;
    study_load(s, record_all(l->shop->records), l->templates, l->shop->unit->targets);
    for (int64_t i = 0; i < s->ntrial; i++) {
        const int64_t before = study_find_key(old, s->trial[i].key);
        s->trial[i].so = before >= 0 ? old->trial[before].so : NULL;
    }
    arena_reset(scratch);
    c->m = cost_fit(scratch, s, l->templates);
    c->as = select_kernels(scratch, s, c->m, SELECT_PACKAGE);
    if (!c->as)
        *err = ending_text(q);
    return c->as;
}

/* ---- the whole ---- */

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

/* A run that adds no trial to a finished one measures nothing: the same command again gives the same package. */
static bool timed_run(Search *q, Arena *scratch, const char **err)
{
    Lab *l = q->lab;
    lab_begin(l);
    l->anchor = choose_anchor(q, scratch);
    const int64_t before = lab_ntried(l);
    bool again = false;
    if (!calibrate_first(l, scratch, err) || !search_phase(q, scratch, &again, err))
        return false;
    bool fresh = again || lab_ntried(l) > before;
    for (int64_t j = 0; j < l->study->nshape; j++) /* a shape may still lack its comparison */
        fresh = fresh || match_usable(l->study, j, NULL) == 0;
    arena_reset(scratch);
    return (!fresh || final_phase(q, scratch, err)) && calibrate_when_due(l, scratch, true, err) &&
           (!l->kind->measures || settle(q, scratch, fresh, err));
}

bool search_run(Search *q, const char **err)
{
    Arena *scratch = arena_new();
    *err = NULL;
    const bool ok = q->lab->kind->compare ? timed_run(q, scratch, err) : offline_run(q, scratch, err);
    arena_free(scratch);
    return ok;
}
