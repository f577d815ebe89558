/* SPDX-License-Identifier: Apache-2.0
 *
 * stopwatch: one request after the other, each made again while something disturbs the machine, and records of what came of them.
 */
#include "search/measure/stopwatch.h"

#include <math.h>
#include <string.h>
#include <time.h>
#include "search/record/samples.h"

enum {
    QUIET_PASSES = 5,
    QUIET_REPEATS = 3,
    AGAIN_MOST = 4,      /* how often a disturbed request is made again */
    AGAIN_NS = 250000000 /* the pause before that */
};
static const double AGAIN_SHARE = 0.1;  /* of the time budget, for all requests that are made again */
static const double QUIET_SHARE = 0.04; /* of the time budget, to learn what the anchor takes at rest */
/* A request waits for a machine at rest no longer than WAIT_NS, and no longer than WAIT_SHARE of the time budget. */
static const double WAIT_NS = 5e8, WAIT_SHARE = 1e-3;
static const double DROP = 1.5;           /* times the fastest kernel of a request: a slower one has two samples */
static const double SHAPE_MAX_NS = 1.2e9; /* for each kernel of a request: its timing ends after about so long */
/* Silence for DEADLINE_S is a hang; with a small budget a shorter one is, down to DEADLINE_LEAST_S. */
static const double DEADLINE_S = 20, DEADLINE_LEAST_S = 3;

int kernels_add(Kernels *k, const char *key, const char *so, int at)
{
    if (k->n == STOPWATCH_MOST)
        return -1;
    k->key[k->n] = key;
    k->so[k->n] = so;
    k->at[k->n] = at;
    return k->n++;
}

/* What a kernel's samples take on a machine at rest, with verification and warm-up. */
static double sampling_s(double ns, int repeats) { return 1e-9 * ns * (repeats + STOPWATCH_OVERHEAD); }

double stopwatch_expect_s(const Lab *l, double requests, double ns, int repeats)
{
    return pace_expect_s(&l->pace, requests, sampling_s(ns, repeats));
}

static bool ends_runner(const MeasureRecord *m) { return m->status == STATUS_CRASHED || m->status == STATUS_TIMED_OUT; }

/* Learns from a request that began at start_s and is over. A request that a runner did not survive says nothing. */
static void learn_pace(Lab *l, double start_s, const MeasureRecord *out, int n, int repeats)
{
    double x_s = 0;
    for (int i = 0; i < n; i++) {
        if (ends_runner(&out[i]))
            return;
        const int nsample = out[i].nsample < repeats ? out[i].nsample : repeats; /* a slow kernel has fewer */
        x_s += sampling_s(fmax(out[i].time_ns, STOPWATCH_SAMPLE_NS), nsample);
    }
    pace_learn(&l->pace, x_s, lab_now_s(l) - start_s);
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
    m->again = trial >= 0 && l->study->trial[trial].tried_again;
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

/* The anchor, if it can be timed; else NULL. */
static const Trial *usable_anchor(const Lab *l)
{
    const int64_t trial = lab_anchor(l);
    const Trial *t = trial >= 0 ? &l->study->trial[trial] : NULL;
    return t && trial_usable(t) && t->so ? t : NULL;
}

/* The anchor's place among the kernels of a request, added when there is room. -1: it is not there. */
static int add_anchor(const Lab *l, Kernels *k)
{
    const Trial *t = usable_anchor(l);
    for (int i = 0; t && i < k->n; i++)
        if (strcmp(k->key[i], t->key) == 0)
            return i;
    return t ? kernels_add(k, t->key, t->so, -1) : -1;
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

/* True if some kernel failed: that must be recorded, whatever the times are worth. */
static bool any_failed(const MeasureRecord *out, int n)
{
    for (int k = 0; k < n; k++)
        if (out[k].status != STATUS_OK)
            return true;
    return false;
}

/* What is timed together: kernels, the anchor, and perhaps the library behind them. */
typedef struct {
    const Instance *inst;
    Kernels k;
    int nkernel;         /* without the library */
    int anchor, library; /* their places among the kernels; -1: it is not there */
    MeasureRequest r;
} TimingRequest;

static MeasureRequest request_of(const Lab *l, const Instance *inst, int n, int repeats)
{
    return (MeasureRequest){ .extent = inst->extent,
                             .threads = inst->threads,
                             .repeats = repeats,
                             .sample_ns = STOPWATCH_SAMPLE_NS,
                             .max_ns = n * SHAPE_MAX_NS,
                             .wait_ns = fmin(WAIT_NS, WAIT_SHARE * 1e9 * l->seconds),
                             .deadline_s = stopwatch_deadline_s(l) };
}

static TimingRequest timing_of(const Lab *l, const Instance *inst, const Kernels *k, int repeats, bool final)
{
    const char *library = final ? l->shop->library.so : NULL;
    TimingRequest x = { .inst = inst, .k = *k };
    x.anchor = add_anchor(l, &x.k);
    x.nkernel = x.k.n;
    x.library = library ? kernels_add(&x.k, "library", library, -1) : -1;
    x.r = request_of(l, inst, x.k.n, repeats);
    x.r.drop = final ? 0 : DROP;
    x.r.keep = x.anchor;
    x.r.quiet_ns = quiet_ns(&l->shop->quiet, inst, 0);
    return x;
}

/* Times the first n of the request's kernels: all, or all but the library. */
static bool ask_runner(Lab *l, Arena *scratch, const TimingRequest *x, int n, MeasureRecord *out, const char **err)
{
    if (!measure(l->shop->runner, scratch, &x->r, x->k.key, x->k.so, n, out, l->stop, err))
        return false;
    if (n > x->nkernel)
        judge_library(l, &out[x->library]);
    return true;
}

/* True if there is time left for requests that are made again. */
static bool may_wait(const Lab *l) { return l->shop->waited_s < AGAIN_SHARE * l->seconds; }

/* Makes the request again as long as something disturbs the machine and there is time to wait. The quietest of these requests counts. */
static bool ask_again(Lab *l, Arena *scratch, const TimingRequest *x, MeasureRecord *out, const char **err)
{
    MeasureRecord *again = ARENA_ARRAY(scratch, (size_t)x->k.n, MeasureRecord);
    const int anchor = x->anchor;
    for (int i = 0; i < AGAIN_MOST && anchor >= 0 && !any_failed(out, x->nkernel) && may_wait(l) &&
                    quiet_disturbed(&l->shop->quiet, x->inst, out[anchor].time_ns, out[anchor].clock);
         i++) {
        const double start_s = lab_now_s(l);
        nanosleep(&(struct timespec){ .tv_nsec = AGAIN_NS }, NULL);
        const int n = l->shop->library.so ? x->k.n : x->nkernel;
        if (!ask_runner(l, scratch, x, n, again, err))
            return false;
        if (any_failed(again, x->nkernel) || again[anchor].time_ns < out[anchor].time_ns)
            memcpy(out, again, (size_t)n * sizeof *out);
        l->shop->waited_s += lab_now_s(l) - start_s;
    }
    return true;
}

bool stopwatch_time(Lab *l, Arena *scratch, const Instance *inst, const Kernels *k, int repeats, bool final, double *ns,
                    bool *put_off, const char **err)
{
    Quiet *quiet = &l->shop->quiet;
    const double start_s = lab_now_s(l);
    const TimingRequest x = timing_of(l, inst, k, repeats, final);
    MeasureRecord *out = ARENA_ARRAY(scratch, (size_t)x.k.n, MeasureRecord);
    if (!ask_runner(l, scratch, &x, x.k.n, out, err) || (!put_off && !ask_again(l, scratch, &x, out, err)))
        return false;
    learn_pace(l, start_s, out, x.k.n, repeats);
    const double anchor_ns = x.anchor >= 0 ? out[x.anchor].time_ns : 0, clock = x.anchor >= 0 ? out[x.anchor].clock : 0;
    const double rest_ns = quiet_ns(quiet, inst, clock); /* before this time has a say in it */
    const bool disturbed = quiet_disturbed(quiet, inst, anchor_ns, clock);
    if (anchor_ns > 0 && anchor_ns <= SAMPLES_REST_NS)
        quiet_take(quiet, inst, anchor_ns, clock);
    if (put_off && disturbed && !any_failed(out, x.nkernel) && may_wait(l)) {
        l->shop->waited_s += lab_now_s(l) - start_s;
        *put_off = true;
        return true;
    }
    l->ntimed++;
    for (int i = 0; ns && i < k->n; i++)
        ns[k->at[i]] = out[i].status == STATUS_OK ? out[i].time_ns : 0;
    for (int i = 0; i < x.nkernel; i++) {
        out[i].final = final;
        out[i].anchor_ns = disturbed ? rest_ns : anchor_ns;
        out[i].library_ns = x.library >= 0 ? out[x.library].time_ns : 0;
        if (!stopwatch_take(l, &out[i], err))
            return false;
    }
    return true;
}

/* Takes the anchor's time from the records that a resumed run has. */
static void recall_anchor(Lab *l, const Instance *inst)
{
    const Study *s = l->study;
    const int64_t shape = study_shape(s, inst->extent, inst->threads);
    if (shape < 0 || s->anchor[shape].count < 2 || quiet_ns(&l->shop->quiet, inst, 0) > 0)
        return;
    for (int i = 0; i < 2; i++) /* twice, as it was measured more than once: then it is known */
        quiet_take(&l->shop->quiet, inst, s->anchor[shape].ns, 0);
}

/* True if calls on this shape are too long to be at rest, as calls with no more work were seen to be. */
static bool is_lengthy(const Lab *l, const Instance *inst)
{
    const Spec *s = l->study->spec;
    const double flops = spec_flops(s, inst->extent);
    for (int64_t i = 0; i < l->shop->quiet.n; i++) {
        const QuietTime *t = &l->shop->quiet.time[i];
        if (t->least > SAMPLES_REST_NS && t->inst->threads == inst->threads && spec_flops(s, t->inst->extent) <= flops)
            return true;
    }
    return false;
}

bool stopwatch_learn(Lab *l, Arena *scratch, const Instance *const *inst, int64_t n, const char **err)
{
    Workshop *m = l->shop;
    const double began_s = lab_now_s(l), until_s = began_s + QUIET_SHARE * l->seconds - m->learned_s;
    const Trial *t = usable_anchor(l);
    for (int pass = 0; t && pass < QUIET_PASSES; pass++)
        for (int64_t j = 0; j < n && lab_now_s(l) < until_s; j++) {
            const MeasureRequest r = request_of(l, inst[j], 1, QUIET_REPEATS);
            MeasureRecord out;
            recall_anchor(l, inst[j]);
            if (quiet_known(&m->quiet, inst[j]) || is_lengthy(l, inst[j]))
                continue;
            if (!measure(m->runner, scratch, &r, &t->key, &t->so, 1, &out, l->stop, err))
                return false;
            if (out.status == STATUS_OK && out.time_ns > 0)
                quiet_take(&m->quiet, inst[j], out.time_ns, out.clock);
        }
    m->learned_s += lab_now_s(l) - began_s;
    return true;
}
