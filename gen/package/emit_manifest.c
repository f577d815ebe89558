/* SPDX-License-Identifier: Apache-2.0
 *
 * emit_manifest: a package's last file, which names all others and every file of dcgen's that they were made of: the
 * op, the templates that serve the spec and what those have in common, the family's targets and patterns, and the
 * primitives. It gives the paths of those within a folder of templates, wherever that lies.
 */
#define _GNU_SOURCE /* basename */
#include <string.h>
#include "gen/base/conf.h"
#include "gen/package/emit_private.h"

const char *emit_program(const Emitter *e, const char *pattern)
{
    const Formula *f = e->spec->formula;
    return f && f->bias < 0 ? unit_pattern(e->arena, e->unit, pattern) : unit_op_pattern(e->arena, e->unit, pattern);
}

/* folder: the one in a folder of templates, as the manifest names it. */
static void add_source(Emitter *e, const char *folder, const Source *src)
{
    Arena *a = e->arena;
    if (src)
        manifest_add(a, e->manifest, true, arena_printf(a, "%s/%s", folder, basename(src->path)), src->text, src->len);
}

static void add_source_at(Emitter *e, const char *folder, const char *path)
{
    add_source(e, folder, conf_source(e->arena, path, e->diag));
}

static void add_pattern(Emitter *e, const char *name)
{
    add_source_at(e, "package", unit_pattern(e->arena, e->unit, name));
}

/* The folder that a file is in, without those around it. */
static const char *folder_of(Arena *a, const char *path)
{
    return basename(arena_strndup(a, path, (size_t)(basename(path) - 1 - path)));
}

/* Adds a file that the op's folder may have instead of those of all packages. */
static void add_one_of_two(Emitter *e, const char *path)
{
    const bool is_own = strcmp(path, unit_pattern(e->arena, e->unit, basename(path))) != 0;
    add_source_at(e, is_own ? e->spec->op->name : "package", path);
}

static bool serves_any_target(const Emitter *e, const Template *t)
{
    for (int i = 0; i < e->results->n; i++)
        if (template_suits(t, e->spec, e->results->item[i].study->target))
            return true;
    return false;
}

/* Adds the operator and all templates that serve the spec, chosen or not: each might have been chosen. */
static void add_template_sources(Emitter *e)
{
    const Op *op = e->spec->op;
    const TemplateList *list = e->results->item->templates;
    add_source(e, op->name, op->src);
    if (op->reference)
        add_source_at(e, op->name, op->reference);
    add_one_of_two(e, unit_op_pattern(e->arena, e->unit, e->family->pack));
    for (int i = 0; i < list->n; i++) {
        const Template *t = list->t[i];
        if (!serves_any_target(e, t))
            continue;
        add_source(e, folder_of(e->arena, t->head->path), t->head); /* an op may have another one's templates */
        if (t->src_file != t->head)
            add_source(e, folder_of(e->arena, t->src->path), t->src_file);
        add_source(e, "family", t->shared);
        for (int j = 0; j < t->npiece; j++)
            add_source(e, folder_of(e->arena, t->piece[j]->path), t->piece_file[j]);
        for (int j = 0; j < t->nprimitive; j++)
            add_source(e, e->family->primitives.folder, t->primitive[j]);
    }
}

static void add_pattern_sources(Emitter *e)
{
    static const char *const of_rows[] = { "places", "rows" };
    static const char *const part[] = { "candidate", "preamble", "entry", "function", "run" };
    static const char *const shared[] = { "each_kernel.h",  "pack.h",         "tables.h",       "arguments.h",
                                          "arguments_of.h", "arithmetic.h",   "declarations.h", "legal.h",
                                          "strerror.h",     "overlap.h",      "blocks.h",       "plant.h",
                                          "problem.h",      "element.h",      "exact.h",        "regret.json",
                                          "regret.md",      "package.json",   "spdx.json",      "LICENSE",
                                          "packed.h",       "packed_calls.h", "refused.h",      "timed.h",
                                          "elements.h" };
    for (const PackageRow *row = e->family->file; row->pattern; row++)
        if (row->owner == OWNER_OP)
            add_one_of_two(e, emit_program(e, row->pattern));
        else if (emit_has(e, row))
            add_pattern(e, row->pattern);
    static const char *const of_graph[] = { "graph/safetensors.h", "graph/beside.h", "graph/together.c" };
    static const char *const of_graph_and_family[] = { "graph/load", "graph/times" };
    for (size_t i = 0; i < LENGTH(of_graph) && e->in->graph; i++)
        add_pattern(e, of_graph[i]);
    for (size_t i = 0; i < LENGTH(of_graph_and_family) && e->in->graph; i++)
        add_pattern(e, arena_printf(e->arena, "%s%s", of_graph_and_family[i], e->family->suffix));
    for (size_t i = 0; i < LENGTH(part); i++)
        add_pattern(e, arena_printf(e->arena, "%s%s", part[i], e->family->suffix));
    for (size_t i = 0; i < LENGTH(shared); i++)
        add_pattern(e, shared[i]);
    if (e->spec->formula)
        add_pattern(e, "formula.h");
    if (e->spec->formula && formula_has_limits(e->spec->formula, e->spec->op))
        add_pattern(e, "ranges.h");
    for (size_t i = 0; i < LENGTH(of_rows) && !e->spec->op->reference; i++)
        add_pattern(e, arena_printf(e->arena, "%s%s", of_rows[i], e->family->suffix));
    if (e->spec->formula && e->spec->formula->nacross && e->family->primitives.on_vectors)
        add_pattern(e, "across.c");
    if (unit_has_library(e->arena, e->unit)) {
        add_pattern(e, arena_printf(e->arena, "%s.h", e->family->blas));
        add_source_at(e, e->spec->op->name, unit_op_pattern(e->arena, e->unit, e->family->library));
    }
}

static void add_primitives(Emitter *e)
{
    const Primitives p = unit_primitives(e->arena, e->unit, e->diag);
    for (int i = 0; i < p.n; i++)
        add_source(e, e->family->primitives.folder, p.p[i].src);
}

const char *emit_manifest(Emitter *e, int n, const Package *p)
{
    const int before = diag_nerror(e->diag);
    const TargetList *targets = e->unit->targets;
    for (int i = 0; i < n; i++) { /* what is there already is not added again */
        add_template_sources(&e[i]);
        add_pattern_sources(&e[i]);
        add_primitives(&e[i]);
    }
    for (int i = 0; i < targets->n; i++)
        for (const Target *t = &targets->t[i]; t && t->family == e->family; t = t->base)
            add_source(e, "targets", t->src);
    for (int i = 0; i < p->n; i++)
        manifest_add(e->arena, e->manifest, false, p->file[i].path, p->file[i].text, p->file[i].len);
    return diag_nerror(e->diag) == before ? manifest_text(e->arena, e->manifest) : NULL;
}
