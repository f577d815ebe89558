/* SPDX-License-Identifier: Apache-2.0
 *
 * import: from a model to a spec. MODEL.onnx becomes NAME.cfg, with functions and a graph, and NAME.safetensors; NAME
 * is the file's, as far as a package can be called so.
 */
#include <ctype.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include "gen/base/name.h"
#include "gen/base/quote.h"
#include "gen/command/command.h"
#include "gen/import/lower.h"

/* What the package is called: as the file is, without its folder and ending, in letters, digits and '_'. */
static const char *name_of(Arena *a, const char *path)
{
    const char *slash = strrchr(path, '/'), *stem = slash ? slash + 1 : path, *dot = strchr(stem, '.');
    char *name = arena_strndup(a, stem, dot ? (size_t)(dot - stem) : strlen(stem));
    for (char *c = name; *c; c++)
        *c = isalnum((unsigned char)*c) ? (char)tolower((unsigned char)*c) : '_';
    if (!isalpha((unsigned char)*name))
        name = arena_printf(a, "model_%s", name);
    return name_package_fault(name) ? name_package_like(a, name) : name;
}

static const char *folder_of(Arena *a, const char *path)
{
    const char *slash = strrchr(path, '/');
    return !slash ? "." : slash == path ? "/" : arena_strndup(a, path, (size_t)(slash - path));
}

/* Writes NAME.cfg and NAME.safetensors into the folder, which is made if need be. The path of the former; NULL: it
 * fails. */
static const char *import_to(Run *r, const char *folder)
{
    Diag *d = diag_new(r->a);
    const char *path = r->o->operand, *name = name_of(r->a, path), *err = NULL;
    OnnxModel *m = onnx_read(r->a, path, d);
    Lower *l = m ? lower_model(r->a, m, &r->o->dims, r->o->partial, d) : NULL;
    if (l && r->o->keep && !states_keep(l, lower_dim(l, "kept")))
        diag_warn(d, (Loc){ 0 }, "--keep is of no effect: no input is given back as an output with more behind it");
    if (l)
        lower_tell_dims(l);
    if (l && mkdir(folder, 0777) != 0 && errno != EEXIST)
        err = arena_printf(r->a, "cannot make the folder %s: %s", folder, strerror(errno));
    const bool ok = l && !err && write_model(l, name, folder, &err);
    onnx_close(m);
    diag_print(d, stderr);
    if (!ok)
        run_fails(r, err ? EXIT_ENVIRONMENT : EXIT_USAGE, err ? "%s" : "%s cannot be imported", err ? err : path);
    return ok ? arena_printf(r->a, "%s/%s.cfg", folder, name) : NULL;
}

bool import_is_model(const char *path)
{
    const char *suffix = strrchr(path, '.');
    return suffix && strcmp(suffix, ".onnx") == 0;
}

const char *import_for_package(Run *r)
{
    const char *out = r->o->out ? r->o->out : arena_printf(r->a, "out/%s", name_of(r->a, r->o->operand));
    return import_to(r, folder_of(r->a, out));
}

bool import_model(Run *r)
{
    const char *spec = import_to(r, r->o->out ? r->o->out : folder_of(r->a, r->o->operand));
    if (spec && !r->o->quiet)
        printf("%s\n%.*s.safetensors\n", spec, (int)strlen(spec) - 4, spec);
    return spec;
}
