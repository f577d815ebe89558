/* SPDX-License-Identifier: Apache-2.0
 *
 * cost: binds a kernel's expressions to a shape, fits the prices of its terms and then the regression on its features,
 * and predicts.
 */
#include "search/space/cost.h"

#include <math.h>
#include <string.h>
#include "model/additive.h"
#include "search/record/roofline.h"
#include "templates/package/pieces.h"

_Static_assert((int)TEMPLATE_MAX_TERM <= (int)ADDITIVE_MAX, "additive_fit takes all terms of a template");

/* The least sigma, and the one that is assumed while too little is measured. */
static const double SIGMA_MIN = 0.02, SIGMA_PRIOR = 0.5;
/* How far apart shapes may be for residuals and errors of one to tell of the other. */
static const double NEAR_OCTAVES = 1;
/* Twice as many threads set shapes as far apart as four times an extent. */
static const double THREADS_APART = 4;
static const double FAR_LEVEL = 0.02; /* the weight of a far shape's residual: it still tells a candidate's own level */
/* log2 ns of a shape whose work cannot be computed: 36 years, so that the kernel is never chosen for it */
static const double NO_IDEA = 60;
static const double SIGMA_ROWS = 4; /* on each shape the error over all shapes counts like so many measurements */
/* Errors are weighted by this power of the measurement's weight: one half at 1.04 times the best time, 5 % at 1.2. */
static const double ERROR_POWER = 4;
/* A measurement's least weight in the fit, and how steeply the weight falls with its time. */
static const double LEAST_WEIGHT = 0.02, STEEPNESS = 4;
/* The least lambda where terms were fitted, as a part of the total weight: a feature then explains at most half of what
 * least squares would let it. What fitted prices leave is small, and mostly peculiar to single kernels. Leaving one row
 * out does not show that, as other rows of the same kernel stay in: with few kernels lambda would be too small, and the
 * model would choose worse than its terms alone. */
static const double AFTER_TERMS = 1;
static const double SHRINK = 0.3; /* weight of "no residual" against one measured at the same shape */

static double value_of(const Expr *e, const int64_t *slots)
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

/* Fills in the values of the names that a kernel's expressions use on a shape. Returns the threads that a package gives
 * such a call: one with little work gets fewer (PACKAGE_worthwhile), and costs what it costs so. 0: it is not known. */
static int bind_shape(const CostModel *m, const Candidate *c, KernelFacts facts, const int64_t *extent, int threads,
                      int64_t *slots)
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
                  .cold = study_is_cold(m->study, extent),
                  .facts = facts };
    if (!template_slots(&b, slots))
        return 0;
    b.threads = PACKAGE_worthwhile(threads, value_of(m->study->spec->op->flops, slots), PACKAGE_POOLED_FLOPS);
    return b.threads == threads || template_slots(&b, slots) ? b.threads : 0;
}

static void fill_terms(const Template *t, const int64_t *slots, double *x)
{
    for (int k = 0; k < t->nterm; k++)
        x[k] = fmax(0, value_of(t->term[k].expr, slots));
}

/* log2 of the time, in the template's own unit as long as nothing was measured. x: the terms. */
static double closed_form(const CostModel *m, const Template *t, const double *x)
{
    const double *price = m->price[template_index(m, t)];
    double sum = 0;
    for (int k = 0; k < t->nterm; k++)
        sum += price[k] * x[k];
    return sum > 0 ? log2(sum) : NO_IDEA;
}

/* Fills in the features and terms of a candidate on a shape. False: they cannot be computed, and are all 0. */
static bool fill_columns(const CostModel *m, const Candidate *c, KernelFacts facts, const int64_t *extent, int threads,
                         double *row, double *term)
{
    int64_t slots[TEMPLATE_MAX_SLOT];
    const int used = bind_shape(m, c, facts, extent, threads, slots);
    memset(row, 0, (size_t)m->nfeature * sizeof *row);
    memset(term, 0, (size_t)c->t->nterm * sizeof *term);
    if (!used)
        return false;
    const double flops = value_of(m->study->spec->op->flops, slots), padded = value_of(c->t->padded_flops, slots);
    const double serial = value_of(c->t->serial_flops, slots);
    const int first = m->first[template_index(m, c->t)];
    row[0] = log2(fmax(padded / flops, 1));
    row[1] = log2(fmax(used * serial / padded, 1));
    row[first] = 1; /* each template has its own level */
    for (int i = 0; i < c->t->nfeature; i++)
        row[first + 1 + i] = value_of(c->t->feature[i].expr, slots);
    fill_terms(c->t, slots, term);
    return true;
}

double cost_features(const CostModel *m, const Candidate *c, KernelFacts facts, const int64_t *extent, int threads,
                     double *row)
{
    double term[TEMPLATE_MAX_TERM];
    return fill_columns(m, c, facts, extent, threads, row, term) ? closed_form(m, c->t, term) : NO_IDEA;
}

/* To a millionth of an octave: a LAPACK solve's last bits differ between machines, a choice must not. */
static double rounded(double log2_ns) { return rint(log2_ns * 1e6) / 1e6; }

static double corrected(const CostModel *m, double closed, const double *row)
{
    return rounded(closed + (m->ridge ? ridge_predict(m->ridge, row) : 0));
}

/* log2 of the time of a candidate with these facts, without its own residuals. */
static double predict_log2(const CostModel *m, const Candidate *c, KernelFacts facts, const int64_t *extent,
                           int threads)
{
    return corrected(m, cost_features(m, c, facts, extent, threads, m->row), m->row);
}

/* A prediction, but at least the roofline's time. Prices that were not fitted have units of their own, of which the
 * roofline says nothing. INFINITY: the candidate is not for such calls. */
static double counted_ns(const CostModel *m, const Candidate *c, const int64_t *extent, int threads, double log2_ns)
{
    Bound least;
    const double ns = candidate_serves(c, m->study->spec, extent) ? exp2(log2_ns) : INFINITY;
    const bool bounded = m->ridge && roofline_bound(m->study->roofline, extent, threads, &least) && !least.by_data;
    return bounded ? fmax(ns, least.ns) : ns;
}

static bool is_measured(const Trial *t, int64_t shape) { return trial_usable(t) && t->ns[shape] > 0; }

bool cost_counts(const Study *s, int64_t trial, int64_t shape)
{
    const Trial *t = &s->trial[trial];
    return is_measured(t, shape) && !t->behind;
}

double cost_weight(double best, double ns) { return ns <= best ? 1 : fmax(LEAST_WEIGHT, pow(best / ns, STEEPNESS)); }

/* How much a shape tells of another: 1 of itself, less the further they are, in octaves of extents and threads. */
static double nearness(const CostModel *m, const Instance *a, const Instance *b)
{
    const double d = log2((double)a->threads / b->threads);
    const double sum = THREADS_APART * d * d + op_distance(m->study->spec->op, a->extent, b->extent);
    return exp(-sum / (2 * NEAR_OCTAVES * NEAR_OCTAVES));
}

/* What predictions on one instance have in common. Callers ask for many trials on one, so the last one's is kept. */
struct Nearness {
    int threads; /* 0: nothing was asked yet */
    int64_t extent[OP_MAX_EXTENT];
    int64_t shape; /* the tuned one that it is; -1 */
    double *k;     /* one a tuned shape: how near it is, at least FAR_LEVEL */
    double sigma;  /* the model's standard deviation, as a part: that of the tuned shapes, by their nearness */
};

static const struct Nearness *nearness_to(const CostModel *m, const Instance *inst)
{
    struct Nearness *n = m->near;
    double sum = 0, weight = 0;
    if (n->threads == inst->threads && memcmp(n->extent, inst->extent, sizeof n->extent) == 0)
        return n;
    for (int64_t j = 0; j < m->study->nshape; j++) {
        n->k[j] = nearness(m, inst, m->study->shape[j]) + FAR_LEVEL;
        sum += m->sigma ? n->k[j] * m->sigma[j] : 0;
        weight += n->k[j];
    }
    n->sigma = M_LN2 * (weight > 0 ? sum / weight : SIGMA_PRIOR);
    n->shape = study_shape(m->study, inst->extent, inst->threads);
    n->threads = inst->threads;
    memcpy(n->extent, inst->extent, sizeof n->extent);
    return n;
}

bool cost_left_out(CostLeave leave, int64_t trial, int64_t shape)
{
    return (leave.trial_stride && trial % leave.trial_stride == leave.trial) ||
           (leave.shape_stride && shape % leave.shape_stride == leave.shape);
}

/* A measurement that models are fitted to, and what no fit changes of it. */
typedef struct {
    int64_t trial, shape;
    double log2_ns, weight;
    bool computed; /* its features and terms could be computed */
} Seen;

struct CostTable {
    int64_t n;
    Seen *seen;
    double *feature, *term; /* a row for each: of CostModel.nfeature, of TEMPLATE_MAX_TERM columns */
};

static struct CostTable *table_of(Arena *a, const CostModel *m)
{
    const Study *s = m->study;
    int64_t *trial = ARENA_ARRAY(a, (size_t)s->ntrial + 1, int64_t), ntrial = 0, most = 0;
    struct CostTable *t = ARENA_NEW(a, struct CostTable);
    for (int64_t i = 0; i < s->ntrial; i++) {
        const int64_t before = most;
        for (int64_t j = 0; j < s->nshape; j++)
            most += cost_counts(s, i, j);
        if (most > before)
            trial[ntrial++] = i;
    }
    t->seen = ARENA_ARRAY(a, (size_t)most + 1, Seen);
    t->feature = arena_array(a, (size_t)most + 1, (size_t)m->nfeature * sizeof *t->feature);
    t->term = arena_array(a, (size_t)most + 1, TEMPLATE_MAX_TERM * sizeof *t->term);
    for (int64_t j = 0; j < s->nshape; j++) {
        const double best = study_best(s, j, NULL);
        const Instance *inst = s->shape[j];
        for (int64_t i = 0; i < ntrial; i++) {
            const Trial *of = &s->trial[trial[i]];
            if (!cost_counts(s, trial[i], j))
                continue;
            Seen *seen = &t->seen[t->n];
            *seen = (Seen){ trial[i], j, log2(of->ns[j]), cost_weight(best, of->ns[j]), false };
            seen->computed = fill_columns(m, &of->c, of->facts, inst->extent, inst->threads,
                                          t->feature + t->n * m->nfeature, t->term + t->n * TEMPLATE_MAX_TERM);
            t->n++;
        }
    }
    return t;
}

static double closed_of(const CostModel *m, int64_t row)
{
    const Seen *seen = &m->table->seen[row];
    return seen->computed ? closed_form(m, m->study->trial[seen->trial].c.t, m->table->term + row * TEMPLATE_MAX_TERM)
                          : NO_IDEA;
}

/* Measurements, a row of x for each. Either a row has features, and y is what the closed form leaves of log2 of the
 * time; or it has the terms of a template, and y is the time. */
typedef struct {
    double *x, *y, *w; /* w: weights */
    int64_t *of;       /* the tuned shape of each */
    size_t n;
} Rows;

/* The rows of t's kernels, with terms; t NULL: those of all kernels, with features. */
static Rows rows_of(Arena *scratch, const CostModel *m, const Template *t, CostLeave leave)
{
    const struct CostTable *table = m->table;
    const size_t width = (size_t)(t ? t->nterm : m->nfeature), cap = (size_t)table->n + 1;
    Rows r = { arena_array(scratch, cap, width * sizeof(double)), ARENA_ARRAY(scratch, cap, double),
               ARENA_ARRAY(scratch, cap, double), ARENA_ARRAY(scratch, cap, int64_t), 0 };
    for (int64_t i = 0; i < table->n; i++) {
        const Seen *seen = &table->seen[i];
        const Trial *trial = &m->study->trial[seen->trial];
        if (cost_left_out(leave, seen->trial, seen->shape) || (t && (trial->c.t != t || !seen->computed)))
            continue;
        memcpy(r.x + r.n * width, t ? table->term + i * TEMPLATE_MAX_TERM : table->feature + i * m->nfeature,
               width * sizeof(double));
        r.y[r.n] = t ? trial->ns[seen->shape] : seen->log2_ns - closed_of(m, i);
        r.of[r.n] = seen->shape;
        r.w[r.n++] = seen->weight;
    }
    return r;
}

/* Works out each shape's sigma from the leave-one-out errors of the rows on it and on shapes near it. What matters is
 * how far predictions of good candidates are off; slow ones tell little of that. */
static void fill_sigma(CostModel *m, const Rows *r)
{
    const Study *s = m->study;
    double *square = ARENA_ARRAY(m->arena, (size_t)s->nshape + 1, double);
    double *weight = ARENA_ARRAY(m->arena, (size_t)s->nshape + 1, double);
    const double prior = m->ridge && m->ridge->nrow > 2 ? m->ridge->loo_rmse : SIGMA_PRIOR;
    m->sigma = ARENA_ARRAY(m->arena, (size_t)s->nshape + 1, double);
    for (size_t i = 0; m->ridge && i < r->n; i++)
        if (isfinite(m->ridge->loo_error[i])) {
            const double w = pow(r->w[i], ERROR_POWER);
            square[r->of[i]] += w * m->ridge->loo_error[i] * m->ridge->loo_error[i];
            weight[r->of[i]] += w;
        }
    for (int64_t i = 0; i < s->nshape; i++) {
        double sum = SIGMA_ROWS * prior * prior, total = SIGMA_ROWS;
        for (int64_t j = 0; j < s->nshape; j++) {
            const double k = nearness(m, s->shape[i], s->shape[j]);
            sum += k * square[j];
            total += k * weight[j];
        }
        m->sigma[i] = fmax(SIGMA_MIN, sqrt(sum / total));
    }
}

static void fill_noise(CostModel *m)
{
    const Study *s = m->study;
    const double all = study_noise(s);
    m->noise = ARENA_ARRAY(m->arena, (size_t)s->nshape + 1, double);
    for (int64_t j = 0; j < s->nshape; j++)
        m->noise[j] = study_noise_at(s, j, all);
}

/* Fits a template's prices about their common price. One without measurements gets the mean common price. */
static void fit_prices(Arena *scratch, CostModel *m, CostLeave leave)
{
    double *common = ARENA_ARRAY(scratch, (size_t)m->templates->n + 1, double), log_sum = 0, rows = 0;
    for (int i = 0; i < m->templates->n; i++) {
        const Template *t = m->templates->t[i];
        const Rows r = rows_of(scratch, m, t, leave);
        common[i] = additive_common(r.x, r.y, r.w, r.n, (size_t)t->nterm);
        if (!(common[i] > 0))
            continue;
        additive_fit(r.x, r.y, r.w, r.n, (size_t)t->nterm, common[i], m->price[i]);
        log_sum += (double)r.n * log(common[i]);
        rows += (double)r.n;
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

static void fill_residuals(CostModel *m, CostLeave leave)
{
    const Study *s = m->study;
    const int64_t n = s->ntrial * s->nshape;
    m->residual = ARENA_ARRAY(m->arena, (size_t)n + 1, double);
    for (int64_t i = 0; i < n; i++)
        m->residual[i] = NAN;
    for (int64_t i = 0; i < m->table->n; i++) {
        const Seen *seen = &m->table->seen[i];
        if (!cost_left_out(leave, seen->trial, seen->shape))
            m->residual[seen->trial * s->nshape + seen->shape] =
                seen->log2_ns - corrected(m, closed_of(m, i), m->table->feature + i * m->nfeature);
    }
}

CostModel *cost_analytic(Arena *a, const Study *s, const TemplateList *templates)
{
    CostModel *m = ARENA_NEW(a, CostModel);
    *m = (CostModel){ .arena = a,
                      .study = s,
                      .templates = templates,
                      .first = ARENA_ARRAY(a, (size_t)templates->n + 1, int),
                      .price = arena_array(a, (size_t)templates->n + 1, sizeof *m->price),
                      .nfeature = COST_NADAPT };
    for (int i = 0; i < templates->n; i++) {
        m->first[i] = m->nfeature;
        m->nfeature += 1 + templates->t[i]->nfeature;
        for (int k = 0; k < TEMPLATE_MAX_TERM; k++)
            m->price[i][k] = 1;
    }
    m->row = ARENA_ARRAY(a, (size_t)m->nfeature, double);
    m->near = ARENA_NEW(a, struct Nearness);
    m->near->k = ARENA_ARRAY(a, (size_t)s->nshape + 1, double);
    return m;
}

static CostModel *fit(CostModel *m, CostLeave leave)
{
    Arena *scratch = arena_new();
    fit_prices(scratch, m, leave);
    const Rows r = rows_of(scratch, m, NULL, leave);
    const double least = terms_are_fitted(m) ? AFTER_TERMS : 0;
    m->ridge = r.n ? ridge_fit(m->arena, r.x, r.y, r.w, r.n, (size_t)m->nfeature, least) : NULL;
    if (!leave.trial_stride && !leave.shape_stride) { /* a model that leaves some out is asked for predictions alone */
        fill_sigma(m, &r);
        fill_noise(m);
    }
    if (!leave.trial_stride) /* a model without some kernels is asked of those, which have no residuals */
        fill_residuals(m, leave);
    arena_free(scratch);
    return m;
}

CostModel *cost_fit(Arena *a, const Study *s, const TemplateList *templates)
{
    CostModel *m = cost_analytic(a, s, templates);
    m->table = table_of(a, m);
    return fit(m, (CostLeave){ 0 });
}

CostModel *cost_fit_without(const CostModel *m, CostLeave leave)
{
    CostModel *other = cost_analytic(m->arena, m->study, m->templates);
    other->table = m->table;
    return fit(other, leave);
}

double cost_predict(const CostModel *m, const Candidate *c, const int64_t *extent, int threads)
{
    return counted_ns(m, c, extent, threads, predict_log2(m, c, (KernelFacts){ 0 }, extent, threads));
}

/* The weight of a trial's measurements, seen from an instance. *residual: their weighted mean, with a 0 of SHRINK. */
static double carried_weight(const CostModel *m, int64_t trial, const Instance *inst, double *residual)
{
    const double *near = nearness_to(m, inst)->k;
    double sum = 0, weight = 0;
    for (int64_t j = 0; j < m->study->nshape; j++) {
        const double r = m->residual[trial * m->study->nshape + j];
        if (isnan(r))
            continue;
        sum += near[j] * r;
        weight += near[j];
    }
    *residual = sum / (weight + SHRINK);
    return weight;
}

double cost_carried(const CostModel *m, int64_t trial, const Instance *inst)
{
    const Trial *t = &m->study->trial[trial];
    double residual;
    carried_weight(m, trial, inst, &residual);
    const double log2_ns = predict_log2(m, &t->c, t->facts, inst->extent, inst->threads) + residual;
    return counted_ns(m, &t->c, inst->extent, inst->threads, rounded(log2_ns));
}

double cost_doubt(const CostModel *m, int64_t trial, const Instance *inst)
{
    const Trial *t = &m->study->trial[trial];
    const struct Nearness *near = nearness_to(m, inst);
    double residual;
    if (near->shape >= 0 && is_measured(t, near->shape))
        return trial_error(m->study, t, near->shape, m->noise[near->shape]);
    return near->sigma * sqrt(SHRINK / (SHRINK + carried_weight(m, trial, inst, &residual)));
}

double cost_trial(const CostModel *m, int64_t trial, const Instance *inst)
{
    const Trial *t = &m->study->trial[trial];
    if (!trial_usable(t))
        return INFINITY;
    const int64_t shape = nearness_to(m, inst)->shape;
    return shape >= 0 && is_measured(t, shape) ? t->ns[shape] : cost_carried(m, trial, inst);
}
