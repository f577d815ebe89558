/* SPDX-License-Identifier: Apache-2.0
 *
 * import: from a model to a spec. MODEL.onnx becomes NAME.cfg, with functions and a graph, and NAME.safetensors; NAME is
 * the file's, as far as a package can be called so.
 */
#include <ctype.h>
#include <string.h>
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
    return slash ? arena_strndup(a, path, (size_t)(slash - path)) : ".";
}

bool import_model(Run *r)
{
    Diag *d = diag_new(r->a);
    const char *path = r->o->operand, *name = name_of(r->a, path);
    const char *folder = r->o->out ? r->o->out : folder_of(r->a, path), *err = NULL;
    OnnxModel *m = onnx_read(r->a, path, d);
    Lower *l = m ? lower_model(r->a, m, &r->o->dims, d) : NULL;
    const bool ok = l && write_model(l, name, folder, &err);
    onnx_close(m);
    diag_print(d, stderr);
    if (err)
        return run_fails(r, EXIT_ENVIRONMENT, "%s", err);
    if (!ok)
        return run_fails(r, EXIT_USAGE, "%s cannot be imported", path);
    if (!r->o->quiet)
        printf("%s/%s.cfg\n%s/%s.safetensors\n", folder, name, folder, name);
    return true;
}
