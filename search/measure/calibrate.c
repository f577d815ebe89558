/* SPDX-License-Identifier: Apache-2.0 */
#include "search/measure/calibrate.h"

#include "gen/target/family.h"

bool calibrate_build(Calibration *c, Arena *a, const char **why)
{
    if (c->so || !family_find(c->unit->target->family)->limits)
        return true;
    Diag *d = diag_new(a);
    Build *b = ARENA_NEW(a, Build);
    *b = (Build){ .name = "limits", .text = unit_limits(a, c->unit, d) };
    *why = "dcgen's own kernels that measure it are not there";
    if (!b->text)
        return false;
    build_all(c->builder, a, b, 1, c->stop);
    *why = arena_printf(a, "what measures it does not compile: %s", b->why);
    c->so = b->status == STATUS_OK ? b->so : NULL;
    return c->so;
}

bool calibrate(Calibration *c, Arena *a, double most_s, LimitRecord *out, int *n, const char **why, const char **err)
{
    const Spec *s = c->unit->spec;
    *n = 0;
    if (!calibrate_build(c, a, why)) {
        if (*c->stop)
            *err = "interrupted";
        return !*c->stop;
    }
    const LimitRequest q = { c->unit->target->name, s->dtype, s->nthread, s->threads, 1e9 * most_s, c->so };
    if (!limit_measure(c->runner, a, &q, out, n, c->stop, err))
        return false;
    *why = "the runner measures no limits of this target and data type";
    for (int i = 0; i < *n; i++)
        out[i].device = c->unit->device->id;
    return true;
}
