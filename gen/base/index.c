/* SPDX-License-Identifier: Apache-2.0
 *
 * index: a table of hashes with their places, at most half full. An entry stands in the first free slot from that of
 * its hash on.
 */
#include "gen/base/index.h"

#include <string.h>
#include <xxhash.h>

enum { FIRST_SLOTS = 64 };

struct IndexSlot {
    uint64_t hash;
    int64_t place; /* from 1; 0: the slot is free */
};

uint64_t index_hash(const void *piece, size_t bytes, uint64_t before)
{
    return XXH3_64bits_withSeed(piece, bytes, before);
}

uint64_t index_word(const char *word, uint64_t before) { return index_hash(word, strlen(word), before); }

static void put(Index *x, struct IndexSlot entry)
{
    size_t at = (size_t)entry.hash;
    while (x->slot[at & (x->nslot - 1)].place)
        at++;
    x->slot[at & (x->nslot - 1)] = entry;
}

void index_add(Index *x, uint64_t hash, int64_t place)
{
    const struct IndexSlot *old = x->slot;
    const size_t nold = x->nslot;
    if (2 * (x->n + 1) > nold) {
        x->nslot = nold ? 2 * nold : FIRST_SLOTS;
        x->slot = ARENA_ARRAY(x->arena, x->nslot, struct IndexSlot);
        for (size_t i = 0; i < nold; i++)
            if (old[i].place)
                put(x, old[i]);
    }
    put(x, (struct IndexSlot){ hash, place + 1 });
    x->n++;
}

int64_t index_next(const Index *x, uint64_t hash, size_t *from)
{
    if (!x->nslot)
        return -1;
    for (;;) {
        const struct IndexSlot *slot = &x->slot[((size_t)hash + (*from)++) & (x->nslot - 1)];
        if (!slot->place || slot->hash == hash)
            return slot->place - 1;
    }
}
