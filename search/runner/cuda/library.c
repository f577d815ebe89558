/* SPDX-License-Identifier: Apache-2.0
 *
 * library: shared libraries that come with a CUDA toolkit or a driver, opened when the program runs and used if they
 * are there. The loader's own path is tried first, then the folders of the table `places`.
 */
#define _GNU_SOURCE
#include "search/runner/cuda/host.h"

#include <dlfcn.h>
#include <glob.h>
#include <libgen.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "gen/base/process.h"

/* Where libraries lie below a toolkit (CUPTI's own folder in some), a Python environment, and the system's. */
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
               { "PATH", NULL, python }, /* the environment of the first python3 in it */
               { "PWD", "/{venv,.venv,env}", python },
               { "HOME", "/{.local,venv,.venv,env,miniconda3,anaconda3}", python },
               { NULL, "/{venv,.venv,opt/venv,opt/conda,opt/*env*,usr,usr/local}", python } };

/* A search for the first file of that name, if its path is wanted, or for the first that the loader opens. */
typedef struct {
    const char *name;
    char *path;    /* PATH_MAX bytes; NULL: it is to be opened */
    void *library; /* what was opened */
} LibrarySearch;

/* Takes a file that was found. True: it will do, and the search ends. */
static bool take_file(LibrarySearch *s, const char *path)
{
    if (s->path)
        return snprintf(s->path, PATH_MAX, "%s", path) < PATH_MAX;
    s->library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    return s->library != NULL;
}

static int newest_first(const void *x, const void *y) { return strverscmp(*(char *const *)y, *(char *const *)x); }

static bool search_matching(LibrarySearch *s, const char *pattern)
{
    glob_t found;
    bool taken = false;
    if (glob(pattern, GLOB_BRACE | GLOB_NOSORT, NULL, &found) != 0)
        return false;
    qsort(found.gl_pathv, found.gl_pathc, sizeof *found.gl_pathv, newest_first);
    for (size_t i = 0; !taken && i < found.gl_pathc; i++)
        taken = take_file(s, found.gl_pathv[i]);
    globfree(&found);
    return taken;
}

static bool search_below(LibrarySearch *s, const char *root, const char *folder, const char *const *below)
{
    char pattern[PATH_MAX];
    bool taken = false;
    for (int i = 0; below[i] && !taken; i++) {
        const int len = snprintf(pattern, sizeof pattern, "%s%s/%s/%s", root, folder, below[i], s->name);
        taken = len < (int)sizeof pattern && search_matching(s, pattern);
    }
    return taken;
}

/* Searches the folder above that of python3: as PATH names it, then where its links lead to. */
static bool search_python(LibrarySearch *s)
{
    Arena *a = arena_new();
    char real[PATH_MAX];
    const char *program = process_find(a, "python3");
    const char *const names[] = { program, program ? realpath(program, real) : NULL };
    bool taken = false;
    for (int i = 0; i < 2 && names[i] && !taken; i++)
        taken = search_below(s, dirname(dirname(arena_strdup(a, names[i]))), "", python);
    arena_free(a);
    return taken;
}

static bool search_places(LibrarySearch *s)
{
    bool taken = false;
    for (size_t i = 0; i < LENGTH(places) && !taken; i++) {
        const char *value = places[i].variable ? getenv(places[i].variable) : "";
        if (value && (*value || !places[i].variable))
            taken = places[i].folder ? search_below(s, value, places[i].folder, places[i].below) : search_python(s);
    }
    return taken;
}

void *library_open(const char *const *names, char why[LIBRARY_WHY_BYTES])
{
    LibrarySearch s = { 0 };
    *why = '\0';
    for (int i = 0; names[i] && !s.library; i++) { /* a better version elsewhere goes before a worse one at hand */
        s.name = names[i];
        s.library = dlopen(s.name, RTLD_NOW | RTLD_LOCAL);
        if (!s.library && i == 0)
            snprintf(why, LIBRARY_WHY_BYTES, "%s", dlerror());
        if (!s.library)
            search_places(&s);
    }
    return s.library;
}

bool library_find(const char *name, char path[PATH_MAX])
{
    return search_places(&(LibrarySearch){ .name = name, .path = path });
}

const char *library_where(void *library)
{
    struct link_map *map = NULL;
    return dlinfo(library, RTLD_DI_LINKMAP, &map) == 0 && map && *map->l_name ? map->l_name : "?";
}

bool library_bind(void *library, const LibraryFunction *functions, int n, char why[LIBRARY_WHY_BYTES])
{
    for (int i = 0; i < n; i++) {
        void *address = dlsym(library, functions[i].name);
        if (!address) {
            snprintf(why, LIBRARY_WHY_BYTES, "the library lacks %s", functions[i].name);
            return false;
        }
        memcpy(functions[i].function, &address, sizeof address);
    }
    return true;
}
