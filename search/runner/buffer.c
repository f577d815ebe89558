/* SPDX-License-Identifier: Apache-2.0
 *
 * buffer: memory for operands. Timing wants what a product has, aligned and on huge pages; verification wants every
 * access outside of an operand to be noticed.
 */
#define _GNU_SOURCE
#include "search/runner/buffer.h"

#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Small ones stay without huge pages: to clear all of such a page takes longer than their calls. */
enum { HUGE_BYTES = 2 << 20, SMALL_BYTES = 64 << 10 };
enum { CANARY = 0xff }; /* as a float a NaN: reading it spoils the result */

static const size_t too_large = (size_t)1 << 40; /* more is not even asked for */

static size_t round_up(size_t n, size_t unit) { return (n + unit - 1) / unit * unit; }

char *map_guarded(size_t below, size_t bytes, size_t above)
{
    const size_t all = below + bytes + above;
    char *map = mmap(NULL, all, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (map == MAP_FAILED || mprotect(map + below, bytes, PROT_READ | PROT_WRITE) == 0)
        return map == MAP_FAILED ? NULL : map;
    munmap(map, all);
    return NULL;
}

bool block_new(Block *b, size_t bytes, size_t offset)
{
    *b = (Block){ 0 };
    if (bytes == 0 || bytes > too_large)
        return bytes == 0;
    size_t usable = round_up(bytes + offset, HUGE_BYTES);
    b->map_bytes = usable + HUGE_BYTES;
    b->map = map_guarded(0, b->map_bytes, 0);
    if (!b->map)
        return false;
    char *start = (char *)round_up((uintptr_t)b->map, HUGE_BYTES);
    if (bytes >= SMALL_BYTES)
        madvise(start, usable, MADV_HUGEPAGE); /* only a wish */
    b->data = start + offset;
    return true;
}

void block_protect(const Block *b)
{
    if (b->map)
        mprotect(b->map, b->map_bytes, PROT_READ);
}

void block_free(Block *b)
{
    if (b->map)
        munmap(b->map, b->map_bytes);
    *b = (Block){ 0 };
}

/* Places the bytes `offset` behind the start of their pages; SIZE_MAX: at their end, as far as `align` allows. */
static bool place_guarded(Guarded *g, size_t bytes, size_t align, size_t offset)
{
    *g = (Guarded){ .bytes = bytes };
    if (bytes == 0 || bytes > too_large)
        return bytes == 0;
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    g->page_bytes = round_up(offset == SIZE_MAX ? bytes : bytes + offset, page);
    g->map_bytes = g->page_bytes + 2 * page;
    g->map = map_guarded(page, g->page_bytes, page);
    if (!g->map)
        return false;
    madvise(g->map + page, g->page_bytes, MADV_HUGEPAGE); /* large ones are paged in sooner */
    g->data = g->map + page + (offset == SIZE_MAX ? g->page_bytes - round_up(bytes, align) : offset);
    memset(g->map + page, CANARY, (size_t)(g->data - g->map) - page);
    memset(g->data + bytes, CANARY, (size_t)(g->map + page + g->page_bytes - (g->data + bytes)));
    return true;
}

bool guarded_new(Guarded *g, size_t bytes, size_t align, Side side)
{
    return place_guarded(g, bytes, align, side == SIDE_END ? SIZE_MAX : 0);
}

bool guarded_have(Guarded *g, size_t bytes, size_t align, Side side)
{
    if (g->data && g->bytes == bytes)
        return true;
    guarded_free(g);
    return guarded_new(g, bytes, align, side);
}

bool guarded_new_at(Guarded *g, size_t bytes, size_t offset) { return place_guarded(g, bytes, 1, offset); }

static bool is_canary(const char *from, const char *to)
{
    for (; from < to; from++)
        if ((unsigned char)*from != CANARY)
            return false;
    return true;
}

bool guarded_intact(const Guarded *g)
{
    if (!g->map)
        return true;
    const char *start = g->map + (g->map_bytes - g->page_bytes) / 2;
    return is_canary(start, g->data) && is_canary(g->data + g->bytes, start + g->page_bytes);
}

void guarded_free(Guarded *g)
{
    if (g->map)
        munmap(g->map, g->map_bytes);
    *g = (Guarded){ 0 };
}
