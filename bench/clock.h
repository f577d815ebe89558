/* SPDX-License-Identifier: Apache-2.0
 *
 * clock: time in nanoseconds.
 */
#ifndef BENCH_CLOCK_H
#define BENCH_CLOCK_H

#include <time.h>

static inline double clock_read_ns(clockid_t id)
{
    struct timespec t;
    clock_gettime(id, &t);
    return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

static inline double clock_now_ns(void) { return clock_read_ns(CLOCK_MONOTONIC); }

#endif
