/* SPDX-License-Identifier: Apache-2.0
 *
 * quality: how good a cost model is, of what it was not shown: a kernel (leave-one-kernel-out, the question of a
 * search) and a shape (leave-one-shape-out, the question of a dispatcher).
 */
#include <math.h>
#include <stdlib.h>
#include "model/rank.h"
#include "search/record/samples.h"
#include "search/space/cost.h"

enum { KERNEL_FOLDS = 10, SHAPE_FOLDS = 5 };

enum { BY_PADDING, BY_BALANCE, BY_BYTES, NGROUP, MAX_EDGE = 6 };
static const char *const group_names[NGROUP] = { "padding", "balance", "bytes" };

static RankOrder order_of(const CostModel *m, const double *predicted, int64_t shape)
{
    const Study *s = m->study;
    RankOrder o = rank_new(m->arena, s->ntrial);
    for (int64_t i = 0; i < s->ntrial; i++)
        if (cost_counts(s, i, shape))
            rank_add(&o, s->trial[i].ns[shape], predicted[i * s->nshape + shape], i);
    rank_sort(&o);
    return o;
}

/* Predicts every measurement (ntrial x nshape, in ns) by a model that was fitted without it: each of nfold models
 * leaves out a part of the kernels, or of the shapes. A single one leaves out all, and is the analytic model. */
static double *predict_blind(const CostModel *m, bool by_shape, int64_t nfold)
{
    const Study *s = m->study;
    double *ns = ARENA_ARRAY(m->arena, (size_t)(s->ntrial * s->nshape) + 1, double);
    for (int64_t fold = 0; fold < nfold; fold++) {
        const CostLeave leave = by_shape ? (CostLeave){ .shape_stride = nfold, .shape = fold }
                                         : (CostLeave){ .trial_stride = nfold, .trial = fold };
        const CostModel *blind = cost_fit_without(m, leave);
        for (int64_t i = 0; i < s->ntrial; i++)
            for (int64_t j = 0; j < s->nshape; j++)
                if (cost_counts(s, i, j) && cost_left_out(leave, i, j))
                    ns[i * s->nshape + j] =
                        by_shape ? cost_carried(blind, i, s->shape[j])
                                 : cost_predict(blind, &s->trial[i].c, s->shape[j]->extent, s->shape[j]->threads);
    }
    return ns;
}

/* NAN: of so few kernels nothing is said, as what is left out was nearly all that there is. */
static double median_error(const CostModel *m, const double *predicted)
{
    enum { LEAST_KERNELS = 3 };
    const Study *s = m->study;
    int nkernel = 0;
    double *error = ARENA_ARRAY(m->arena, (size_t)(s->ntrial * s->nshape) + 1, double);
    size_t n = 0;
    for (int64_t i = 0; i < s->ntrial; i++) {
        const size_t before = n;
        for (int64_t j = 0; j < s->nshape; j++)
            if (cost_counts(s, i, j))
                error[n++] = fabs(predicted[i * s->nshape + j] / s->trial[i].ns[j] - 1);
        nkernel += n > before;
    }
    qsort(error, n, sizeof *error, samples_compare);
    return nkernel >= LEAST_KERNELS ? error[n / 2] : NAN;
}

static CostOrder judge_orders(const CostModel *m, const double *predicted)
{
    CostOrder r = { 0 };
    int nrank = 0, nrecall = 0, nregret = 0;
    double regret = 0;
    for (int64_t j = 0; j < m->study->nshape; j++) {
        const RankOrder o = order_of(m, predicted, j);
        if (o.n > 3) {
            r.rank += rank_spearman(m->arena, &o);
            nrank++;
        }
        if (o.n >= 2 * COST_TOP) {
            r.recall += rank_recall(&o, COST_TOP);
            nrecall++;
        }
        if (o.n > 0) {
            regret += log(m->study->trial[o.predicted[0].at].ns[j] / o.truth[0].key);
            nregret++;
        }
    }
    r.rank = nrank ? r.rank / nrank : NAN;
    r.recall = nrecall ? r.recall / nrecall : NAN;
    r.regret = nregret ? expm1(regret / nregret) : NAN;
    return r;
}

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

static void add_rows(CostReport *r, const char *of, const double *edge, int nedge)
{
    for (int i = 0; i + 1 < nedge; i++)
        r->adapt[r->nadapt++] = (CostAdapt){ .of = of, .from = edge[i], .to = edge[i + 1] };
}

/* Makes the rows: for the factors above 1 that f_adapt has a closed form for, and for the caches. */
static void begin_adapt(Arena *a, const Device *device, CostReport *r)
{
    static const double factor[] = { 1, 1.02, 1.1, 1.3, INFINITY };
    const int64_t level[] = { device->l1_bytes, device->l2_bytes, device->l3_bytes };
    double bytes[MAX_EDGE] = { 0 };
    int n = 1;
    for (size_t i = 0; i < LENGTH(level); i++)
        if ((double)level[i] > bytes[n - 1])
            bytes[n++] = (double)level[i];
    bytes[n++] = INFINITY;
    r->adapt = ARENA_ARRAY(a, NGROUP * MAX_EDGE, CostAdapt);
    add_rows(r, group_names[BY_PADDING], factor, LENGTH(factor));
    add_rows(r, group_names[BY_BALANCE], factor, LENGTH(factor));
    add_rows(r, group_names[BY_BYTES], bytes, n);
}

static void add_adapt(CostReport *r, const double value[NGROUP], double log2_ratio)
{
    for (int i = 0; i < r->nadapt; i++) {
        CostAdapt *row = &r->adapt[i];
        for (int g = 0; g < NGROUP; g++)
            if (row->of == group_names[g] && value[g] >= row->from && value[g] < row->to)
                residual_add(&row->residual, log2_ratio);
    }
}

static void judge_residuals(const CostModel *m, const double *unseen, CostReport *r)
{
    const Study *s = m->study;
    double *row = ARENA_ARRAY(m->arena, (size_t)m->nfeature, double);
    r->shape = ARENA_ARRAY(m->arena, (size_t)s->nshape + 1, CostResidual);
    begin_adapt(m->arena, s->device, r);
    for (int64_t i = 0; i < s->ntrial; i++)
        for (int64_t j = 0; j < s->nshape; j++) {
            if (!cost_counts(s, i, j))
                continue;
            const double ratio = log2(s->trial[i].ns[j] / unseen[i * s->nshape + j]);
            cost_features(m, &s->trial[i].c, (KernelFacts){ 0 }, s->shape[j]->extent, s->shape[j]->threads, row);
            residual_add(&r->shape[j], ratio);
            const double value[NGROUP] = { exp2(row[BY_PADDING]), exp2(row[BY_BALANCE]),
                                           spec_bytes(s->spec, s->shape[j]->extent) };
            add_adapt(r, value, ratio);
        }
    for (int64_t j = 0; j < s->nshape; j++)
        residual_end(&r->shape[j]);
    for (int i = 0; i < r->nadapt; i++)
        residual_end(&r->adapt[i].residual);
}

/* The fitted exponent of padding or balance: the terms have it with exponent 1, and the regression adds to that. */
static double exponent_of(const CostModel *m, int feature)
{
    return 1 + (m->ridge->scale[feature] > 0 ? m->ridge->coef[feature] / m->ridge->scale[feature] : 0);
}

static bool is_measured(const Study *s, const Template *t)
{
    bool any = false;
    for (int64_t i = 0; i < s->ntrial; i++)
        any = any || (s->trial[i].c.t == t && trial_usable(&s->trial[i]) && trial_timed(s, &s->trial[i]));
    return any;
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
    if (!m->ridge || s->ntrial < 3)
        return r;
    r.pad_exponent = exponent_of(m, BY_PADDING);
    r.occ_exponent = exponent_of(m, BY_BALANCE);
    take_prices(a, m, &r);
    r.nmeasure = (int64_t)m->ridge->nrow;
    r.lambda = m->ridge->lambda;
    r.loo_rmse = m->ridge->loo_rmse;
    const double *unseen = predict_blind(m, false, s->ntrial < KERNEL_FOLDS ? s->ntrial : KERNEL_FOLDS);
    r.error = median_error(m, unseen);
    r.held_out = median_error(m, predict_blind(m, true, s->nshape < SHAPE_FOLDS ? s->nshape : SHAPE_FOLDS));
    r.order = judge_orders(m, unseen);
    r.analytic = judge_orders(m, predict_blind(m, false, 1));
    judge_residuals(m, unseen, &r);
    return r;
}
