/* SPDX-License-Identifier: Apache-2.0
 *
 * facts: what the runner's hello says of its device. The instruction sets that the device can run are among those of
 * the folders of targets: the named ones, else that of the installation or source tree which this program lies in.
 */
#include "search/runner/serve.h"

#include "gen/base/dir.h"
#include "gen/base/json.h"

static const char *named[FACTS_MAX_FOLDER]; /* none: the folder is looked for near this program */
static int nnamed;

bool facts_use_targets(const char *folder)
{
    if (nnamed == FACTS_MAX_FOLDER)
        return false;
    named[nnamed++] = folder;
    return true;
}

bool facts_targets(Arena *a, TargetList *out, const char **err)
{
    const char *templates = nnamed ? NULL : dir_templates(a);
    const char *near = templates ? arena_printf(a, "%s/targets", templates) : NULL;
    *err = "cannot find the folder of targets; name it by --targets";
    if (!nnamed && !near)
        return false;
    Diag *diag = diag_new(a);
    *err = "cannot read the targets";
    const bool ok = target_read_folders(a, nnamed ? named : &near, nnamed ? nnamed : 1, out, diag);
    if (!ok)
        diag_print(diag, stderr);
    return ok;
}

json_t *facts_json(const Device *d)
{
    return JSON_OBJECT(FIELD("id", d->id), FIELD("name", d->name), FIELD("arch", d->arch), FIELD("cores", d->cores),
                       FIELD("l1_bytes", d->l1_bytes), FIELD("l2_bytes", d->l2_bytes), FIELD("l3_bytes", d->l3_bytes),
                       FIELD("isa", json_of_list(d->isa, d->nisa)));
}
