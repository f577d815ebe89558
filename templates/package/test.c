/* SPDX-License-Identifier: MIT-0
 *
 * test: every kernel of the package, and the dispatcher's choice, against the definition in double precision, on extents around
 * every kind of tail, with one and with three threads (without the pool: three parts, one after the other). The output lies between
 * canaries and is NaN before each call.
#if HAS_STRIDED
 * Operands that may be strided lie densely and, in a second round, with gaps, which are NaN in inputs and canaries in the output.
#endif
#if ANY_SCRATCH
 * The workspace lies between canaries and is NaN before each call, too.
#endif
 * Exit code 0 when all agree.
 */
#include "PACKAGE.h"
#ifndef PACKAGE_NO_THREADS
#include "PACKAGE_pool.h"
#endif

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

//@ problem

/* ---- the test ---- */

/* Extents around the tiles of this package's kernels: EVERY_AXES. */
static const int64_t NAME_tried[][NAME_nextent] = {
//@ tried
};

//@ run

/* 1 if the result is wrong. */
static int NAME_check(NAME_problem *p, const PACKAGE_exec *exec, double *most)
{
    NAME_put(p, NAME_out);
#if ANY_SCRATCH
    NAME_reserve(p, exec, 1);
#endif
    const int code = NAME_run(p, exec);
    if (code == PACKAGE_BAD_KERNEL && exec->kernel)
        return 0; /* this CPU cannot run it */
#if ANY_SCRATCH
    const double err = code == PACKAGE_OK && NAME_kept_to_workspace(p) ? NAME_worst(p) : INFINITY;
#else
    const double err = code == PACKAGE_OK ? NAME_worst(p) : INFINITY;
#endif
    if (err > *most)
        *most = err;
    if (err <= 1)
        return 0;
    printf("wrong: ");
    NAME_print_extents(p);
    printf(" kernel %d threads %d%s: code %d, error %g of the tolerance\n", exec->kernel - 1, exec->threads,
           p->is_apart ? " strided" : "", code, err);
    return 1;
}

/* Every kernel and the dispatcher's choice on one problem. */
static int NAME_check_all(NAME_problem *p, PACKAGE_exec exec, int *ncheck, double *most)
{
    int failed = 0;
    for (exec.kernel = 0; exec.kernel <= NAME_nkernel(); exec.kernel++)
        for (exec.threads = 1; exec.threads <= 3; exec.threads += 2, ++*ncheck)
            failed += NAME_check(p, &exec, most);
    return failed;
}

#ifdef PACKAGE_NO_THREADS
/* A parallel_for of the calling thread alone: the last part first. */
static void NAME_backwards(void *ctx, int n, void (*body)(void *arg, int i), void *arg)
{
    (void)ctx;
    while (n-- > 0)
        body(arg, n);
}
#endif

int main(void)
{
#ifdef PACKAGE_NO_THREADS
    const PACKAGE_exec exec = { .parallel_for = NAME_backwards };
#else
    PACKAGE_pool *pool = PACKAGE_pool_start(3);
    const PACKAGE_exec exec = { .parallel_for = PACKAGE_pool_run, .ctx = pool };
#endif
    int failed = 0, ncheck = 0;
    double most = 0;
    for (size_t i = 0; i < sizeof NAME_tried / sizeof *NAME_tried; i++) {
        NAME_problem p = NAME_problem_new(NAME_tried[i], INT64_MAX);
        NAME_pack_constant(&p);
        failed += NAME_check_all(&p, exec, &ncheck, &most);
#if HAS_STRIDED
        NAME_place(&p, 1);
        failed += NAME_check_all(&p, exec, &ncheck, &most);
#endif
#if HAS_ROWS
        if (i % 4 == 0) {
            NAME_draw_rows(&p);
            failed += NAME_check_all(&p, exec, &ncheck, &most);
        }
#endif
        NAME_problem_free(&p);
    }
#ifndef PACKAGE_NO_THREADS
    PACKAGE_pool_stop(pool);
#endif
    printf("%d kernels, %d checks, %d failed; largest error %.3f of the tolerance\n", NAME_nkernel(), ncheck, failed, most);
    return failed != 0;
}
