/* SPDX-License-Identifier: Apache-2.0 */
#include "search/measure/stopwatch.h"

#include <math.h>
#include <string.h>
#include <time.h>
#include "search/record/samples.h"

enum { QUIET_PASSES = 5, QUIET_REPEATS = 3, AGAIN_MOST = 4 };
static const double AGAIN_S = 0.25,
                    AGAIN_SHARE = 0.1;  /* between requests, and of the time budget for all that are made again */
static const double QUIET_SHARE = 0.04; /* of the time budget, to learn what the anchor takes at rest */
static const double WAIT_NS = 5e8,
                    WAIT_SHARE = 1e-3;    /* for a machine at rest: the less of this and that part of the time budget */
static const double DROP = 1.5;           /* of the fastest of a request: what takes longer has two samples */
static const double SHAPE_MAX_NS = 1.2e9; /* a request's timing ends after about this long */
static const double DEADLINE_S = 20, DEADLINE_LEAST_S = 3; /* silence for so long is a hang; less with a small budget */

static double wait_ns(const Search *q) { return fmin(WAIT_NS, WAIT_SHARE * 1e9 * q->seconds); }

static double rest_s(double ns, int repeats) { return 1e-9 * ns * (repeats + STOPWATCH_OVERHEAD); }

double stopwatch_expect_s(const Search *q, double requests, double ns, int repeats)
{
    return pace_expect_s(&q->pace, requests, rest_s(ns, repeats));
}

static bool ends_runner(const MeasureRecord *m) { return m->status == STATUS_CRASHED || m->status == STATUS_TIMED_OUT; }

/* A request is over that began then; a kernel that is slow has fewer samples. One that a runner did not survive says nothing. */
static void learn_pace(Search *q, double start_s, const MeasureRecord *out, int n, int repeats)
{
    double x_s = 0;
    for (int i = 0; i < n; i++) {
        if (ends_runner(&out[i]))
            return;
        x_s += rest_s(fmax(out[i].time_ns, STOPWATCH_SAMPLE_NS), out[i].nsample < repeats ? out[i].nsample : repeats);
    }
    pace_learn(&q->pace, x_s, q->lab->now_s(q) - start_s);
}

double stopwatch_deadline_s(const Search *q) { return fmax(DEADLINE_LEAST_S, fmin(DEADLINE_S, q->seconds / 4)); }

bool stopwatch_take(Search *q, MeasureRecord *m, const char **err)
{
    const int64_t trial = study_find_key(q->study, m->key);
    if (trial >= 0 && m->blame != BLAME_CANDIDATE) {
        study_leave(q->study, trial, m->why);
        return true;
    }
    m->device = q->study->device->id;
    m->again = trial >= 0 && q->study->trial[trial].tried_again;
    if (!record_add_measure(q->records, m, err))
        return false;
    const Records *r = record_all(q->records);
    study_measure(q->study, &r->measure[r->nmeasure - 1]);
    return true;
}

/* The anchor, ready to be timed. -1: there is none that works. */
static int64_t anchor_of(const Search *q)
{
    int64_t trial = search_anchor(q);
    return trial >= 0 && trial_usable(&q->study->trial[trial]) && q->study->trial[trial].so ? trial : -1;
}

/* The anchor's place among the kernels of a request, added when there is room. -1: it is not there. */
static int add_anchor(const Search *q, const char **key, const char **so, int *n)
{
    int64_t trial = anchor_of(q);
    for (int i = 0; trial >= 0 && i < *n; i++)
        if (strcmp(key[i], q->study->trial[trial].key) == 0)
            return i;
    if (trial < 0 || *n == STOPWATCH_MOST)
        return -1;
    key[*n] = q->study->trial[trial].key;
    so[*n] = q->study->trial[trial].so;
    return (*n)++;
}

/* The place of the library among them, added when there is room. -1: it is not there. */
static int add_library(const Search *q, const char **key, const char **so, int *n)
{
    if (!q->library || *n == STOPWATCH_MOST)
        return -1;
    key[*n] = "library";
    so[*n] = q->library;
    return (*n)++;
}

/* One that brings the runner down is not asked again. */
static void judge_library(Search *q, const MeasureRecord *library)
{
    if (ends_runner(library))
        q->library = NULL;
    q->library_timed = q->library_timed || library->status == STATUS_OK;
    if (library->status != STATUS_OK)
        q->library_why = arena_printf(q->arena, "%s: %s", status_name(library->status), library->why);
}

/* One failed: that must be recorded, whatever the times are worth. */
static bool any_failed(const MeasureRecord *out, int n)
{
    for (int k = 0; k < n; k++)
        if (out[k].status != STATUS_OK)
            return true;
    return false;
}

static void pause_s(double s)
{
    const struct timespec t = { 0, (long)(1e9 * s) };
    nanosleep(&t, NULL);
}

/* What is timed together: kernels, then perhaps the library. */
typedef struct {
    const Instance *inst;
    const char **key, **so;
    int n, nkernel;
    MeasureRequest r; /* keep: the anchor */
} Round;

/* As long as something disturbs the machine, and there is time to wait, the round once more; the quietest counts. */
static bool measure_again(Search *q, Arena *scratch, const Round *x, MeasureRecord *out, const char **err)
{
    MeasureRecord *again = ARENA_ARRAY(scratch, (size_t)x->n, MeasureRecord);
    const int anchor = x->r.keep;
    for (int i = 0;
         i < AGAIN_MOST && anchor >= 0 && !any_failed(out, x->nkernel) && q->waited_s < AGAIN_SHARE * q->seconds &&
         quiet_disturbed(q->quiet, x->inst, out[anchor].time_ns, out[anchor].clock);
         i++) {
        const double start_s = q->lab->now_s(q);
        pause_s(AGAIN_S);
        const int n = q->library ? x->n : x->nkernel;
        if (!measure(q->runner, scratch, &x->r, x->key, x->so, n, again, q->stop, err))
            return false;
        if (n > x->nkernel)
            judge_library(q, &again[x->nkernel]);
        if (any_failed(again, x->nkernel) || again[anchor].time_ns < out[anchor].time_ns)
            memcpy(out, again, (size_t)n * sizeof *out);
        q->waited_s += q->lab->now_s(q) - start_s;
    }
    return true;
}

bool stopwatch_time(Search *q, Arena *scratch, const Instance *inst, const char **key, const char **so, int n,
                    int repeats, bool final, double *ns, bool *put_off, const char **err)
{
    const double start_s = q->lab->now_s(q);
    Round x = { .inst = inst, .key = key, .so = so, .n = n };
    const int anchor = add_anchor(q, key, so, &x.n);
    x.nkernel = x.n;
    const int library = final ? add_library(q, key, so, &x.n) : -1;
    MeasureRecord *out = ARENA_ARRAY(scratch, (size_t)x.n, MeasureRecord);
    x.r = (MeasureRequest){ .extent = inst->extent,
                            .threads = inst->threads,
                            .repeats = repeats,
                            .sample_ns = STOPWATCH_SAMPLE_NS,
                            .max_ns = x.n * SHAPE_MAX_NS,
                            .drop = final ? 0 : DROP,
                            .keep = anchor,
                            .quiet_ns = quiet_ns(q->quiet, inst, 0),
                            .wait_ns = wait_ns(q),
                            .deadline_s = stopwatch_deadline_s(q) };
    if (!measure(q->runner, scratch, &x.r, key, so, x.n, out, q->stop, err))
        return false;
    if (library >= 0)
        judge_library(q, &out[library]);
    if (!put_off && !measure_again(q, scratch, &x, out, err))
        return false;
    learn_pace(q, start_s, out, x.n, repeats);
    const double anchor_ns = anchor >= 0 ? out[anchor].time_ns : 0;
    const double clock = anchor >= 0 ? out[anchor].clock : 0;
    const double quiet = quiet_ns(q->quiet, inst, clock); /* before this time has a say in it */
    const bool disturbed = quiet_disturbed(q->quiet, inst, anchor_ns, clock);
    if (anchor_ns > 0 && anchor_ns <= SAMPLES_REST_NS)
        quiet_take(q->quiet, inst, anchor_ns, clock);
    if (put_off && disturbed && !any_failed(out, x.nkernel) && q->waited_s < AGAIN_SHARE * q->seconds) {
        q->waited_s += q->lab->now_s(q) - start_s;
        *put_off = true;
        return true;
    }
    q->ntimed++;
    for (int k = 0; ns && k < n; k++)
        ns[k] = out[k].status == STATUS_OK ? out[k].time_ns : 0;
    for (int k = 0; k < x.nkernel; k++) {
        out[k].final = final;
        out[k].anchor_ns = disturbed ? quiet : anchor_ns;
        out[k].library_ns = library >= 0 ? out[library].time_ns : 0;
        if (!stopwatch_take(q, &out[k], err))
            return false;
    }
    return true;
}

/* A resumed run knows the anchor's times from the records. */
static void recall(Search *q, const Instance *inst)
{
    const Study *s = q->study;
    const int64_t shape = study_shape(s, inst->extent, inst->threads);
    if (shape < 0 || s->anchor[shape].count < 2 || quiet_ns(q->quiet, inst, 0) > 0)
        return;
    for (int i = 0; i < 2; i++) /* as it was measured more than once: it is known */
        quiet_take(q->quiet, inst, s->anchor[shape].ns, 0);
}

/* Its calls are too long to be at rest: it has no less work than one of which that was seen. */
static bool is_lengthy(const Search *q, const Instance *inst)
{
    const Spec *s = q->study->spec;
    const double flops = spec_flops(s, inst->extent);
    for (int64_t i = 0; i < q->quiet->n; i++) {
        const QuietTime *t = &q->quiet->time[i];
        if (t->least > SAMPLES_REST_NS && t->inst->threads == inst->threads && spec_flops(s, t->inst->extent) <= flops)
            return true;
    }
    return false;
}

bool stopwatch_learn(Search *q, Arena *scratch, const Instance *const *inst, int64_t n, const char **err)
{
    const double began_s = q->lab->now_s(q), until_s = began_s + QUIET_SHARE * q->seconds - q->learned_s;
    const int64_t trial = anchor_of(q);
    for (int pass = 0; trial >= 0 && pass < QUIET_PASSES; pass++)
        for (int64_t j = 0; j < n && q->lab->now_s(q) < until_s; j++) {
            const Trial *t = &q->study->trial[trial];
            MeasureRecord out;
            const MeasureRequest r = { .extent = inst[j]->extent,
                                       .threads = inst[j]->threads,
                                       .repeats = QUIET_REPEATS,
                                       .sample_ns = STOPWATCH_SAMPLE_NS,
                                       .max_ns = SHAPE_MAX_NS,
                                       .wait_ns = wait_ns(q),
                                       .deadline_s = stopwatch_deadline_s(q) };
            recall(q, inst[j]);
            if (quiet_known(q->quiet, inst[j]) || is_lengthy(q, inst[j]))
                continue;
            if (!measure(q->runner, scratch, &r, &t->key, &t->so, 1, &out, q->stop, err))
                return false;
            if (out.status == STATUS_OK && out.time_ns > 0)
                quiet_take(q->quiet, inst[j], out.time_ns, out.clock);
        }
    q->learned_s += q->lab->now_s(q) - began_s;
    return true;
}
