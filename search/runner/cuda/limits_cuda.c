/* SPDX-License-Identifier: Apache-2.0
 *
 * limits_cuda: what this GPU does at most, for the answer to the request `limits` (protocol.md): the probes of the code
 * that came with it (templates/device/limits.cu) are started in turn, each for about half a millisecond, until the time
 * is up. Of rates the best counts, of the time of an empty kernel and of a hand-over the median; the clock is that of
 * the SMs while they calculate.
 */
#include "search/runner/cuda/runner_cuda.h"

#include <dlfcn.h>
#include <math.h>
#include "gen/base/process.h"
#include "gen/target/family.h"
#include "search/record/samples.h"

enum { CALLS = 3, MAX_VARIANT = 8, MAX_LATENCY = 64, MAX_TRIES = 20, MIB = 1 << 20 }; /* CALLS: of a sample */
static const double launch_ns = 5e5, warm_ns = 5e7; /* what a launch of a probe takes, and what the warm-up takes */
static const int64_t max_rounds = 100000000;

/* The buffer in memory is 32 times as large as the L2 cache, so that little of it stays in the cache. The one in L2 is
 * a quarter of it: each half of a large L2 keeps what its half of the GPU reads. */
static const int64_t memory_caches = 32, memory_least = 64 * MIB, l2_parts = 4;

typedef struct {
    dcgen_limit_fn *limit;
    Timer *timer;
    int sms, code; /* code: of the last launch */
    void *buffer;
    int64_t bytes, l2_bytes;
    double until_ns;
    char why[WHY_BYTES];
} Bench;

/* A probe, and how many rounds a launch of each of its variants makes; 0: not known yet. */
typedef struct {
    Bench *bench;
    const char *name;
    int64_t bytes, rounds[MAX_VARIANT];
    int variant; /* the one that is started */
    double work; /* of the last launch */
} Probe;

static int start_probe(void *ctx)
{
    Probe *p = ctx;
    Bench *b = p->bench;
    b->code =
        b->limit(p->name, p->variant, b->sms, p->rounds[p->variant], b->buffer, p->bytes, b->timer->stream, &p->work);
    b->code = gpu_launched(b->code, p->name);
    return b->code;
}

static bool fail(Bench *b, const char *name, TimerStatus status)
{
    if (status == TIMER_LOST)
        snprintf(b->why, sizeof b->why, "times of kernels are lost: CUPTI: %.150s", b->timer->why);
    else if (b->code == DCGEN_NO_PROBE)
        snprintf(b->why, sizeof b->why, "there is no probe %s for this GPU", name);
    else if (b->code > 0)
        snprintf(b->why, sizeof b->why, "the probe %s cannot be launched: %s", name,
                 cudaGetErrorString((cudaError_t)b->code));
    else
        snprintf(b->why, sizeof b->why, "the probe %s has no time", name);
    return false;
}

/* Time of a launch; false with b->why set, or b->code DCGEN_NO_PROBE. */
static bool time_probe(Probe *p, double *ns)
{
    watchdog_arm(p->name);
    const TimerStatus status = timer_hot(p->bench->timer, (TimerCall){ start_probe, p }, CALLS, ns);
    watchdog_disarm();
    if (status == TIMER_OK && *ns > 0 && p->work > 0)
        return true;
    return fail(p->bench, p->name, status);
}

/* Gives the variant as many rounds as a launch of half a millisecond has. */
static bool calibrate(Probe *p)
{
    int64_t *rounds = &p->rounds[p->variant];
    double ns = 0;
    *rounds = 1;
    for (int i = 0; i < MAX_TRIES; i++) {
        if (!time_probe(p, &ns)) {
            *rounds = 0;
            return false;
        }
        if (ns > launch_ns / 2 || *rounds >= max_rounds)
            break;
        *rounds = (int64_t)fmin((double)max_rounds, (double)*rounds * fmin(100, fmax(2, launch_ns / ns)));
    }
    return true;
}

static bool sample_probe(Probe *p, double *ns) { return (p->rounds[p->variant] || calibrate(p)) && time_probe(p, ns); }

static bool sample_rate(Probe *p, double *rate)
{
    double ns = 0;
    for (p->variant = 0; p->variant < MAX_VARIANT; p->variant++) {
        if (!sample_probe(p, &ns))
            return p->bench->code == DCGEN_NO_PROBE && p->variant > 0;
        *rate = fmax(*rate, 1e9 * p->work / ns);
    }
    return true;
}

typedef struct {
    int n;
    double ns[MAX_LATENCY];
} Latency;

static void add_latency(Latency *l, double ns)
{
    if (l->n < MAX_LATENCY && ns > 0)
        l->ns[l->n++] = ns;
}

static double median(const Latency *l) { return l->n ? samples_median(l->ns, l->n) : 0; }

static bool sample_handover(Probe *p, Latency *l)
{
    double ns = 0;
    if (!sample_probe(p, &ns))
        return false;
    add_latency(l, ns / p->work);
    return true;
}

static bool sample_null(Bench *b, Latency *l)
{
    double ns = 0;
    if (timer_null(b->timer, &ns) == TIMER_LOST)
        return fail(b, "null", TIMER_LOST);
    add_latency(l, ns);
    return true;
}

static bool warm_up(Bench *b, Probe *unit)
{
    const double now_ns = process_clock_ns(), end_ns = now_ns + fmin(warm_ns, (b->until_ns - now_ns) / 4);
    double rate = 0;
    do
        if (!sample_rate(unit, &rate))
            return false;
    while (process_clock_ns() < end_ns);
    return true;
}

/* FMAs have a second probe, which few ports of registers are enough for; other units have none. */
static bool sample_reuse(Probe *reuse, bool is_fma, double *rate) { return !is_fma || sample_rate(reuse, rate); }

static bool take_rounds(Bench *b, Probe *unit, LimitRecord *out, int *rounds)
{
    const bool is_fma = strcmp(unit->name, "fma") == 0;
    Probe reuse = { .bench = b, .name = "fma_reuse", .bytes = b->bytes },
          shared = { .bench = b, .name = "shared", .bytes = b->bytes },
          l2 = { .bench = b, .name = "l2", .bytes = b->l2_bytes },
          memory = { .bench = b, .name = "memory", .bytes = b->bytes },
          handover = { .bench = b, .name = "handover", .bytes = b->bytes };
    Latency hand = { 0 }, null = { 0 };
    Clocks clocks = { 0 };
    bool good = true;
    for (*rounds = 0; good && (*rounds == 0 || process_clock_ns() < b->until_ns); ++*rounds) {
        b->timer->clocks = &clocks;
        good = sample_rate(unit, &out->flops_per_s);
        b->timer->clocks = NULL;
        good = good && sample_reuse(&reuse, is_fma, &out->reuse_flops_per_s) &&
               sample_rate(&shared, &out->bytes_per_s[LEVEL_L1]) && sample_rate(&l2, &out->bytes_per_s[LEVEL_L2]) &&
               sample_rate(&memory, &out->bytes_per_s[LEVEL_MEMORY]) && sample_handover(&handover, &hand) &&
               sample_null(b, &null);
    }
    out->clock_mhz = clocks_mhz(&clocks);
    out->handover_ns = median(&hand);
    out->launch_ns = median(&null);
    return good;
}

/* Takes a buffer and fills it with random numbers. False with b->why set. */
static bool buffer_new(Bench *b, const Gpu *g)
{
    const int64_t l2 = g->prop.l2CacheSize, quarter = (int64_t)g->prop.totalGlobalMem / 4;
    b->l2_bytes = (l2 / l2_parts < MIB ? MIB : l2 / l2_parts) / MIB * MIB;
    b->bytes = memory_caches * l2 > memory_least ? memory_caches * l2 : memory_least;
    b->bytes = (b->bytes < quarter ? b->bytes : quarter) / MIB * MIB;
    snprintf(b->why, sizeof b->why, "no memory on the GPU for the limits");
    while (b->bytes >= 2 * b->l2_bytes && cudaMalloc(&b->buffer, (size_t)b->bytes) != cudaSuccess) {
        b->buffer = NULL;
        b->bytes = b->bytes / 2 / MIB * MIB;
    }
    cudaGetLastError();
    if (!b->buffer)
        return false;
    if (start_probe(&(Probe){ .bench = b, .name = "fill", .bytes = b->bytes, .rounds = { 1 } }) != 0)
        return fail(b, "fill", TIMER_REFUSED);
    gpu_wait(b->timer->stream, "filling a buffer");
    return true;
}

static const RateRow *unit_of(const char *dtype)
{
    const RateRow *row = family_cuda.rate;
    while (row->dtype && strcmp(row->dtype, dtype) != 0)
        row++;
    return row->dtype ? row : NULL;
}

bool limits_cuda(Arena *a, const LimitsRequest *q, const Gpu *g, Timer *t, LimitRecord *out, int *rounds,
                 const char **err)
{
    Bench b = { .timer = t, .sms = g->prop.multiProcessorCount, .until_ns = q->until_ns };
    const RateRow *row = unit_of(q->dtype);
    Probe unit = { .bench = &b, .name = row ? row->probe : NULL };
    *err = row ? "limits of a GPU are measured by code that comes with the request (so)"
               : "the limits of that dtype cannot be measured";
    if (!row || !q->so)
        return false;
    gpu_keep_code(q->so);
    void *code = dlopen(q->so, RTLD_NOW | RTLD_LOCAL);
    if (!code) {
        *err = arena_printf(a, "%s", dlerror());
        return false;
    }
    *(void **)&b.limit = dlsym(code, "dcgen_limit");
    snprintf(b.why, sizeof b.why, "it has no function dcgen_limit");
    bool good = b.limit && buffer_new(&b, g);
    unit.bytes = b.bytes;
    good = good && warm_up(&b, &unit) && take_rounds(&b, &unit, out, rounds);
    out->flops_per_s /= row->times;
    if (!good)
        *err = arena_strdup(a, b.why);
    cudaFree(b.buffer);
    dlclose(code);
    return good;
}
