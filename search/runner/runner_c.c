/* SPDX-License-Identifier: Apache-2.0
 *
 * dcgen-runner-c: verifies and times CPU code for dcgen, by the protocol of protocol.md.
 *
 *     dcgen-runner-c [--targets DIR]
 */
#include "search/runner/limits.h"
#include "search/runner/serve.h"

#include <string.h>
#include "templates/package/pool.h"

static PACKAGE_pool *pool;
static int pool_threads;
static Place copies[2];
static bool has_copies; /* copies[] is of the request at hand: made for its first kernel that was not verified before */

static bool probe(Arena *a, Device *out, const char **err)
{
    TargetList list = { 0 };
    return facts_targets(a, &list, err) && device_probe(a, &list, out, err);
}

static json_t *hello_fields(Arena *a, const char **err)
{
    Device d;
    return probe(a, &d, err) ? json_pack("{s:o}", "device", facts_json(&d)) : NULL;
}

/* Sees to it that the pool has so many threads. False: it cannot be started. */
static bool set_pool(int threads)
{
    if (pool_threads != threads) {
        PACKAGE_pool_stop(pool);
        pool = threads > 1 ? PACKAGE_pool_start(threads) : NULL;
        pool_threads = threads;
    }
    return threads == 1 || pool;
}

static bool open_work(Work *w, char why[WHY_BYTES])
{
    snprintf(why, WHY_BYTES, "no memory for threads");
    has_copies = false;
    bool good = set_pool(w->timing.threads);
    w->timing.pool = pool;
    return good;
}

static bool verify(Work *w, int i)
{
    Kernel *k = &w->kernel[i];
    if (!kernel_load(k, "dcgen_run"))
        return false;
    if (kernel_recall(k, w->setup, w->shape, w->timing.threads))
        return true;
    has_copies = has_copies || copies_new(copies, w->setup, w->shape);
    if (!has_copies) {
        copies_free(copies);
        return kernel_fail(k, STATUS_INVALID, "no memory for the operands");
    }
    return has_copies = kernel_verify(k, w->setup, w->shape, copies, pool, w->timing.threads);
}

static bool take_times(Work *w, char why[WHY_BYTES])
{
    snprintf(why, WHY_BYTES, "no memory for the scratch memory of calls");
    copies_free(copies);
    return kernels_time(w->kernel, w->nkernel, w->setup, w->shape, &w->timing);
}

static void close_work(Work *w)
{
    (void)w;
    copies_free(copies);
}

static bool measure_limits(Arena *a, const LimitsRequest *q, LimitRecord *out, int *rounds, const char **err)
{
    Device d;
    LimitsWish w = { .isa = peak_find(q->target), .threads = q->threads, .until_ns = q->until_ns };
    *err = "the limits of that target or dtype cannot be measured";
    if (!w.isa || strcmp(q->dtype, "f32") != 0 || !probe(a, &d, err))
        return false;
    w.cache_bytes[LEVEL_L1] = d.l1_bytes;
    w.cache_bytes[LEVEL_L2] = d.l2_bytes;
    w.cache_bytes[LEVEL_L3] = d.l3_bytes;
    set_pool(1); /* no pool: its threads spin for a while after their last job, and would disturb what is measured */
    *rounds = limits_measure(&w, out);
    return true;
}

static void stop_pool(void) { PACKAGE_pool_stop(pool); }

int main(int argc, char **argv)
{
    static const Engine engine = { .program = "dcgen-runner-c",
                                   .runner = "c",
                                   .hello = hello_fields,
                                   .open = open_work,
                                   .verify = verify,
                                   .time = take_times,
                                   .close = close_work,
                                   .end = stop_pool,
                                   .limits = measure_limits,
                                   .flushes = true };
    return serve_main(&engine, argc, argv);
}
