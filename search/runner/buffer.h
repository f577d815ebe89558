/* SPDX-License-Identifier: Apache-2.0
 *
 * buffer: memory for operands, for timing and for verification.
 */
#ifndef DCGEN_BUFFER_H
#define DCGEN_BUFFER_H

#include <stdbool.h>
#include <stddef.h>

/* Maps `bytes` that may be touched, with `below` and `above` bytes around them that may not; gives the lowest. */
char *map_guarded(size_t below, size_t bytes, size_t above);

/* Memory for timing: on huge pages where the system has them, `offset` bytes into one. */
typedef struct {
    void *map;
    size_t map_bytes;
    void *data;
} Block;
bool block_new(Block *b, size_t bytes, size_t offset);
void block_protect(const Block *b); /* read-only from here on */
void block_free(Block *b);

/* Memory for verification: `bytes` between two pages that may not be touched. SIDE_END: ends at the upper one, as far
 * as the alignment allows; SIDE_START: begins at the lower one. The rest of its pages holds a canary. */
typedef enum { SIDE_END, SIDE_START } Side;
typedef struct {
    char *map;
    size_t map_bytes, page_bytes;
    char *data;
    size_t bytes;
} Guarded;
bool guarded_new(Guarded *g, size_t bytes, size_t align, Side side); /* bytes 0: data is NULL */
/* The same, unless g is of that size already: then it stays, with what is in it. */
bool guarded_have(Guarded *g, size_t bytes, size_t align, Side side);
bool guarded_new_at(Guarded *g, size_t bytes, size_t offset); /* begins `offset` bytes behind the lower page */
bool guarded_intact(const Guarded *g);                        /* the canary is as it was */
void guarded_free(Guarded *g);

#endif
