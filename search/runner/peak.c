/* SPDX-License-Identifier: Apache-2.0
 *
 * peak: the loops are assembly, so that no compiler can spill, fold or drop anything. Starting and joining threads is
 * not timed.
 */
#include "search/runner/peak.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include "gen/base/process.h"
#include "gen/target/arch.h"

enum {
    CHAINS = 16, /* independent FMAs: latency 4 to 5 times two units need 8 to 10 */
    MAX_THREAD = 256,
    BLOCK = 256, /* bytes that are read of one stream before the next stream has its turn */
};

struct PeakIsa {
    const char *name;                           /* of the target whose vectors these are */
    int (*runs_here)(void);                     /* NULL: everywhere */
    int lanes;                                  /* floats in a vector */
    void (*fma)(int64_t rounds);                /* CHAINS vector FMAs a round */
    void (*read)(const char *at, size_t bytes); /* a multiple of BLOCK */
};

#ifdef __x86_64__

static const float factor[16] = { 0.71F, 0.93F, 0.52F, 0.88F, 0.67F, 0.79F, 0.59F, 0.97F,
                                  0.83F, 0.61F, 0.91F, 0.55F, 0.74F, 0.86F, 0.64F, 0.99F };

#define ALL_XMM                                                                                                \
    "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", \
        "xmm13", "xmm14", "xmm15"

static int avx512_runs_here(void) { return __builtin_cpu_supports("avx512f"); }
static int avx2_runs_here(void) { return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"); }

/* Loads these registers, then `rounds` times acc = acc * b + c for each of the chains, c being b with its parts in
 * another order. With 0.5 < b, c < 1 that converges: neither denormal nor infinite. */
#define FMA_LOOP(r, load, chains, b, c)                                              \
    ".irp r," load "\n\tvmovups (%1), %%" r "\\r\n\t.endr\n\t"                       \
    "vpermilps $0x1b, %%" r b ", %%" r c "\n\t"                                      \
    ".p2align 5\n"                                                                   \
    "1:\n\t"                                                                         \
    ".irp r," chains "\n\tvfmadd213ps %%" r c ", %%" r b ", %%" r "\\r\n\t.endr\n\t" \
    "dec %0\n\t"                                                                     \
    "jnz 1b\n\t"                                                                     \
    "vzeroupper"

#define READ_LOOP(r, offsets)                                     \
    ".p2align 5\n"                                                \
    "1:\n\t"                                                      \
    ".irp o," offsets "\n\tvmovups \\o(%0), %%" r "\n\t.endr\n\t" \
    "add $256, %0\n\t"                                            \
    "sub $256, %1\n\t"                                            \
    "jnz 1b\n\t"                                                  \
    "vzeroupper"

__attribute__((target("avx512f"))) static void avx512_fma(int64_t rounds)
{
    __asm__ volatile(
        FMA_LOOP("zmm", "0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,30", "0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15", "30", "31")
        : "+r"(rounds)
        : "r"(factor)
        : ALL_XMM, "xmm30", "xmm31", "cc", "memory");
}

__attribute__((target("avx512f"))) static void avx512_read(const char *at, size_t bytes)
{
    __asm__ volatile(READ_LOOP("zmm0", "0,64,128,192") : "+r"(at), "+r"(bytes) : : "xmm0", "cc", "memory");
}

/* 16 registers: 14 chains and 2 factors; two of the chains take a second step, which keeps CHAINS FMAs a round. */
__attribute__((target("avx2,fma"))) static void avx2_fma(int64_t rounds)
{
    __asm__ volatile(
        FMA_LOOP("ymm", "0,1,2,3,4,5,6,7,8,9,10,11,12,13,14", "0,1,2,3,4,5,6,7,8,9,10,11,12,13,0,1", "14", "15")
        : "+r"(rounds)
        : "r"(factor)
        : ALL_XMM, "cc", "memory");
}

__attribute__((target("avx2"))) static void avx2_read(const char *at, size_t bytes)
{
    __asm__ volatile(READ_LOOP("ymm0", "0,32,64,96,128,160,192,224")
                     : "+r"(at), "+r"(bytes)
                     :
                     : "xmm0", "cc", "memory");
}

#endif

typedef float Vec4 __attribute__((vector_size(16), aligned(4), may_alias));

static volatile float sink;

static void portable_fma(int64_t rounds)
{
    Vec4 acc[CHAINS], b = { 0.71F, 0.93F, 0.52F, 0.88F }, c = { 0.6F, 0.7F, 0.8F, 0.9F }, sum = { 0 };
    for (int i = 0; i < CHAINS; i++)
        acc[i] = b * (float)i;
    for (int64_t r = 0; r < rounds; r++) {
#pragma GCC unroll 16
        for (int i = 0; i < CHAINS; i++)
            acc[i] = acc[i] * b + c;
    }
    for (int i = 0; i < CHAINS; i++)
        sum += acc[i];
    sink = sum[0] + sum[1] + sum[2] + sum[3];
}

static void portable_read(const char *at, size_t bytes)
{
    Vec4 acc[8] = { 0 };
    for (size_t i = 0; i < bytes; i += 128) {
#pragma GCC unroll 8
        for (int j = 0; j < 8; j++)
            acc[j] += *(const Vec4 *)(at + i + 16 * j);
    }
    Vec4 sum = acc[0] + acc[1] + acc[2] + acc[3] + acc[4] + acc[5] + acc[6] + acc[7];
    sink = sum[0];
}

static const PeakIsa isas[] = {
#ifdef __x86_64__
    { "avx512", avx512_runs_here, 16, avx512_fma, avx512_read },
    { "avx2", avx2_runs_here, 8, avx2_fma, avx2_read },
#endif
    { "portable", NULL, 4, portable_fma, portable_read },
};

const PeakIsa *peak_find(const char *target)
{
    const PeakIsa *isa = names_row(NAMES(isas, LENGTH(isas)), target);
    return isa && (!isa->runs_here || isa->runs_here()) ? isa : NULL;
}

const PeakIsa *peak_best(void)
{
    const Arch *arch = arch_find(arch_here());
    for (const char *const *name = arch ? arch->peak : NULL; name && *name; name++)
        if (peak_find(*name))
            return peak_find(*name);
    return peak_find("portable");
}

const char *peak_name(const PeakIsa *isa) { return isa->name; }

/* Streams that are read side by side, and how far ahead a prefetch runs (0: none). */
typedef struct {
    const char *name;
    int streams, ahead_bytes;
} ReadWay;

static const ReadWay ways[PEAK_WAYS] = {
    { "1 stream", 1, 0 },
    { "4 streams", 4, 0 },
    { "8 streams", 8, 0 },
    { "1 stream, prefetch", 1, 2048 },
    { "4 streams, prefetch", 4, 1024 },
    { "8 streams, prefetch", 8, 1024 },
};

const char *peak_read_name(int way) { return ways[way].name; }

typedef struct PeakLoop {
    void (*work)(const struct PeakLoop *job, int thread);
    const PeakIsa *isa;
    int64_t rounds; /* of FMAs, or passes over the thread's share of the buffer */
    /* what follows is for reading */
    const ReadWay *way;
    const char *buffer;
    size_t part_bytes; /* a thread's share, a multiple of streams * BLOCK */
} PeakLoop;

static void fma_work(const PeakLoop *job, int thread)
{
    (void)thread;
    job->isa->fma(job->rounds);
}

static void read_pass(const PeakLoop *job, const char *part)
{
    const ReadWay *w = job->way;
    const size_t stream_bytes = job->part_bytes / w->streams;
    if (w->streams == 1 && !w->ahead_bytes) {
        job->isa->read(part, stream_bytes);
        return;
    }
    for (size_t i = 0; i < stream_bytes; i += BLOCK)
        for (int s = 0; s < w->streams; s++) {
            const char *at = part + s * stream_bytes + i;
            for (int b = 0; w->ahead_bytes && b < BLOCK; b += 64)
                __builtin_prefetch(at + w->ahead_bytes + b);
            job->isa->read(at, BLOCK);
        }
}

static void read_work(const PeakLoop *job, int thread)
{
    for (int64_t i = 0; i < job->rounds; i++)
        read_pass(job, job->buffer + thread * job->part_bytes);
}

typedef struct {
    const PeakLoop *job;
    atomic_int ready, done;
    atomic_bool go;
} Team;

static void *member_main(void *team)
{
    Team *t = team;
    const int thread = atomic_fetch_add(&t->ready, 1) + 1; /* 0 is the caller */
    while (!atomic_load_explicit(&t->go, memory_order_acquire)) {
    }
    t->job->work(t->job, thread);
    atomic_fetch_add(&t->done, 1);
    return NULL;
}

/* Rounds a ns of all threads together, from their common start to the end of the last. */
static double rounds_per_ns(const PeakLoop *job, int threads)
{
    Team t = { .job = job };
    pthread_t handle[MAX_THREAD];
    int started = 1;
    while (started < threads && started < MAX_THREAD && pthread_create(&handle[started], NULL, member_main, &t) == 0)
        started++;
    while (atomic_load(&t.ready) < started - 1) {
    }
    const double start_ns = process_clock_ns();
    atomic_store_explicit(&t.go, true, memory_order_release);
    job->work(job, 0);
    while (atomic_load(&t.done) < started - 1) {
    }
    const double time_ns = process_clock_ns() - start_ns;
    for (int i = 1; i < started; i++)
        pthread_join(handle[i], NULL);
    return (double)job->rounds * started / time_ns;
}

double peak_fma_gflops(const PeakIsa *isa, int threads, double sample_ns)
{
    PeakLoop job = { .work = fma_work, .isa = isa, .rounds = 100000 };
    job.rounds = (int64_t)(sample_ns * rounds_per_ns(&job, 1)) + 1;
    return 2.0 * CHAINS * isa->lanes * rounds_per_ns(&job, threads);
}

static PeakLoop read_loop(const PeakIsa *isa, const void *buffer, size_t bytes, int threads, int way)
{
    const size_t grain = (size_t)ways[way].streams * BLOCK;
    return (PeakLoop){ read_work, isa, 1, &ways[way], buffer, bytes / threads / grain * grain };
}

double peak_read_once_gbs(const PeakIsa *isa, const void *buffer, size_t bytes, int threads, int way)
{
    const PeakLoop job = read_loop(isa, buffer, bytes, threads, way);
    return job.part_bytes == 0 ? 0 : (double)job.part_bytes * rounds_per_ns(&job, threads);
}

double peak_read_gbs(const PeakIsa *isa, const void *buffer, size_t bytes, int threads, int way, double sample_ns)
{
    PeakLoop job = read_loop(isa, buffer, bytes, threads, way);
    if (job.part_bytes == 0)
        return 0;
    const double passes = sample_ns * rounds_per_ns(&job, threads) / threads; /* also warms the caches up */
    job.rounds = (int64_t)passes + (passes < 0.5 ? 1 : 3); /* one pass of a buffer so large is long enough */
    return (double)job.part_bytes * rounds_per_ns(&job, threads);
}
