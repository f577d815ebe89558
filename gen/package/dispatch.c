/* SPDX-License-Identifier: Apache-2.0
 *
 * dispatch: prints an assignment's tree as ifs, each leaf with what it serves. Gives a package its kernels: those that were chosen for a tuned
 * target, and for machines that lack it the general kernel that is trusted most; and says which of them a call takes.
 */
#include "gen/package/dispatch.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>
#include "gen/base/number.h"
#include "gen/base/text.h"
#include "gen/unit/candidate.h"
#include "search/space/cost.h"

/* ---- a tree as text ---- */

typedef struct {
    const Study *s;
    const Assignment *as;
    int first;
    const TreeNode **leaf; /* of each instance */
    Text out;
} Printer;

const char *dispatch_feature(const Op *op, int f) { return f < op->naxis ? op->axis[f].name : "threads"; }

static bool measured(const Printer *p, int64_t i, int kernel)
{
    const Instance *inst = &p->s->spec->instance[i];
    int64_t j = inst->tuned ? study_shape(p->s, inst->extent, inst->threads) : -1;
    return j >= 0 && p->s->trial[p->as->kernel[kernel]].ns[j] > 0;
}

static int runner_up(const double *cost, int nkernel, int kernel)
{
    int best = -1;
    for (int k = 0; k < nkernel; k++)
        if (k != kernel && (best < 0 || cost[k] < cost[best]))
            best = k;
    return best;
}

/* The leaf's example: a tuned instance if it serves one, with the most weight; `count`: how many it serves. */
static int64_t example(const Printer *p, const TreeNode *leaf, int64_t *count)
{
    const Spec *spec = p->s->spec;
    int64_t best = -1;
    *count = 0;
    for (int64_t i = 0; i < spec->ninstance; i++) {
        if (p->leaf[i] != leaf)
            continue;
        ++*count;
        const Instance *a = &spec->instance[i], *b = best >= 0 ? &spec->instance[best] : NULL;
        if (!b || a->tuned > b->tuned || (a->tuned == b->tuned && a->weight > b->weight))
            best = i;
    }
    return best;
}

static void add_comment(Printer *p, const TreeNode *leaf)
{
    const Spec *spec = p->s->spec;
    const Assignment *as = p->as;
    int64_t count, i = example(p, leaf, &count), x[OP_MAX_AXIS + 1];
    if (i < 0)
        return;
    text_printf(&p->out, " /* %" PRId64 " shape%s; ", count, number_plural(count));
    select_features(p->s, spec->instance[i].extent, spec->instance[i].threads, x);
    for (int f = 0; f < as->nfeature; f++)
        text_printf(&p->out, "%s%s=%" PRId64, f ? " " : "", dispatch_feature(spec->op, f), x[f]);
    const double *cost = &as->cost[i * as->nkernel], ns = cost[leaf->class];
    const int next = runner_up(cost, as->nkernel, leaf->class);
    text_printf(&p->out, ": %s%s", measured(p, i, leaf->class) ? "" : "about ", number_time(p->out.arena, ns));
    if (next >= 0 && isfinite(cost[next]))
        text_printf(&p->out, ", then kernel %d %+.1f%%", p->first + next, 100 * (cost[next] / ns - 1));
    text_add(&p->out, " */");
}

static void add_node(Printer *p, const TreeNode *n, int indent)
{
    if (n->feature < 0) {
        text_printf(&p->out, "%*sreturn %d;", indent, "", p->first + n->class);
        add_comment(p, n);
        text_add(&p->out, "\n");
        return;
    }
    const char *limit = arena_printf(p->out.arena, "%" PRId64, n->threshold);
    text_printf(&p->out, "%*sif (%s <= %s) {\n", indent, "", dispatch_feature(p->s->spec->op, n->feature),
                n->threshold == INT64_MIN ? "INT64_MIN" : limit); /* C has no literal for the least number of 64 bits */
    add_node(p, n->left, indent + 4);
    text_printf(&p->out, "%*s}\n", indent, "");
    add_node(p, n->right, indent); /* "else" would only nest what follows a return */
}

const char *dispatch_tree(Arena *a, const Study *s, const Assignment *as, int first)
{
    Printer p = { .s = s, .as = as, .first = first, .out = { .arena = a } };
    p.leaf = ARENA_ARRAY(a, (size_t)s->spec->ninstance + 1, const TreeNode *);
    for (int64_t i = 0; i < s->spec->ninstance; i++) {
        int64_t x[OP_MAX_AXIS + 1];
        select_features(s, s->spec->instance[i].extent, s->spec->instance[i].threads, x);
        for (p.leaf[i] = as->tree; p.leaf[i]->feature >= 0;)
            p.leaf[i] = x[p.leaf[i]->feature] <= p.leaf[i]->threshold ? p.leaf[i]->left : p.leaf[i]->right;
    }
    add_node(&p, as->tree, 4);
    return text_str(&p.out);
}

int dispatch_cuts(const TreeNode *t, int feature, int64_t *cut)
{
    if (t->feature < 0)
        return 0;
    int n = dispatch_cuts(t->left, feature, cut);
    if (t->feature == feature && cut)
        cut[n] = t->threshold;
    n += t->feature == feature;
    return n + dispatch_cuts(t->right, feature, cut ? cut + n : NULL);
}

/* ---- what a package has ---- */

static void add_kernel(Arena *a, Dispatcher *d, const Candidate *c, KernelFacts facts)
{
    int64_t *value = ARENA_ARRAY(a, TEMPLATE_MAX_PARAM, int64_t);
    candidate_values(c, value);
    d->kernel = arena_grow(a, d->kernel, (size_t)d->nkernel, (size_t)d->nkernel + 1, sizeof *d->kernel);
    d->kernel[d->nkernel++] = (UnitKernel){ c->t, c->target, value, facts };
}

static void add_tuned(Arena *a, Dispatcher *d, const Result *part)
{
    const Assignment *as = part->assignment;
    d->entry[d->nentry++] = (DispatchEntry){ .target = part->study->target,
                                             .part = part,
                                             .tree = as->tree,
                                             .first = d->nkernel,
                                             .nkernel = as->nkernel,
                                             .general = d->nkernel + as->general };
    for (int k = 0; k < as->nkernel; k++) {
        const Trial *t = &part->study->trial[as->kernel[k]];
        add_kernel(a, d, &t->c, t->facts);
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
static double general_cost(Arena *a, const Result *part, const Candidate *c)
{
    const Study *s = part->study;
    double sum = 0;
    if (!part->unit.target->family->ranks_templates)
        return 0;
    const CostModel *m = cost_analytic(a, s, part->templates);
    for (int64_t j = 0; j < s->nshape; j++)
        sum += log2(cost_predict(m, c, s->shape[j]->extent, s->shape[j]->threads));
    return sum / (double)(s->nshape ? s->nshape : 1);
}

/* Of those trusted alike the fastest, as far as that is known without measuring; else the first. False: there is none. */
static bool most_trusted(Arena *a, const Result *part, const Target *target, Candidate *best)
{
    int most = 0;
    double least = INFINITY;
    for (int j = 0; j < part->templates->n; j++) {
        const Template *t = part->templates->t[j];
        Candidate c;
        if (!template_suits(t, part->unit.spec, target) || !candidate_general(t, target, &c))
            continue;
        const int trust = template_trust(part, t, target);
        const double cost = general_cost(a, part, &c);
        if (trust > most || (trust == most && trust > 0 && cost < least)) {
            *best = c;
            most = trust;
            least = cost;
        }
    }
    return most > 0;
}

/* What was tuned for the target; NULL: nothing. */
static const Result *part_of(const Dispatcher *d, const Target *target)
{
    for (int i = 0; i < d->npart; i++)
        if (d->part[i].study->target == target)
            return &d->part[i];
    return NULL;
}

/* The first part whose machines' kin without its target may run this one; NULL: none. */
static const Result *stands_in_for(const Dispatcher *d, const Target *target)
{
    for (int i = 0; i < d->npart; i++) {
        const Target *tuned = d->part[i].study->target;
        if ((target == tuned && target_is_inherited(tuned)) || target_is_fallback(d->part->unit.targets, target, tuned))
            return &d->part[i];
    }
    return NULL;
}

/* Machines that lack the tuned targets get the general kernel of each fallback, of the template that is trusted most. */
static void add_general(Arena *a, Dispatcher *d, const Target *target)
{
    const Result *part = stands_in_for(d, target);
    Candidate best;
    if (!part || !most_trusted(a, part, target, &best))
        return;
    const int kernel = d->nkernel;
    d->entry[d->nentry++] = (DispatchEntry){ .target = target, .first = kernel, .nkernel = 1, .general = kernel };
    add_kernel(a, d, &best, (KernelFacts){ 0 });
}

const Dispatcher *package_dispatcher(Arena *a, const Result *part, int npart)
{
    const UnitContext *u = &part->unit;
    Dispatcher *d = ARENA_NEW(a, Dispatcher);
    *d = (Dispatcher){ .spec = u->spec,
                       .is_told_parts = u->target->family->told_parts,
                       .part = part,
                       .npart = npart,
                       .entry = ARENA_ARRAY(a, 2 * TARGET_MAX, DispatchEntry) };
    for (int i = 0; i < u->targets->n; i++) { /* by descending rank */
        const Target *t = &u->targets->t[i];
        const Result *tuned = part_of(d, t);
        if (tuned)
            add_tuned(a, d, tuned);
        if (!tuned || target_is_inherited(t))
            add_general(a, d, t);
    }
    return d;
}

int dispatch_kernel(const Dispatcher *d, int entry, const int64_t *x)
{
    const DispatchEntry *e = &d->entry[entry];
    bool inside = e->tree != NULL;
    for (int i = 0; i < d->spec->op->naxis; i++)
        inside = inside && x[i] >= d->spec->box.min[i] && x[i] <= d->spec->box.max[i];
    return inside ? e->first + tree_choose(e->tree, x) : e->general;
}
