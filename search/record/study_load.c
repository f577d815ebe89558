/* SPDX-License-Identifier: Apache-2.0
 *
 * study_load: takes all records of a file, and gives those that are of the study to study.c, in an order that follows
 * from their contents; then judges what failed.
 */
#include "search/record/study_private.h"

#include <math.h>
#include <stdlib.h>
#include "gen/base/order.h"
#include "search/record/samples.h"

static const Template *find_template(const TemplateList *list, const KernelRecord *k)
{
    for (int i = 0; i < list->n; i++)
        if (strcmp(list->t[i]->name, k->template_name) == 0 && strcmp(list->t[i]->hash, k->template_hash) == 0)
            return list->t[i];
    return NULL;
}

static bool record_candidate(const KernelRecord *k, const Template *t, const Target *target, Candidate *out)
{
    int64_t value[TEMPLATE_MAX_PARAM];
    for (int i = 0; i < t->nparam; i++) {
        const Param *given = names_row(NAMES(k->param, k->nparam), t->param[i].name);
        if (!given)
            return false;
        value[i] = given->value;
    }
    return candidate_from_values(t, target, value, out);
}

static int compare_facts(const Param *x, const Param *y, int n)
{
    int order = 0;
    for (int i = 0; !order && i < n; i++) {
        order = strcmp(x[i].name, y[i].name);
        order = order ? order : order_number(&x[i].value, &y[i].value);
    }
    return order;
}

/* Records are taken over in an order that follows from their contents, not from their places in a file: of two kernel
 * records that count as much the first counts, and sums of times in another order would differ in their last bits. */
static int by_kernel(const void *x, const void *y)
{
    const KernelRecord *a = *(const KernelRecord *const *)x, *b = *(const KernelRecord *const *)y;
    const int64_t m[] = { a->status, a->nfact }, n[] = { b->status, b->nfact };
    int order = strcmp(a->key, b->key);
    order = order ? order : order_numbers(m, n, LENGTH(m));
    order = order ? order : strcmp(a->why, b->why);
    return order ? order : compare_facts(a->fact, b->fact, a->nfact);
}

static int by_measurement(const void *x, const void *y)
{
    const MeasureRecord *a = *(const MeasureRecord *const *)x, *b = *(const MeasureRecord *const *)y;
    const double s[] = { a->threads, a->final, a->anchor_ns, a->time_ns, a->library_ns, a->status, a->nsample };
    const double t[] = { b->threads, b->final, b->anchor_ns, b->time_ns, b->library_ns, b->status, b->nsample };
    int order = strcmp(a->key, b->key);
    order = order ? order : measure_compare_shapes(a, b);
    order = order ? order : order_reals(s, t, LENGTH(s));
    order = order ? order : order_reals(a->ns, b->ns, a->nsample);
    return order ? order : strcmp(a->why, b->why);
}

/* The target of this name, if it is the tuned one or stands in for that on lesser CPUs; else NULL. */
static const Target *find_target(const Study *s, const TargetList *targets, const char *name)
{
    const Target *t = target_find(targets, name);
    return t && (t == s->target || target_is_fallback(targets, t, s->target)) ? t : NULL;
}

static void load_kernel(Study *s, Arena *scratch, const KernelRecord *k, const TemplateList *templates,
                        const TargetList *targets)
{
    const Target *target = find_target(s, targets, k->target);
    const Template *t = target ? find_template(templates, k) : NULL;
    Candidate c;
    /* Of a target that stands in only general kernels matter: its other kernels are from its own search, whose records
     * the same file may hold. The key is computed, not believed. */
    if (!t || !record_candidate(k, t, target, &c) || (target != s->target && !candidate_is_general(&c)) ||
        !candidate_fits(&c, s->spec, s->device) ||
        strcmp(candidate_key(scratch, &c, s->context_hash, s->device), k->key) != 0)
        return;
    study_add(s, &c);
    study_kernel(s, k);
}

/* A kernel that was verified but never timed on these shapes (killed before, or on others) is as good as unknown: it
 * may be proposed again. But where some do not serve every call, general ones that do are of use all the same. */
static void drop_untimed(Study *s)
{
    int64_t n = 0;
    bool all_serve_all = true;
    for (int64_t i = 0; i < s->ntrial; i++)
        all_serve_all = all_serve_all && !s->trial[i].c.t->serves;
    for (int64_t i = 0; i < s->ntrial; i++)
        if (!study_may_choose(s, &s->trial[i]) || trial_timed(s, &s->trial[i]) ||
            (!all_serve_all && candidate_is_general(&s->trial[i].c) && candidate_serves_all(&s->trial[i].c, s->spec)))
            s->trial[n++] = s->trial[i];
    if (n == s->ntrial)
        return;
    s->ntrial = n;
    study_index(s);
}

/* Marks the kernels that were too slow on some shape, unless another try passed and was too slow on none. */
static void judge_slow(Study *s, const Records *r)
{
    struct {
        bool slow[2], passed; /* slow: at first, and in another try; passed: in another try */
    } *seen = arena_array(s->arena, (size_t)s->ntrial + 1, sizeof *seen);
    for (int64_t k = 0; k < r->nkernel; k++) {
        const bool passed = r->kernel[k].retry && r->kernel[k].status == STATUS_OK;
        const int64_t i = passed ? study_find_key(s, r->kernel[k].key) : -1;
        if (i >= 0)
            seen[i].passed = true;
    }
    for (int64_t k = 0; k < r->nmeasure; k++) {
        const MeasureRecord *m = &r->measure[k];
        const int64_t i = m->status == STATUS_TIMED_OUT ? study_find_key(s, m->key) : -1;
        if (i >= 0)
            seen[i].slow[m->retry] = true;
    }
    for (int64_t i = 0; i < s->ntrial; i++)
        if (s->trial[i].status == STATUS_OK && (seen[i].slow[1] || (seen[i].slow[0] && !seen[i].passed)))
            study_set_status(s, &s->trial[i], STATUS_TIMED_OUT, "silent for too long on some shape");
}

/* A kernel with facts that counts as not built was refused for them: for good, but for lesser CPUs'. */
static bool is_due(const Trial *t, bool is_lesser, bool nothing_works)
{
    const bool failed = t->status == STATUS_INVALID || t->status == STATUS_CRASHED ||
                        (t->status == STATUS_BUILD_FAILED && (t->facts.n == 0 || is_lesser));
    if (t->status == STATUS_TIMED_OUT)
        return !t->retried || (nothing_works && candidate_is_general(&t->c));
    return failed && candidate_is_general(&t->c) && (!t->retried || nothing_works);
}

static void find_due(Study *s)
{
    bool any_works = false;
    for (int64_t i = 0; i < s->ntrial; i++)
        any_works = any_works || study_may_choose(s, &s->trial[i]);
    for (int64_t i = 0; i < s->ntrial; i++)
        s->trial[i].due =
            is_due(&s->trial[i], s->trial[i].c.target != s->target, !any_works && s->trial[i].c.target == s->target);
}

/* The least of a trial's times on the tuned shapes, each as a multiple of the best one. General kernels come first. */
static double nearest_to_best(const Study *s, const Trial *t, const double *best)
{
    double nearest = candidate_is_general(&t->c) ? 0 : INFINITY;
    for (int64_t j = 0; j < s->nshape; j++)
        if (t->ns[j] > 0)
            nearest = fmin(nearest, t->ns[j] / best[j]);
    return nearest;
}

static void find_behind(Study *s, Arena *scratch)
{
    double *nearest = ARENA_ARRAY(scratch, (size_t)s->ntrial + 1, double);
    double *sorted = ARENA_ARRAY(scratch, (size_t)s->ntrial + 1, double);
    double *best = ARENA_ARRAY(scratch, (size_t)s->nshape + 1, double);
    size_t n = 0;
    for (int64_t j = 0; j < s->nshape; j++)
        best[j] = study_best(s, j, NULL);
    for (int64_t i = 0; i < s->ntrial; i++)
        if (study_may_choose(s, &s->trial[i]))
            sorted[n++] = nearest[i] = nearest_to_best(s, &s->trial[i], best);
    if (n <= STUDY_MOST)
        return;
    qsort(sorted, n, sizeof *sorted, samples_compare);
    for (int64_t i = 0; i < s->ntrial; i++)
        s->trial[i].behind = nearest[i] > sorted[STUDY_MOST - 1];
}

static void load_kernels(Study *s, Arena *scratch, const Records *r, const TemplateList *templates,
                         const TargetList *targets)
{
    const KernelRecord **order = ARENA_ARRAY(scratch, (size_t)r->nkernel + 1, const KernelRecord *);
    size_t n = 0;
    for (const KernelRecord *k = r->kernel; k < r->kernel + r->nkernel; k++)
        if (strcmp(k->device, s->device->id) == 0)
            order[n++] = k;
    qsort(order, n, sizeof *order, by_kernel);
    for (size_t i = 0; i < n; i++)
        load_kernel(s, scratch, order[i], templates, targets);
}

static void load_measures(Study *s, Arena *scratch, const Records *r)
{
    const MeasureRecord **measure = ARENA_ARRAY(scratch, (size_t)r->nmeasure + 1, const MeasureRecord *);
    size_t n = 0;
    for (const MeasureRecord *m = r->measure; m < r->measure + r->nmeasure; m++)
        if (m->status != STATUS_TIMED_OUT && strcmp(m->device, s->device->id) == 0 && study_find_key(s, m->key) >= 0)
            measure[n++] = m;
    qsort(measure, n, sizeof *measure, by_measurement);
    s->loading = true;
    for (size_t i = 0; i < n; i++)
        study_measure(s, measure[i]);
    study_end_loading(s);
}

void study_load(Study *s, const Records *r, const TemplateList *templates, const TargetList *targets)
{
    Arena *scratch = arena_new();
    load_kernels(s, scratch, r, templates, targets);
    load_measures(s, scratch, r);
    study_take_in(s);
    judge_slow(s, r);
    if (!s->device->modelled) {
        drop_untimed(s);
        find_behind(s, scratch);
    }
    find_due(s);
    arena_free(scratch);
    study_rate(s, r);
}
