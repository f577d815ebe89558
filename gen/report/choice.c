/* SPDX-License-Identifier: Apache-2.0
 *
 * choice: compares a shape's chosen kernel with its rivals by their times, and takes means over tuned shapes.
 */
#include "gen/report/choice.h"

#include <math.h>

/* The time of a kernel on a place, -1: none. 0: it was not measured there. */
static double measured_ns(const Study *s, const Assignment *as, int64_t place, int kernel)
{
    return place >= 0 ? s->trial[as->kernel[kernel]].ns[place] : 0;
}

Choice choice_make(const Study *s, const Assignment *as, const Instance *inst, const double *cost, int kernel)
{
    const int64_t place = study_place(s, inst);
    Choice c = { .kernel = kernel, .measured = measured_ns(s, as, place, kernel) > 0, .runner = -1 };
    c.runner_ns = INFINITY;
    for (int k = 0; k < as->nkernel; k++) {
        const double seen = measured_ns(s, as, place, k), ns = seen > 0 ? seen : cost[k];
        if (k == kernel)
            c.ns = ns;
        else if (ns < c.runner_ns) {
            c.runner = k;
            c.runner_ns = ns;
            c.runner_measured = seen > 0;
        }
    }
    c.best_ns = fmin(c.ns, c.runner_ns);
    c.best_trial = as->kernel[c.runner_ns < c.ns ? c.runner : kernel];
    c.best_measured = c.runner_ns < c.ns ? c.runner_measured : c.measured;
    int64_t trial;
    const double best = place >= 0 ? study_best(s, place, &trial) : INFINITY;
    if (best < c.best_ns) {
        c.best_ns = best;
        c.best_trial = trial;
        c.best_measured = true;
    }
    return c;
}

double choice_measured_ns(const Result *r, const Instance *inst, int kernel)
{
    return measured_ns(r->study, r->assignment, study_place(r->study, inst), kernel);
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
        const int kernel = r->assignment->chosen[s->shape[j] - s->spec->instance];
        const double ratio = study_library(s, j) / choice_measured_ns(r, s->shape[j], kernel);
        if (!(ratio > 0 && isfinite(ratio)))
            continue;
        v.n++;
        v.mean += log(ratio);
        v.least = fmin(v.least, ratio);
    }
    v.mean = v.n ? exp(v.mean / (double)v.n) : INFINITY;
    return v;
}
