/* SPDX-License-Identifier: Apache-2.0 */
#include "gen/regret.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "gen/tools.h"
#include "gen/unit.h"

enum { MAX_RIVAL = 20, FIRST_REPEATS = 5, LAST_REPEATS = 21, LAST_RIVALS = 4 };
static const double NEAR = 1.25; /* candidates predicted within this of the best are rivals */
static const double SAMPLE_NS = 1e6, MAX_NS = 20e9, DEADLINE_S = 60;

typedef struct {
    Arena *arena;
    const Outcome *out;
    Tools *tools;
    const char **so; /* one a trial; NULL: not built */
    const volatile int *stop;
} Judge;

typedef struct {
    double ns;
    int64_t trial;
} Rival;

static int by_time(const void *x, const void *y)
{
    const Rival *a = x, *b = y;
    return a->ns != b->ns ? (a->ns > b->ns) - (a->ns < b->ns) : (a->trial > b->trial) - (a->trial < b->trial);
}

/* Held-out instances, evenly spread. */
static int held_out(const Spec *s, int64_t *at, int most)
{
    int64_t total = 0, seen = 0;
    int n = 0;
    for (int64_t i = 0; i < s->ninstance; i++)
        total += !s->instance[i].tuned;
    for (int64_t i = 0; i < s->ninstance; i++)
        if (!s->instance[i].tuned && n < most && seen++ * most / (total > most ? total : most) >= n)
            at[n++] = i;
    return n;
}

static int find_rivals(const Judge *j, int64_t instance, Rival *rival)
{
    const Outcome *out = j->out;
    const Study *s = out->study;
    int64_t chosen = out->assignment->kernel[out->assignment->chosen[instance]];
    Rival *all = ARENA_ARRAY(j->arena, (size_t)s->ntrial + 1, Rival);
    int n = 0, count = 0;
    for (int64_t i = 0; i < s->ntrial; i++)
        if (trial_usable(&s->trial[i]))
            all[count++] = (Rival){ cost_trial(out->model, i, &s->spec->instance[instance]), i };
    qsort(all, (size_t)count, sizeof *all, by_time);
    rival[n++] = (Rival){ 0, chosen };
    for (int i = 0; i < count && n < MAX_RIVAL && all[i].ns <= NEAR * all[0].ns; i++)
        if (all[i].trial != chosen)
            rival[n++] = all[i];
    return n;
}

static bool build_rivals(const Judge *j, const Rival *rival, int n, const char **err)
{
    const Outcome *out = j->out;
    UnitContext u = { .spec = out->workload->spec,
                      .device = out->device,
                      .targets = out->workload->targets,
                      .package_dir = out->workload->package_dir,
                      .target = out->study->target };
    Build build[MAX_RIVAL];
    int64_t trial[MAX_RIVAL], value[TEMPLATE_MAX_PARAM];
    int nbuild = 0;
    for (int i = 0; i < n; i++) {
        const Trial *t = &out->study->trial[rival[i].trial];
        if (j->so[rival[i].trial])
            continue;
        candidate_values(&t->c, value);
        trial[nbuild] = rival[i].trial;
        char *text =
            unit_candidate(j->arena, &u, &(UnitKernel){ t->c.t, t->c.target, value, t->facts }, diag_new(j->arena));
        build[nbuild++] = (Build){ .name = t->key, .text = text };
    }
    build_all(j->tools->builder, j->arena, build, nbuild, j->stop);
    for (int i = 0; i < nbuild; i++)
        j->so[trial[i]] = build[i].status == STATUS_OK ? build[i].so : NULL;
    if (!j->so[rival[0].trial])
        *err = *j->stop ? "interrupted" : "the chosen kernel does not compile";
    return j->so[rival[0].trial] != NULL;
}

/* Replaces each rival's time by its measured median; INFINITY for those that failed. The chosen one stays first. */
static bool race(const Judge *j, const Instance *inst, Rival *rival, int n, int repeats, const char **err)
{
    const char *key[MAX_RIVAL] = { 0 }, *so[MAX_RIVAL] = { 0 };
    int at[MAX_RIVAL], m = 0;
    MeasureRecord result[MAX_RIVAL];
    for (int i = 0; i < n; i++) {
        rival[i].ns = INFINITY;
        if (!j->so[rival[i].trial])
            continue;
        at[m] = i;
        key[m] = j->out->study->trial[rival[i].trial].key;
        so[m++] = j->so[rival[i].trial];
    }
    MeasureRequest q = { .extent = inst->extent,
                         .threads = inst->threads,
                         .repeats = repeats,
                         .sample_ns = SAMPLE_NS,
                         .max_ns = MAX_NS,
                         .deadline_s = DEADLINE_S };
    if (!measure(j->tools->runner, j->arena, &q, key, so, m, result, j->stop, err))
        return false;
    for (int i = 0; i < m; i++)
        if (result[i].status == STATUS_OK)
            rival[at[i]].ns = result[i].median_ns;
    qsort(rival + 1, (size_t)(n - 1), sizeof *rival, by_time);
    return true;
}

static void say_shape(const Judge *j, int64_t instance, const Rival *rival, int nrival, double regret_of)
{
    const Spec *s = j->out->study->spec;
    const Instance *inst = &s->instance[instance];
    for (int i = 0; i < s->op->naxis; i++)
        printf("%s %-6" PRId64, s->op->axis[i].name, inst->extent[i]);
    printf("threads %-3d kernel %-2d %10.1f us  best of %-2d %10.1f us  %+6.2f%%\n", inst->threads,
           j->out->assignment->chosen[instance], rival[0].ns / 1e3, nrival,
           fmin(rival[0].ns, nrival > 1 ? rival[1].ns : INFINITY) / 1e3, 100 * regret_of);
    fflush(stdout);
}

/* All rivals meet; then the best few and the chosen one again, with more samples, so that luck is not taken for speed. */
static bool judge_shape(const Judge *j, int64_t instance, double *result, const char **err)
{
    const Instance *inst = &j->out->study->spec->instance[instance];
    Rival rival[MAX_RIVAL];
    int n = find_rivals(j, instance, rival), all = n;
    if (!build_rivals(j, rival, n, err) || !race(j, inst, rival, n, FIRST_REPEATS, err))
        return false;
    n = n < LAST_RIVALS + 1 ? n : LAST_RIVALS + 1;
    if (!race(j, inst, rival, n, LAST_REPEATS, err))
        return false;
    *result = n > 1 ? fmax(0, rival[0].ns / rival[1].ns - 1) : 0;
    say_shape(j, instance, rival, all, *result);
    return true;
}

static bool judge(const Judge *j, int most, const char **err)
{
    int64_t *at = ARENA_ARRAY(j->arena, (size_t)most + 1, int64_t);
    double log_sum = 0, worst = 0;
    int n = held_out(j->out->study->spec, at, most);
    for (int i = 0; i < n; i++) {
        double r;
        if (!judge_shape(j, at[i], &r, err))
            return false;
        log_sum += log1p(r);
        worst = fmax(worst, r);
    }
    printf("regret on %d shapes that were not tuned: %.2f%% geometric mean, %.2f%% worst\n", n,
           n ? 100 * expm1(log_sum / n) : 0.0, 100 * worst);
    return true;
}

int regret(Arena *a, const Outcome *out, const Options *o, int nshape, const volatile int *stop)
{
    Tools tools = { 0 };
    const char *err = NULL;
    Judge j = { a, out, &tools, ARENA_ARRAY(a, (size_t)out->study->ntrial + 1, const char *), stop };
    Site site;
    bool ok = site_find(a, out->workload, o, false, &site, stop, &err) &&
              tools_open(a, out->workload, o, &site, &tools, stop, &err) && judge(&j, nshape, &err);
    tools_close(&tools);
    if (!ok)
        fprintf(stderr, "dcgen: %s\n", *stop ? "interrupted" : err);
    return ok ? EXIT_DONE : *stop ? EXIT_INTERRUPTED : EXIT_ENVIRONMENT;
}
