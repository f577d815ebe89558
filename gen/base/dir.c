/* SPDX-License-Identifier: Apache-2.0
 *
 * dir: lists and makes folders, and looks for dcgen's own files in the places where they may lie.
 */
#include "gen/base/dir.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "gen/base/order.h"

bool dir_list(Arena *a, const char *dir, const char *suffix, char ***path, int *n)
{
    struct dirent *entry;
    DIR *stream = opendir(dir);
    if (!stream)
        return false;
    *path = NULL;
    *n = 0;
    while ((entry = readdir(stream))) {
        size_t len = strlen(entry->d_name), tail = strlen(suffix);
        const char *name = entry->d_name;
        if (name[0] == '.' || len < tail || strcmp(name + len - tail, suffix) != 0 || strpbrk(name, "\n\r"))
            continue;
        *ARENA_PUSH(a, *path, *n) = arena_printf(a, "%s/%s", dir, entry->d_name);
    }
    closedir(stream);
    if (*n)
        qsort(*path, (size_t)*n, sizeof **path, order_word);
    return true;
}

bool dir_make_parents(Arena *a, const char *path, const char **err)
{
    char *p = arena_strdup(a, path);
    struct stat st;
    for (char *slash = *p ? strchr(p + 1, '/') : NULL; slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        const int error = mkdir(p, 0777) == 0 ? 0 : errno; /* EROFS and EACCES also come for a folder that is there */
        if (error && stat(p, &st) != 0) {
            *err = arena_printf(a, "cannot create the folder '%s': %s", p, strerror(error));
            return false;
        }
        *slash = '/';
    }
    return true;
}

/* The first of place[i]/name that may be read (or run), from the program's folder on. The places end with NULL. */
static const char *find_own(Arena *a, const char *const *place, const char *name, int mode)
{
    char self[4096] = "";
    const char *slash = readlink("/proc/self/exe", self, sizeof self - 1) > 0 ? strrchr(self, '/') : NULL;
    const char *folder = slash ? arena_strndup(a, self, (size_t)(slash - self)) : ".";
    for (; *place; place++) {
        const char *path = arena_printf(a, "%s/%s%s", folder, *place, name);
        if (access(path, mode) == 0)
            return path;
    }
    return NULL;
}

/* Where templates and records may lie: in an installation; in the source tree, which the link `source` in a build
 * folder leads to (programs of one of several configurations lie a folder deeper); in the source tree around a build
 * folder; and in one that is built within itself. */
static const char *const data_places[] = {
    "../share/dcgen/", "../../share/dcgen/", "share/dcgen/", "source/", "../source/", "../", "../../", "", NULL
};

const char *dir_templates(Arena *a)
{
    const char *targets = find_own(a, data_places, "templates/targets", R_OK);
    return targets ? arena_strndup(a, targets, strlen(targets) - strlen("/targets")) : NULL;
}

const char *dir_records(Arena *a) { return find_own(a, data_places, "records", R_OK); }

const char *dir_runner(Arena *a, const char *kind)
{
    static const char *const place[] = { "", "../libexec/dcgen/", NULL };
    return find_own(a, place, arena_printf(a, "dcgen-runner-%s", kind), X_OK);
}
