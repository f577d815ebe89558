/* SPDX-License-Identifier: Apache-2.0
 *
 * contest: runs a search that answers from the table, and looks after each trial how good its choice would be.
 */
#include "bench/tuning/contest.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "search/loop/search.h"

/* A search under way, and what became of it so far. */
typedef struct {
    Arena *arena;
    const Contest *contest;
    Curve *curve;
    int64_t cap;
    int64_t trials; /* that were there after the batch before, and the time then */
    double seconds;
} Watch;

static Point *add_point(Watch *w, int64_t trials, double seconds)
{
    Curve *c = w->curve;
    if (c->n == w->cap) {
        const int64_t cap = w->cap ? 2 * w->cap : 64;
        c->point = arena_grow(w->arena, c->point, (size_t)w->cap, (size_t)cap, sizeof *c->point);
        w->cap = cap;
    }
    Point *p = &c->point[c->n++];
    *p = (Point){ .trials = trials, .seconds = seconds };
    return p;
}

/* The least of the table's times of the kernels that have a time in the study. */
static double best_tried(const Table *t, const Study *s, const Instance *inst)
{
    const int64_t place = study_place(s, inst);
    double best = INFINITY;
    for (int64_t i = 0; i < s->ntrial; i++)
        if (study_may_choose(s, &s->trial[i]) && s->trial[i].ns[place] > 0)
            best = fmin(best, table_ns(t, &s->trial[i].c, inst));
    return best;
}

/* What a package made of this study would choose, by the table's times. */
static void judge_choice(const Contest *c, const Study *s, Arena *scratch, Point *p)
{
    const CostModel *m = cost_fit(scratch, s, c->table->job->templates);
    const Assignment *as = select_kernels(scratch, s, m);
    double weight[2] = { 0, 0 }, tried = 0;
    if (!as)
        return;
    p->kernels = as->nkernel;
    for (int64_t i = 0; i < s->spec->ninstance; i++) {
        const Instance *inst = &s->spec->instance[i];
        const Trial *chosen = &s->trial[as->kernel[as->chosen[i]]];
        const double ns = table_ns(c->table, &chosen->c, inst);
        quality_add(inst->tuned ? &p->shown : &p->held_out, ns / table_best(c->table, inst), inst->weight,
                    &weight[inst->tuned]);
        if (inst->tuned && chosen->ns[study_place(s, inst)] > 0)
            quality_add(&p->tried, ns / best_tried(c->table, s, inst), inst->weight, &tried);
    }
}

/* A search could stop after any trial, so each of a batch is a point: the study as far as that one, at its share of the
 * batch's time. */
static void see_trials(Watch *w, const Lab *l, void (*judge)(const Watch *w, const Study *s, Point *p))
{
    const int64_t before = w->trials, after = l->study->ntrial;
    const double now_s = lab_now_s(l);
    for (int64_t k = before < after ? before + 1 : after; k <= after; k++) {
        Study part = *l->study;
        const double share = before < after ? (double)(k - before) / (double)(after - before) : 1;
        part.ntrial = k;
        judge(w, &part, add_point(w, k, w->seconds + share * (now_s - w->seconds)));
    }
    w->trials = after;
    w->seconds = now_s;
}

static void judge_study(const Watch *w, const Study *s, Point *p)
{
    Arena *scratch = arena_new();
    judge_choice(w->contest, s, scratch, p);
    arena_free(scratch);
}

static void see_choice(void *ctx, Lab *l, const Proposal *p, int n)
{
    (void)p;
    (void)n;
    see_trials(ctx, l, judge_study);
}

static double best_found(const Table *t, const Study *s, const Instance *inst)
{
    const int64_t shape = study_shape(s, inst->extent, inst->threads);
    int64_t trial = -1;
    study_best(s, shape, &trial);
    return trial >= 0 ? table_ns(t, &s->trial[trial].c, inst) : INFINITY;
}

/* Of one shape, the best kernel that was measured. */
static void judge_best(const Watch *w, const Study *s, Point *p)
{
    double weight = 0;
    const Instance *inst = s->shape[0];
    p->kernels = 1;
    quality_add(&p->shown, best_found(w->contest->table, s, inst) / table_best(w->contest->table, inst), 1, &weight);
}

static void see_best(void *ctx, Lab *l, const Proposal *p, int n)
{
    (void)p;
    (void)n;
    see_trials(ctx, l, judge_best);
}

/* A table's answers have no noise that a race could measure away. */
static bool hold_no_race(Lab *l, Arena *scratch, const Instance *inst, const int64_t *trial, int n, bool tunes,
                         const char **err)
{
    (void)l, (void)scratch, (void)inst, (void)trial, (void)n, (void)tunes, (void)err;
    return true;
}

/* A lab whose answers are the table's. */
static Lab table_lab(Arena *a, const Contest *c, Spec *spec, const LabKind *kind, LabRecords *data, double seconds)
{
    static const volatile int stop = 0;
    const Table *t = c->table;
    spec->budget.trials = c->trials;
    return (Lab){ .kind = kind,
                  .data = data,
                  .arena = a,
                  .templates = t->job->templates,
                  .study = study_new(a, spec, t->device, t->target, t->truth->context_hash),
                  .seconds = seconds,
                  .stop = &stop };
}

static Study *run(Arena *a, const Contest *c, Spec *spec, const Strategy *strategy, uint64_t seed, Watch *w,
                  LabSeen *seen)
{
    const char *err = NULL;
    LabKind kind = lab_records;
    kind.compare = hold_no_race;
    LabRecords *data = lab_records_new(a, c->table->records, LAB_TABLE, c->cost, seen, w);
    Lab lab = table_lab(a, c, spec, &kind, data, INFINITY);
    Search q = { .lab = &lab, .strategy = strategy, .space = c->table->space, .seed = seed };
    if (!search_run(&q, &err))
        fprintf(stderr, "tuning: %s\n", err);
    else if (seen)
        seen(w, &lab, NULL, 0); /* once more, in the end */
    if (w)
        w->curve->stopped = lab.study->ntrial < c->trials;
    return lab.study;
}

Curve contest_joint(Arena *a, const Contest *c, const Strategy *s, uint64_t seed)
{
    Curve curve = { 0 };
    Watch w = { .arena = a, .contest = c, .curve = &curve };
    run(a, c, table_spec(a, c->table, c->shown, c->nshown), s, seed, &w, see_choice);
    return curve;
}

bool contest_shows(const Contest *c, int64_t value)
{
    for (int i = 0; i < c->nshown; i++)
        if (c->shown[i] == value)
            return true;
    return false;
}

static Curve one_shape(Arena *a, const Contest *c, const Strategy *s, uint64_t seed, int64_t shape)
{
    Curve curve = { 0 };
    Watch w = { .arena = a, .contest = c, .curve = &curve };
    run(a, c, table_one_shape(a, c->table, shape), s, seed, &w, see_best);
    return curve;
}

/* The k-th point of a search, or its last. */
static const Point *point_at(const Curve *c, int64_t k) { return &c->point[k < c->n ? k : c->n - 1]; }

Curve contest_per_shape(Arena *a, const Contest *c, const Strategy *s, uint64_t seed)
{
    const Study *truth = c->table->truth;
    Curve *one = ARENA_ARRAY(a, (size_t)truth->nshape + 1, Curve), all = { 0 };
    for (int64_t j = 0; j < truth->nshape; j++)
        if (contest_shows(c, truth->shape[j]->dim[0])) {
            one[j] = one_shape(a, c, s, seed + (uint64_t)j, j);
            all.n = one[j].n > all.n ? one[j].n : all.n;
        }
    all.point = ARENA_ARRAY(a, (size_t)all.n + 1, Point);
    for (int64_t k = 0; k < all.n; k++) {
        Point *p = &all.point[k];
        double weight = 0;
        for (int64_t j = 0; j < truth->nshape; j++) {
            if (!one[j].n)
                continue;
            const Point *q = point_at(&one[j], k);
            p->trials += q->trials;
            p->seconds += q->seconds;
            p->kernels++;
            quality_add(&p->shown, 1 + q->shown.mean, truth->shape[j]->weight, &weight);
        }
    }
    return all;
}

static double work_of(const Spec *s, const Instance *inst)
{
    double work = 1;
    for (int i = 0; i < s->op->naxis; i++)
        work *= (double)inst->extent[i];
    return work;
}

static int64_t largest_shape(const Contest *c)
{
    const Study *s = c->table->truth;
    int64_t best = -1;
    for (int64_t j = 0; j < s->nshape; j++)
        if (contest_shows(c, s->shape[j]->dim[0]) &&
            (best < 0 || work_of(s->spec, s->shape[j]) > work_of(s->spec, s->shape[best])))
            best = j;
    return best;
}

/* The best kernel on the first shape of the search, on all of the table's. */
static void judge_everywhere(const Watch *w, const Study *s, Point *point)
{
    const Table *t = w->contest->table;
    double weight[2] = { 0, 0 };
    int64_t trial = -1;
    study_best(s, 0, &trial);
    point->kernels = 1;
    for (int64_t j = 0; trial >= 0 && j < t->truth->nshape; j++) {
        const Instance *inst = t->truth->shape[j];
        const bool shown = contest_shows(w->contest, inst->dim[0]);
        quality_add(shown ? &point->shown : &point->held_out, table_ns(t, &s->trial[trial].c, inst) / t->best[j],
                    inst->weight, &weight[shown]);
    }
}

static void see_everywhere(void *ctx, Lab *l, const Proposal *p, int n)
{
    (void)p;
    (void)n;
    see_trials(ctx, l, judge_everywhere);
}

Curve contest_largest(Arena *a, const Contest *c, const Strategy *s, uint64_t seed)
{
    Curve curve = { 0 };
    Watch w = { .arena = a, .contest = c, .curve = &curve };
    run(a, c, table_one_shape(a, c->table, largest_shape(c)), s, seed, &w, see_everywhere);
    return curve;
}

Point contest_analytic(Arena *a, const Contest *c)
{
    const Table *t = c->table;
    const CostModel *m = cost_analytic(a, t->truth, t->job->templates);
    Point p = { 0 };
    double weight[2] = { 0, 0 };
    for (int64_t j = 0; j < t->truth->nshape; j++) {
        const Instance *inst = t->truth->shape[j];
        const Candidate *best = NULL;
        const bool shown = contest_shows(c, inst->dim[0]);
        double least = INFINITY;
        for (int64_t i = 0; i < t->space->n; i++) {
            const double ns = cost_predict(m, &t->space->candidate[i], inst->extent, inst->threads);
            if (ns < least) {
                least = ns;
                best = &t->space->candidate[i];
            }
        }
        quality_add(shown ? &p.shown : &p.held_out, table_ns(t, best, inst) / t->best[j], inst->weight, &weight[shown]);
    }
    return p;
}

void contest_budgets(Arena *a, const Contest *c, uint64_t seed, const int *kernels, int n, Point *out)
{
    Spec *spec = table_spec(a, c->table, c->shown, c->nshown);
    const Study *s = run(a, c, spec, &strategies[STRATEGY_JOINT], seed, NULL, NULL);
    for (int i = 0; i < n; i++) {
        spec->budget.kernels = kernels[i];
        out[i] = (Point){ .trials = s->ntrial };
        judge_choice(c, s, a, &out[i]);
    }
}

bool contest_timed(Arena *a, const Contest *c, double seconds, Noise *noise, uint64_t seed, Point *out, double *stated)
{
    const Table *t = c->table;
    const char *err = NULL;
    LabRecords *data = lab_records_new(a, t->records, LAB_TABLE, c->cost, NULL, NULL);
    Lab lab = table_lab(a, c, table_spec(a, t, c->shown, c->nshown), &lab_records, data, seconds);
    Search q = { .lab = &lab, .strategy = &strategies[STRATEGY_JOINT], .space = t->space, .seed = seed };
    Selection made;
    if (noise)
        lab_records_disturb(data, noise_disturb, noise);
    Arena *scratch = arena_new();
    const bool ok = search_run(&q, &err) && choose(&q, scratch, &made, &err);
    if (ok) {
        *stated = contract_make(a, lab.study, made.as)->tuned.mean;
        *out = (Point){ .trials = lab.study->ntrial, .seconds = lab.now_s };
        judge_choice(c, lab.study, a, out);
    } else
        fprintf(stderr, "tuning: %s\n", err);
    arena_free(scratch);
    return ok;
}

const Point *curve_within(const Curve *c, double near)
{
    for (int64_t i = 0; i < c->n; i++)
        if (c->point[i].shown.n && c->point[i].shown.mean <= near)
            return &c->point[i];
    return NULL;
}
