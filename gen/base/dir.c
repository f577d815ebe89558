/* SPDX-License-Identifier: Apache-2.0
 *
 * dir: reads the names in a folder and sorts them by their bytes, and makes folders.
 */
#include "gen/base/dir.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
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
        *path = arena_grow(a, *path, (size_t)*n, (size_t)*n + 1, sizeof **path);
        (*path)[(*n)++] = arena_printf(a, "%s/%s", dir, entry->d_name);
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
