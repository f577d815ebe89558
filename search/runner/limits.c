/* SPDX-License-Identifier: Apache-2.0
 *
 * limits: see limits.h. A limit is the best of what is seen, not the mean: whatever disturbs the machine makes it
 * slower.
 */
#include "search/runner/limits.h"

#include <math.h>
#include <string.h>
#include "search/process.h"
#include "search/runner/runner.h"

enum { FMA_REPEATS = 3, READ_REPEATS = 2 };
static const int64_t MEMORY_LEAST = 64 << 20, MEMORY_MOST = 384 << 20;
static const int MEMORY_CACHES = 3; /* the buffer that lies in memory, in sizes of the largest cache */

/* Of L1 and L2 each thread has its own. */
static int64_t capacity(const LimitsWish *w, int level)
{
    return w->cache_bytes[level] * (level < LEVEL_L3 ? w->threads : 1);
}

/* Bytes that the caches before this level hold together. */
static int64_t capacity_before(const LimitsWish *w, int level)
{
    int64_t most = 0;
    for (int i = 0; i < level; i++)
        most = capacity(w, i) > most ? capacity(w, i) : most;
    return most;
}

/* Of a buffer that lies in the level and in no cache before it; 0: there is no such buffer. */
static int64_t buffer_bytes(const LimitsWish *w, int level)
{
    const int64_t before = capacity_before(w, level);
    if (level == LEVEL_MEMORY) {
        const int64_t bytes = MEMORY_CACHES * before;
        return bytes < MEMORY_LEAST ? MEMORY_LEAST : bytes > MEMORY_MOST ? MEMORY_MOST : bytes;
    }
    const int64_t half = capacity(w, level) / 2, bytes = half > 2 * before ? half : 2 * before;
    return bytes <= capacity(w, level) * 3 / 4 ? bytes : 0;
}

static bool is_late(const LimitsWish *w) { return process_clock_ns() > w->until_ns; }

static double read_gbs(const LimitsWish *w, int64_t bytes)
{
    Block b;
    double gbs = 0;
    if (bytes == 0 || is_late(w) || !block_new(&b, (size_t)bytes, 0))
        return 0;
    memset(b.data, 1, (size_t)bytes); /* pages that nobody wrote are all one page of zeros */
    if (!is_late(w)) {
        const int way = peak_read_best(w->isa, b.data, (size_t)bytes, w->threads, &gbs);
        for (int i = 0; i < READ_REPEATS && !is_late(w); i++)
            gbs = fmax(gbs, peak_read_gbs(w->isa, b.data, (size_t)bytes, w->threads, way));
    }
    block_free(&b);
    return gbs;
}

void limits_measure(const LimitsWish *w, LimitRecord *out)
{
    for (int i = 0; i < FMA_REPEATS && (i == 0 || !is_late(w)); i++)
        out->flops_per_s = fmax(out->flops_per_s, 1e9 * peak_fma_gflops(w->isa, w->threads));
    for (int level = 0; level < LEVEL_COUNT; level++)
        out->bytes_per_s[level] = 1e9 * read_gbs(w, buffer_bytes(w, level));
}
