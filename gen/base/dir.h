/* SPDX-License-Identifier: Apache-2.0
 *
 * dir: folders, read in a fixed order.
 */
#ifndef DCGEN_DIR_H
#define DCGEN_DIR_H

#include <stdbool.h>
#include "gen/base/arena.h"

/* Paths of the files in dir whose names end in suffix, sorted by byte value. False when dir cannot be read. */
bool dir_list(Arena *a, const char *dir, const char *suffix, char ***path, int *n);

#endif
