/* SPDX-License-Identifier: Apache-2.0
 *
 * emit_manifest: the last file of a package, which names all others and every file of dcgen's that they were made of: the op, the
 * templates that serve the spec, the family's targets and patterns, and the primitives. Paths are those within a folder of templates,
 * wherever that lies.
 */
#define _GNU_SOURCE /* basename */
#include "gen/package/emit_private.h"

#include <string.h>
#include "gen/base/conf.h"
#include "gen/base/dir.h"
#include "gen/package/manifest.h"
#include "gen/target/family.h"

typedef struct {
    Arena *a;
    const EmitInput *in;
    const Family *family;
    Manifest m;
    Diag *diag;
} Sources;

/* folder: as the manifest shall name it. */
static void add_source(Sources *s, const char *folder, const Source *src)
{
    if (src)
        manifest_add_template(s->a, &s->m, arena_printf(s->a, "%s/%s", folder, basename(src->path)), src->text,
                              src->len);
}

static void add_path(Sources *s, const char *folder, const char *path)
{
    add_source(s, folder, conf_source(s->a, path, s->diag));
}

static void add_op(Sources *s)
{
    const Op *op = s->in->part->unit.spec->op;
    add_source(s, op->name, op->src);
    add_path(s, op->name, op->reference);
    add_path(s, op->name, arena_printf(s->a, "%s/%s", op->dir, s->family->pack));
}

static bool serves(const EmitInput *in, const Template *t)
{
    for (int i = 0; i < in->npart; i++)
        if (template_suits(t, in->part->unit.spec, in->part[i].study->target))
            return true;
    return false;
}

/* All that serve, chosen or not: each might have been. */
static void add_templates(Sources *s)
{
    const char *folder = s->in->part->unit.spec->op->name;
    for (int i = 0; i < s->in->part->templates->n; i++) {
        const Template *t = s->in->part->templates->t[i];
        if (!serves(s->in, t))
            continue;
        add_source(s, folder, t->src);
        for (int j = 0; j < t->npiece; j++)
            add_source(s, folder, t->piece[j]);
    }
}

static void add_patterns(Sources *s)
{
    const UnitContext *u = &s->in->part->unit;
    const char *folder = arena_printf(s->a, "package%s", s->family->folder);
    for (const PackageRow *row = s->family->file; row->pattern; row++)
        if (row->of_op)
            add_path(s, u->spec->op->name, arena_printf(s->a, "%s/%s", u->spec->op->dir, row->pattern));
        else
            add_path(s, folder, unit_pattern(s->a, u, row->pattern));
    add_path(s, folder, unit_pattern(s->a, u, arena_printf(s->a, "candidate%s", s->family->suffix)));
}

static void add_targets(Sources *s)
{
    const TargetList *list = s->in->part->unit.targets;
    for (int i = 0; i < list->n; i++)
        if (list->t[i].family == s->family)
            add_source(s, "targets", list->t[i].src);
}

static void add_primitives(Sources *s)
{
    char **path;
    int n;
    if (!unit_primitives(s->a, &s->in->part->unit, &path, &n))
        return;
    for (int i = 0; i < n; i++)
        add_path(s, "device", path[i]);
}

const char *emit_manifest(Emitter *e, const Package *p)
{
    const int before = diag_nerror(e->diag);
    Sources s = { .a = e->arena,
                  .in = e->in,
                  .family = e->family,
                  .m = { .package = emit_spec(e)->name, .version = e->in->version },
                  .diag = e->diag };
    add_op(&s);
    add_templates(&s);
    add_patterns(&s);
    add_targets(&s);
    add_primitives(&s);
    for (int i = 0; i < p->n; i++)
        manifest_add_file(s.a, &s.m, p->file[i].path, p->file[i].text, p->file[i].len);
    return diag_nerror(e->diag) == before ? manifest_text(s.a, &s.m) : NULL;
}
