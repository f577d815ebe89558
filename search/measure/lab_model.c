/* SPDX-License-Identifier: Apache-2.0 */
#include "search/measure/lab_model.h"

#include <math.h>
#include <string.h>
#include <xxhash.h>
#include "search/measure/lab_machine.h"
#include "search/space/cost.h"

static const double TEMPLATE_OFF = 0.2, KERNEL_OFF = 0.15, PAIR_OFF = 0.05; /* standard deviations of log times */

struct LabModel {
    Arena *arena;
    const CostModel *m;
    uint64_t world;
};

LabModel *lab_model_new(Arena *a, const Search *q, uint64_t world)
{
    LabModel *l = ARENA_NEW(a, LabModel);
    *l = (LabModel){ .arena = a, .m = cost_analytic(a, q->study, q->templates), .world = world };
    return l;
}

static double model_now_s(const Search *q)
{
    (void)q;
    return 0;
}

/* About standard normal, always the same of one name and shape in one world. */
static double chance(const LabModel *l, const char *name, int64_t shape)
{
    Rng r = { XXH3_64bits_withSeed(name, strlen(name), l->world * 1000003 + (uint64_t)shape) };
    double sum = -6;
    for (int i = 0; i < 12; i++)
        sum += rng_uniform(&r);
    return sum;
}

static double time_of(const Search *q, const Trial *t, int64_t shape)
{
    const LabModel *l = q->lab_data;
    const Instance *inst = q->study->shape[shape];
    const double ns = cost_predict(l->m, &t->c, inst->extent, inst->threads);
    const double off = TEMPLATE_OFF * chance(l, t->c.t->name, -1) + KERNEL_OFF * chance(l, t->key, -1) +
                       PAIR_OFF * chance(l, t->key, shape);
    return l->world ? ns * exp(off) : ns;
}

static void take(Search *q, const Trial *t, int64_t shape)
{
    const Instance *inst = q->study->shape[shape];
    const int64_t anchor = search_anchor(q);
    const double ns = time_of(q, t, shape);
    MeasureRecord m = { .key = t->key,
                        .device = q->study->device->id,
                        .naxis = q->study->spec->op->naxis,
                        .threads = inst->threads,
                        .nsample = 1,
                        .ns = { ns },
                        .time_ns = ns,
                        .anchor_ns = anchor < 0 ? 0 : time_of(q, &q->study->trial[anchor], shape),
                        .why = "" };
    memcpy(m.extent, inst->extent, sizeof inst->extent);
    study_measure(q->study, &m);
}

static bool model_trials(Search *q, Arena *scratch, const Proposal *p, int n, double share, const char **err)
{
    (void)share;
    if (!intake_built(q, scratch, p, n, err))
        return false;
    for (int i = 0; i < n; i++) {
        const int64_t trial = study_find(q->study, &p[i].c);
        for (int k = 0; k < p[i].nshape && trial_usable(&q->study->trial[trial]); k++)
            take(q, &q->study->trial[trial], p[i].shape[k]);
    }
    search_show(q, scratch);
    return true;
}

const Lab lab_model = { .now_s = model_now_s,
                        .lesser = intake_built_lesser,
                        .lesser_ahead = intake_lesser_ahead,
                        .ahead = intake_ahead,
                        .drop = intake_drop,
                        .trials = model_trials };
