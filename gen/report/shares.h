/* SPDX-License-Identifier: Apache-2.0
 *
 * shares: takes a shape's least time and a kernel's time on it, and tells what keeps the kernel from the bound.
 */
#ifndef DCGEN_SHARES_H
#define DCGEN_SHARES_H

#include "search/record/roofline.h"

/* What keeps a kernel from the bound, as factors of bound / time:
 *   padding  work that the kernel does on top of the useful          (f_pad, where arithmetic takes longer than memory)
 *   balance  threads that wait for the busiest, waves that are not full  (f_occ, likewise)
 *   kernel   all that remains: instructions beside FMAs, latencies, caches */
typedef struct {
    double reached; /* bound / time = padding * balance * kernel, 1 at most */
    double padding, balance, kernel;
    const char *limited_by; /* "arithmetic", "memory", "padding", "balance", "kernel" */
} Shares;

/* Can a kernel have that time? If it lies below the bound, or that is of the full shape alone, there are no shares. */
bool shares_exist(const Bound *b, double time_ns);

/* time_ns: one that has shares. pad, occ: the kernel's f_pad and f_occ; 1: not known. The factor that costs most is
 * what limits the kernel; if none costs a tenth, the bound itself does. */
Shares shares_of(const Bound *b, double time_ns, double pad, double occ);

const char *level_text(Level level); /* "the L2 cache" */

#endif
