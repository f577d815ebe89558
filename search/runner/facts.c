/* SPDX-License-Identifier: Apache-2.0
 *
 * facts: the device that this runner measures on, for its hello. The instruction sets it can run are among those of
 * the folder of targets: the one named, else that of the installation or source tree which this program lies in.
 */
#include "search/runner/facts.h"

#include "gen/base/install_path.h"

bool facts_targets(Arena *a, const char *dir, TargetList *out, const char **err)
{
    const char *templates = dir ? NULL : place_templates(a);
    dir = templates ? arena_printf(a, "%s/targets", templates) : dir;
    *err = "cannot find the folder of targets; name it by --targets";
    if (!dir)
        return false;
    Diag *diag = diag_new(a);
    *err = "cannot read the targets";
    const bool ok = target_read_all(a, dir, out, diag);
    if (!ok)
        diag_print(diag, stderr);
    return ok;
}

static json_t *isa_json(const Device *d)
{
    json_t *isa = json_array();
    for (int i = 0; i < d->nisa; i++)
        json_array_append_new(isa, json_string(d->isa[i]));
    return isa;
}

bool facts_device(Arena *a, const char *targets, Device *out, const char **err)
{
    TargetList list = { 0 };
    return facts_targets(a, targets, &list, err) && device_probe(a, &list, "", "", out, err);
}

json_t *facts_json(Arena *a, const char *targets, const char **err)
{
    Device d;
    if (!facts_device(a, targets, &d, err))
        return NULL;
    return json_pack("{s:s, s:s, s:s, s:i, s:I, s:I, s:I, s:o}", "id", d.id, "name", d.name, "arch", d.arch, "cores",
                     d.cores, "l1_bytes", (json_int_t)d.l1_bytes, "l2_bytes", (json_int_t)d.l2_bytes, "l3_bytes",
                     (json_int_t)d.l3_bytes, "isa", isa_json(&d));
}
