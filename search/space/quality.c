/* SPDX-License-Identifier: Apache-2.0
 *
 * quality: how good a cost model is, of what it was not shown: a kernel (leave-one-kernel-out, the question of a search) and a shape
 * (leave-one-shape-out, the question of a dispatcher).
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "model/rank.h"
#include "search/record/samples.h"
#include "search/space/cost_private.h"

enum { KERNEL_FOLDS = 10, SHAPE_FOLDS = 5 };

/* What residuals are grouped by; a group has one row between any two of its edges. */
enum { BY_PADDING, BY_BALANCE, BY_BYTES, NGROUP, MAX_EDGE = 6 };
typedef struct {
    const char *of;
    int nedge;
    double edge[MAX_EDGE];
} Group;

/* All measurements, and what was predicted of each by a model that did not see it; NAN where nothing was measured. */
typedef struct {
    Arena *arena;
    const Study *s;
    double *unseen;   /* ntrial x nshape: the kernel was left out, ns */
    double *held_out; /* the shape was left out, ns */
    double *analytic; /* all were, ns */
} Judge;

/* The kernels measured on one shape. */
static RankOrder order_of(const Judge *q, const double *predicted, int64_t shape)
{
    const Study *s = q->s;
    RankOrder o = rank_new(q->arena, s->ntrial);
    for (int64_t i = 0; i < s->ntrial; i++)
        if (cost_measured(&s->trial[i], shape))
            rank_add(&o, s->trial[i].ns[shape], predicted[i * s->nshape + shape], i);
    rank_sort(&o);
    return o;
}

static double *new_predictions(const Judge *q)
{
    return ARENA_ARRAY(q->arena, (size_t)(q->s->ntrial * q->s->nshape) + 1, double);
}

/* What m predicts of every stride-th trial from `first` on, where that was measured. */
static void predict(const Judge *q, const CostModel *m, int64_t first, int64_t stride, double *ns)
{
    const Study *s = q->s;
    for (int64_t i = first; i < s->ntrial; i += stride)
        for (int64_t j = 0; j < s->nshape; j++)
            ns[i * s->nshape + j] = cost_measured(&s->trial[i], j)
                                        ? cost_predict(m, &s->trial[i].c, s->shape[j]->extent, s->shape[j]->threads)
                                        : NAN;
}

static void fill_unseen(Judge *q, const TemplateList *templates)
{
    const Study *s = q->s;
    const int64_t stride = s->ntrial < KERNEL_FOLDS ? s->ntrial : KERNEL_FOLDS;
    q->unseen = new_predictions(q);
    for (int64_t fold = 0; fold < stride; fold++) {
        const CostModel *m =
            cost_fit_without(q->arena, s, templates, (CostLeave){ .trial_stride = stride, .trial = fold });
        predict(q, m, fold, stride, q->unseen);
    }
}

static void fill_analytic(Judge *q, const TemplateList *templates)
{
    q->analytic = new_predictions(q);
    predict(q, cost_analytic(q->arena, q->s, templates), 0, 1, q->analytic);
}

static void fill_held_out(Judge *q, const TemplateList *templates)
{
    const Study *s = q->s;
    const int64_t stride = s->nshape < SHAPE_FOLDS ? s->nshape : SHAPE_FOLDS;
    q->held_out = new_predictions(q);
    for (int64_t fold = 0; fold < stride; fold++) {
        const CostModel *m =
            cost_fit_without(q->arena, s, templates, (CostLeave){ .shape_stride = stride, .shape = fold });
        for (int64_t i = 0; i < s->ntrial; i++)
            for (int64_t j = fold; j < s->nshape; j += stride)
                q->held_out[i * s->nshape + j] = cost_measured(&s->trial[i], j) ? cost_carried(m, i, s->shape[j]) : NAN;
    }
}

static double median_error(const Judge *q, const double *predicted)
{
    const Study *s = q->s;
    double *error = ARENA_ARRAY(q->arena, (size_t)(s->ntrial * s->nshape) + 1, double);
    size_t n = 0;
    for (int64_t i = 0; i < s->ntrial; i++)
        for (int64_t j = 0; j < s->nshape; j++)
            if (cost_measured(&s->trial[i], j))
                error[n++] = fabs(predicted[i * s->nshape + j] / s->trial[i].ns[j] - 1);
    qsort(error, n, sizeof *error, samples_compare);
    return n ? error[n / 2] : 0;
}

static CostOrder judge_orders(const Judge *q, const double *predicted)
{
    CostOrder r = { 0 };
    int nrank = 0, nrecall = 0, nregret = 0;
    double regret = 0;
    for (int64_t j = 0; j < q->s->nshape; j++) {
        const RankOrder o = order_of(q, predicted, j);
        if (o.n > 3) {
            r.rank += rank_spearman(q->arena, &o);
            nrank++;
        }
        if (o.n >= 2 * COST_TOP) {
            r.recall += rank_recall(&o, COST_TOP);
            nrecall++;
        }
        if (o.n > 0) {
            regret += log(q->s->trial[o.predicted[0].at].ns[j] / o.truth[0].key);
            nregret++;
        }
    }
    r.rank = nrank ? r.rank / nrank : 0;
    r.recall = nrecall ? r.recall / nrecall : NAN;
    r.regret = nregret ? expm1(regret / nregret) : 0;
    return r;
}

/* ---- residuals ---- */

/* Until residual_end, bias and rms are sums. */
static void residual_add(CostResidual *r, double log2_ratio)
{
    r->bias += log2_ratio;
    r->rms += log2_ratio * log2_ratio;
    r->n++;
}

static void residual_end(CostResidual *r)
{
    r->bias = r->n ? r->bias / (double)r->n : 0;
    r->rms = r->n ? sqrt(r->rms / (double)r->n) : 0;
}

/* Factors above 1 that f_adapt has a closed form for, and the caches that hold all operands. */
static void make_groups(const Study *s, Group group[NGROUP])
{
    const int64_t level[] = { s->device->l1_bytes, s->device->l2_bytes, s->device->l3_bytes };
    group[BY_PADDING] = (Group){ "padding", 5, { 1, 1.02, 1.1, 1.3, INFINITY } };
    group[BY_BALANCE] = (Group){ "balance", 5, { 1, 1.02, 1.1, 1.3, INFINITY } };
    group[BY_BYTES] = (Group){ "bytes", 1, { 0 } };
    Group *bytes = &group[BY_BYTES];
    for (size_t i = 0; i < sizeof level / sizeof *level; i++)
        if ((double)level[i] > bytes->edge[bytes->nedge - 1])
            bytes->edge[bytes->nedge++] = (double)level[i];
    bytes->edge[bytes->nedge++] = INFINITY;
}

static void begin_adapt(Arena *a, const Group *group, CostReport *r)
{
    r->adapt = ARENA_ARRAY(a, NGROUP * MAX_EDGE, CostAdapt);
    for (int g = 0; g < NGROUP; g++)
        for (int i = 0; i + 1 < group[g].nedge; i++)
            r->adapt[r->nadapt++] =
                (CostAdapt){ .of = group[g].of, .from = group[g].edge[i], .to = group[g].edge[i + 1] };
}

static void add_adapt(CostReport *r, const Group *group, double value, double log2_ratio)
{
    for (int i = 0; i < r->nadapt; i++)
        if (r->adapt[i].of == group->of && value >= r->adapt[i].from && value < r->adapt[i].to)
            residual_add(&r->adapt[i].residual, log2_ratio);
}

static void judge_residuals(const Judge *q, const CostModel *m, CostReport *r)
{
    const Study *s = q->s;
    double *row = ARENA_ARRAY(q->arena, (size_t)cost_nfeature(m), double);
    Group group[NGROUP];
    r->shape = ARENA_ARRAY(q->arena, (size_t)s->nshape + 1, CostResidual);
    make_groups(s, group);
    begin_adapt(q->arena, group, r);
    for (int64_t i = 0; i < s->ntrial; i++)
        for (int64_t j = 0; j < s->nshape; j++) {
            if (!cost_measured(&s->trial[i], j))
                continue;
            const double ratio = log2(s->trial[i].ns[j] / q->unseen[i * s->nshape + j]);
            cost_features(m, &s->trial[i].c, s->shape[j]->extent, s->shape[j]->threads, row);
            residual_add(&r->shape[j], ratio);
            const double value[NGROUP] = { exp2(row[BY_PADDING]), exp2(row[BY_BALANCE]),
                                           spec_bytes(s->spec, s->shape[j]->extent) };
            for (int g = 0; g < NGROUP; g++)
                add_adapt(r, &group[g], value[g], ratio);
        }
    for (int64_t j = 0; j < s->nshape; j++)
        residual_end(&r->shape[j]);
    for (int i = 0; i < r->nadapt; i++)
        residual_end(&r->adapt[i].residual);
}

static void take_exponents(const CostModel *m, CostReport *r)
{
    double *exponent[NADAPT] = { &r->pad_exponent, &r->occ_exponent };
    for (int i = 0; i < NADAPT; i++)
        if (m->ridge->scale[i] > 0)
            *exponent[i] += m->ridge->coef[i] / m->ridge->scale[i];
}

static bool is_measured(const Study *s, const Template *t)
{
    for (int64_t i = 0; i < s->ntrial; i++)
        for (int64_t j = 0; s->trial[i].c.t == t && j < s->nshape; j++)
            if (cost_measured(&s->trial[i], j))
                return true;
    return false;
}

static void take_prices(Arena *a, const CostModel *m, CostReport *r)
{
    const TemplateList *list = m->templates;
    r->price = ARENA_ARRAY(a, (size_t)list->n * TEMPLATE_MAX_TERM + 1, CostPrice);
    for (int i = 0; i < list->n; i++)
        for (int k = 0; k < list->t[i]->nterm && is_measured(m->study, list->t[i]); k++)
            r->price[r->nprice++] = (CostPrice){ list->t[i], k, m->price[i][k] };
}

CostReport cost_report(Arena *a, const Study *s, const TemplateList *templates)
{
    const CostModel *m = cost_fit(a, s, templates);
    CostReport r = {
        .nfeature = m->nfeature, .pad_exponent = 1, .occ_exponent = 1, .order.recall = NAN, .analytic.recall = NAN
    };
    Judge q = { .arena = a, .s = s };
    if (!m->ridge || s->ntrial < 3)
        return r;
    take_exponents(m, &r);
    take_prices(a, m, &r);
    r.nmeasure = (int64_t)m->ridge->nrow;
    r.lambda = m->ridge->lambda;
    r.loo_rmse = m->ridge->loo_rmse;
    fill_unseen(&q, templates);
    fill_held_out(&q, templates);
    fill_analytic(&q, templates);
    r.error = median_error(&q, q.unseen);
    r.held_out = median_error(&q, q.held_out);
    r.order = judge_orders(&q, q.unseen);
    r.analytic = judge_orders(&q, q.analytic);
    judge_residuals(&q, m, &r);
    return r;
}
