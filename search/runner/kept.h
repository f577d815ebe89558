/* SPDX-License-Identifier: Apache-2.0
 *
 * kept: operands that shapes have alike, each in memory once: a weight is the same at every M, and so is what kernels
 * pack of it. To draw, pack and page in a large one anew for each shape takes longer than to measure there.
 */
#ifndef DCGEN_KEPT_H
#define DCGEN_KEPT_H

#include <stdint.h>
#include "search/runner/buffer.h"

/* What an input's numbers follow from: the same draw gives the same. `operand` -1: packed, or with gaps. */
typedef struct {
    int64_t operand, kind, elems, most; /* kind: a DataKind; most: the extent that bounds the numbers; 0: none does */
    /* of parts of that extent: elements of a row; a PartsWay, and what the draw is a further one of */
    int64_t row, way;
} Draw;

typedef struct Kept {
    Block block; /* read-only once it is filled */
    size_t bytes;
    Draw draw;
    int nuser; /* shapes that have it */
    struct Kept *next;
} Kept;

/* The operand of that draw, or with that content, for one more user. NULL: there is none. */
Kept *kept_drawn(const Draw *d);
Kept *kept_equal(const void *data, size_t bytes);
/* Memory for a new one, for its first user to fill and block_protect. d NULL: it has no draw. NULL: no memory. */
Kept *kept_new(const Draw *d, size_t bytes, size_t offset);
/* One user less; without any it is freed. NULL: nothing happens. */
void kept_drop(Kept *k);
size_t kept_bytes(void); /* of all of them */

#endif
