/* SPDX-License-Identifier: Apache-2.0
 *
 * stopwatch: what a request for times asks for, and records of what came of it.
 */
#include "search/measure/stopwatch.h"

#include <math.h>
#include <string.h>

enum { LIBRARY_TIMES = 2 }; /* the library is timed so often on a shape */
enum { LONG_REPEATS = 3 };  /* samples of calls that take more than LONG_NS */
static const double LONG_NS = 3e6;
/* A kernel so many times slower than the fastest has two samples. (A neighbour on the core may double it.) */
static const double DROP = 3;
static const double SHAPE_MAX_NS = 1.2e9; /* for each kernel of a request: its timing ends after about so long */
/* Silence for DEADLINE_S is a hang; with a small budget a shorter one is, down to DEADLINE_LEAST_S. */
static const double DEADLINE_S = 20, DEADLINE_LEAST_S = 3;

/* A request under way; race, tunes and until_s: see stopwatch_ask. */
typedef struct {
    Request q;
    Lab *lab;
    const Instance *inst;
    bool race, tunes;
    int n, anchor, library; /* kernels but for the library; places of these two among them, -1: it is not there */
    double until_s, began_s;
} Timing;

/* Samples are fewer where one call takes so long that noise averages out within it. */
static int repeats_on(const Study *s, const Instance *inst)
{
    const int64_t place = study_place(s, inst);
    const double best = place >= 0 ? study_best(s, place, NULL) : INFINITY;
    return isfinite(best) && best > LONG_NS ? LONG_REPEATS : STOPWATCH_REPEATS;
}

/* What samples of kernels take that take `ns` together, with the warm-up. */
static double sampling_s(double ns, int repeats) { return 1e-9 * ns * (repeats + STOPWATCH_OVERHEAD); }

double stopwatch_expect_s(const Lab *l, const Instance *inst, double ns)
{
    return agents_extra_s(l->shop ? l->shop->agents : NULL) + sampling_s(ns, repeats_on(l->study, inst));
}

static bool ends_runner(const MeasureRecord *m) { return m->status == STATUS_CRASHED || m->status == STATUS_TIMED_OUT; }

/* Adds what a request took besides its samples to the pace. One that a runner did not survive says nothing. */
static void add_extra(Pace *p, double took_s, const MeasureRecord *out, int n)
{
    for (int i = 0; i < n; i++) {
        if (ends_runner(&out[i]))
            return;
        took_s -= sampling_s(fmax(out[i].time_ns, STOPWATCH_SAMPLE_NS), out[i].nsample);
    }
    p->extra_s += fmax(took_s, 0);
    p->nrequest++;
}

double stopwatch_deadline_s(const Lab *l) { return fmax(DEADLINE_LEAST_S, fmin(DEADLINE_S, l->seconds / 4)); }

bool stopwatch_take(Lab *l, MeasureRecord *m, const char **err)
{
    const int64_t trial = study_find_key(l->study, m->key);
    if (trial >= 0 && m->blame != BLAME_CANDIDATE) {
        study_leave(l->study, trial, m->why);
        return true;
    }
    m->device = l->study->device->id;
    m->retry = trial >= 0 && l->study->trial[trial].retried;
    if (!l->shop->records) {
        study_measure(l->study, m);
        return true;
    }
    if (!record_add_measure(l->shop->records, m, err))
        return false;
    const Records *r = record_all(l->shop->records);
    study_measure(l->study, &r->measure[r->nmeasure - 1]);
    return true;
}

/* The anchor's place among the kernels of a request, added when there is room. -1: it cannot be timed. */
static int add_anchor(const Lab *l, Kernels *k)
{
    const int64_t trial = lab_anchor(l);
    const Trial *t = trial >= 0 ? &l->study->trial[trial] : NULL;
    if (!t || !trial_usable(t) || !t->so)
        return -1;
    for (int i = 0; i < k->n; i++)
        if (strcmp(k->key[i], t->key) == 0)
            return i;
    return kernels_add(k, t->key, t->so, -1);
}

/* The library's place, added if it is to be timed. -1: it is not. */
static int add_library(const Lab *l, const Instance *inst, Kernels *k)
{
    const int64_t place = study_place(l->study, inst);
    const bool known = place >= 0 && l->study->anchor[place].nlibrary >= LIBRARY_TIMES;
    return l->shop->library.so && !known ? kernels_add(k, "library", l->shop->library.so, -1) : -1;
}

/* Notes how the library fared. A library that brings the runner down is not timed again. */
static void judge_library(Lab *l, const MeasureRecord *m)
{
    Library *x = &l->shop->library;
    if (ends_runner(m))
        x->so = NULL;
    x->timed = x->timed || m->status == STATUS_OK;
    if (m->status != STATUS_OK)
        x->why = arena_printf(l->arena, "%s: %s", status_name(m->status), m->why);
}

/* Adds what takes part in any case, and says how all are timed. */
static bool fill_timing(Request *q)
{
    Timing *t = q->of;
    const Lab *l = t->lab;
    if (!lab_still_wants(l, &q->kernel) || (lab_now_s(l) > t->until_s && !lab_knows_nothing(l)))
        return false;
    if (!t->race)
        lab_show(l, q->arena);
    t->began_s = lab_now_s(l);
    t->anchor = add_anchor(l, &q->kernel);
    t->n = q->kernel.n;
    t->library = t->race ? add_library(l, t->inst, &q->kernel) : -1;
    q->measure = (MeasureRequest){ .extent = t->inst->extent,
                                   .threads = t->inst->threads,
                                   .repeats = repeats_on(l->study, t->inst),
                                   .sample_ns = STOPWATCH_SAMPLE_NS,
                                   .max_ns = t->n * SHAPE_MAX_NS,
                                   .drop = t->race ? 0 : DROP,
                                   .keep = t->anchor,
                                   .cold = study_wants_cold(l->study, t->inst->extent),
                                   .deadline_s = stopwatch_deadline_s(l) };
    return true;
}

static bool take_timing(Request *q, const char **err)
{
    const Timing *t = q->of;
    Lab *l = t->lab;
    MeasureRecord *out = q->out;
    add_extra(&q->agent->pace, lab_now_s(l) - t->began_s, out, q->kernel.n);
    if (t->library >= 0)
        judge_library(l, &out[t->library]);
    l->ntimed++;
    for (int i = 0; i < t->n; i++) {
        out[i].final = t->race;
        out[i].cold = q->measure.cold;
        out[i].tunes = !t->inst->tuned && (t->tunes || study_tunes(l->study, t->inst));
        out[i].anchor_ns = t->anchor >= 0 ? out[t->anchor].time_ns : 0;
        out[i].library_ns = t->library >= 0 && i == t->anchor ? out[t->library].time_ns : 0; /* once a request */
        if (!stopwatch_take(l, &out[i], err))
            return false;
    }
    return true;
}

Kernels *stopwatch_ask(Lab *l, Arena *scratch, const Instance *inst, bool race, bool tunes, double until_s)
{
    Timing *t = ARENA_NEW(scratch, Timing);
    *t = (Timing){ .lab = l, .inst = inst, .race = race, .tunes = tunes, .until_s = until_s };
    t->q = (Request){ .arena = scratch, .of = t, .fill = fill_timing, .take = take_timing };
    agents_ask(l->shop->agents, &t->q);
    return &t->q.kernel;
}
