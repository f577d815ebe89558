/* SPDX-License-Identifier: Apache-2.0
 *
 * dispatch: shapes of the spec's whole range at random, so that no branch predictor learns the sequence.
 */
#include "bench/dispatch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "bench/clock.h"
#include "bench/package.h"

enum { NSHAPE = 1 << 16, NREPEAT = 15 };

static volatile int64_t sink;

/* The extents that a caller gives, of one shape behind the other. */
static int64_t *random_extents(const ShapeList *list, int ngiven)
{
    int64_t *e = malloc(sizeof *e * NSHAPE * (size_t)ngiven);
    unsigned short seed[3] = { 1, 2, 3 };
    for (int i = 0; i < NSHAPE; i++)
        memcpy(e + i * ngiven, list->shape[nrand48(seed) % list->n].extent, sizeof *e * (size_t)ngiven);
    return e;
}

static double choose_loop_ns(const int64_t *e, int ngiven)
{
    int64_t sum = 0;
    const double start_ns = clock_now_ns();
    for (int i = 0; i < NSHAPE; i++)
        sum += package_tested.choose(e + i * ngiven);
    const double time_ns = clock_now_ns() - start_ns;
    sink = sum;
    return time_ns;
}

/* The same loop without the call; the barrier keeps it a loop. */
static double empty_loop_ns(const int64_t *e, int ngiven)
{
    int64_t sum = 0;
    const double start_ns = clock_now_ns();
    for (int i = 0; i < NSHAPE; i++) {
        sum += e[i * ngiven];
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
    const int ngiven = spec->op->ngiven;
    int64_t *e = random_extents(&all, ngiven);
    double best_ns = INFINITY;
    for (int i = 0; i < NREPEAT; i++)
        best_ns = fmin(best_ns, choose_loop_ns(e, ngiven) - empty_loop_ns(e, ngiven));
    free(e);
    shapes_free(&all);
    return fmax(0, best_ns / NSHAPE);
}
