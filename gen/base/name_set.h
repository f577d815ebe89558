/* SPDX-License-Identifier: Apache-2.0
 *
 * name_set: names, each once, in alphabetical order. First all are added, then the set is sorted, then it is asked.
 */
#ifndef DCGEN_NAME_SET_H
#define DCGEN_NAME_SET_H

#include <stdbool.h>
#include <stddef.h>
#include "gen/base/arena.h"

/* A set without names is { 0 }. */
typedef struct {
    const char **name;
    size_t n, cap;
} NameSet;

void name_set_add(Arena *a, NameSet *s, const char *name);
void name_set_sort(NameSet *s);
bool name_set_has(const NameSet *s, const char *name);

#endif
