/* SPDX-License-Identifier: Apache-2.0
 *
 * launch: checks a launch as a GPU's driver would, then executes its blocks, or a sample of them.
 */
#define _GNU_SOURCE
#include "search/runner/emu/worker.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { CUDA_INVALID_VALUE = 1, CUDA_OUT_OF_MEMORY = 2, CUDA_INVALID_CONFIGURATION = 9, MAX_WORKERS = 64 };
static const uint64_t max_blocks = (uint64_t)1 << 28; /* of one call: what marks of global memory hold */

Emu *emu_current;
static Worker *workers[MAX_WORKERS];
static uint64_t next_block; /* number of the next launch's first block */

void launch_place(const Launch *l, uint64_t block, unsigned index[3])
{
    const uint64_t x = block % l->nx, cluster = x / l->cluster, n = l->nx / l->cluster,
                   last = l->grid[0] / l->cluster - 1;
    index[0] = (unsigned)((n > 1 ? cluster * last / (n - 1) : 0) * l->cluster + x % l->cluster);
    index[1] = (unsigned)(block / l->nx % l->grid[1]);
    index[2] = (unsigned)(block / l->nx / l->grid[1]);
}

__attribute__((format(printf, 2, 3))) static int refuse(int code, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(emu_current->refusal, sizeof emu_current->refusal, fmt, ap);
    va_end(ap);
    return code;
}

static int check_limits(const Launch *l)
{
    const uint64_t x = l->grid[0], y = l->grid[1], z = l->grid[2];
    const uint64_t threads = (uint64_t)l->block[0] * l->block[1] * l->block[2];
    if (x == 0 || y == 0 || z == 0 || threads == 0)
        return refuse(CUDA_INVALID_CONFIGURATION, "launches an empty grid or block");
    if (x > INT32_MAX || y > 65535 || z > 65535)
        return refuse(CUDA_INVALID_CONFIGURATION,
                      "launches a grid of %u x %u x %u blocks; 65535 is the limit of the last two", l->grid[0],
                      l->grid[1], l->grid[2]);
    if (l->block[0] > MAX_BLOCK_THREADS || l->block[1] > MAX_BLOCK_THREADS || l->block[2] > 64 ||
        threads > MAX_BLOCK_THREADS)
        return refuse(CUDA_INVALID_CONFIGURATION, "launches blocks of %u x %u x %u threads; the limit is %d",
                      l->block[0], l->block[1], l->block[2], MAX_BLOCK_THREADS);
    if (l->cluster > MAX_CLUSTER || x % l->cluster != 0)
        return refuse(CUDA_INVALID_VALUE,
                      "launches a grid of %u blocks side by side in clusters of %u; the limit is %d", l->grid[0],
                      l->cluster, MAX_CLUSTER);
    if (l->cluster > 1 && (threads % LANES != 0 || threads * l->cluster > MAX_FIBERS))
        return refuse(CUDA_INVALID_VALUE, "launches clusters of %u blocks of %u threads, which cannot be emulated",
                      l->cluster, (unsigned)threads);
    if (l->smem_bytes > emu_current->smem_limit || l->smem_bytes > SHARED_BYTES)
        return refuse(CUDA_INVALID_VALUE, "launches blocks with %zu bytes of shared memory; the limit is %zu",
                      l->smem_bytes, emu_current->smem_limit);
    if (l->nblock + next_block > max_blocks)
        return refuse(CUDA_INVALID_VALUE, "launches %llu blocks, too many to emulate", (unsigned long long)l->nblock);
    return 0;
}

static void *run_blocks(void *worker)
{
    Worker *w = worker, *before = emu_worker;
    Launch *l = w->launch;
    emu_worker = w;
    while (!__atomic_load_n(&l->stop, __ATOMIC_RELAXED)) {
        uint64_t index = __atomic_fetch_add(&l->next, 1, __ATOMIC_RELAXED);
        if (index >= l->nblock / l->cluster)
            break;
        cluster_run(w, index);
    }
    emu_worker = before;
    return NULL;
}

static Worker *prepare_worker(int i, Launch *l)
{
    if (!workers[i])
        workers[i] = checked_memory(calloc(1, sizeof **workers));
    Worker *w = workers[i];
    w->launch = l;
    w->counting = emu_current->count;
    w->recent[0] = w->recent[1] = NULL;
    w->counts = (EmuCounts){ .smem_bytes = (int64_t)l->smem_bytes };
    return worker_prepare(w, l) ? w : NULL;
}

/* False: no memory. Fewer workers than wanted are no failure. */
static bool run_workers(Launch *l)
{
    pthread_t thread[MAX_WORKERS];
    int n = 0, want = emu_current->workers < MAX_WORKERS ? emu_current->workers : MAX_WORKERS;
    for (Worker *w; (n == 0 || (n < want && (uint64_t)n < l->nblock)) && (w = prepare_worker(n, l)); n++)
        if (n > 0 && pthread_create(&thread[n], NULL, run_blocks, w) != 0)
            break;
    if (n > 0)
        run_blocks(workers[0]);
    for (int i = 0; i < n; i++) {
        if (i > 0)
            pthread_join(thread[i], NULL);
        counts_add(&emu_current->counts, &workers[i]->counts);
    }
    return n > 0;
}

/* ---- what candidates call */

EXPORT int dcgen_emu_launch(EmuCall *call, void *kernel, const void *args, const unsigned *grid, unsigned cluster,
                            const unsigned *block, size_t smem_bytes)
{
    if (!emu_current)
        return CUDA_INVALID_VALUE;
    Launch l = {
        .call = call, .kernel = kernel, .args = args, .smem_bytes = smem_bytes, .cluster = cluster ? cluster : 1
    };
    const uint64_t sample = (emu_current->sample + l.cluster - 1) / l.cluster * l.cluster;
    l.nx = sample && sample < grid[0] ? sample : grid[0];
    l.nblock = l.nx * grid[1] * grid[2];
    l.first_block = (uint32_t)next_block;
    memcpy(l.grid, grid, sizeof l.grid);
    memcpy(l.block, block, sizeof l.block);
    int code = check_limits(&l);
    if (code != 0)
        return code;
    next_block += l.nblock;
    l.release = calloc(l.nblock, sizeof *l.release);
    bool good = l.release && run_workers(&l);
    global_end();
    free(l.release);
    return good ? 0 : refuse(CUDA_OUT_OF_MEMORY, "no memory to emulate it");
}

/* ---- what the runner calls */

bool emu_add_region(Emu *e, EmuRole role, const char *name, const void *base, size_t bytes, unsigned elem_bytes)
{
    EmuRegion *r = &e->region[e->nregion];
    if (bytes == 0 || e->nregion == EMU_MAX_REGION)
        return bytes == 0;
    *r = (EmuRegion){ .role = role, .base = (uintptr_t)base, .bytes = bytes, .elem_bytes = elem_bytes };
    snprintf(r->name, sizeof r->name, "%s", name);
    if (role != EMU_INPUT) {
        /* Small pages take memory once they are written: a launch may write little of a large output. */
        r->shadow_bytes = (bytes / elem_bytes + 1) * sizeof *r->shadow;
        r->shadow =
            mmap(NULL, r->shadow_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (r->shadow == MAP_FAILED)
            return false;
        madvise(r->shadow, r->shadow_bytes, MADV_NOHUGEPAGE);
    }
    e->nregion++;
    return true;
}

void emu_remove_region(Emu *e, int i)
{
    if (e->region[i].shadow)
        munmap(e->region[i].shadow, e->region[i].shadow_bytes);
    e->region[i] = e->region[--e->nregion];
}

void emu_begin(Emu *e)
{
    emu_current = e;
    next_block = 1;
    e->nfinding = e->nreport = 0;
    e->refusal[0] = '\0';
    e->counts = (EmuCounts){ 0 };
}

void emu_end(Emu *e)
{
    global_check_counters();
    while (e->nregion > 0)
        emu_remove_region(e, e->nregion - 1);
    emu_current = NULL;
}

void emu_free(void)
{
    for (int i = 0; i < MAX_WORKERS; i++)
        if (workers[i]) {
            worker_free(workers[i]);
            workers[i] = NULL;
        }
}
