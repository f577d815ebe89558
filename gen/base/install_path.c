/* SPDX-License-Identifier: Apache-2.0
 *
 * install_path: looks for dcgen's own files in the places where they may lie, as seen from the program.
 */
#include "gen/base/install_path.h"

#include <string.h>
#include <unistd.h>

static const char *program_folder(Arena *a)
{
    char path[4096];
    ssize_t n = readlink("/proc/self/exe", path, sizeof path - 1);
    if (n <= 0)
        return ".";
    path[n] = 0;
    char *slash = strrchr(path, '/');
    return slash ? arena_strndup(a, path, (size_t)(slash - path)) : ".";
}

/* The first of folder/place[i]/name that may be read (or run). */
static const char *first_of(Arena *a, const char *const *place, size_t n, const char *name, int mode)
{
    const char *folder = program_folder(a);
    for (size_t i = 0; i < n; i++) {
        const char *path = arena_printf(a, "%s/%s%s", folder, place[i], name);
        if (access(path, mode) == 0)
            return path;
    }
    return NULL;
}

/* Where templates and records may lie: installed; in the source tree, by the link in a build folder (one of several configurations is a
 * folder below), in the tree that a build folder is in, and in one that is built within itself. */
static const char *const data[] = {
    "../share/dcgen/", "../../share/dcgen/", "share/dcgen/", "source/", "../source/", "../", "../../", ""
};
enum { NDATA = sizeof data / sizeof *data };

const char *place_templates(Arena *a)
{
    const char *targets = first_of(a, data, NDATA, "templates/targets", R_OK);
    return targets ? arena_strndup(a, targets, strlen(targets) - strlen("/targets")) : NULL;
}

const char *place_records(Arena *a) { return first_of(a, data, NDATA, "records", R_OK); }

const char *place_runner(Arena *a, const char *kind)
{
    static const char *const place[] = { "", "../libexec/dcgen/" };
    return first_of(a, place, 2, arena_printf(a, "dcgen-runner-%s", kind), X_OK);
}
