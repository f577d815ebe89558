/* SPDX-License-Identifier: Apache-2.0
 *
 * emit_entries: which kernels a package has for which kinds of machines: those that were chosen for a tuned target, and for machines that lack
 * it the general kernel that is trusted most.
 */
#include "gen/package/emit_private.h"

#include <math.h>
#include "gen/unit/candidate.h"
#include "search/space/cost.h"

static void add_kernel(Emitter *e, const Candidate *c, KernelFacts facts)
{
    const size_t n = (size_t)e->nkernel++;
    int64_t *value = ARENA_ARRAY(e->arena, TEMPLATE_MAX_PARAM, int64_t);
    candidate_values(c, value);
    e->of = arena_grow(e->arena, e->of, n, n + 1, sizeof *e->of);
    e->kernel = arena_grow(e->arena, e->kernel, n, n + 1, sizeof *e->kernel);
    e->of[n] = e->dispatcher.nentry - 1;
    e->kernel[n] = (UnitKernel){ c->t, c->target, value, facts };
}

static void add_entry(Emitter *e, DispatchEntry entry) { e->dispatcher.entry[e->dispatcher.nentry++] = entry; }

static void add_tuned(Emitter *e, const Result *part)
{
    const Assignment *as = part->assignment;
    add_entry(e, (DispatchEntry){ .target = part->study->target,
                                  .part = part,
                                  .tree = as->tree,
                                  .first = e->nkernel,
                                  .nkernel = as->nkernel,
                                  .general = e->nkernel + as->general });
    for (int k = 0; k < as->nkernel; k++) {
        const Trial *t = &part->study->trial[as->kernel[k]];
        add_kernel(e, &t->c, t->facts);
    }
}

/* How much a template is trusted on a target: 4 when its general kernel was verified there; else 3 when it serves every shape on the tuned
 * target, 2 when a trial of it is right, 1 when none was tried; 0, never to be used, when all of them failed. */
static int template_trust(const Result *part, const Template *t, const Target *target)
{
    const Study *s = part->study;
    bool tried = false;
    for (int64_t i = 0; i < s->ntrial; i++)
        if (s->trial[i].c.t == t && s->trial[i].c.target == target && target != s->target)
            return trial_usable(&s->trial[i]) ? 4 : 0;
    if (s->trial[part->assignment->kernel[part->assignment->general]].c.t == t)
        return 3;
    for (int64_t i = 0; i < s->ntrial; i++) {
        if (s->trial[i].c.t == t && trial_usable(&s->trial[i]))
            return 2;
        tried = tried || s->trial[i].c.t == t;
    }
    return tried ? 0 : 1;
}

/* Of a template's general kernel, over the tuned shapes: mean of log2 ns as the templates' own closed forms have it; 0: they do not say. */
static double general_cost(const Emitter *e, const Result *part, const Candidate *c)
{
    const Study *s = part->study;
    double sum = 0;
    if (!e->family->ranks_templates)
        return 0;
    const CostModel *m = cost_analytic(e->arena, s, part->templates);
    for (int64_t j = 0; j < s->nshape; j++)
        sum += log2(cost_predict(m, c, s->shape[j]->extent, s->shape[j]->threads));
    return sum / (double)(s->nshape ? s->nshape : 1);
}

/* Of those trusted alike the fastest, as far as that is known without measuring; else the first. False: there is none. */
static bool most_trusted(const Emitter *e, const Result *part, const Target *target, Candidate *best)
{
    int most = 0;
    double least = INFINITY;
    for (int j = 0; j < part->templates->n; j++) {
        const Template *t = part->templates->t[j];
        Candidate c;
        if (!template_suits(t, e->spec, target) || !candidate_general(t, target, &c))
            continue;
        const int trust = template_trust(part, t, target);
        const double cost = general_cost(e, part, &c);
        if (trust > most || (trust == most && trust > 0 && cost < least)) {
            *best = c;
            most = trust;
            least = cost;
        }
    }
    return most > 0;
}

/* What was tuned for the target; NULL: nothing. */
static const Result *part_of(const Emitter *e, const Target *target)
{
    for (int i = 0; i < e->in->npart; i++)
        if (e->in->part[i].study->target == target)
            return &e->in->part[i];
    return NULL;
}

/* The first part whose machines' kin without its target may run this one; NULL: none. */
static const Result *stands_in_for(const Emitter *e, const Target *target)
{
    for (int i = 0; i < e->in->npart; i++) {
        const Target *tuned = e->in->part[i].study->target;
        if ((target == tuned && target_is_inherited(tuned)) ||
            target_is_fallback(e->in->part->unit.targets, target, tuned))
            return &e->in->part[i];
    }
    return NULL;
}

/* Machines that lack the tuned targets get the general kernel of each fallback, of the template that is trusted most. */
static void add_general(Emitter *e, const Target *target)
{
    const Result *part = stands_in_for(e, target);
    Candidate best;
    if (!part || !most_trusted(e, part, target, &best))
        return;
    add_entry(e, (DispatchEntry){ .target = target, .first = e->nkernel, .nkernel = 1, .general = e->nkernel });
    add_kernel(e, &best, (KernelFacts){ 0 });
}

Emitter *emit_new(Arena *a, const EmitInput *in, Diag *d)
{
    Emitter *e = ARENA_NEW(a, Emitter);
    const Family *family = in->part->unit.target->family;
    *e = (Emitter){ .arena = a,
                    .in = in,
                    .diag = d,
                    .spec = in->part->unit.spec,
                    .family = family,
                    .dispatcher = { .spec = in->part->unit.spec,
                                    .is_told_parts = family->told_parts,
                                    .entry = ARENA_ARRAY(a, 2 * TARGET_MAX, DispatchEntry) } };
    const TargetList *targets = in->part->unit.targets;
    for (int i = 0; i < targets->n; i++) { /* by descending rank */
        const Result *part = part_of(e, &targets->t[i]);
        if (part)
            add_tuned(e, part);
        if (!part || target_is_inherited(&targets->t[i]))
            add_general(e, &targets->t[i]);
    }
    return e;
}

const Dispatcher *package_dispatcher(Arena *a, const Result *part, int npart)
{
    return &emit_new(a, &(EmitInput){ .part = part, .npart = npart }, NULL)->dispatcher;
}
