/* SPDX-License-Identifier: Apache-2.0
 *
 * result: runs one stage after the other, from the records to the contract.
 */
#include "search/choose/result.h"

#include <string.h>
#include "search/record/record_spec.h"

static bool has_kernel(const Study *s, const KernelRecord *k)
{
    return strcmp(k->device, s->device->id) == 0 && study_find_key(s, k->key) >= 0;
}

/* Of a general kernel of a lesser target measurements only say that it failed. */
static bool has_measure(const Study *s, const MeasureRecord *m)
{
    const int64_t trial = strcmp(m->device, s->device->id) == 0 ? study_find_key(s, m->key) : -1;
    return trial >= 0 && (s->trial[trial].c.target == s->target || m->status != STATUS_OK);
}

/* Takes memory for the records that this study was made of, which may be few of all. */
static Records room_for(Arena *a, const Study *s, const Records *r)
{
    size_t nkernel = 0, nmeasure = 0;
    for (int64_t i = 0; i < r->nkernel; i++)
        nkernel += has_kernel(s, &r->kernel[i]);
    for (int64_t i = 0; i < r->nmeasure; i++)
        nmeasure += has_measure(s, &r->measure[i]);
    return (Records){ .device = ARENA_ARRAY(a, 1, Device),
                      .spec = ARENA_ARRAY(a, 1, SpecRecord),
                      .kernel = ARENA_ARRAY(a, nkernel, KernelRecord),
                      .measure = ARENA_ARRAY(a, nmeasure, MeasureRecord),
                      .limit = ARENA_ARRAY(a, (size_t)r->nlimit, LimitRecord) };
}

/* The records that this study was made of, and which spec they are of, whether they name it or not. */
static const Records *records_of(Arena *a, const UnitContext *u, const Study *s, const Records *r)
{
    Records *out = ARENA_NEW(a, Records);
    *out = room_for(a, s, r);
    out->device[out->ndevice++] = *s->device;
    out->spec[out->nspec++] = record_spec(a, u);
    for (int64_t i = 0; i < r->nkernel; i++)
        if (has_kernel(s, &r->kernel[i]))
            out->kernel[out->nkernel++] = r->kernel[i];
    for (int64_t i = 0; i < r->nmeasure; i++)
        if (has_measure(s, &r->measure[i]))
            out->measure[out->nmeasure++] = r->measure[i];
    for (int64_t i = 0; i < r->nlimit; i++)
        if (rates_match(&r->limit[i], s->target, s->device, s->spec->dtype))
            out->limit[out->nlimit++] = r->limit[i];
    return out;
}

bool result_make(Arena *a, const UnitContext *u, const TemplateList *templates, const Records *r,
                 const KernelKeys *present, Result *out, const char **err)
{
    Study *s = study_new(a, u->spec, u->device, u->target, unit_context_hash(a, u));
    s->present = present;
    study_load(s, r, templates, u->targets);
    CostModel *m = cost_fit(a, s, templates);
    *out =
        (Result){ .unit = *u, .templates = templates, .study = s, .model = m, .assignment = select_kernels(a, s, m) };
    if (!out->assignment) {
        const char *why_none = select_why_none(a, s), *holds = record_holds(a, s, u, templates, r, HOLD_ALL);
        *err = why_none ? why_none
                        : arena_printf(a,
                                       "the records hold no verified measurement for this spec, these templates and "
                                       "this compiler (target '%s')%s%s",
                                       u->target->name, *holds ? ", but " : "", holds);
        return false;
    }
    out->records = records_of(a, u, s, r);
    out->contract = contract_make(a, s, out->assignment);
    return true;
}
