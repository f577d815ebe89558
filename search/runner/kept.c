/* SPDX-License-Identifier: Apache-2.0
 *
 * kept: a list of operands, and how many shapes have each.
 */
#include "search/runner/kept.h"

#include <stdlib.h>
#include <string.h>

static Kept *list;

static Kept *use(Kept *k)
{
    k->nuser++;
    return k;
}

Kept *kept_drawn(const Draw *d)
{
    for (Kept *k = list; k; k = k->next)
        if (memcmp(&k->draw, d, sizeof *d) == 0)
            return use(k);
    return NULL;
}

Kept *kept_equal(const void *data, size_t bytes)
{
    for (Kept *k = list; k; k = k->next)
        if (k->draw.operand < 0 && k->bytes == bytes && memcmp(k->block.data, data, bytes) == 0)
            return use(k);
    return NULL;
}

Kept *kept_new(const Draw *d, size_t bytes, size_t offset)
{
    Kept *k = calloc(1, sizeof *k);
    if (!k || !block_new(&k->block, bytes, offset)) {
        free(k);
        return NULL;
    }
    k->bytes = bytes;
    k->draw = d ? *d : (Draw){ .operand = -1 };
    k->next = list;
    return list = use(k);
}

void kept_drop(Kept *k)
{
    if (!k || --k->nuser > 0)
        return;
    Kept **at = &list;
    while (*at != k)
        at = &(*at)->next;
    *at = k->next;
    block_free(&k->block);
    free(k);
}

size_t kept_bytes(void)
{
    size_t sum = 0;
    for (const Kept *k = list; k; k = k->next)
        sum += k->block.map_bytes;
    return sum;
}
