/* SPDX-License-Identifier: Apache-2.0
 *
 * select: picks kernels one by one, gives each instance one of them, and trains the tree that will choose.
 */
#include "search/choose/select.h"

#include <math.h>
#include <string.h>
#include "gen/base/number.h"
#include "model/rank.h"

/* MAX_SEEN: instances, beside the tuned ones, that kernels are chosen by; MAX_BEYOND: the curve's end */
enum { MAX_SEEN = 256, MAX_BEYOND = 64, MAX_REORDER = 4 };
static const double TIE_MODELLED = 5e-2; /* where nothing was measured: computed times that differ by less are alike */
/* A kernel must lower the mean relative time by WORTH and this part of the noise: the luckiest of many seems to. */
static const double WORTH = 1e-4, WORTH_NOISE = 0.02;
static const double DOUBTS = 2;            /* standard deviations by which a prediction counts as worse */
static const double LEAF_DOUBTS = 1;       /* the same, by which two predictions must differ for the tree to see it */
static const double LEAF_WORTH = 1e-4;     /* gains below this are not worth a leaf of the tree */
static const double TREE_TOLERANCE = 3e-4; /* TreeOptions.tolerance */
static const double UNKNOWN = 1e3; /* for the tree: so many times the best time takes a kernel that was never timed */
static const double MODEL_TOLERANCE = 1e-2; /* where nothing was measured: a finer tree would follow model errors */

typedef struct {
    Arena *arena;
    const Study *s;
    const CostModel *m;
    int64_t *shape;                               /* one an instance: its number in the study; -1: it is not tuned */
    double worth;                                 /* what a kernel must gain */
    double all_weight, seen_weight, tuned_weight; /* sums over all instances, the seen ones, the tuned ones */
    int64_t nseen;
    int64_t *seen;           /* instances that kernels are chosen by: the tuned ones, and an even part of the others */
    int64_t nusable, nlarge; /* nlarge: others that work, each larger than the budget of code */
    int64_t *usable;         /* trials */
    int64_t last;            /* a trial that serves every call, timed or not; -1: there is none */
    int64_t *added;          /* one a usable trial: the bytes that it adds to the package */
    double *rel;             /* nusable x nseen: weight * time / best known time */
    double *kept;        /* one a seen instance: the least of `rel` among the picked kernels that an exchange leaves */
    double total_weight; /* sum of weight_of over the seen instances */
    int64_t *picked;     /* indices into usable */
    int npicked, most;
    int64_t *step[SELECT_MAX_KERNEL + 1]; /* step[n]: the kernels when n were picked */
    int64_t bytes, max_bytes;
    double **ns, **doubted; /* one a picked trial: its times on all instances, as known and as doubted_ns has them */
} Selector;

/* How much instance i counts among instances that weigh all_weight together. All of them share one half of the weight,
 * and the tuned ones alone the other half: these stand for the rest, and were measured. */
static double weight_of(const Selector *q, int64_t i, double all_weight)
{
    const Instance *inst = &q->s->spec->instance[i];
    return inst->weight / all_weight + (q->shape[i] >= 0 ? instance_stands(inst) / q->tuned_weight : 0);
}

static void see_instances(Selector *q)
{
    const Spec *spec = q->s->spec;
    int64_t stride = spec->ninstance / MAX_SEEN + 1;
    q->seen = ARENA_ARRAY(q->arena, (size_t)spec->ninstance + 1, int64_t);
    q->shape = ARENA_ARRAY(q->arena, (size_t)spec->ninstance + 1, int64_t);
    for (int64_t i = 0; i < spec->ninstance; i++) {
        const Instance *inst = &spec->instance[i];
        q->shape[i] = study_tunes(q->s, inst) ? study_shape(q->s, inst->extent, inst->threads) : -1;
        if ((q->shape[i] >= 0 || i % stride == 0) && inst->weight > 0) {
            q->seen[q->nseen++] = i;
            q->seen_weight += inst->weight;
        }
        q->all_weight += inst->weight;
        q->tuned_weight += q->shape[i] >= 0 ? instance_stands(inst) : 0;
    }
    q->tuned_weight = q->tuned_weight > 0 ? q->tuned_weight : 1;
    for (int64_t i = 0; i < q->nseen; i++)
        q->total_weight += weight_of(q, q->seen[i], q->seen_weight);
}

/* Lists the trials that may be picked: all that were measured, or simply all where nothing can be measured. They are in
 * the order of their keys, so that of two that are alike the same one is taken in whatever order they were tried. */
static void see_trials(Selector *q)
{
    const Study *s = q->s;
    q->usable = ARENA_ARRAY(q->arena, (size_t)s->ntrial + 1, int64_t);
    for (int64_t i = 0; i < s->ntrial; i++) {
        const bool large = study_added_bytes(s, &s->trial[i]) > q->max_bytes;
        q->nlarge += study_may_pick(s, &s->trial[i]) && large;
        if (!study_may_pick(s, &s->trial[i]) || large)
            continue;
        int64_t at = q->nusable++;
        for (; at > 0 && strcmp(s->trial[q->usable[at - 1]].key, s->trial[i].key) > 0; at--)
            q->usable[at] = q->usable[at - 1];
        q->usable[at] = i;
    }
    q->added = ARENA_ARRAY(q->arena, (size_t)q->nusable + 1, int64_t);
    for (int64_t u = 0; u < q->nusable; u++)
        q->added[u] = study_added_bytes(s, &s->trial[q->usable[u]]);
}

/* The time ns of a trial: a measured one as it is, a predicted one made worse by as much as it may be off, since the
 * least of many predictions is one that is too low. Where nothing was measured, all are off alike, and none is made
 * worse. */
static double doubted(const Selector *q, int64_t trial, const Instance *inst, double ns)
{
    const int64_t shape = study_shape(q->s, inst->extent, inst->threads);
    if (q->s->device->modelled || (shape >= 0 && q->s->trial[trial].ns[shape] > 0))
        return ns;
    return ns * (1 + DOUBTS * cost_doubt(q->m, trial, inst));
}

static double doubted_ns(const Selector *q, int64_t trial, const Instance *inst)
{
    return doubted(q, trial, inst, cost_trial(q->m, trial, inst));
}

static double relative(const Selector *q, double time, double best)
{
    return q->s->device->modelled && time <= best * (1 + TIE_MODELLED) ? 1 : time / best;
}

static bool serves_all(const Selector *q, int64_t trial)
{
    return candidate_serves_all(&q->s->trial[trial].c, q->s->spec);
}

/* What an instance costs that takes a trial, as a part of all: its weight times the time as a multiple of the best. */
static double weighted_cost(const Selector *q, int64_t i, double time, double best)
{
    return weight_of(q, q->seen[i], q->seen_weight) * relative(q, time, best);
}

/* Finds the trial that serves all calls and takes the least; last[]: its costs. best: the least times. */
static void find_last(Selector *q, const double *best, double *last)
{
    const Study *s = q->s;
    double least = INFINITY, *own = ARENA_ARRAY(q->arena, (size_t)q->nseen + 1, double);
    q->last = -1;
    for (int64_t t = 0; t < s->ntrial; t++) {
        double sum = 0;
        if (!study_may_choose(s, &s->trial[t]) || !serves_all(q, t))
            continue;
        for (int64_t i = 0; i < q->nseen; i++)
            sum += own[i] = weighted_cost(q, i, doubted_ns(q, t, &s->spec->instance[q->seen[i]]), best[i]);
        if (sum < least || (sum == least && q->last >= 0 && strcmp(s->trial[t].key, s->trial[q->last].key) < 0)) {
            least = sum;
            q->last = t;
            memcpy(last, own, (size_t)q->nseen * sizeof *own);
        }
    }
}

static void relative_costs(Selector *q)
{
    double *best = ARENA_ARRAY(q->arena, (size_t)q->nseen + 1, double);
    double *last = ARENA_ARRAY(q->arena, (size_t)q->nseen + 1, double);
    q->rel = ARENA_ARRAY(q->arena, (size_t)(q->nusable * q->nseen) + 1, double);
    for (int64_t i = 0; i < q->nseen; i++) {
        best[i] = INFINITY;
        for (int64_t u = 0; u < q->nusable; u++)
            best[i] = fmin(best[i],
                           q->rel[u * q->nseen + i] = doubted_ns(q, q->usable[u], &q->s->spec->instance[q->seen[i]]));
    }
    find_last(q, best, last);
    for (int64_t u = 0; u < q->nusable; u++)
        for (int64_t i = 0; i < q->nseen; i++) {
            double *rel = &q->rel[u * q->nseen + i]; /* calls that a kernel does not serve take the last one */
            *rel = isfinite(*rel) ? weighted_cost(q, i, *rel, best[i]) : last[i];
        }
}

/* Works out `kept` without the picked kernel at place `without` (-1: with all). */
static void take_kept(const Selector *q, int without)
{
    for (int64_t i = 0; i < q->nseen; i++)
        q->kept[i] = INFINITY;
    for (int k = 0; k < q->npicked; k++)
        for (int64_t i = 0; i < q->nseen && k != without; i++)
            q->kept[i] = fmin(q->kept[i], q->rel[q->picked[k] * q->nseen + i]);
}

/* Mean relative time when each instance takes the best of the picked kernels. */
static double objective(const Selector *q)
{
    double sum = 0;
    take_kept(q, -1);
    for (int64_t i = 0; i < q->nseen; i++)
        sum += q->kept[i];
    return sum / q->total_weight;
}

/* The same with those of `kept` and one more kernel. Where that is more than `most`, any number above it. */
static double objective_with(const Selector *q, int64_t with, double most)
{
    const double *rel = q->rel + with * q->nseen;
    double sum = 0;
    for (int64_t i = 0; i < q->nseen && sum / q->total_weight < most; i++)
        sum += rel[i] < q->kept[i] ? rel[i] : q->kept[i];
    return sum / q->total_weight;
}

/* The kernel that lowers the objective most in place of `without`, and below *value, which it becomes; -1: none. */
static int64_t best_step(const Selector *q, int without, double *value)
{
    int64_t best = -1, freed = without >= 0 ? q->added[q->picked[without]] : 0;
    take_kept(q, without);
    for (int64_t u = 0; u < q->nusable; u++) {
        bool barred = q->bytes - freed + q->added[u] > q->max_bytes;
        for (int k = 0; k < q->npicked; k++)
            barred = barred || q->picked[k] == u;
        if (barred)
            continue;
        double v = objective_with(q, u, *value);
        if (v < *value) {
            *value = v;
            best = u;
        }
    }
    return best;
}

static void exchange(Selector *q)
{
    for (int round = 0; round < 3 * q->npicked; round++) {
        double value = objective(q) - q->worth / 4;
        int64_t in = -1;
        int out = -1;
        for (int k = 0; k < q->npicked; k++) {
            int64_t u = best_step(q, k, &value);
            if (u >= 0) {
                in = u;
                out = k;
            }
        }
        if (in < 0)
            return;
        q->bytes += q->added[in] - q->added[q->picked[out]];
        q->picked[out] = in;
    }
}

/* Adds one kernel after the other, with exchanges after each, until none is worth it or fits. */
static void pick(Selector *q, Assignment *as)
{
    double value = q->npicked ? objective(q) : INFINITY;
    while (q->npicked < q->most) {
        double next = value;
        int64_t u = best_step(q, -1, &next);
        if (u < 0 || (q->npicked && value - next < q->worth))
            return;
        q->picked[q->npicked++] = u;
        q->bytes += q->added[u];
        exchange(q);
        value = objective(q);
        q->step[q->npicked] = ARENA_ARRAY(q->arena, (size_t)q->npicked, int64_t);
        memcpy(q->step[q->npicked], q->picked, (size_t)q->npicked * sizeof *q->picked);
        as->curve[as->ncurve++] = (CurvePoint){ q->npicked, q->bytes, value - 1 };
    }
}

/* Continues the curve beyond the budget: it shows what a larger one would bring. */
static void pick_beyond(const Selector *q, Assignment *as)
{
    Selector more = *q;
    more.most = MAX_BEYOND;
    more.max_bytes = INT64_MAX;
    more.picked = ARENA_ARRAY(q->arena, MAX_BEYOND + 1, int64_t);
    if (q->npicked >= MAX_BEYOND)
        return;
    memcpy(more.picked, q->picked, (size_t)q->npicked * sizeof *q->picked);
    pick(&more, as);
}

/* ---- from kernels to instances ---- */

/* Is kernel k there for calls alone that no other serves, as it was never timed, and does another serve instance i? */
static bool only_stands_in(const Selector *q, const Assignment *as, int64_t i, int k)
{
    bool another = false;
    if (study_may_pick(q->s, &q->s->trial[as->kernel[k]]))
        return false;
    for (int j = 0; j < as->nkernel; j++)
        another = another || (j != k && isfinite(q->ns[as->kernel[j]][i]));
    return another;
}

/* Fills in what each kernel costs on each instance, which is best, and the best known time (any trial's, if tuned). */
static void fill_costs(const Selector *q, Assignment *as)
{
    for (int64_t i = 0; i < q->s->spec->ninstance; i++) {
        double *row = as->cost + i * as->nkernel, best = INFINITY;
        for (int k = 0; k < as->nkernel; k++) {
            row[k] = q->ns[as->kernel[k]][i];
            if (q->doubted[as->kernel[k]][i] < best && !only_stands_in(q, as, i, k)) {
                best = q->doubted[as->kernel[k]][i];
                as->best[i] = k;
            }
        }
        as->oracle_ns[i] = fmin(q->shape[i] >= 0 ? study_best(q->s, q->shape[i], NULL) : INFINITY, row[as->best[i]]);
    }
}

int select_features(const Study *s, const Assignment *as, const int64_t *extent, int threads, int64_t *x)
{
    int n = s->spec->op->nextent;
    memcpy(x, extent, (size_t)n * sizeof *x);
    if (as->asks_align)
        x[n++] = spec_align(s->spec, extent);
    if (s->spec->nthread > 1)
        x[n++] = spec_parts(s->spec, extent, threads);
    return n;
}

const char *select_feature_name(const Op *op, const Assignment *as, int feature)
{
    if (feature < op->nextent)
        return op->extent[feature].name;
    return as->asks_align && feature == op->nextent ? "ALIGN" : "threads";
}

int select_serving(const Study *s, const Assignment *as, const int64_t *extent, int k)
{
    int first = 0;
    if (candidate_serves(&s->trial[as->kernel[k]].c, s->spec, extent))
        return k;
    while (first + 1 < as->nkernel && !candidate_serves(&s->trial[as->kernel[first]].c, s->spec, extent))
        first++;
    return first;
}

/* select_serving of instance i, by the costs: they are infinite where a kernel does not serve. */
static int served_by(const Assignment *as, int64_t i, int k)
{
    const double *cost = as->cost + i * as->nkernel;
    int first = 0;
    while (first + 1 < as->nkernel && !isfinite(cost[first]))
        first++;
    return isfinite(cost[k]) ? k : first;
}

/* What kernel k costs on instance i for the tree, as a multiple of the best known time. Where its time and the best
 * kernel's are both predicted, only that part of their difference counts which exceeds what both may be off. */
static double leaf_cost(const Selector *q, const Assignment *as, int64_t i, int k)
{
    const int64_t trial[] = { as->kernel[k], as->kernel[as->best[i]] };
    const double worse = q->doubted[trial[0]][i], least = q->doubted[trial[1]][i];
    double doubt[2];
    if (only_stands_in(q, as, i, k))
        return UNKNOWN;
    if (q->s->device->modelled)
        return relative(q, worse, as->oracle_ns[i]);
    for (int j = 0; j < 2; j++)
        doubt[j] = (q->doubted[trial[j]][i] / q->ns[trial[j]][i] - 1) / DOUBTS; /* 0: it was measured */
    const double off = doubt[0] > 0 && doubt[1] > 0 ? LEAF_DOUBTS * hypot(doubt[0], doubt[1]) : 0;
    return (least + fmax(0, worse - least * (1 + off))) / as->oracle_ns[i];
}

static void train(const Selector *q, Assignment *as)
{
    const Spec *spec = q->s->spec;
    const size_t ncost = (size_t)(spec->ninstance * as->nkernel);
    const bool modelled = q->s->device->modelled;
    int64_t x[SELECT_MAX_FEATURE];
    as->nfeature = select_features(q->s, as, spec->instance[0].extent, 1, x);
    int64_t *points = ARENA_ARRAY(q->arena, (size_t)(spec->ninstance * as->nfeature), int64_t);
    double *cost = ARENA_ARRAY(q->arena, ncost, double);
    for (int64_t i = 0; i < spec->ninstance; i++) {
        const double weight = weight_of(q, i, q->all_weight);
        select_features(q->s, as, spec->instance[i].extent, spec->instance[i].threads, points + i * as->nfeature);
        for (int k = 0; k < as->nkernel; k++)
            cost[i * as->nkernel + k] = weight * leaf_cost(q, as, i, served_by(as, i, k));
    }
    as->tree =
        tree_train(q->arena, points, cost, spec->ninstance, as->nfeature, as->nkernel,
                   (TreeOptions){ .tolerance = modelled ? MODEL_TOLERANCE : TREE_TOLERANCE, .worth = LEAF_WORTH });
    double sum = 0, total = 0;
    for (int64_t i = 0; i < spec->ninstance; i++) {
        as->chosen[i] = served_by(as, i, tree_choose(as->tree, points + i * as->nfeature));
        sum += spec->instance[i].weight * as->cost[i * as->nkernel + as->chosen[i]] / as->oracle_ns[i];
        total += spec->instance[i].weight;
    }
    as->regret = sum / total - 1;
}

/* Sorts the first n kernels by descending weight served; true when that changed anything. */
static bool reorder(const Selector *q, Assignment *as, int count)
{
    const Spec *spec = q->s->spec;
    double weight[SELECT_MAX_KERNEL] = { 0 };
    Ranked order[SELECT_MAX_KERNEL];
    int n = 0;
    bool changed = false;
    for (int64_t i = 0; i < spec->ninstance; i++)
        weight[as->chosen[i]] += spec->instance[i].weight;
    for (int k = 0; k < count; k++)
        n = ranked_insert(order, n, SELECT_MAX_KERNEL, -weight[k], as->kernel[k]);
    for (int k = 0; k < n; k++) {
        changed = changed || as->kernel[k] != order[k].at;
        as->kernel[k] = order[k].at;
    }
    return changed;
}

int select_kernel_of(const Assignment *as, int64_t trial)
{
    int k = as->nkernel - 1;
    while (k >= 0 && as->kernel[k] != trial)
        k--;
    return k;
}

const char *select_why_none(Arena *a, const Study *s)
{
    const int64_t room = (int64_t)s->spec->budget.code_kib * 1024;
    int64_t least = INT64_MAX;
    bool for_all = false;
    for (const Trial *t = s->trial; t < s->trial + s->ntrial; t++) {
        if (study_may_pick(s, t) && study_added_bytes(s, t) < least)
            least = study_added_bytes(s, t);
        for_all = for_all || (study_may_choose(s, t) && candidate_serves_all(&t->c, s->spec));
    }
    if (least == INT64_MAX || (least <= room && for_all))
        return NULL;
    return least > room ? arena_printf(a, "no kernel that works fits %d KiB of code: the smallest has %s",
                                       s->spec->budget.code_kib, number_bytes(a, least))
                        : "none of the kernels that work serves every call";
}

/* Works out the times of the chosen kernels that have none yet, instance by instance: what predictions on one have in
 * common is kept. */
static void fill_times(Selector *q, const Assignment *as)
{
    const Spec *spec = q->s->spec;
    int64_t trial[SELECT_MAX_KERNEL];
    int n = 0;
    for (int k = 0; k < as->nkernel; k++)
        if (!q->ns[as->kernel[k]]) {
            trial[n++] = as->kernel[k];
            q->ns[as->kernel[k]] = ARENA_ARRAY(q->arena, (size_t)spec->ninstance, double);
            q->doubted[as->kernel[k]] = ARENA_ARRAY(q->arena, (size_t)spec->ninstance, double);
        }
    for (int64_t i = 0; i < spec->ninstance; i++)
        for (int k = 0; k < n; k++) {
            const double ns = q->ns[trial[k]][i] = cost_trial(q->m, trial[k], &spec->instance[i]);
            q->doubted[trial[k]][i] = doubted(q, trial[k], &spec->instance[i], ns);
        }
}

/* Takes over the first step that picked n kernels; 0: the tree left all out. Unless each of them serves every call, the
 * one that costs were worked out with for what they do not serve is there too: behind them, if it was not picked. */
static void take_step(Selector *q, Assignment *as, int n)
{
    for (int k = 0; k < n; k++)
        as->kernel[k] = q->usable[q->step[n][k]];
    as->nkernel = n;
    bool all = n > 0;
    for (int k = 0; k < n; k++)
        all = all && serves_all(q, as->kernel[k]);
    if (!all && select_kernel_of(as, q->last) < 0)
        as->kernel[as->nkernel++] = q->last;
    as->asks_align = false;
    for (int k = 0; k < as->nkernel; k++)
        as->asks_align = as->asks_align || q->s->trial[as->kernel[k]].c.t->asks_align;
    fill_times(q, as);
}

static int count_serving(const Selector *q, const Assignment *as, int most)
{
    bool serves[SELECT_MAX_KERNEL] = { false };
    int n = 0;
    for (int64_t i = 0; i < q->s->spec->ninstance; i++)
        if (as->chosen[i] < most && q->s->spec->instance[i].weight > 0 && !serves[as->chosen[i]]) {
            serves[as->chosen[i]] = true;
            n++;
        }
    return n;
}

/* Trains the tree for n kernels. Returns how many of them serve something; the choice is of use only if all do. */
static int assign(Selector *q, Assignment *as, int n)
{
    take_step(q, as, n);
    for (int round = 0;; round++) { /* ties may swap kernels each time, and costs and tree must match the last order */
        fill_costs(q, as);
        train(q, as);
        const int serving = count_serving(q, as, n);
        if (serving < n || round == MAX_REORDER || !reorder(q, as, n))
            return serving;
    }
}

static const char *why_fewer(const Selector *q, const Assignment *as)
{
    const int n = as->kept + 1;
    if (n == q->most)
        return NULL;
    if (n < q->npicked)
        return "what more would gain is not worth the leaves of the dispatcher";
    if (as->ncurve > q->npicked || (q->npicked == q->nusable && q->nlarge))
        return arena_printf(q->arena, "no other fits %d KiB of code", q->s->spec->budget.code_kib);
    if (q->s->device->modelled)
        return "no other is faster by the model";
    return q->npicked == q->nusable ? "no other was measured" : "no other is faster by more than noise";
}

Assignment *select_kernels(Arena *a, const Study *s, const CostModel *m)
{
    const Budget *b = &s->spec->budget;
    const size_t ninstance = (size_t)s->spec->ninstance;
    Selector q = { .arena = a,
                   .s = s,
                   .m = m,
                   .worth = fmax(WORTH, WORTH_NOISE * study_noise(s)),
                   .most = b->kernels < SELECT_MAX_KERNEL ? b->kernels : SELECT_MAX_KERNEL - 1,
                   .max_bytes = (int64_t)b->code_kib * 1024 };
    Assignment *as = ARENA_NEW(a, Assignment);
    q.ns = ARENA_ARRAY(a, (size_t)s->ntrial + 1, double *);
    q.doubted = ARENA_ARRAY(a, (size_t)s->ntrial + 1, double *);
    see_instances(&q);
    see_trials(&q);
    if (!q.nusable || !q.nseen)
        return NULL;
    relative_costs(&q);
    if (q.last < 0)
        return NULL;
    q.picked = ARENA_ARRAY(a, (size_t)q.most + 1, int64_t);
    q.kept = ARENA_ARRAY(a, (size_t)q.nseen, double);
    pick(&q, as);
    pick_beyond(&q, as);
    as->kernel = ARENA_ARRAY(a, (size_t)q.npicked + 1, int64_t);
    as->cost = ARENA_ARRAY(a, ninstance * ((size_t)q.npicked + 1), double);
    as->chosen = ARENA_ARRAY(a, ninstance, int);
    as->best = ARENA_ARRAY(a, ninstance, int);
    as->oracle_ns = ARENA_ARRAY(a, ninstance, double);
    /* Where the tree leaves some out, the package is that of a budget of so many: each budget has one choice. */
    int n = q.npicked;
    for (int serving; (serving = assign(&q, as, n)) < n; n = serving) {
    }
    as->kept = n - 1;
    as->fewer = why_fewer(&q, as);
    for (int k = 0; k < as->nkernel; k++)
        as->code_bytes += s->trial[as->kernel[k]].code_bytes;
    return as; /* as->general stays 0: the kernel that serves the most weight */
}
