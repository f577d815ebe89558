/* SPDX-License-Identifier: Apache-2.0
 *
 * pairs: a table of short texts as one text: "1+2 -> 3; 4 -> 4; 5". What has no arrow has "" behind it.
 */
#ifndef DCGEN_TESTS_PAIRS_H
#define DCGEN_TESTS_PAIRS_H

#include "gen/base/arena.h"

typedef struct {
    const char *rest; /* set at first */
    const char *text, *value;
} Pairs;

/* The next pair; false: there is none. */
static inline bool pairs_next(Arena *a, Pairs *p)
{
    if (!*p->rest)
        return false;
    const char *end = strstr(p->rest, "; ");
    char *pair = arena_strndup(a, p->rest, end ? (size_t)(end - p->rest) : strlen(p->rest)),
         *arrow = strstr(pair, " -> ");
    p->rest = end ? end + 2 : "";
    p->text = pair;
    p->value = arrow ? arrow + 4 : "";
    if (arrow)
        *arrow = '\0';
    return true;
}

#endif
