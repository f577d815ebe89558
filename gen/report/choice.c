/* SPDX-License-Identifier: Apache-2.0
 *
 * choice: compares a shape's chosen kernel with its rivals by their times, and takes means of this over all tuned shapes.
 */
#include "gen/report/choice.h"

#include <math.h>

static int fastest_other(const Assignment *as, const double *cost, int kernel)
{
    int best = -1;
    for (int k = 0; k < as->nkernel; k++)
        if (k != kernel && isfinite(cost[k]) && (best < 0 || cost[k] < cost[best]))
            best = k;
    return best;
}

Choice choice_make(const Study *s, const Assignment *as, const Instance *inst, const double *cost, int kernel)
{
    int64_t shape = study_shape(s, inst->extent, inst->threads), trial = as->kernel[kernel];
    const int runner = fastest_other(as, cost, kernel);
    Choice c = { .kernel = kernel,
                 .ns = cost[kernel],
                 .measured = shape >= 0 && s->trial[trial].ns[shape] > 0,
                 .runner = runner,
                 .runner_ns = runner < 0 ? INFINITY : cost[runner],
                 .best_ns = cost[kernel],
                 .best_trial = trial };
    if (c.runner_ns < c.best_ns) {
        c.best_ns = c.runner_ns;
        c.best_trial = as->kernel[c.runner];
    }
    double best = shape >= 0 ? study_best(s, shape, &trial) : INFINITY;
    if (best < c.best_ns) {
        c.best_ns = best;
        c.best_trial = trial;
    }
    return c;
}

bool choice_is_empty(const Spec *s, const int64_t *extent)
{
    for (int i = 0; i < s->op->naxis; i++)
        if (extent[i] == 0)
            return true;
    return !spec_has_work(s, extent);
}

bool choice_factors(const Study *s, const Candidate *c, const int64_t *extent, int threads, double *pad, double *occ)
{
    int64_t value[TEMPLATE_MAX_PARAM], slots[TEMPLATE_MAX_SLOT];
    double padded, serial, flops = spec_flops(s->spec, extent);
    candidate_values(c, value);
    Binding b = { .t = c->t,
                  .spec = s->spec,
                  .target = study_rated(s, c->target),
                  .device = s->device,
                  .value = value,
                  .extent = extent,
                  .threads = threads };
    if (!template_slots(&b, slots) || expr_real_at(c->t->padded_flops, slots, &padded) != EXPR_OK ||
        expr_real_at(c->t->serial_flops, slots, &serial) != EXPR_OK)
        return false;
    *pad = flops > 0 ? flops / padded : 1;
    *occ = flops > 0 ? padded / (threads * serial) : 1;
    return flops == 0 || (padded > 0 && serial > 0);
}

double choice_ns(const Result *r, int64_t instance)
{
    const Assignment *as = r->assignment;
    return as->cost[instance * as->nkernel + as->chosen[instance]];
}

Against choice_library(const Result *r)
{
    const Study *s = r->study;
    Against v = { 0, 0, INFINITY };
    for (int64_t j = 0; j < s->nshape; j++) {
        const double ratio = study_library(s, j) / choice_ns(r, s->shape[j] - s->spec->instance);
        if (!(ratio > 0))
            continue;
        v.n++;
        v.mean += log(ratio);
        v.least = fmin(v.least, ratio);
    }
    v.mean = v.n ? exp(v.mean / (double)v.n) : INFINITY;
    return v;
}
