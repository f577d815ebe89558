/* SPDX-License-Identifier: Apache-2.0
 *
 * index: finds places in a list by the hash of what stands there, however long the list is.
 */
#ifndef DCGEN_INDEX_H
#define DCGEN_INDEX_H

#include <stddef.h>
#include <stdint.h>
#include "gen/base/arena.h"

typedef struct {
    Arena *arena;
    size_t n, nslot;
    struct IndexSlot *slot;
} Index;

/* Begins with a hash, or goes on with it: index_hash(key, n, 0) is that of one piece. */
uint64_t index_hash(const void *piece, size_t bytes, uint64_t before);
uint64_t index_word(const char *word, uint64_t before);
void index_add(Index *x, uint64_t hash, int64_t place);
/* Gives one of the places that were added with the hash, the next one at each call; -1: there is no further one. *from
 * is 0 at first. Others may have the same hash, so that the caller compares what stands there. */
int64_t index_next(const Index *x, uint64_t hash, size_t *from);

#endif
