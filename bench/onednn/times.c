/* SPDX-License-Identifier: Apache-2.0
 *
 * times: in each round a burst of oneDNN, then a burst of memcpy from X to Y; medians over the rounds. memcpy runs on one thread.
 */
#include "bench/onednn/times.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include "bench/clock.h"
#include "bench/dnnl.h"
#include "bench/stats.h"

enum { BATCH = 16, HEADS = 12, HIDDEN = 768, ROUNDS = 11, BURST_NS = 4000000, MORE_BYTES = 8 << 20 };

static const int64_t lengths[] = { 1, 5, 16, 43, 81, 128, 256, 512 };
enum { NLENGTH = sizeof lengths / sizeof lengths[0] };

typedef struct {
    const char *name;
    void *(*setup)(const DnnlRows *r, Memory *mem, int threads);
    int64_t rows, columns; /* of a T of 1; softmax has T columns */
} RowsOp;

static const RowsOp ops[] = { { "softmax", dnnl_softmax_setup, BATCH *HEADS, 0 },
                              { "layernorm", dnnl_layernorm_setup, BATCH, HIDDEN } };

typedef struct {
    const DnnlRows *rows;
    void *state; /* NULL: a copy */
} Burst;

static void call(const Burst *b)
{
    if (b->state)
        dnnl_run(b->state);
    else
        memcpy(b->rows->Y, b->rows->X, (size_t)(b->rows->rows * b->rows->columns) * sizeof(float));
}

/* A call's mean time over calls of BURST_NS together, after one that is not timed. */
static double burst_ns(const Burst *b)
{
    call(b);
    const double start_ns = clock_now_ns();
    double time_ns = 0;
    int n = 0;
    for (int more = 1; time_ns < BURST_NS; more *= 2) {
        for (int i = 0; i < more; i++)
            call(b);
        n += more;
        time_ns = clock_now_ns() - start_ns;
    }
    return time_ns / n;
}

static void print_line(const RowsOp *op, const DnnlRows *r, int64_t T, void *state)
{
    double dnnl_ns[ROUNDS], copy_ns[ROUNDS];
    for (int i = 0; i < ROUNDS; i++) {
        dnnl_ns[i] = burst_ns(&(Burst){ r, state });
        copy_ns[i] = burst_ns(&(Burst){ r, NULL });
    }
    const double bytes = 2.0 * (double)(r->rows * r->columns) * sizeof(float); /* read and written */
    const Summary dnnl = stats_summary(dnnl_ns, ROUNDS), copy = stats_summary(copy_ns, ROUNDS);
    printf("%-10s %4lld %7lld %7lld | %10.2f %4.1f %7.2f %8.3f | %10.2f %8.1f | %6.2f\n", op->name, (long long)T,
           (long long)r->rows, (long long)r->columns, dnnl.median / 1e3, 100 * dnnl.spread, bytes / dnnl.median,
           dnnl.median / (double)(r->rows * r->columns), copy.median / 1e3, bytes / copy.median,
           stats_ratio(dnnl_ns, copy_ns, ROUNDS).median);
    fflush(stdout);
}

static void measure(const RowsOp *op, int64_t T, int threads)
{
    DnnlRows r = { .rows = op->rows * T, .columns = op->columns ? op->columns : T, .epsilon = 1e-12F };
    const size_t bytes = (size_t)(r.rows * r.columns) * sizeof(float);
    Memory mem = memory_map(2 * bytes + MORE_BYTES);
    float *x = memory_take(&mem, bytes), *gamma = memory_take(&mem, HIDDEN * sizeof(float));
    for (int64_t i = 0; i < r.rows * r.columns; i++)
        x[i] = sinf((float)(i % 1009)) * 4;
    for (int i = 0; i < HIDDEN; i++)
        gamma[i] = 1;
    r.X = x, r.gamma = gamma, r.beta = gamma;
    r.Y = memory_take(&mem, bytes);
    void *state = op->setup(&r, &mem, threads);
    if (state) {
        print_line(op, &r, T, state);
        dnnl_teardown(state);
    } else {
        printf("%-10s %4lld: cannot\n", op->name, (long long)T);
    }
    memory_unmap(&mem);
}

void times_print(int threads)
{
    printf("%d thread(s), batch %d; GB/s count what is read and what is written\n\n", threads, BATCH);
    printf("%-10s %4s %7s %7s | %10s %4s %7s %8s | %10s %8s | %6s\n", "op", "T", "rows", "columns", "us", "+-%", "GB/s",
           "ns/elem", "memcpy us", "GB/s", "ratio");
    for (int o = 0; o < 2; o++)
        for (int i = 0; i < NLENGTH; i++)
            measure(&ops[o], lengths[i], threads);
}
