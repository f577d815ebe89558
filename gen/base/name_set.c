/* SPDX-License-Identifier: Apache-2.0
 *
 * name_set: see name_set.h.
 */
#include "gen/base/name_set.h"

#include <stdlib.h>
#include <string.h>
#include "gen/base/order.h"

void name_set_add(Arena *a, NameSet *s, const char *name)
{
    if (s->n == s->cap) {
        s->name = arena_grow(a, s->name, s->cap, 2 * s->cap + 64, sizeof *s->name);
        s->cap = 2 * s->cap + 64;
    }
    s->name[s->n++] = name;
}

void name_set_sort(NameSet *s)
{
    size_t n = 0;
    if (s->n)
        qsort(s->name, s->n, sizeof *s->name, order_word);
    for (size_t i = 0; i < s->n; i++)
        if (i == 0 || strcmp(s->name[i], s->name[n - 1]) != 0)
            s->name[n++] = s->name[i];
    s->n = n;
}

bool name_set_has(const NameSet *s, const char *name)
{
    return s->n && bsearch(&name, s->name, s->n, sizeof *s->name, order_word);
}
