/* SPDX-License-Identifier: Apache-2.0
 *
 * dispatch: prints an assignment's tree as ifs, lists a package's kernels, and says which one a call takes.
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
    int first;             /* the package's number of the first kernel */
    const TreeNode **leaf; /* of each instance, the leaf that serves it */
    Text out;
} Printer;

static bool is_measured(const Printer *p, int64_t i, int kernel)
{
    const Instance *inst = &p->s->spec->instance[i];
    int64_t j = study_tunes(p->s, inst) ? study_shape(p->s, inst->extent, inst->threads) : -1;
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

/* The instance that a leaf's comment shows: the heaviest tuned one, or the heaviest if it serves none that is tuned;
 * -1: it serves none at all. *count: how many it serves. */
static int64_t find_example(const Printer *p, const TreeNode *leaf, int64_t *count)
{
    const Spec *spec = p->s->spec;
    int64_t best = -1;
    *count = 0;
    for (int64_t i = 0; i < spec->ninstance; i++) {
        if (p->leaf[i] != leaf)
            continue;
        ++*count;
        if (!isfinite(p->as->cost[i * p->as->nkernel + leaf->class]))
            continue; /* another kernel serves it */
        const Instance *a = &spec->instance[i], *b = best >= 0 ? &spec->instance[best] : NULL;
        const bool tuned = study_tunes(p->s, a), best_tuned = b && study_tunes(p->s, b);
        if (!b || tuned > best_tuned || (tuned == best_tuned && a->weight > b->weight))
            best = i;
    }
    return best;
}

static void add_leaf_comment(Printer *p, const TreeNode *leaf)
{
    const Spec *spec = p->s->spec;
    const Assignment *as = p->as;
    int64_t count, i = find_example(p, leaf, &count), x[SELECT_MAX_FEATURE];
    if (i < 0)
        return;
    text_printf(&p->out, " /* %" PRId64 " shape%s; ", count, number_plural(count));
    select_features(p->s, as, spec->instance[i].extent, spec->instance[i].threads, x);
    for (int f = 0; f < as->nfeature; f++)
        text_printf(&p->out, "%s%s=%" PRId64, f ? " " : "", select_feature_name(spec->op, as, f), x[f]);
    const double *cost = &as->cost[i * as->nkernel], ns = cost[leaf->class];
    const int next = runner_up(cost, as->nkernel, leaf->class);
    text_printf(&p->out, ": %s%s", is_measured(p, i, leaf->class) ? "" : "about ", number_time(p->out.arena, ns));
    if (next >= 0 && isfinite(cost[next]))
        text_printf(&p->out, ", then kernel %d %s%+.1f%%", p->first + next, is_measured(p, i, next) ? "" : "about ",
                    100 * (cost[next] / ns - 1));
    text_add(&p->out, " */");
}

static void add_node(Printer *p, const TreeNode *n, int indent)
{
    if (n->feature < 0) {
        text_printf(&p->out, "%*sreturn %d;", indent, "", p->first + n->class);
        add_leaf_comment(p, n);
        text_add(&p->out, "\n");
        return;
    }
    const char *limit = arena_printf(p->out.arena, "%" PRId64, n->threshold);
    text_printf(&p->out, "%*sif (%s <= %s) {\n", indent, "", select_feature_name(p->s->spec->op, p->as, n->feature),
                n->threshold == INT64_MIN ? "INT64_MIN" : limit); /* C has no literal for the least number of 64 bits */
    add_node(p, n->left, indent + 4);
    text_printf(&p->out, "%*s}\n", indent, "");
    add_node(p, n->right, indent); /* "else" would only nest what follows a return */
}

const TreeNode **dispatch_leaves(Arena *a, const Study *s, const Assignment *as)
{
    const TreeNode **leaf = ARENA_ARRAY(a, (size_t)s->spec->ninstance + 1, const TreeNode *);
    for (int64_t i = 0; i < s->spec->ninstance; i++) {
        int64_t x[SELECT_MAX_FEATURE];
        select_features(s, as, s->spec->instance[i].extent, s->spec->instance[i].threads, x);
        leaf[i] = tree_leaf(as->tree, x);
    }
    return leaf;
}

const char *dispatch_tree(Arena *a, const Study *s, const Assignment *as, int first)
{
    Printer p = { s, as, first, dispatch_leaves(a, s, as), { .arena = a } };
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
    d->asks_align = d->asks_align || c->t->asks_align;
    *ARENA_PUSH(a, d->kernel, d->nkernel) =
        (UnitKernel){ .t = c->t, .target = c->target, .value = value, .facts = facts };
}

static void add_tuned_entry(Arena *a, Dispatcher *d, const Result *result)
{
    const Assignment *as = result->assignment;
    d->entry[d->nentry++] = (DispatchEntry){ .target = result->study->target,
                                             .result = result,
                                             .tree = as->tree,
                                             .first = d->nkernel,
                                             .nkernel = as->nkernel,
                                             .general = d->nkernel + as->general };
    for (int k = 0; k < as->nkernel; k++) {
        const Trial *t = &result->study->trial[as->kernel[k]];
        add_kernel(a, d, &t->c, t->facts);
    }
}

/* Did the compiler run out of registers? */
static bool spills(const Trial *t)
{
    const Param *spilled = names_row(NAMES(t->facts.fact, t->facts.n), "spilled");
    return spilled && spilled->value > 0;
}

/* How much a template's general kernel for a target is trusted: 4 if it was verified on this target, 3 if it spills
 * there; else 2 if some trial of the template on any target is right, 1 if none was tried. 0: this one failed, or all
 * of the template that were tried; never use it. */
static int kernel_trust(const Study *s, const Candidate *c)
{
    const int64_t own = study_find(s, c);
    const Trial *tried = own >= 0 && s->trial[own].built ? &s->trial[own] : NULL;
    bool failed = false;
    if (tried && !trial_usable(tried))
        return 0;
    if (tried && c->target != s->target)
        return spills(tried) ? 3 : 4;
    for (int64_t i = 0; i < s->ntrial; i++) {
        if (s->trial[i].c.t == c->t && trial_usable(&s->trial[i]))
            return 2;
        failed = failed || s->trial[i].c.t == c->t;
    }
    return failed ? 0 : 1;
}

/* A general kernel for a lesser target. */
typedef struct {
    Candidate c;
    int trust;      /* kernel_trust; 0: there is none */
    int64_t nshape; /* that it serves, of those that lack a kernel */
} Stand;

/* What general kernels of a target are weighed by. */
typedef struct {
    const Result *result;
    const Target *target;
    const CostModel *model;
    bool *lacks;             /* [shape] for which no kernel is there yet */
    const Template **chosen; /* [shape] of the kernel that the tuned target has for it */
} Stands;

/* A general kernel on the tuned shapes that lack a kernel and that it and another one serve. */
typedef struct {
    int64_t nshape, nchosen; /* nchosen: for which the tuned target has a kernel of its template */
    double log_cost;         /* the mean of log2 of its ns, by its template's closed form */
} Weight;

static Weight weigh(const Stands *w, const Candidate *c, const Candidate *other)
{
    const Study *s = w->result->study;
    Weight sum = { 0 };
    for (int64_t j = 0; j < s->nshape; j++) {
        const Instance *i = s->shape[j];
        if (w->lacks[j] && candidate_serves(c, s->spec, i->extent) && candidate_serves(other, s->spec, i->extent)) {
            sum.log_cost += log2(cost_predict(w->model, c, i->extent, i->threads));
            sum.nchosen += w->chosen[j] == c->t;
            sum.nshape++;
        }
    }
    sum.log_cost /= sum.nshape ? (double)sum.nshape : 1;
    return sum;
}

/* Is a better than b? One that was verified on the target, then one that is not far slower where both serve, or serves
 * more shapes where they have none in common, then one whose template was chosen for more of the shapes, then one that
 * is trusted more, then the faster one. Closed forms that do not compare tell only which is far slower. */
static bool stands_better(const Stands *w, const Stand *a, const Stand *b)
{
    enum { VERIFIED = 3 };
    static const double FAR = 2; /* octaves */
    const Weight x = weigh(w, &a->c, &b->c), y = weigh(w, &b->c, &a->c);
    if ((a->trust >= VERIFIED) != (b->trust >= VERIFIED))
        return a->trust > b->trust;
    if (!x.nshape)
        return a->nshape > b->nshape;
    if (fabs(x.log_cost - y.log_cost) > FAR)
        return x.log_cost < y.log_cost;
    if (x.nchosen != y.nchosen)
        return x.nchosen > y.nchosen;
    if (a->trust != b->trust)
        return a->trust > b->trust;
    return w->target->family->ranks_templates && x.log_cost < y.log_cost;
}

/* Finds the best general kernel, of all templates, for shapes that lack one; for_all: of those that serve every call.
 * False: there is none. */
static bool find_general(const Stands *w, bool for_all, Candidate *out)
{
    const TemplateList *templates = w->result->templates;
    const Spec *spec = w->result->unit.spec;
    Stand best = { .trust = 0 }, x;
    for (int j = 0; j < templates->n; j++)
        for (int i = 0;
             template_suits(templates->t[j], spec, w->target) && candidate_general(templates->t[j], w->target, i, &x.c);
             i++) {
            x.trust = kernel_trust(w->result->study, &x.c);
            x.nshape = weigh(w, &x.c, &x.c).nshape;
            if (x.trust && (for_all ? candidate_serves_all(&x.c, spec) : x.nshape > 0) &&
                (!best.trust || stands_better(w, &x, &best)))
                best = x;
        }
    *out = best.c;
    return best.trust;
}

/* The template of the kernel that the tuned target has for each tuned shape. */
static const Template **chosen_templates(Arena *a, const Result *result)
{
    const Study *s = result->study;
    const Assignment *as = result->assignment;
    const Template **chosen = ARENA_ARRAY(a, (size_t)s->nshape + 1, const Template *);
    for (int64_t j = 0; j < s->nshape; j++) {
        const Instance *i = s->shape[j];
        int64_t x[SELECT_MAX_FEATURE];
        select_features(s, as, i->extent, i->threads, x);
        const int kernel = select_serving(s, as, i->extent, tree_choose(as->tree, x));
        chosen[j] = s->trial[as->kernel[kernel]].c.t;
    }
    return chosen;
}

/* What was tuned for the target; NULL: nothing. */
static const Result *result_for(const Dispatcher *d, const Target *target)
{
    for (int i = 0; i < d->results.n; i++)
        if (d->results.item[i].study->target == target)
            return &d->results.item[i];
    return NULL;
}

/* The first result whose target this one stands in for: as a fallback, or itself on later devices. NULL: none. */
static const Result *result_stood_in_for(const Dispatcher *d, const Target *target)
{
    for (int i = 0; i < d->results.n; i++) {
        const Target *tuned = d->results.item[i].study->target;
        if ((target == tuned && target_is_inherited(tuned)) ||
            target_is_fallback(d->results.item->unit.targets, target, tuned))
            return &d->results.item[i];
    }
    return NULL;
}

/* If the target stands in for a tuned one, adds an entry with the best general kernels for the tuned shapes, and one
 * for all other calls if none of these serves every call. */
static void add_general_entry(Arena *a, Dispatcher *d, const Target *target)
{
    const Result *result = result_stood_in_for(d, target);
    if (!result)
        return;
    const Study *s = result->study;
    const int first = d->nkernel;
    const Stands w = { result, target, cost_analytic(a, s, result->templates),
                       ARENA_ARRAY(a, (size_t)s->nshape + 1, bool), chosen_templates(a, result) };
    Candidate best, last;
    memset(w.lacks, true, (size_t)s->nshape * sizeof *w.lacks);
    const bool has_last = find_general(&w, true, &last);
    bool needs_last = true;
    while (has_last && find_general(&w, false, &best)) {
        add_kernel(a, d, &best, (KernelFacts){ 0 });
        needs_last = needs_last && !candidate_serves_all(&best, s->spec);
        for (int64_t j = 0; j < s->nshape; j++)
            w.lacks[j] = w.lacks[j] && !candidate_serves(&best, s->spec, s->shape[j]->extent);
    }
    if (has_last && needs_last)
        add_kernel(a, d, &last, (KernelFacts){ 0 });
    if (has_last)
        d->entry[d->nentry++] =
            (DispatchEntry){ .target = target, .first = first, .nkernel = d->nkernel - first, .general = first };
}

const Dispatcher *package_dispatcher(Arena *a, const ResultList *results)
{
    const UnitContext *u = &results->item->unit;
    Dispatcher *d = ARENA_NEW(a, Dispatcher);
    *d = (Dispatcher){ .spec = u->spec,
                       .is_told_parts = u->target->family->splits_calls,
                       .results = *results,
                       .entry = ARENA_ARRAY(a, 2 * TARGET_MAX, DispatchEntry) };
    for (int i = 0; i < u->targets->n; i++) { /* by descending rank */
        const Target *t = &u->targets->t[i];
        const Result *tuned = result_for(d, t);
        if (tuned)
            add_tuned_entry(a, d, tuned);
        if (!tuned || target_is_inherited(t))
            add_general_entry(a, d, t);
    }
    dispatch_keep_parts(a, d);
    dispatch_bind(a, d);
    return d;
}

/* Does the entry serve a machine of the target that is not the very one it was tuned on? */
static bool stands_in(const Dispatcher *d, const DispatchEntry *entry, const Target *t)
{
    return (!entry->result || !target_is_inherited(entry->target)) &&
           (entry->target == t || target_is_fallback(d->results.item->unit.targets, entry->target, t));
}

int dispatch_lacking(const Dispatcher *d, const Target **out)
{
    const TargetList *targets = d->results.item->unit.targets;
    int n = 0;
    for (int i = 0; i < targets->n; i++) {
        const Target *t = &targets->t[i];
        int k = 0;
        while (k < d->nentry && !stands_in(d, &d->entry[k], t))
            k++;
        if (k == d->nentry && result_stood_in_for(d, t))
            out[n++] = t;
    }
    return n;
}

void dispatch_bind(Arena *a, Dispatcher *d)
{
    const char *argument[SELECT_MAX_FEATURE];
    for (int i = 0; i < dispatch_narguments(d); i++)
        argument[i] = dispatch_argument(d, i);
    d->condition = ARENA_ARRAY(a, (size_t)d->nkernel + 1, Expr *);
    for (int k = 0; k < d->nkernel; k++) {
        const UnitKernel *kernel = &d->kernel[k];
        if (kernel->t)
            d->condition[k] = template_condition(
                a, &(Binding){ .t = kernel->t, .spec = d->spec, .target = kernel->target, .value = kernel->value });
        if (d->condition[k])
            expr_bind(d->condition[k], NAMES(argument, dispatch_narguments(d)));
    }
}

/* What the kernel's condition is at x. False: it does not fit 64 bits, and *serves is false. */
static bool decide(const Dispatcher *d, int kernel, const int64_t *x, bool *serves)
{
    int64_t does, at[SELECT_MAX_FEATURE];
    if (!d->condition[kernel])
        return *serves = true;
    memcpy(at, x, (size_t)dispatch_narguments(d) * sizeof *x);
    if (d->asks_align && !at[d->spec->op->nextent])
        at[d->spec->op->nextent] = ALIGN_MOST; /* 0 is a multiple of anything */
    const bool ok = expr_int_at(d->condition[kernel], at, &does) == EXPR_OK;
    *serves = ok && does;
    return ok;
}

bool dispatch_serves(const Dispatcher *d, int kernel, const int64_t *x)
{
    bool serves;
    decide(d, kernel, x, &serves);
    return serves;
}

bool dispatch_decides(const Dispatcher *d, int entry, const int64_t *x)
{
    const DispatchEntry *e = &d->entry[entry];
    bool all = true, serves;
    for (int k = e->first; all && k < e->first + e->nkernel; k++)
        all = decide(d, k, x, &serves);
    return all;
}

int dispatch_narguments(const Dispatcher *d) { return d->spec->op->nextent + d->asks_align + d->is_told_parts; }

const char *dispatch_argument(const Dispatcher *d, int i)
{
    const Op *op = d->spec->op;
    return i < op->nextent ? op->extent[i].name : d->asks_align && i == op->nextent ? "ALIGN" : "threads";
}

/* What the tree of an entry does with its features, x without an alignment that none of its own kernels asks for. */
static int tree_kernel(const Dispatcher *d, const DispatchEntry *e, const int64_t *x)
{
    const int n = d->spec->op->nextent, skipped = d->asks_align && !e->result->assignment->asks_align;
    int64_t feature[SELECT_MAX_FEATURE];
    memcpy(feature, x, (size_t)n * sizeof *x);
    for (int i = n; i + skipped < dispatch_narguments(d); i++)
        feature[i] = x[i + skipped];
    return e->first + tree_choose(e->tree, feature);
}

int dispatch_kernel(const Dispatcher *d, int entry, const int64_t *x)
{
    const DispatchEntry *e = &d->entry[entry];
    bool inside = e->tree != NULL;
    for (int i = 0; i < d->spec->op->nextent; i++)
        inside = inside && x[i] >= d->spec->box.min[i] && x[i] <= d->spec->box.max[i];
    const int kernel = inside ? tree_kernel(d, e, x) : e->general;
    int other = e->first;
    if (dispatch_serves(d, kernel, x))
        return kernel;
    while (other + 1 < e->first + e->nkernel && !dispatch_serves(d, other, x))
        other++;
    return other;
}
