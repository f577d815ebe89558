/* SPDX-License-Identifier: Apache-2.0 */
#include "gen/workload.h"

#include <string.h>
#include "gen/place.h"
#include "gen/text.h"

static void change_budget(Spec *s, const Options *o)
{
    const struct { int given, *value; } change[] = { { o->trials, &s->budget.trials }, { o->seconds, &s->budget.seconds },
                                                     { o->kernels, &s->budget.kernels }, { o->code_kib, &s->budget.code_kib } };
    for (size_t i = 0; i < sizeof change / sizeof *change; i++)
        if (change[i].given >= 0)
            *change[i].value = change[i].given;
}

Workload *workload_read(Arena *a, const char *spec_path, const Options *o, Diag *d, const char **err)
{
    Workload *w = ARENA_NEW(a, Workload);
    const char *own = place_templates(a);
    if (!own) {
        *err = "dcgen's templates are not where its program expects them; is the installation complete?";
        return NULL;
    }
    const char **folder = ARENA_ARRAY(a, (size_t)o->templates.n + 1, const char *);
    for (int i = 0; i < o->templates.n; i++)
        folder[i] = o->templates.item[i];
    folder[o->templates.n] = own;
    w->spec = spec_read(a, spec_path, folder, o->templates.n + 1, d);
    if (!w->spec || !target_read_all(a, arena_printf(a, "%s/targets", own), &w->targets, d) ||
        !template_read_all(a, w->spec->op, folder, o->templates.n + 1, &w->templates, d))
        return NULL;
    change_budget(w->spec, o);
    w->package_dir = arena_printf(a, "%s/package", own);
    w->out = o->out ? o->out : arena_printf(a, "out/%s", w->spec->name);
    w->records = o->records ? o->records : arena_printf(a, "%s.records.jsonl", w->out);
    return w;
}

static const char *target_names(Arena *a, const Workload *w)
{
    Text t = { .arena = a };
    for (int i = 0; i < w->targets.n; i++)
        text_printf(&t, ", %s", w->targets.t[i].name);
    return arena_strdup(a, text_str(&t));
}

static bool runs(const Device *device, const char *target)
{
    for (int i = 0; i < device->nisa; i++)
        if (strcmp(device->isa[i], target) == 0)
            return true;
    return false;
}

const Target *workload_target(Arena *a, const Workload *w, const Options *o, const Device *device, const char **err)
{
    int n = o->target.n ? o->target.n : w->spec->ntarget;
    const char *name = n == 0 ? "auto" : o->target.n ? o->target.item[0] : w->spec->target[0];
    if (n > 1) {
        *err = "one target at a time: the lesser instruction sets of a CPU are in every package anyway";
        return NULL;
    }
    if (strcmp(name, "host") == 0 || strcmp(name, "auto") == 0) {
        const Target *best = target_best(&w->targets, device);
        if (!best)
            *err = "no target suits this CPU";
        return best;
    }
    const Target *t = target_find(&w->targets, name);
    if (!t)
        *err = arena_printf(a, "unknown target '%s'; there are host, auto%s", name, target_names(a, w));
    else if (!runs(device, name))
        *err = arena_printf(a, "%s cannot run target '%s', so it cannot be tuned for here", device->name, name);
    return t && runs(device, name) ? t : NULL;
}
