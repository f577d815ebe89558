/* SPDX-License-Identifier: Apache-2.0
 *
 * dispatch: shapes of the spec's whole range at random, so that no branch predictor learns the sequence.
 */
#include "bench/dispatch.h"

#include <math.h>
#include <stdlib.h>
#include "bench/clock.h"
#include "bench/package.h"

enum { NSHAPE = 1 << 16, NREPEAT = 15 };

static volatile int64_t sink;

/* The arguments of one call behind the other. */
static int64_t *random_calls(const ShapeList *list, const Op *op)
{
    const int n = package_tested.nargument;
    int64_t *calls = malloc(sizeof *calls * NSHAPE * (size_t)n), *to = calls;
    unsigned short seed[3] = { 1, 2, 3 };
    for (int i = 0; i < NSHAPE; i++) {
        const Shape *z = &list->shape[nrand48(seed) % list->n];
        for (int j = 0; j < n; j++)
            *to++ = z->extent[names_find(NAMES(op->extent, op->ngiven), package_tested.argument[j])];
    }
    return calls;
}

static double choose_loop_ns(const int64_t *calls)
{
    int64_t sum = 0;
    const double start_ns = clock_now_ns();
    for (int i = 0; i < NSHAPE; i++)
        sum += package_tested.choose(calls + i * package_tested.nargument);
    const double time_ns = clock_now_ns() - start_ns;
    sink = sum;
    return time_ns;
}

/* The same loop without the call; the barrier keeps it a loop. */
static double empty_loop_ns(const int64_t *calls)
{
    int64_t sum = 0;
    const double start_ns = clock_now_ns();
    for (int i = 0; i < NSHAPE; i++) {
        sum += calls[i * package_tested.nargument];
        __asm__ volatile("" : "+r"(sum));
    }
    const double time_ns = clock_now_ns() - start_ns;
    sink = sum;
    return time_ns;
}

double dispatch_ns(const Spec *spec)
{
    ShapeList all = { 0 };
    shapes_take(&all, spec, true);
    int64_t *calls = random_calls(&all, spec->op);
    double best_ns = INFINITY;
    for (int i = 0; i < NREPEAT; i++)
        best_ns = fmin(best_ns, choose_loop_ns(calls) - empty_loop_ns(calls));
    free(calls);
    shapes_free(&all);
    return fmax(0, best_ns / NSHAPE);
}
