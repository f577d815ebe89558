/* SPDX-License-Identifier: Apache-2.0
 *
 * models: draws some measurements of the table by chance, fits both models to them, and compares their errors on all
 * others.
 */
#include "bench/tuning/models.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "bench/tuning/boosted.h"
#include "gen/base/rng.h"
#include "model/rank.h"
#include "search/record/samples.h"

enum { TOP = 8 };

const char *const model_name[MODEL_COUNT] = { "ridge", "boosted trees", "closed form" };

/* A study of random kernels on random shapes, with the table's times. */
static Study *draw_study(Arena *a, const Contest *c, Spec *spec, int nkernel, uint64_t seed)
{
    const Table *t = c->table;
    Study *s = study_new(a, spec, t->device, t->target, t->truth->context_hash);
    Rng rng = { seed };
    while (s->ntrial < nkernel && s->ntrial < t->space->n) {
        const Candidate *k = &t->space->candidate[rng_below(&rng, t->space->n)];
        if (study_find(s, k) >= 0)
            continue;
        const int64_t i = study_add(s, k);
        s->trial[i].built = true;
        for (int n = 0; n < PROPOSE_SHAPES; n++) {
            const int64_t j = rng_below(&rng, s->nshape);
            const double ns = table_ns(t, k, s->shape[j]);
            s->trial[i].ns[j] = isfinite(ns) ? ns : 0;
        }
    }
    return s;
}

/* Everything a tree may split on: the ridge's features, the parameters and the shape. */
static size_t wide_row(const CostModel *m, const Candidate *c, const Instance *inst, double *row, double *closed)
{
    int64_t value[TEMPLATE_MAX_PARAM];
    size_t n = (size_t)m->nfeature;
    *closed = cost_features(m, c, (KernelFacts){ 0 }, inst->extent, inst->threads, row);
    candidate_values(c, value);
    for (int i = 0; i < c->t->nparam; i++)
        row[n++] = (double)value[i];
    for (int i = 0; i < OP_MAX_AXIS; i++)
        row[n++] = inst->extent[i] > 0 ? log2((double)inst->extent[i]) : 0;
    row[n++] = *closed;
    return n;
}

static Boosted *fit_boosted(Arena *a, const CostModel *m, const Study *s, size_t width)
{
    const size_t cap = (size_t)(s->ntrial * s->nshape) + 1;
    double *x = ARENA_ARRAY(a, cap * width, double), *y = ARENA_ARRAY(a, cap, double), *w = ARENA_ARRAY(a, cap, double);
    size_t n = 0;
    for (int64_t i = 0; i < s->ntrial; i++)
        for (int64_t j = 0; j < s->nshape; j++)
            if (s->trial[i].ns[j] > 0) {
                double closed;
                wide_row(m, &s->trial[i].c, s->shape[j], x + n * width, &closed);
                y[n] = log2(s->trial[i].ns[j]) - closed;
                w[n++] = cost_weight(study_best(s, j, NULL), s->trial[i].ns[j]); /* as the ridge weighs it */
            }
    return boosted_fit(x, y, w, n, width);
}

/* predicted[i * nshape + j]: log2 ns of candidate i of the space on shape j of the truth. False: the model cannot be
 * had. */
static bool predict_all(Arena *a, const Contest *c, ModelKind kind, const Study *s, double *predicted)
{
    const Table *t = c->table;
    const Study *truth = t->truth;
    const TemplateList *templates = t->job->templates;
    const CostModel *m = kind == MODEL_RIDGE ? cost_fit(a, s, templates) : cost_analytic(a, s, templates);
    double row[1024], closed;
    const size_t width = wide_row(m, &t->space->candidate[0], truth->shape[0], row, &closed);
    Boosted *b = kind == MODEL_BOOSTED ? fit_boosted(a, m, s, width) : NULL;
    bool ok = kind != MODEL_BOOSTED || b;
    double *x = ARENA_ARRAY(a, (size_t)truth->nshape * width, double),
           *base = ARENA_ARRAY(a, (size_t)truth->nshape, double);
    for (int64_t i = 0; ok && i < t->space->n; i++) {
        double *out = predicted + i * truth->nshape;
        for (int64_t j = 0; j < truth->nshape; j++) {
            const Instance *inst = truth->shape[j];
            if (b)
                wide_row(m, &t->space->candidate[i], inst, x + (size_t)j * width, &base[j]);
            else
                out[j] = log2(cost_predict(m, &t->space->candidate[i], inst->extent, inst->threads));
        }
        ok = !b || boosted_predict(b, x, (size_t)truth->nshape, out);
        for (int64_t j = 0; b && j < truth->nshape; j++)
            out[j] += base[j];
    }
    boosted_free(b);
    return ok;
}

/* Of one shape: the kernels that have a time. */
static RankOrder order_of(Arena *a, const Table *t, const double *predicted, int64_t shape)
{
    RankOrder o = rank_new(a, t->space->n);
    for (int64_t i = 0; i < t->space->n; i++) {
        const double ns = table_ns(t, &t->space->candidate[i], t->truth->shape[shape]);
        if (isfinite(ns))
            rank_add(&o, ns, predicted[i * t->truth->nshape + shape], i);
    }
    rank_sort(&o);
    return o;
}

/* log of the true time of the best among the first n predicted, over the best. */
static double log_regret(const Table *t, const RankOrder *o, int n, int64_t shape)
{
    double least = INFINITY;
    for (int i = 0; i < n && i < o->n; i++)
        least = fmin(least, table_ns(t, &t->space->candidate[o->predicted[i].at], t->truth->shape[shape]));
    return log(least / o->truth[0].key);
}

/* Median error over the kernels that the study does not have. */
static double median_error(Arena *a, const Contest *c, const Study *s, const double *predicted, bool shown)
{
    const Table *t = c->table;
    double *error = ARENA_ARRAY(a, (size_t)(t->space->n * t->truth->nshape) + 1, double);
    size_t n = 0;
    for (int64_t i = 0; i < t->space->n; i++) {
        if (study_find(s, &t->space->candidate[i]) >= 0)
            continue;
        for (int64_t j = 0; j < t->truth->nshape; j++) {
            const double ns = table_ns(t, &t->space->candidate[i], t->truth->shape[j]);
            if (contest_shows(c, t->truth->shape[j]->dim[0]) == shown && isfinite(ns))
                error[n++] = fabs(exp2(predicted[i * t->truth->nshape + j]) / ns - 1);
        }
    }
    qsort(error, n, sizeof *error, samples_compare);
    return n ? error[n / 2] : NAN;
}

static void score_shapes(Arena *a, const Contest *c, const double *predicted, bool shown, ModelScore *score)
{
    const Table *t = c->table;
    double n = 0, sum = 0, top = 0;
    for (int64_t j = 0; j < t->truth->nshape; j++) {
        if (contest_shows(c, t->truth->shape[j]->dim[0]) != shown)
            continue;
        const RankOrder o = order_of(a, t, predicted, j);
        score->rank += rank_spearman(a, &o);
        score->recall += rank_recall(&o, TOP);
        sum += log_regret(t, &o, 1, j);
        top += log_regret(t, &o, TOP, j);
        n++;
    }
    score->rank /= n;
    score->recall /= n;
    score->regret = expm1(sum / n);
    score->top_regret = expm1(top / n);
}

bool models_score(const Contest *c, ModelKind kind, int nkernel, uint64_t seed, ModelScore score[2])
{
    if (kind == MODEL_BOOSTED && !boosted_there())
        return false;
    Arena *a = arena_new();
    Spec *spec = table_spec(a, c->table, c->shown, c->nshown);
    const Study *s = draw_study(a, c, spec, nkernel, seed);
    double *predicted = ARENA_ARRAY(a, (size_t)(c->table->space->n * c->table->truth->nshape) + 1, double);
    const bool ok = predict_all(a, c, kind, s, predicted);
    for (int held = 0; ok && held < 2; held++) {
        score[held] = (ModelScore){ .error = median_error(a, c, s, predicted, !held) };
        score_shapes(a, c, predicted, !held, &score[held]);
    }
    arena_free(a);
    return ok;
}
