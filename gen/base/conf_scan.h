/* SPDX-License-Identifier: Apache-2.0
 *
 * conf_scan: where each setting of a libconfig text stands. libconfig itself keeps only lines, and reports a syntax
 * error by line alone; this walk over the same grammar gives places and says what was expected.
 */
#ifndef DCGEN_CONF_SCAN_H
#define DCGEN_CONF_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include "gen/base/arena.h"
#include "gen/base/diag.h"

typedef struct {
    size_t name, nname; /* byte offset in the source, length; an element of a list has no name: nname 0 */
    size_t value, nvalue;
} ConfPlace;

typedef struct {
    ConfPlace *place; /* the root, then all settings in the order of the text, which is preorder of the tree */
    size_t n, cap;
} ConfPlaces;

/* False after an error in d: of syntax (the first alone), or any number of duplicate keys. */
bool conf_scan(Arena *a, const Source *src, size_t begin, size_t end, ConfPlaces *out, Diag *d);

/* The first byte from pos on that is neither blank nor comment; end if there is none. */
size_t conf_skip_blank(const char *text, size_t pos, size_t end);

#endif
