/* SPDX-License-Identifier: Apache-2.0
 *
 * cost: binds a kernel's expressions to a shape, fits the prices of its terms and then the regression on its features, and predicts.
 */
#include "search/space/cost.h"

#include <math.h>
#include <string.h>
#include "model/additive.h"
#include "search/space/cost_private.h"
#include "templates/package/pieces.h"

static const double SIGMA_MIN = 0.02, SIGMA_PRIOR = 0.5;
static const double NEAR = 1.0; /* log2 distance of shapes over which residuals carry */
/* log2 ns of a shape whose work cannot be computed: 36 years, so that the kernel is never chosen for it */
static const double NO_IDEA = 60;
static const double SIGMA_ROWS = 4; /* the error over all shapes counts as much as so many measurements */
/* An error counts with this power of the measurement's weight: by half at 1.04 times the best time, by 5 % at 1.2. */
static const double NEAR_BEST = 4;
static const double LEAST_WEIGHT = 0.02, STEEPNESS = 4; /* of a measurement in the fit */
/* The least lambda where terms were fitted, as a part of the total weight: a feature then explains at most half of what least squares would
 * let it. Fitted prices leave small residuals, much of which are peculiar to single kernels. Leaving one row out does not show that, as other
 * rows of the same kernel stay in: with few kernels lambda came out too small, and the model chose 5 points worse than its terms alone
 * (bench/tuning). */
static const double AFTER_TERMS = 1;
static const double SHRINK = 0.3; /* weight of "no residual" against one measured at the same shape */

static double real(const Expr *e, const int64_t *slots)
{
    double v;
    return expr_real_at(e, slots, &v) == EXPR_OK && isfinite(v) ? v : 0;
}

static int template_index(const CostModel *m, const Template *t)
{
    int i = 0;
    while (m->templates->t[i] != t)
        i++;
    return i;
}

/* A call with so little work that a package gives it fewer threads costs what it costs with those (NAME_worthwhile). */
static bool bind_threads(const CostModel *m, Binding *b, int64_t *slots)
{
    if (!template_slots(b, slots))
        return false;
    const int used = NAME_worthwhile(b->threads, real(m->study->spec->op->flops, slots), NAME_POOLED_FLOPS);
    const bool fewer = used < b->threads;
    b->threads = used;
    return !fewer || template_slots(b, slots);
}

/* Everything that expressions over a kernel on a shape refer to; false when it cannot be computed. */
static bool bind_shape(const CostModel *m, const Candidate *c, KernelFacts facts, const int64_t *extent, int threads,
                       int64_t *slots, int *used)
{
    int64_t value[TEMPLATE_MAX_PARAM];
    candidate_values(c, value);
    Binding b = { .t = c->t,
                  .spec = m->study->spec,
                  .target = study_rated(m->study, c->target),
                  .device = m->study->device,
                  .value = value,
                  .extent = extent,
                  .threads = threads,
                  .facts = facts };
    const bool ok = bind_threads(m, &b, slots);
    *used = b.threads;
    return ok;
}

static void fill_terms(const Template *t, const int64_t *slots, double *x)
{
    for (int k = 0; k < t->nterm; k++)
        x[k] = fmax(0, real(t->term[k].expr, slots));
}

/* log2 of the time, in the template's own unit as long as nothing was measured. */
static double closed_form(const CostModel *m, const Template *t, const int64_t *slots)
{
    double x[TEMPLATE_MAX_TERM], sum = 0;
    const double *price = m->price[template_index(m, t)];
    fill_terms(t, slots, x);
    for (int k = 0; k < t->nterm; k++)
        sum += price[k] * x[k];
    return sum > 0 ? log2(sum) : NO_IDEA;
}

/* One row of features; the result is log2 of the closed form's part. */
static double row_of(const CostModel *m, const Candidate *c, KernelFacts facts, const int64_t *extent, int threads,
                     double *row)
{
    int64_t slots[TEMPLATE_MAX_SLOT];
    int used;
    memset(row, 0, (size_t)m->nfeature * sizeof *row);
    if (!bind_shape(m, c, facts, extent, threads, slots, &used))
        return NO_IDEA;
    double flops = real(m->study->spec->op->flops, slots), padded = real(c->t->padded_flops, slots);
    double serial = real(c->t->serial_flops, slots);
    int at = m->first[template_index(m, c->t)];
    row[0] = log2(fmax(padded / flops, 1));
    row[1] = log2(fmax(used * serial / padded, 1));
    row[at] = 1; /* each template has its own level */
    for (int i = 0; i < c->t->nfeature; i++)
        row[at + 1 + i] = real(c->t->feature[i].expr, slots);
    return closed_form(m, c->t, slots);
}

int cost_nfeature(const CostModel *m) { return m->nfeature; }

double cost_features(const CostModel *m, const Candidate *c, const int64_t *extent, int threads, double *row)
{
    return row_of(m, c, (KernelFacts){ 0 }, extent, threads, row);
}

static void place_features(CostModel *m)
{
    m->first = ARENA_ARRAY(m->arena, (size_t)m->templates->n + 1, int);
    m->nfeature = NADAPT;
    for (int i = 0; i < m->templates->n; i++) {
        m->first[i] = m->nfeature;
        m->nfeature += 1 + m->templates->t[i]->nfeature;
    }
    m->row = ARENA_ARRAY(m->arena, (size_t)m->nfeature, double);
    m->price = ARENA_ARRAY(m->arena, (size_t)m->templates->n + 1, double *);
    for (int i = 0; i < m->templates->n; i++) {
        m->price[i] = ARENA_ARRAY(m->arena, TEMPLATE_MAX_TERM, double);
        for (int k = 0; k < TEMPLATE_MAX_TERM; k++)
            m->price[i][k] = 1;
    }
}

/* Predictions are rounded to a millionth of an octave: the last bits of a LAPACK solve differ between machines, a choice must not. */
static double rounded(double log2_ns) { return rint(log2_ns * 1e6) / 1e6; }

static double predict_log2(const CostModel *m, const Candidate *c, KernelFacts facts, const int64_t *extent,
                           int threads)
{
    double base = row_of(m, c, facts, extent, threads, m->row);
    return rounded(base + (m->ridge ? ridge_predict(m->ridge, m->row) : 0));
}

bool cost_measured(const Trial *t, int64_t shape) { return trial_usable(t) && t->ns[shape] > 0; }

double cost_weight(double best, double ns) { return ns <= best ? 1 : fmax(LEAST_WEIGHT, pow(best / ns, STEEPNESS)); }

/* Squared distance of two shapes in octaves of their extents and threads. */
static double distance2(const Instance *a, const Instance *b, int naxis)
{
    double d = log2((double)a->threads / b->threads), sum = 4 * d * d;
    for (int i = 0; i < naxis; i++) {
        d = log2((double)a->extent[i] / (double)b->extent[i]);
        sum += d * d;
    }
    return sum;
}

static double nearness(double distance2) { return exp(-distance2 / (2 * NEAR * NEAR)); }

/* Squared leave-one-out errors of each shape and their weights, spread to the shapes near it. */
static void fill_sigma(CostModel *m, const double *square, const double *weight)
{
    const Study *s = m->study;
    m->sigma = ARENA_ARRAY(m->arena, (size_t)s->nshape + 1, double);
    double prior = m->ridge && m->ridge->nrow > 2 ? m->ridge->loo_rmse : SIGMA_PRIOR;
    for (int64_t i = 0; i < s->nshape; i++) {
        double sum = SIGMA_ROWS * prior * prior, total = SIGMA_ROWS;
        for (int64_t j = 0; j < s->nshape; j++) {
            double k = nearness(distance2(s->shape[i], s->shape[j], s->spec->op->naxis));
            sum += k * square[j];
            total += k * weight[j];
        }
        m->sigma[i] = fmax(SIGMA_MIN, sqrt(sum / total));
    }
}

static bool is_left_out(CostLeave leave, int64_t trial, int64_t shape)
{
    return (leave.trial_stride && trial % leave.trial_stride == leave.trial) ||
           (leave.shape_stride && shape % leave.shape_stride == leave.shape);
}

/* Measurements, as many rows of x: of features, y what the closed form leaves of log2 of the time; or of a template's terms, y the time. */
typedef struct {
    double *x, *y, *w;
    int64_t *of; /* the tuned shape of each */
    size_t n;
} Rows;

static bool fill_row(const CostModel *m, const Trial *trial, const Template *t, int64_t shape, double *x, double *y)
{
    const Instance *inst = m->study->shape[shape];
    int64_t slots[TEMPLATE_MAX_SLOT];
    int used;
    *y = trial->ns[shape];
    if (!t)
        *y = log2(*y) - row_of(m, &trial->c, trial->facts, inst->extent, inst->threads, x);
    else if (!bind_shape(m, &trial->c, trial->facts, inst->extent, inst->threads, slots, &used))
        return false;
    else
        fill_terms(t, slots, x);
    return true;
}

/* Of t's kernels as terms; t NULL: of all as features. */
static Rows rows_of(Arena *scratch, const CostModel *m, const Template *t, CostLeave leave)
{
    const Study *s = m->study;
    const size_t width = (size_t)(t ? t->nterm : m->nfeature);
    size_t cap = 1;
    for (int64_t i = 0; i < s->ntrial; i++)
        for (int64_t j = 0; (!t || s->trial[i].c.t == t) && j < s->nshape; j++)
            cap += cost_measured(&s->trial[i], j) && !is_left_out(leave, i, j);
    Rows r = { ARENA_ARRAY(scratch, cap * width, double), ARENA_ARRAY(scratch, cap, double),
               ARENA_ARRAY(scratch, cap, double), ARENA_ARRAY(scratch, cap, int64_t), 0 };
    for (int64_t j = 0; j < s->nshape; j++) {
        const double best = study_best(s, j, NULL);
        for (int64_t i = 0; i < s->ntrial; i++) {
            const Trial *trial = &s->trial[i];
            if ((t && trial->c.t != t) || !cost_measured(trial, j) || is_left_out(leave, i, j) ||
                !fill_row(m, trial, t, j, r.x + r.n * width, &r.y[r.n]))
                continue;
            r.of[r.n] = j;
            r.w[r.n++] = cost_weight(best, trial->ns[j]);
        }
    }
    return r;
}

/* The question is how far good candidates are off: slow ones say little of that. */
static void sum_errors(CostModel *m, const Rows *r)
{
    double *square = ARENA_ARRAY(m->arena, (size_t)m->study->nshape + 1, double);
    double *weight = ARENA_ARRAY(m->arena, (size_t)m->study->nshape + 1, double);
    for (size_t i = 0; m->ridge && i < r->n; i++)
        if (isfinite(m->ridge->loo_error[i])) {
            double w = pow(r->w[i], NEAR_BEST);
            square[r->of[i]] += w * m->ridge->loo_error[i] * m->ridge->loo_error[i];
            weight[r->of[i]] += w;
        }
    fill_sigma(m, square, weight);
}

/* ---- prices of terms ---- */

/* The common price of its terms, which are fitted; 0: nothing of it was measured. */
static double fit_template(Arena *scratch, CostModel *m, int i, CostLeave leave, size_t *nrow)
{
    const Template *t = m->templates->t[i];
    const Rows r = rows_of(scratch, m, t, leave);
    const double common = additive_common(r.x, r.y, r.w, r.n, (size_t)t->nterm);
    if (common > 0)
        additive_fit(r.x, r.y, r.w, r.n, (size_t)t->nterm, common, m->price[i]);
    *nrow = r.n;
    return common;
}

/* A template of which nothing was measured has the price that is common elsewhere. */
static void fit_prices(Arena *scratch, CostModel *m, CostLeave leave)
{
    double *common = ARENA_ARRAY(m->arena, (size_t)m->templates->n + 1, double), log_sum = 0, rows = 0;
    for (int i = 0; i < m->templates->n; i++) {
        size_t nrow = 0;
        common[i] = fit_template(scratch, m, i, leave, &nrow);
        log_sum += common[i] > 0 ? (double)nrow * log(common[i]) : 0;
        rows += common[i] > 0 ? (double)nrow : 0;
    }
    for (int i = 0; i < m->templates->n && rows > 0; i++)
        for (int k = 0; k < TEMPLATE_MAX_TERM && !(common[i] > 0); k++)
            m->price[i][k] = exp(log_sum / rows);
}

static bool terms_are_fitted(const CostModel *m)
{
    bool all = true;
    for (int64_t i = 0; i < m->study->ntrial; i++)
        all &= !trial_usable(&m->study->trial[i]) || m->study->trial[i].c.t->nterm > 1;
    return all;
}

static void fit(CostModel *m, CostLeave leave)
{
    Arena *scratch = arena_new();
    fit_prices(scratch, m, leave);
    const Rows r = rows_of(scratch, m, NULL, leave);
    const double least = terms_are_fitted(m) ? AFTER_TERMS : 0;
    m->ridge = r.n ? ridge_fit(m->arena, r.x, r.y, r.w, r.n, (size_t)m->nfeature, least) : NULL;
    if (!leave.trial_stride && !leave.shape_stride) /* a model that leaves some out is asked for predictions alone */
        sum_errors(m, &r);
    arena_free(scratch);
}

static void fill_residuals(CostModel *m, CostLeave leave)
{
    const Study *s = m->study;
    m->residual = ARENA_ARRAY(m->arena, (size_t)s->ntrial + 1, double *);
    for (int64_t i = 0; i < s->ntrial; i++) {
        m->residual[i] = ARENA_ARRAY(m->arena, (size_t)s->nshape + 1, double);
        for (int64_t j = 0; j < s->nshape; j++)
            m->residual[i][j] = !cost_measured(&s->trial[i], j) || is_left_out(leave, i, j)
                                    ? NAN
                                    : log2(s->trial[i].ns[j]) - predict_log2(m, &s->trial[i].c, s->trial[i].facts,
                                                                             s->shape[j]->extent, s->shape[j]->threads);
    }
}

CostModel *cost_analytic(Arena *a, const Study *s, const TemplateList *templates)
{
    CostModel *m = ARENA_NEW(a, CostModel);
    *m = (CostModel){ .arena = a, .study = s, .templates = templates };
    place_features(m);
    return m;
}

CostModel *cost_fit_without(Arena *a, const Study *s, const TemplateList *templates, CostLeave leave)
{
    CostModel *m = cost_analytic(a, s, templates);
    fit(m, leave);
    if (!leave.trial_stride) /* else it is asked of those that it did not see: they have none */
        fill_residuals(m, leave);
    return m;
}

CostModel *cost_fit(Arena *a, const Study *s, const TemplateList *templates)
{
    return cost_fit_without(a, s, templates, (CostLeave){ 0 });
}

double cost_predict(const CostModel *m, const Candidate *c, const int64_t *extent, int threads)
{
    return exp2(predict_log2(m, c, (KernelFacts){ 0 }, extent, threads));
}

double cost_sigma(const CostModel *m, int64_t shape) { return m->sigma[shape]; }

double cost_carried(const CostModel *m, int64_t trial, const Instance *inst)
{
    const Study *s = m->study;
    const Trial *t = &s->trial[trial];
    double sum = 0, weight = SHRINK;
    for (int64_t j = 0; j < s->nshape; j++) {
        if (isnan(m->residual[trial][j]))
            continue;
        /* far shapes still tell a candidate's own level */
        double k = nearness(distance2(inst, s->shape[j], s->spec->op->naxis)) + 0.02;
        sum += k * m->residual[trial][j];
        weight += k;
    }
    return exp2(rounded(predict_log2(m, &t->c, t->facts, inst->extent, inst->threads) + sum / weight));
}

double cost_trial(const CostModel *m, int64_t trial, const Instance *inst)
{
    const Trial *t = &m->study->trial[trial];
    if (!trial_usable(t))
        return INFINITY;
    const int64_t shape = study_shape(m->study, inst->extent, inst->threads);
    return shape >= 0 && cost_measured(t, shape) ? t->ns[shape] : cost_carried(m, trial, inst);
}
