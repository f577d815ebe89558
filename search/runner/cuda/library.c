/* SPDX-License-Identifier: Apache-2.0
 *
 * library: tries the loader first, then the folders of the table `places`, and binds functions by their names.
 */
#define _GNU_SOURCE
#include "search/runner/cuda/library.h"

#include <dlfcn.h>
#include <glob.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Where libraries lie below a toolkit (CUPTI has a folder of its own in some), below a Python environment, and below the system's. */
static const char *const toolkit[] = { "lib64", "lib", "extras/CUPTI/lib64", "targets/*/lib", NULL },
                         *const python[] = { "lib/python3*/{site,dist}-packages/nvidia/*/lib", NULL },
                         *const system_folders[] = { "lib/*-linux-gnu", "lib64", "lib", NULL };

static const struct {
    const char *variable, *folder; /* the value of the environment's variable, if there is one, then the folder */
    const char *const *below;
} places[] = { { "CUDA_HOME", "", toolkit },
               { "CUDA_PATH", "", toolkit },
               { NULL, "/usr/local/cuda", toolkit },
               { NULL, "/usr/local/cuda-*", toolkit },
               { NULL, "/opt/cuda{,-*}", toolkit },
               { NULL, "/usr", system_folders },
               { "VIRTUAL_ENV", "", python },
               { "CONDA_PREFIX", "", python },
               { "PATH", "python3", python }, /* the program, of which the environment is found */
               { "PWD", "/{venv,.venv,env}", python },
               { "HOME", "/{.local,venv,.venv,env,miniconda3,anaconda3}", python },
               { NULL, "/{venv,.venv,opt/venv,opt/conda,opt/*env*,usr,usr/local}", python } };

static int newest_first(const void *x, const void *y) { return strverscmp(*(char *const *)y, *(char *const *)x); }

/* Takes a file: true ends the search. */
typedef bool Visit(void *ctx, const char *path);

static bool visit_matching(const char *pattern, Visit *visit, void *ctx)
{
    glob_t found;
    bool taken = false;
    if (glob(pattern, GLOB_BRACE | GLOB_NOSORT, NULL, &found) != 0)
        return false;
    qsort(found.gl_pathv, found.gl_pathc, sizeof *found.gl_pathv, newest_first);
    for (size_t i = 0; !taken && i < found.gl_pathc; i++)
        taken = visit(ctx, found.gl_pathv[i]);
    globfree(&found);
    return taken;
}

static bool visit_below(const char *root, const char *folder, const char *const *below, const char *name, Visit *visit,
                        void *ctx)
{
    char pattern[PATH_MAX];
    bool taken = false;
    for (int i = 0; below[i] && !taken; i++) {
        const int len = snprintf(pattern, sizeof pattern, "%s%s/%s/%s", root, folder, below[i], name);
        taken = len < (int)sizeof pattern && visit_matching(pattern, visit, ctx);
    }
    return taken;
}

static void cut_last(char *path)
{
    char *slash = strrchr(path, '/');
    if (slash)
        *slash = '\0';
}

/* The folder above that of the first such program in `path`: as it is named there, or where links lead to. */
static bool program_root(const char *path, const char *program, bool follow, char root[PATH_MAX])
{
    char file[PATH_MAX];
    for (const char *at = path; *at; at += strcspn(at, ":"), at += *at == ':') {
        const int len = snprintf(file, sizeof file, "%.*s/%s", (int)strcspn(at, ":"), at, program);
        if (len >= (int)sizeof file || access(file, X_OK) != 0)
            continue;
        if (follow && !realpath(file, root))
            return false;
        if (!follow)
            memcpy(root, file, sizeof file);
        cut_last(root);
        cut_last(root);
        return true;
    }
    return false;
}

static bool visit_place(size_t p, const char *name, Visit *visit, void *ctx)
{
    char root[PATH_MAX];
    const char *value = places[p].variable ? getenv(places[p].variable) : "";
    if (!value || (places[p].variable && !*value))
        return false;
    if (!places[p].variable || strcmp(places[p].variable, "PATH") != 0)
        return visit_below(value, places[p].folder, places[p].below, name, visit, ctx);
    for (int follow = 0; follow < 2; follow++)
        if (program_root(value, places[p].folder, follow, root) &&
            visit_below(root, "", places[p].below, name, visit, ctx))
            return true;
    return false;
}

static bool visit_places(const char *name, Visit *visit, void *ctx)
{
    size_t p = 0;
    while (p < sizeof places / sizeof *places && !visit_place(p, name, visit, ctx))
        p++;
    return p < sizeof places / sizeof *places;
}

static bool open_file(void *library, const char *path)
{
    *(void **)library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    return *(void **)library != NULL;
}

void *library_open(const char *const *names, char *why, size_t why_bytes)
{
    void *library = NULL;
    *why = '\0';
    for (int i = 0; names[i] && !library; i++) { /* a better version elsewhere goes before a worse one at hand */
        library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
        if (!library && i == 0)
            snprintf(why, why_bytes, "%s", dlerror());
        if (!library)
            visit_places(names[i], open_file, &library);
    }
    return library;
}

static bool take_path(void *path, const char *found)
{
    const size_t len = strlen(found);
    if (len < PATH_MAX)
        memcpy(path, found, len + 1);
    return len < PATH_MAX;
}

bool library_find(const char *name, char path[PATH_MAX]) { return visit_places(name, take_path, path); }

const char *library_where(void *library)
{
    struct link_map *map = NULL;
    return dlinfo(library, RTLD_DI_LINKMAP, &map) == 0 && map && *map->l_name ? map->l_name : "?";
}

bool library_bind(void *library, const LibraryFunction *functions, int n, char *why, size_t why_bytes)
{
    for (int i = 0; i < n; i++) {
        void *address = dlsym(library, functions[i].name);
        if (!address) {
            snprintf(why, why_bytes, "the library lacks %s", functions[i].name);
            return false;
        }
        memcpy(functions[i].function, &address, sizeof address);
    }
    return true;
}
