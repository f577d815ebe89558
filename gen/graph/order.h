/* SPDX-License-Identifier: Apache-2.0
 *
 * order: how blocks of memory are stacked, so that those that are there at the same time do not lie over each other.
 *
 * Blocks are placed in an order: each begins where the last one ends of those before it that are there at the same
 * time. Every packing can be written so, and it is right whatever the blocks' sizes are. Sizes depend on the dims of a
 * call, so what is best for some dims may not be for others: where one order does not do for all corners of the dims'
 * ranges, further ones follow, each for the corner that is worst with those before it. A call takes the one that needs
 * fewest bytes for its dims.
 */
#ifndef DCGEN_ORDER_H
#define DCGEN_ORDER_H

#include <stdbool.h>
#include "gen/base/arena.h"

enum { ORDER_CORNERS = 64, ORDER_MOST = 8 /* orders */ };

typedef struct {
    int first, last;                               /* it is there from this time to that one */
    double size[ORDER_CORNERS], at[ORDER_CORNERS]; /* bytes at each corner of the dims; where an order places it */
    int nclash, *clash;                            /* blocks that are there at the same time */
} Block;

typedef struct {
    int nblock, ncorner;
    Block *block;
    double live[ORDER_CORNERS]; /* the most bytes that are there at once */
} Blocks;

/* Works out what is there at the same time, from first, last and size of all blocks. */
void blocks_meet(Arena *a, Blocks *b);
/* Finds orders of all blocks, up to ORDER_MOST, and gives how many. most: at the worst corner, bytes of the best of
 * them over what is there at once. */
int blocks_order(Arena *a, Blocks *b, int *order[ORDER_MOST], double *most);

#endif
