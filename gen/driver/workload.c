/* SPDX-License-Identifier: Apache-2.0
 *
 * workload: reads the files that a command line names, and checks what they say against each other.
 */
#define _GNU_SOURCE /* basename */
#include "gen/driver/workload.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "gen/base/conf.h"
#include "gen/base/dir.h"
#include "gen/base/name.h"
#include "gen/base/text.h"
#include "gen/driver/kept.h"
#include "gen/target/family.h"
#include "gen/template/fill.h"
#include "gen/unit/unit_names.h"

static int either(int given, int otherwise) { return given >= 0 ? given : otherwise; }

static Budget change_budget(const Budget *b, const Options *o)
{
    return (Budget){ .kernels = either(o->kernels, b->kernels),
                     .code_kib = either(o->code_kib, b->code_kib),
                     .trials = either(o->trials, b->trials),
                     .seconds = either(o->seconds, b->seconds) };
}

/* ---- the package's name ---- */

/* An error if this file of the op, where it is there (op_files_check), uses the package's name for something else. */
static void refuse_used_name(Arena *a, const Spec *s, const char *file, Diag *d)
{
    const char *path = arena_printf(a, "%s/%s", s->op->dir, file);
    const Source *src = access(path, F_OK) == 0 ? conf_source(a, path, d) : NULL;
    if (src && fill_has_name(a, src->text, s->name))
        diag_error(d, s->name_loc, "the name '%s' is one that the package's %s uses; '%s' would do", s->name, file,
                   name_package_like(a, arena_printf(a, "my_%s", s->name)));
}

/* A package may not be called like a name in the op's test, benchmark or reference: they use the package's functions
 * beside names of their own. */
static bool check_name(Arena *a, const Spec *s, Diag *d)
{
    const int before = diag_nerror(d);
    if (s->op->reference)
        refuse_used_name(a, s, basename(s->op->reference), d);
    for (int i = 0; i < FAMILY_COUNT && diag_nerror(d) == before; i++)
        for (const PackageRow *row = families[i]->file; row->pattern; row++)
            if (row->owner == OWNER_OP)
                refuse_used_name(a, s, row->pattern, d);
    return diag_nerror(d) == before;
}

/* ---- the spec's file ---- */

/* False after an error: the file is of a kind that no spec is, or there is none of that name. */
static bool check_path(Arena *a, const char *path, Diag *d)
{
    static const char *const model[] = { ".onnx", ".pt", ".pth", ".pb", ".tflite", ".safetensors", ".gguf", ".h5" };
    const char *name = basename(path), *suffix = strrchr(name, '.');
    Source *src = ARENA_NEW(a, Source);
    *src = (Source){ .path = path };
    if (suffix && names_find(NAMES(model, LENGTH(model)), suffix) >= 0)
        return diag_error(
            d, (Loc){ .src = src },
            "this is the name of a model; expected a spec, a text file with the operators and shapes of the "
            "model's layers, as in specs/bert_layer.cfg and docs/spec.md");
    if (access(path, F_OK) == 0 || errno != ENOENT)
        return true;
    const int nfolder = (int)(name - path);
    char **near;
    int n = 0;
    dir_list(a, nfolder ? arena_strndup(a, path, (size_t)nfolder) : ".", ".cfg", &near, &n);
    const char **known = ARENA_ARRAY(a, (size_t)n + 1, const char *);
    for (int i = 0; i < n; i++)
        known[i] = basename(near[i]);
    const char *nearest = diag_nearest(name, NAMES(known, n));
    return diag_error(d, (Loc){ .src = src }, "cannot read the file: %s; %s%.*s%s%s", strerror(ENOENT),
                      nearest ? "did you mean '" : "expected a spec, such as specs/bert_dense.cfg",
                      nearest ? nfolder : 0, path, nearest ? nearest : "", nearest ? "'?" : "");
}

/* ---- targets ---- */

/* An error if no target has this name. at: where it stands in the spec; {0}: on the command line. */
static void check_target(Arena *a, const TargetList *list, const char *name, Loc at, Diag *d)
{
    TextList known = { 0 };
    for (int i = 0; i < FAMILY_COUNT; i++) {
        text_list_add(a, &known, families[i]->best);
        if (i == 0) /* "host, auto, cuda" */
            text_list_add(a, &known, spec_auto);
    }
    for (int i = 0; i < list->n; i++)
        text_list_add(a, &known, list->t[i].name);
    if (!text_list_has(&known, name))
        diag_error(d, at, "unknown target '%s'; expected one of %s", name, text_list_join(a, &known, ", "));
}

static bool same_family(const TargetList *list, const char *one, const char *other)
{
    const Target *t = target_find(list, one), *u = target_find(list, other);
    return t && u && t->family == u->family;
}

/* Checks the targets' names; whether a device runs them is seen later, by job_target. at: where they stand in the spec;
 * NULL: they are of the command line. */
static bool check_targets(Arena *a, const TargetList *list, const TextList *named, const Loc *at, Diag *d)
{
    const int before = diag_nerror(d);
    for (int i = 0; i < named->n; i++) {
        const char *name = named->item[i];
        const Loc loc = at ? at[i] : (Loc){ 0 };
        check_target(a, list, name, loc, d);
        if (!at && names_find(NAMES(named->item, i), name) >= 0)
            diag_error(d, loc, "target '%s' is there twice", name);
        if (i > 0 && diag_nerror(d) == before && !same_family(list, named->item[0], name))
            diag_error(d, loc,
                       "several targets in one package must all be CPUs or all be GPUs, each named, as in avx512,avx2 "
                       "or sm_80,sm_90a");
    }
    return diag_nerror(d) == before;
}

/* Reads which targets the package is for: those of the command line, else those of the spec. */
static bool read_targets(Arena *a, Workload *w, const TextList *given, Diag *d)
{
    const Spec *s = w->file->function[0];
    TextList named = *given;
    for (int i = 0; i < s->ntarget && !given->n; i++)
        text_list_add(a, &named, s->target[i]);
    if (!check_targets(a, w->targets, &named, given->n ? NULL : s->target_loc, d))
        return false;
    w->tuned = ARENA_ARRAY(a, TARGET_MAX, const Target *);
    for (int i = 0; i < w->targets->n; i++) /* by descending rank */
        if (text_list_has(&named, w->targets->t[i].name)) {
            w->tuned[w->ntuned++] = &w->targets->t[i];
            text_list_add(a, &w->target, w->targets->t[i].name);
        }
    if (!w->ntuned)
        w->target = named;
    return true;
}

/* Gives the folders of --templates, then dcgen's own. */
static TextList given_folders(Arena *a, const Options *o, const char *own, Diag *d)
{
    TextList all = { 0 };
    for (int i = 0; i < o->templates.n; i++) {
        const char *folder = o->templates.item[i];
        struct stat st;
        if (stat(folder, &st) != 0)
            diag_error(d, (Loc){ 0 }, "--templates: '%s': %s", folder, strerror(errno));
        else if (!S_ISDIR(st.st_mode))
            diag_error(d, (Loc){ 0 }, "--templates: '%s' is not a folder", folder);
        text_list_add(a, &all, folder);
    }
    text_list_add(a, &all, own);
    return all;
}

/* The folder `name` of each folder of templates. */
static TextList folders_within(Arena *a, const TextList *folders, const char *name)
{
    TextList all = { 0 };
    for (int i = 0; i < folders->n; i++)
        text_list_add(a, &all, arena_printf(a, "%s/%s", folders->item[i], name));
    return all;
}

/* Reads the templates of all functions, and checks the functions' names. */
static bool read_templates(Arena *a, Workload *w, const SpecFile *file, Diag *d)
{
    bool ok = true;
    w->file = file;
    w->nfunction = file->nfunction;
    w->function = ARENA_ARRAY(a, (size_t)file->nfunction, Function);
    for (int i = 0; i < file->nfunction; i++) {
        Function *f = &w->function[i];
        f->spec = file->function[i];
        ok = template_read_all(a, f->spec, w->folders.item, w->folders.n, &f->templates, d) &&
             check_name(a, f->spec, d) && ok;
    }
    return unit_names_check(a, w->package_dir, file->graph, w->targets, file->function, file->nfunction, d) && ok;
}

Workload *workload_read(Arena *a, const char *spec_path, const Options *o, Diag *d, const char **err)
{
    Workload *w = ARENA_NEW(a, Workload);
    TargetList *targets = ARENA_NEW(a, TargetList);
    w->targets = targets;
    const char *own = dir_templates(a);
    if (!own) {
        *err = "dcgen's templates are not where its program expects them; is the installation complete?";
        return NULL;
    }
    w->package_dir = arena_printf(a, "%s/package", own);
    const Source *src = check_path(a, spec_path, d) ? conf_source(a, spec_path, d) : NULL;
    const TextList given = given_folders(a, o, own, d);
    SpecFile *file = diag_nerror(d) == 0 ? spec_file_parse(a, src, given.item, given.n, d) : NULL;
    for (int i = 0; file && i < file->function[0]->ntemplates; i++)
        text_list_add(a, &w->folders, file->function[0]->templates[i]);
    w->target_folders = folders_within(a, &w->folders, "targets");
    if (!file || !target_read_folders(a, w->target_folders.item, w->target_folders.n, targets, d) ||
        !read_templates(a, w, file, d))
        return NULL;
    w->graph = graph_read(a, file, d);
    if (diag_nerror(d))
        return NULL;
    const Budget budget = change_budget(&file->budget, o);
    if (file->nfunction > 1 && budget.kernels < file->nfunction) {
        diag_error(d, (Loc){ 0 }, "--kernels: %d for %d functions, of which each needs one at least", budget.kernels,
                   file->nfunction);
        return NULL;
    }
    spec_share_budget(file, &budget);
    if (!read_targets(a, w, &o->target, d))
        return NULL;
    w->report = file->report && !o->no_report;
    w->fresh = o->fresh;
    w->out = o->out ? o->out : arena_printf(a, "out/%s", w->file->name);
    w->spec_text = kept_logs(a, file, kept_text(a, o, &w->folders, w->out, src->text));
    w->records = o->records ? o->records : arena_printf(a, "%s.records.jsonl", w->out);
    workload_make_jobs(a, w);
    return w;
}

void workload_make_jobs(Arena *a, Workload *w)
{
    w->njob = w->nfunction * w->target.n;
    w->job = ARENA_ARRAY(a, (size_t)w->njob, Job);
    Job *job = w->job;
    Result *result = ARENA_ARRAY(a, (size_t)w->njob, Result);
    w->results = (ResultList){ result, w->njob };
    for (Function *f = w->function; f < w->function + w->nfunction; f++) {
        f->njob = w->target.n;
        f->job = job;
        f->results = (ResultList){ result, f->njob };
        for (int i = 0; i < f->njob; i++, job++)
            *job = (Job){ .workload = w,
                          .spec = f->spec,
                          .templates = &f->templates,
                          .target = w->target.item[i],
                          .fresh = w->fresh && job == w->job,
                          .records = w->records,
                          .result = result++ };
    }
}
