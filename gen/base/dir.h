/* SPDX-License-Identifier: Apache-2.0
 *
 * dir: reads folders in a fixed order, makes folders, and knows where dcgen's own files are: beside the program, in its
 * installation, or in the source tree of its build, wherever the build folder is.
 */
#ifndef DCGEN_DIR_H
#define DCGEN_DIR_H

#include <stdbool.h>
#include "gen/base/arena.h"

/* Paths of the files in dir whose names end in suffix, sorted by byte value. False when dir cannot be read. */
bool dir_list(Arena *a, const char *dir, const char *suffix, char ***path, int *n);
/* Makes the folders of a path that are not there yet, up to its last '/'. False with *err set. */
bool dir_make_parents(Arena *a, const char *path, const char **err);

/* The folder `templates` (with targets/, package/ and one folder an op); NULL: not found. */
const char *dir_templates(Arena *a);
/* The folder of recorded measurements, one folder a device in it; NULL: there is none. */
const char *dir_records(Arena *a);
/* The program dcgen-runner-<kind>; NULL: not found. */
const char *dir_runner(Arena *a, const char *kind);

#endif
