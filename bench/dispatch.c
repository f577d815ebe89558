/* SPDX-License-Identifier: Apache-2.0
 *
 * dispatch: M at random between the least and the greatest of the list, N and K of a random shape of it, so that no
 * branch predictor learns the sequence.
 */
#include "bench/dispatch.h"

#include <math.h>
#include <stdlib.h>
#include "bench/clock.h"

enum { NSHAPE = 1 << 16, NREPEAT = 15 };

static volatile int64_t sink;

static Shape *random_shapes(const ShapeList *list)
{
    Shape *s = malloc(sizeof *s * NSHAPE);
    int64_t low = INT64_MAX, high = 0;
    for (int i = 0; i < list->n; i++) {
        low = list->shape[i].M < low ? list->shape[i].M : low;
        high = list->shape[i].M > high ? list->shape[i].M : high;
    }
    unsigned short seed[3] = { 1, 2, 3 };
    for (int i = 0; i < NSHAPE; i++) {
        s[i] = list->shape[nrand48(seed) % list->n];
        s[i].M = low + nrand48(seed) % (high - low + 1);
    }
    return s;
}

static double choose_loop_ns(const Package *p, const Shape *s)
{
    int64_t sum = 0;
    double start_ns = clock_now_ns();
    for (int i = 0; i < NSHAPE; i++)
        sum += p->choose(s[i].M, s[i].N, s[i].K);
    double time_ns = clock_now_ns() - start_ns;
    sink = sum;
    return time_ns;
}

/* The same loop without the call; the barrier keeps it a loop. */
static double empty_loop_ns(const Shape *s)
{
    int64_t sum = 0;
    double start_ns = clock_now_ns();
    for (int i = 0; i < NSHAPE; i++) {
        sum += s[i].M ^ s[i].N ^ s[i].K;
        __asm__ volatile("" : "+r"(sum));
    }
    double time_ns = clock_now_ns() - start_ns;
    sink = sum;
    return time_ns;
}

double dispatch_ns(const Package *p, const ShapeList *list)
{
    Shape *s = random_shapes(list);
    double best_ns = INFINITY;
    for (int i = 0; i < NREPEAT; i++)
        best_ns = fmin(best_ns, choose_loop_ns(p, s) - empty_loop_ns(s));
    free(s);
    return fmax(0, best_ns / NSHAPE);
}
