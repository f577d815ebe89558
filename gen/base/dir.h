/* SPDX-License-Identifier: Apache-2.0
 *
 * dir: folders: read in a fixed order, and made.
 */
#ifndef DCGEN_DIR_H
#define DCGEN_DIR_H

#include <stdbool.h>
#include "gen/base/arena.h"

/* Paths of the files in dir whose names end in suffix, sorted by byte value. False when dir cannot be read. */
bool dir_list(Arena *a, const char *dir, const char *suffix, char ***path, int *n);
/* Makes the folders of a path that are not there yet, up to its last '/'. False with *err set. */
bool dir_make_parents(Arena *a, const char *path, const char **err);

#endif
