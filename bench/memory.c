/* SPDX-License-Identifier: Apache-2.0
 *
 * memory: an anonymous map on huge pages (madvise, where the system has them), every page touched before use.
 */
#include "bench/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { HUGE_PAGE = 2 << 20, LINE = 64, GAP_LINES = 5 };

static _Noreturn void memory_fail(const char *what, size_t bytes)
{
    fprintf(stderr, "bench: %s (%zu bytes)\n", what, bytes);
    exit(3);
}

Memory memory_map(size_t bytes)
{
    size_t whole = (bytes + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
    char *p = mmap(NULL, whole + HUGE_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED)
        memory_fail("no memory", bytes);
    size_t head = (HUGE_PAGE - (size_t)p % HUGE_PAGE) % HUGE_PAGE;
    if (head)
        munmap(p, head);
    if (head < HUGE_PAGE)
        munmap(p + head + whole, HUGE_PAGE - head);
    madvise(p + head, whole, MADV_HUGEPAGE); /* refused where there are none: then small pages, for all alike */
    memset(p + head, 0, whole);
    return (Memory){ p + head, whole, 0 };
}

void memory_unmap(Memory *m)
{
    munmap(m->base, m->bytes);
    *m = (Memory){ 0 };
}

/* An odd number of lines between buffers keeps their starts out of the same cache set. */
void *memory_take(Memory *m, size_t bytes)
{
    size_t start = m->used, whole = (bytes + LINE - 1) / LINE * LINE + GAP_LINES * LINE;
    if (whole > m->bytes - start)
        memory_fail("the region for one shape is full", bytes);
    m->used = start + whole;
    return m->base + start;
}
