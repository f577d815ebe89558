/* SPDX-License-Identifier: Apache-2.0
 *
 * dispatch: prints an assignment's tree as ifs, each leaf with what it serves; and gives the kernel that a package takes.
 */
#include "gen/package/dispatch.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>
#include "gen/base/number.h"
#include "gen/base/text.h"

typedef struct {
    const Study *s;
    const Assignment *as;
    int first;
    const TreeNode **leaf; /* of each instance */
    Text out;
} Printer;

const char *dispatch_feature(const Op *op, int f) { return f < op->naxis ? op->axis[f].name : "threads"; }

static const TreeNode *leaf_of(const Printer *p, const Instance *inst)
{
    int64_t x[OP_MAX_AXIS + 1];
    select_features(p->s, inst->extent, inst->threads, x);
    const TreeNode *n = p->as->tree;
    while (n->feature >= 0)
        n = x[n->feature] <= n->threshold ? n->left : n->right;
    return n;
}

static bool measured(const Printer *p, int64_t i, int kernel)
{
    const Instance *inst = &p->s->spec->instance[i];
    int64_t j = inst->tuned ? study_shape(p->s, inst->extent, inst->threads) : -1;
    return j >= 0 && p->s->trial[p->as->kernel[kernel]].ns[j] > 0;
}

static int runner_up(const Assignment *as, int64_t i, int kernel)
{
    int best = -1;
    for (int k = 0; k < as->nkernel; k++)
        if (k != kernel && (best < 0 || as->cost[i * as->nkernel + k] < as->cost[i * as->nkernel + best]))
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
    double ns = as->cost[i * as->nkernel + leaf->class];
    text_printf(&p->out, ": %s%s", measured(p, i, leaf->class) ? "" : "about ", number_time(p->out.arena, ns));
    int next = runner_up(as, i, leaf->class);
    if (next >= 0 && isfinite(as->cost[i * as->nkernel + next]))
        text_printf(&p->out, ", then kernel %d %+.1f%%", p->first + next,
                    100 * (as->cost[i * as->nkernel + next] / ns - 1));
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
    for (int64_t i = 0; i < s->spec->ninstance; i++)
        p.leaf[i] = leaf_of(&p, &s->spec->instance[i]);
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

int dispatch_kernel(const Dispatcher *d, int entry, const int64_t *x)
{
    const DispatchEntry *e = &d->entry[entry];
    bool inside = e->tree != NULL;
    for (int i = 0; i < d->spec->op->naxis; i++)
        inside = inside && x[i] >= d->spec->box.min[i] && x[i] <= d->spec->box.max[i];
    return inside ? e->first + tree_choose(e->tree, x) : e->general;
}
