/* SPDX-License-Identifier: MIT-0
 *
 * bench: how fast the package is on its tuned shapes, each with the kernel that the dispatcher chooses. A result is verified before it is
 * timed. What counts is the fastest of several bursts of calls.
 *
 *     bench [THREADS]        default 1; with more, one thread and THREADS of them in turns
 */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif
#include "PACKAGE.h"
#include "PACKAGE_pool.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

//@ problem

/* ---- the benchmark ---- */

enum { NAME_rounds = 9, NAME_burst_ns = 2000000, NAME_checked_terms = 1 << 24 };

/* The tuned shapes: EVERY_AXES. */
static const int64_t NAME_shapes[][NAME_nextent] = {
//@ shapes
};

#if IS_MOVING
/* Bytes of all operands, each counted once; of a table those that are read. */
static double NAME_work(const NAME_problem *p)
{
    const double AXIS = (double)p->extent[PLACE]; //@ repeat every
    double bytes = 0;
    (void)AXIS; //@ repeat every
    bytes += sizeof(C_TYPE) * (READS); //@ repeat all_operands
    return bytes;
}
#else
static double NAME_flops(EACH(every, double AXIS))
{
    (void)AXIS; //@ repeat every
    return FLOP_COUNT;
}

static double NAME_work(const NAME_problem *p)
{
    return NAME_flops(EACH(every, (double)p->extent[PLACE]));
}
#endif

//@ run

static double NAME_now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

static double NAME_calls_ns(const NAME_problem *p, const PACKAGE_exec *exec, int ncall)
{
    const double start_ns = NAME_now_ns();
    for (int i = 0; i < ncall; i++)
        NAME_run(p, exec);
    return (NAME_now_ns() - start_ns) / ncall;
}

/* The fastest of the rounds, for each of n ways to carry the call out, in turns. */
static void NAME_time(const NAME_problem *p, const PACKAGE_exec *exec, int n, double *ns)
{
    int ncall[2];
    for (int i = 0; i < n; i++) {
        const double fit = NAME_burst_ns / NAME_calls_ns(p, &exec[i], 3);
        ncall[i] = fit < 1 ? 1 : (int)fit;
        ns[i] = INFINITY;
    }
    for (int round = 0; round < NAME_rounds; round++)
        for (int i = 0; i < n; i++)
            ns[i] = fmin(ns[i], NAME_calls_ns(p, &exec[i], ncall[i]));
}

/* 1 if the package is wrong there. */
static int NAME_bench(const int64_t *extent, const PACKAGE_exec *exec, int n)
{
    double ns[2];
    int wrong = 0;
    NAME_problem p = NAME_problem_new(extent, NAME_checked_terms);
    NAME_pack_constant(&p);
#if ANY_SCRATCH
    NAME_reserve(&p, exec, n);
#endif
    for (int i = 0; i < n; i++) {
        NAME_put(&p, NAME_out);
        wrong = wrong || NAME_run(&p, &exec[i]) != PACKAGE_OK || !(NAME_worst(&p) <= 1);
    }
#if ANY_SCRATCH
    wrong = wrong || !NAME_kept_to_workspace(&p);
#endif
    if (wrong) {
        printf("wrong: ");
        NAME_print_extents(&p);
        printf("\n");
    } else {
        const double work = NAME_work(&p);
        NAME_time(&p, exec, n, ns);
        for (int i = 0; i < NAME_nextent; i++)
            printf("%7lld ", (long long)extent[i]);
        printf("%7d", NAME_choose(EACH(axes, extent[PLACE])));
        for (int i = 0; i < n; i++)
            printf(" %11.2f %10.1f", ns[i] / 1e3, work / ns[i]);
        printf(n > 1 ? " %7.2f\n" : "\n", ns[0] / ns[n - 1]);
    }
    fflush(stdout);
    NAME_problem_free(&p);
    return wrong;
}

int main(int argc, char **argv)
{
    const int threads = argc > 1 ? atoi(argv[1]) : 1, n = threads > 1 ? 2 : 1;
    if (argc > 2 || threads < 1) {
        fprintf(stderr, "usage: bench [THREADS]\n");
        return 2;
    }
    PACKAGE_pool *pool = threads > 1 ? PACKAGE_pool_start(threads) : NULL;
    const PACKAGE_exec exec[] = { { .threads = 1 }, { .threads = threads, .parallel_for = PACKAGE_pool_run, .ctx = pool } };
    int wrong = 0;
    for (int i = 0; i < NAME_nextent; i++)
        printf("%7s ", NAME_extent_name[i]);
    printf("%7s %11s %10s", "kernel", "us", "SPEED_UNIT");
    if (n > 1)
        printf(" %7d thr. %10s %7s", threads, "SPEED_UNIT", "ratio");
    printf("\n");
    for (size_t i = 0; i < sizeof NAME_shapes / sizeof *NAME_shapes; i++)
        wrong += NAME_bench(NAME_shapes[i], exec, n);
    PACKAGE_pool_stop(pool);
    return wrong ? 1 : 0;
}
