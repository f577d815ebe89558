/* SPDX-License-Identifier: Apache-2.0
 *
 * reselect: reads the records back, fits the model and selects.
 */
#include "search/choose/reselect.h"

#include "search/choose/ending.h"

void reselect_reload(Lab *l)
{
    const Workshop *m = l->shop;
    const Study *old = l->study;
    Study *s = study_new(l->arena, old->spec, old->device, old->target, old->context_hash);
    study_load(s, record_all(m->records), l->templates, m->unit->targets, old->device);
    for (int64_t i = 0; i < s->ntrial; i++) {
        const int64_t before = study_find_key(old, s->trial[i].key);
        s->trial[i].so = before >= 0 ? old->trial[before].so : NULL;
    }
    l->study = s;
}

bool reselect(Search *q, Arena *scratch, Selection *c, const char **err)
{
    arena_reset(scratch);
    reselect_reload(q->lab);
    c->m = cost_fit(scratch, q->lab->study, q->lab->templates);
    c->as = select_kernels(scratch, q->lab->study, c->m, SELECT_PACKAGE);
    if (!c->as)
        *err = ending_text(q);
    return c->as;
}
