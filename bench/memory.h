/* SPDX-License-Identifier: Apache-2.0
 *
 * memory: one region of huge pages that all buffers of one shape are cut from, so that no contestant has better memory.
 */
#ifndef BENCH_MEMORY_H
#define BENCH_MEMORY_H

#include <stddef.h>

typedef struct {
    char *base;
    size_t bytes, used;
} Memory;

/* Bytes that lie somewhere. */
typedef struct {
    const void *at;
    size_t bytes;
} Span;

Memory memory_map(size_t bytes); /* ends the program when there is none */
void memory_unmap(Memory *m);
void *memory_take(Memory *m, size_t bytes); /* 64-byte aligned, zeroed; ends the program when full */

#endif
