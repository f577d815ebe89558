/* SPDX-License-Identifier: Apache-2.0
 *
 * limits: times FMAs, and reads of buffers that lie in each level of memory. A limit is the best of what is seen, not
 * the mean: whatever disturbs the machine makes it slower. A neighbour on the core's other thread takes half of the
 * core's speed for milliseconds at a time. So samples are short, and go round the levels and the ways to read until the
 * time is up.
 */
#include "search/runner/limits.h"

#include <math.h>
#include <string.h>
#include "gen/base/process.h"
#include "search/runner/runner.h"

enum { SAMPLE_NS = 300000, PIECE_BYTES = 4 << 20 };
/* Bytes of the buffer that lies in memory: so many times the largest cache, within these limits. */
static const int64_t MEMORY_CACHES = 3, MEMORY_LEAST = 64 << 20, MEMORY_MOST = 384 << 20;
/* Of one that lies in a cache. Some have hundreds of MiB that many machines share: to write all once takes a second. */
static const int64_t CACHED_MOST = 64 << 20;

/* What a level holds for all threads together. Each thread has an L1 and an L2 cache of its own. */
static int64_t capacity(const LimitsWish *w, int level)
{
    return w->cache_bytes[level] * (level < LEVEL_L3 ? w->threads : 1);
}

/* The size of a buffer that lies in the level and in no cache before it; 0: there is no such size. */
static int64_t buffer_bytes(const LimitsWish *w, int level)
{
    int64_t before = 0; /* bytes that the largest cache before it holds */
    for (int i = 0; i < level; i++)
        before = capacity(w, i) > before ? capacity(w, i) : before;
    if (level == LEVEL_MEMORY) {
        const int64_t bytes = MEMORY_CACHES * before;
        return bytes < MEMORY_LEAST ? MEMORY_LEAST : bytes > MEMORY_MOST ? MEMORY_MOST : bytes;
    }
    const int64_t half = capacity(w, level) / 2, some = half < CACHED_MOST ? half : CACHED_MOST;
    const int64_t bytes = some > 2 * before ? some : 2 * before;
    return bytes <= capacity(w, level) * 3 / 4 ? bytes : 0;
}

static bool is_late(const LimitsWish *w) { return process_clock_ns() > w->until_ns; }

/* What is read, once all of it was written: pages that nobody wrote are all one page of zeros. */
typedef struct {
    Block block;
    size_t bytes, written;
} Buffer;

/* Is the buffer there? To write a large one takes longer than a short request may: a call writes a piece of it. */
static bool prepare(Buffer *b, size_t bytes)
{
    if (b->bytes < bytes) {
        block_free(&b->block);
        b->written = 0;
        b->bytes = block_new(&b->block, bytes, 0) ? bytes : 0;
    }
    if (b->bytes == 0)
        return false;
    if (b->written < bytes) {
        const size_t left = bytes - b->written, piece = left < PIECE_BYTES ? left : (size_t)PIECE_BYTES;
        memset(b->block.data + b->written, 1, piece);
        b->written += piece;
    }
    return b->written >= bytes;
}

static void sample_read(const LimitsWish *w, Buffer *buffer, int level, int way, LimitRecord *out)
{
    const size_t bytes = (size_t)buffer_bytes(w, level);
    if (bytes == 0 || is_late(w) || !prepare(buffer, bytes) || is_late(w))
        return;
    const double gbs = peak_read_gbs(w->isa, buffer->block.data, bytes, w->threads, way, SAMPLE_NS);
    out->bytes_per_s[level] = fmax(out->bytes_per_s[level], 1e9 * gbs);
}

int limits_measure(const LimitsWish *w, LimitRecord *out)
{
    /* Both go on where the last request ended: a short one has no time for all ways, nor to write all buffers. */
    static int way = 0;
    static Buffer buffer[LEVEL_COUNT];
    int rounds = 0;
    do {
        for (int level = 0; level < LEVEL_COUNT; level++) {
            if (level == 0 || !is_late(w)) /* one sample a round in any case */
                out->flops_per_s = fmax(out->flops_per_s, 1e9 * peak_fma_gflops(w->isa, w->threads, SAMPLE_NS));
            sample_read(w, &buffer[level], level, way, out);
        }
        way = (way + 1) % PEAK_WAYS;
        rounds++;
    } while (!is_late(w));
    return rounds;
}
