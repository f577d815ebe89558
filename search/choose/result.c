/* SPDX-License-Identifier: Apache-2.0
 *
 * result: runs one stage after the other, from the records to the contract.
 */
#include "search/choose/result.h"

#include <string.h>
#include "search/record/record_spec.h"

/* The records that this study was made of, and which spec they are of, whether they said it or not. Of a general kernel of a lesser target they
 * only say that it failed. */
static const Records *records_of(Arena *a, const UnitContext *u, const Study *s, const Records *r)
{
    Records *out = ARENA_NEW(a, Records);
    out->device = ARENA_ARRAY(a, 1, Device);
    out->kernel = ARENA_ARRAY(a, (size_t)r->nkernel + 1, KernelRecord);
    out->measure = ARENA_ARRAY(a, (size_t)r->nmeasure + 1, MeasureRecord);
    out->limit = ARENA_ARRAY(a, (size_t)r->nlimit + 1, LimitRecord);
    out->device[out->ndevice++] = *s->device;
    out->spec = ARENA_ARRAY(a, 1, SpecRecord);
    out->spec[out->nspec++] = record_spec(a, u);
    for (int64_t i = 0; i < r->nkernel; i++)
        if (study_find_key(s, r->kernel[i].key) >= 0 && strcmp(r->kernel[i].device, s->device->id) == 0)
            out->kernel[out->nkernel++] = r->kernel[i];
    for (int64_t i = 0; i < r->nmeasure; i++) {
        const MeasureRecord *m = &r->measure[i];
        const int64_t trial = strcmp(m->device, s->device->id) == 0 ? study_find_key(s, m->key) : -1;
        if (trial >= 0 && (s->trial[trial].c.target == s->target || m->status != STATUS_OK))
            out->measure[out->nmeasure++] = *m;
    }
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
        const char *no_room = select_no_room(a, s), *holds = record_holds(a, s, u, templates, r);
        *err = no_room ? no_room
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
