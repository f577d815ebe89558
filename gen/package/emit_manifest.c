/* SPDX-License-Identifier: Apache-2.0
 *
 * emit_manifest: the last file of a package, which names all others and every file of dcgen's that they were made of: the op, the
 * templates that serve the spec and what those have in common, the family's targets and patterns, and the primitives. Paths are those within a
 * folder of templates, wherever that lies.
 */
#define _GNU_SOURCE /* basename */
#include "gen/package/emit_private.h"

#include <string.h>
#include "gen/base/conf.h"
#include "gen/package/manifest.h"

typedef struct {
    const Emitter *e;
    const UnitContext *u;
    Manifest m;
} Sources;

/* folder: as the manifest shall name it. */
static void add_source(Sources *s, const char *folder, const Source *src)
{
    Arena *a = s->e->arena;
    if (src)
        manifest_add_template(a, &s->m, arena_printf(a, "%s/%s", folder, basename(src->path)), src->text, src->len);
}

static void add_path(Sources *s, const char *folder, const char *path)
{
    add_source(s, folder, conf_source(s->e->arena, path, s->e->diag));
}

static void add_of_op(Sources *s, const char *name)
{
    const Op *op = s->u->spec->op;
    add_path(s, op->name, arena_printf(s->e->arena, "%s/%s", op->dir, name));
}

static void add_pattern(Sources *s, const char *name) { add_path(s, "package", unit_pattern(s->e->arena, s->u, name)); }

static bool serves(const EmitInput *in, const Template *t)
{
    for (int i = 0; i < in->npart; i++)
        if (template_suits(t, in->part->unit.spec, in->part[i].study->target))
            return true;
    return false;
}

/* The operator, and all templates that serve, chosen or not: each might have been. */
static void add_templates(Sources *s)
{
    const Op *op = s->u->spec->op;
    const TemplateList *list = s->e->in->part->templates;
    add_source(s, op->name, op->src);
    add_path(s, op->name, op->reference);
    add_of_op(s, s->e->family->pack);
    for (int i = 0; i < list->n; i++) {
        const Template *t = list->t[i];
        if (!serves(s->e->in, t))
            continue;
        add_source(s, op->name, t->src);
        add_source(s, "family", t->shared);
        for (int j = 0; j < t->npiece; j++)
            add_source(s, op->name, t->piece[j]);
    }
}

static void add_patterns(Sources *s)
{
    static const char *const part[] = { "candidate", "preamble", "entry" };
    static const char *const shared[] = { "each_kernel.h", "pack.h",    "tables.h",
                                          "regret.json",   "regret.md", "package.json" };
    for (const PackageRow *row = s->e->family->file; row->pattern; row++)
        row->of_op ? add_of_op(s, row->pattern) : add_pattern(s, row->pattern);
    for (size_t i = 0; i < sizeof part / sizeof *part; i++)
        add_pattern(s, arena_printf(s->e->arena, "%s%s", part[i], s->e->family->suffix));
    for (size_t i = 0; i < sizeof shared / sizeof *shared; i++)
        add_pattern(s, shared[i]);
}

static void add_targets(Sources *s)
{
    const TargetList *list = s->u->targets;
    for (int i = 0; i < list->n; i++)
        if (list->t[i].family == s->e->family)
            add_source(s, "targets", list->t[i].src);
}

static void add_primitives(Sources *s)
{
    char **path;
    int n;
    if (unit_primitives(s->e->arena, s->u, &path, &n))
        for (int i = 0; i < n; i++)
            add_path(s, "device", path[i]);
}

const char *emit_manifest(Emitter *e, const Package *p)
{
    const int before = diag_nerror(e->diag);
    Sources s = { e, &e->in->part->unit, { .package = e->spec->name, .version = e->in->version } };
    add_templates(&s);
    add_patterns(&s);
    add_targets(&s);
    add_primitives(&s);
    for (int i = 0; i < p->n; i++)
        manifest_add_file(e->arena, &s.m, p->file[i].path, p->file[i].text, p->file[i].len);
    return diag_nerror(e->diag) == before ? manifest_text(e->arena, &s.m) : NULL;
}
