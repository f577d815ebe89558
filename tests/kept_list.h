/* SPDX-License-Identifier: Apache-2.0
 *
 * kept_list: lists that records point to, for tests that make up records. They last as long as the program.
 */
#ifndef DCGEN_TEST_KEPT_LIST_H
#define DCGEN_TEST_KEPT_LIST_H

#include <string.h>
#include "gen/base/arena.h"

static Arena *kept_lists;

__attribute__((destructor)) static inline void kept_free(void) { arena_free(kept_lists); }

/* A copy of so many bytes. */
static inline void *kept(const void *list, size_t bytes)
{
    if (!kept_lists)
        kept_lists = arena_new();
    return memcpy(arena_alloc(kept_lists, bytes), list, bytes);
}

/* A list of these values. */
#define KEPT(type, ...) ((type *)kept((const type[]){ __VA_ARGS__ }, sizeof((const type[]){ __VA_ARGS__ })))

#endif
