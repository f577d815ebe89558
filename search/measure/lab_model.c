/* SPDX-License-Identifier: Apache-2.0
 *
 * lab_model: compiles candidates as lab_machine.c does, and makes up their times.
 */
#include "search/measure/lab.h"

#include <math.h>
#include <string.h>
#include <xxhash.h>

static const double TEMPLATE_OFF = 0.2, KERNEL_OFF = 0.15, PAIR_OFF = 0.05; /* standard deviations of log times */

struct LabModel {
    const CostModel *m;
    uint64_t world;
};

LabModel *lab_model_new(Arena *a, const Lab *lab, uint64_t world)
{
    LabModel *x = ARENA_NEW(a, LabModel);
    *x = (LabModel){ cost_analytic(a, lab->study, lab->templates), world };
    return x;
}

/* A random number, standard normal, always the same for one name and shape in one world. */
static double chance(const LabModel *x, const char *name, int64_t shape)
{
    Rng r = { XXH3_64bits_withSeed(name, strlen(name), x->world * 1000003 + (uint64_t)shape) };
    return rng_normal(&r);
}

static double time_of(const Lab *l, const Trial *t, int64_t shape)
{
    const LabModel *x = l->data;
    const Instance *inst = l->study->shape[shape];
    const double ns = cost_predict(x->m, &t->c, inst->extent, inst->threads);
    const double off = TEMPLATE_OFF * chance(x, t->c.t->name, -1) + KERNEL_OFF * chance(x, t->key, -1) +
                       PAIR_OFF * chance(x, t->key, shape);
    return x->world ? ns * exp(off) : ns;
}

static void take_time(Lab *l, const Trial *t, int64_t shape)
{
    const Instance *inst = l->study->shape[shape];
    const int64_t anchor = lab_anchor(l);
    const double ns = time_of(l, t, shape);
    MeasureRecord m = { .key = t->key,
                        .device = l->study->device->id,
                        .naxis = l->study->spec->op->ngiven,
                        .extent = inst->extent,
                        .threads = inst->threads,
                        .nsample = 1,
                        .ns = &ns,
                        .time_ns = ns,
                        .anchor_ns = anchor < 0 ? 0 : time_of(l, &l->study->trial[anchor], shape),
                        .why = "" };
    study_measure(l->study, &m);
}

static bool model_trials(Lab *l, Arena *scratch, const Proposal *p, int n, double share, const char **err)
{
    (void)share; /* its clock stands still, and compilers take their time */
    if (!lab_machine_untimed(l, scratch, p, n, INFINITY, err))
        return false;
    for (int i = 0; i < n; i++) {
        const int64_t trial = study_find(l->study, &p[i].c);
        for (int k = 0; k < p[i].nshape && trial_usable(&l->study->trial[trial]); k++)
            take_time(l, &l->study->trial[trial], p[i].shape[k]);
    }
    lab_show(l, scratch);
    return true;
}

const LabKind lab_model = { .own_clock = true,
                            .lesser = lab_machine_lesser,
                            .lesser_ahead = lab_machine_lesser_ahead,
                            .ahead = lab_machine_ahead,
                            .drop = lab_machine_drop,
                            .trials = model_trials };
