/* SPDX-License-Identifier: Apache-2.0
 *
 * explain: goes from the words of the command line to shapes, and with each shape the way of the package's dispatcher:
 * first the box of the declared ranges (a shape outside gets the general kernel), then the tree.
 */
#include "gen/report/explain.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>
#include "gen/base/diag.h"
#include "gen/base/text.h"
#include "gen/report/explain_private.h"

enum { EXIT_USAGE = 2, MAX_THREADS = 4096, MAX_NAMES = SPEC_MAX_DIM + 2 * OP_MAX_EXTENT + 1 };

/* ---- names on the command line ---- */

__attribute__((format(printf, 2, 3))) static bool fail(const Explanation *x, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    diag_say(x->err, DIAG_ERROR, "%s", arena_vprintf(x->arena, fmt, ap));
    va_end(ap);
    return false;
}

static bool is_dim(const Spec *s, const char *name) { return names_find(NAMES(s->dim, s->ndim), name) >= 0; }

/* What a caller gives a call by: its extents, or several attributes together. Returns how many names there are. */
static size_t given_names(const Op *op, const char **name)
{
    size_t n = 0;
    for (int i = 0; i < op->ngiven; i++)
        name[n++] = op->extent[i].name;
    for (int i = 0; i < op->ngiven; i++)
        if (op_is_first_brief(op, i))
            name[n++] = op->extent[i].brief;
    return n;
}

static bool is_given(const Op *op, const char *name)
{
    const char *given[2 * OP_MAX_EXTENT];
    return names_find(NAMES(given, given_names(op, given)), name) >= 0;
}

static bool is_threads(const Spec *s, const char *name)
{
    return strcmp(name, "threads") == 0 && !is_dim(s, name) && op_axis(s->op, name) < 0;
}

/* Must the dim be told? Not if it has one value, or if the function does not use it. */
static bool is_open(const Spec *s, int i) { return s->dims >> i & 1 && s->dim[i].min < s->dim[i].max; }

/* "T=..., or M=... N=... K=..." */
static const char *usage_text(const Explanation *x)
{
    const Op *op = x->study->spec->op;
    Text t = { .arena = x->arena };
    for (int i = 0; i < x->study->spec->ndim; i++)
        if (is_open(x->study->spec, i))
            text_printf(&t, "%s%s=...", t.len ? " " : "", x->study->spec->dim[i].name);
    text_add(&t, t.len ? ", or " : "");
    for (int i = 0; i < op->ngiven; i++)
        if (!op->extent[i].brief || op_is_first_brief(op, i))
            text_printf(&t, "%s%s=...", i ? " " : "", op->extent[i].brief ? op->extent[i].brief : op->extent[i].name);
    return text_str(&t);
}

static bool fail_unknown(const Explanation *x, const char *name)
{
    const char *known[MAX_NAMES];
    size_t n = 0;
    for (int i = 0; i < x->study->spec->ndim; i++)
        known[n++] = x->study->spec->dim[i].name;
    n += given_names(x->study->spec->op, known + n);
    known[n++] = "threads";
    const char *near = diag_nearest(name, NAMES(known, n));
    if (near)
        return fail(x, "unknown name '%s'; did you mean '%s'?", name, near);
    return fail(x, "unknown name '%s'; expected %s, and threads=...", name, usage_text(x));
}

/* Finds out if the words give dims or extents. A name of both is what the other words are, or else a dim. */
static bool find_kind(const Explanation *x, bool *by_dims)
{
    const char *dim_only = NULL, *axis_only = NULL;
    int n = 0;
    for (int i = 0; i < x->nbinding; i++) {
        const char *name = x->binding[i].name;
        bool dim = is_dim(x->study->spec, name), axis = is_given(x->study->spec->op, name);
        if (is_threads(x->study->spec, name))
            continue;
        if (!dim && !axis)
            return fail_unknown(x, name);
        n++;
        dim_only = dim && !axis ? name : dim_only;
        axis_only = axis && !dim ? name : axis_only;
    }
    if (n == 0 && (x->study->spec->ndim || x->study->spec->log))
        return fail(x, "no shape is given; expected %s", usage_text(x));
    if (dim_only && axis_only)
        return fail(x, "'%s' is a dimension of the spec and '%s' an extent; expected %s", dim_only, axis_only,
                    usage_text(x));
    *by_dims = !axis_only && !x->study->spec->log;
    return true;
}

static const ExplainBinding *binding_of(const Explanation *x, const char *name)
{
    return names_row(NAMES(x->binding, x->nbinding), name);
}

static bool read_threads(const Explanation *x, int *threads)
{
    const ExplainBinding *b = is_threads(x->study->spec, "threads") ? binding_of(x, "threads") : NULL;
    const Family *family = x->study->target->family;
    if (b && !family->splits_calls)
        return fail(x, "threads=%" PRId64 ": calls on a %s are not split among threads", b->value, family->device);
    if (b && (b->value < 1 || b->value > MAX_THREADS))
        return fail(x, "threads=%" PRId64 " is out of range; expected 1 to %d", b->value, MAX_THREADS);
    *threads = b ? (int)b->value : x->study->spec->threads[0];
    return true;
}

static bool read_value(const Explanation *x, const char *name, int64_t *value)
{
    const ExplainBinding *b = binding_of(x, name);
    *value = b ? b->value : 0;
    return b || fail(x, "%s is missing; expected %s", name, usage_text(x));
}

static bool check_extent(const Explanation *x, int i, int64_t value)
{
    const Extent *e = &x->study->spec->op->extent[i];
    return (value >= e->least && value <= e->most) ||
           fail(x, "%s=%" PRId64 " is not legal; expected %" PRId64 " to %" PRId64, e->name, value, e->least, e->most);
}

/* Reads an extent, by its own name or by one that it shares; an attribute that is not given has its default. */
static bool read_extent(const Explanation *x, int i, int64_t *value)
{
    const Extent *e = &x->study->spec->op->extent[i];
    const char *name = e->brief && !binding_of(x, e->name) && binding_of(x, e->brief) ? e->brief : e->name;
    *value = e->usual;
    return (e->has_usual && !binding_of(x, name)) || (read_value(x, name, value) && check_extent(x, i, *value));
}

/* Fills in the extents that follow from those that are given. */
static bool derive(const Explanation *x, int64_t *extent)
{
    const Spec *s = x->study->spec;
    if (op_derive(s->op, extent))
        return spec_is_legal(s, extent) ||
               fail(x, "there is no such call: its formula would read outside of an operand");
    return fail(x, "there is no such call: an extent that follows is not legal");
}

/* ---- shapes ---- */

/* Reads the extents of a declared shape at the point x->dim. */
static bool read_declared_shape(Explanation *x, int decl, Instance *inst)
{
    const Spec *s = x->study->spec;
    for (int axis = 0; axis < s->op->ngiven; axis++) {
        const Expr *e = s->shape[decl].extent[axis];
        const ExprStatus status = expr_int_at(e, x->dim, &inst->extent[axis]);
        if (status != EXPR_OK)
            return fail(x, "%s = %s %s there", s->op->extent[axis].name, expr_text(e), expr_status_text(status));
        if (!check_extent(x, axis, inst->extent[axis]))
            return false;
    }
    memcpy(inst->dim, x->dim, sizeof inst->dim);
    inst->decl = decl;
    return derive(x, inst->extent);
}

static bool same_shape(const Spec *s, const Instance *a, const Instance *b)
{
    return a->threads == b->threads && memcmp(a->extent, b->extent, (size_t)s->op->ngiven * sizeof *a->extent) == 0;
}

/* Adds a shape, unless it is there: two declarations may give the same shape at a point. */
static void add_shape(Explanation *x, const Instance *inst)
{
    for (int i = 0; i < x->nanswer; i++)
        if (same_shape(x->study->spec, &x->answer[i].inst, inst))
            return;
    x->answer[x->nanswer++].inst = *inst;
}

static bool find_shapes(Explanation *x)
{
    const Spec *s = x->study->spec;
    Instance inst = { 0 };
    if (!find_kind(x, &x->by_dims) || !read_threads(x, &inst.threads))
        return false;
    x->answer = ARENA_ARRAY(x->arena, (size_t)s->nshape + 1, Answer);
    if (!x->by_dims) {
        for (int i = 0; i < s->op->ngiven; i++)
            if (!read_extent(x, i, &inst.extent[i]))
                return false;
        if (!derive(x, inst.extent))
            return false;
        inst.decl = -1;
        add_shape(x, &inst);
        return true;
    }
    for (int i = 0; i < s->ndim; i++)
        if (is_open(s, i) || binding_of(x, s->dim[i].name)) {
            if (!read_value(x, s->dim[i].name, &x->dim[i]))
                return false;
        } else {
            x->dim[i] = s->dim[i].min;
        }
    for (int i = 0; i < s->nshape; i++) {
        if (!read_declared_shape(x, i, &inst))
            return false;
        add_shape(x, &inst);
    }
    return true;
}

/* ---- answers ---- */

static bool is_in_box(const Spec *s, const Instance *inst)
{
    for (int i = 0; i < s->op->nextent; i++)
        if (inst->extent[i] < s->box.min[i] || inst->extent[i] > s->box.max[i])
            return false;
    return true;
}

/* Was the shape given by dims, each within its range? Then it is declared, even if instances are only a sample. */
static bool is_in_ranges(const Spec *s, const Instance *inst)
{
    bool in = inst->decl >= 0;
    for (int i = 0; i < s->ndim; i++)
        in = in && spec_dim_holds(s, i, inst->dim[i]);
    return in;
}

static Place place_of(const Explanation *x, const Instance *inst)
{
    const Spec *s = x->study->spec;
    if (!is_in_box(s, inst))
        return PLACE_OUTSIDE;
    if (study_shape(x->study, inst->extent, inst->threads) >= 0)
        return PLACE_TUNED;
    if (study_place(x->study, inst) >= 0)
        return PLACE_HELD_OUT;
    if (is_in_ranges(s, inst))
        return PLACE_DECLARED;
    for (int64_t i = 0; i < s->ninstance; i++)
        if (same_shape(s, &s->instance[i], inst))
            return PLACE_DECLARED;
    return PLACE_BETWEEN;
}

/* Goes down the tree, and keeps the steps. Returns the leaf's kernel. */
static int walk_tree(const Explanation *x, Answer *w)
{
    const Op *op = x->study->spec->op;
    const TreeNode *t = x->assignment->tree;
    int64_t value[SELECT_MAX_FEATURE];
    select_features(x->study, x->assignment, w->inst.extent, w->inst.threads, value);
    w->step = ARENA_ARRAY(x->arena, (size_t)tree_depth(t) + 1, Step);
    while (t->feature >= 0) {
        const int f = t->feature;
        bool below = value[f] <= t->threshold;
        w->step[w->nstep++] = (Step){ select_feature_name(op, x->assignment, f), value[f], t->threshold, below };
        t = below ? t->left : t->right;
    }
    return t->class;
}

/* Sum of the squared distances of the extents, in octaves, and of the threads, in half octaves. */
static double distance(const Spec *s, const Instance *a, const Instance *b)
{
    const double d = 2 * log2((double)a->threads / b->threads);
    return d * d + op_distance(s->op, a->extent, b->extent);
}

/* The tuned shape nearest to inst on which the trial was measured; -1: none. */
static int64_t nearest_measured(const Study *s, const Trial *t, const Instance *inst)
{
    int64_t best = -1;
    for (int64_t j = 0; j < s->nshape; j++)
        if (t->ns[j] > 0 && !choice_is_empty(s->spec, s->shape[j]->extent) &&
            (best < 0 || distance(s->spec, inst, s->shape[j]) < distance(s->spec, inst, s->shape[best])))
            best = j;
    return best;
}

/* Time of a kernel on a shape. INFINITY: it has no work, or is so large that the template's formulas overflow. */
static double cost_of(const Explanation *x, int kernel, const Instance *inst)
{
    double pad, occ;
    int64_t trial = x->assignment->kernel[kernel];
    bool known = !choice_is_empty(x->study->spec, inst->extent) &&
                 choice_factors(x->study, &x->study->trial[trial].c, inst->extent, inst->threads, &pad, &occ);
    return known ? cost_trial(x->model, trial, inst) : INFINITY;
}

/* Works out the least time of the shape, and what keeps the kernel from it. */
static void compare_with_bound(const Explanation *x, Answer *w)
{
    w->has_bound = roofline_bound(x->study->roofline, w->inst.extent, w->inst.threads, &w->bound);
    w->has_shares = w->has_bound && isfinite(w->choice.ns) && shares_exist(&w->bound, w->choice.ns);
    if (w->has_shares)
        w->shares = shares_of(&w->bound, w->choice.ns, w->has_factors ? w->pad : 1, w->has_factors ? w->occ : 1);
}

static void answer_shape(const Explanation *x, Answer *w)
{
    const Study *s = x->study;
    const Assignment *as = x->assignment;
    bool empty = choice_is_empty(s->spec, w->inst.extent);
    double *cost = ARENA_ARRAY(x->arena, (size_t)as->nkernel + 1, double);
    w->place = place_of(x, &w->inst);
    w->inst.tuned = w->place == PLACE_TUNED;
    for (int k = 0; k < as->nkernel; k++)
        cost[k] = cost_of(x, k, &w->inst);
    const int wished = w->place == PLACE_OUTSIDE ? as->general : walk_tree(x, w);
    int kernel = select_serving(x->study, as, w->inst.extent, wished);
    w->choice = choice_make(s, as, &w->inst, cost, kernel);
    w->trial = &s->trial[as->kernel[kernel]];
    w->has_factors = !empty && spec_flops(s->spec, w->inst.extent) > 0 &&
                     choice_factors(s, &w->trial->c, w->inst.extent, w->inst.threads, &w->pad, &w->occ);
    w->model_ns =
        isfinite(w->choice.ns) ? cost_predict(x->model, &w->trial->c, w->inst.extent, w->inst.threads) : INFINITY;
    compare_with_bound(x, w);
    w->near = empty || w->choice.measured ? -1 : nearest_measured(s, w->trial, &w->inst);
}

int explain(Arena *a, const Result *r, const ExplainBinding *binding, int nbinding, bool json, FILE *out, FILE *err)
{
    Explanation x = { .arena = a,
                      .binding = binding,
                      .nbinding = nbinding,
                      .err = err,
                      .study = r->study,
                      .model = r->model,
                      .assignment = r->assignment,
                      .first = r->first };
    if (!find_shapes(&x))
        return EXIT_USAGE;
    for (int i = 0; i < x.nanswer; i++)
        answer_shape(&x, &x.answer[i]);
    (json ? explain_json : explain_text)(&x, out);
    return 0;
}
