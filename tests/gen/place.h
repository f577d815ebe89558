/* SPDX-License-Identifier: Apache-2.0
 *
 * place: an arena and a folder that a test, or all of a file, has for itself.
 */
#ifndef DCGEN_TESTS_PLACE_H
#define DCGEN_TESTS_PLACE_H

#include <dirent.h>
#include <sys/stat.h>
#include "gen/base/arena.h"
#include "tests/put_file.h"
#include "tests/tmp_folder.h"

static Arena *arena;
static char root[TMP_FOLDER_BYTES];

static inline const char *in_root(const char *name) { return arena_printf(arena, "%s/%s", root, name); }
static inline void put(const char *name, const char *text) { put_file(in_root(name), text); }

/* How many entries a folder has. */
static inline int nentry(const char *path)
{
    DIR *d = opendir(path);
    int n = -2;
    assert_non_null(d);
    while (readdir(d))
        n++;
    closedir(d);
    return n;
}

static inline int place_setup(void **state)
{
    arena = arena_new();
    return tmp_folder(root) ? 0 : -1;
}

static inline int place_teardown(void **state)
{
    arena_free(arena);
    return tmp_folder_remove(root);
}

#endif
