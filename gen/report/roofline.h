/* SPDX-License-Identifier: Apache-2.0
 *
 * roofline: the least time that a shape can take on the device, whatever the kernel (Williams, Waterman, Patterson, CACM 2009):
 *
 *   compute = flops / peak      memory = bytes / bandwidth      bound = the greater of both
 *
 * flops are the op's useful ones; bytes those of all operands, each once; the bandwidth is that of the nearest level of memory that
 * holds them all. Peak and bandwidths were measured (LimitRecord). Of a GPU that was not measured they are the data sheet's in the
 * target's file, for the device's number of multiprocessors.
 * A neighbour on the machine may have hidden a limit from all its measurements. So a verified kernel, or the library, that was faster
 * on a tuned shape raises it: its useful flops over its time the peak, its bytes over its time the bandwidth of the level that they lie
 * in, and of those nearer, which are no slower. Nothing that was measured is above the roofline.
 */
#ifndef DCGEN_ROOFLINE_H
#define DCGEN_ROOFLINE_H

#include <stdbool.h>
#include "gen/base/arena.h"
#include "gen/spec/spec.h"
#include "search/record/record.h"
#include "search/record/study.h"

typedef struct {
    const Spec *spec;
    int nlimit;         /* 0: nothing is known */
    LimitRecord *limit; /* one a thread count */
    bool raised;        /* a kernel was faster than the limits that were measured */
    bool modelled;      /* of a data sheet, not measured */
    /* What a level holds, of L1 and L2 each core's; of memory: INT64_MAX; 0: it is not there. */
    int64_t bytes[LEVEL_COUNT];
} Roofline;

Roofline roofline_make(Arena *a, const Study *s, const Records *r);

typedef struct {
    double flops, bytes;
    double compute_ns, memory_ns, ns; /* ns: the bound */
    double flops_per_s, bytes_per_s;
    Level level; /* where the operands lie */
} Bound;

/* False: for that number of threads nothing is known, or there is nothing to compute. */
bool roofline_bound(const Roofline *f, const int64_t *extent, int threads, Bound *out);

/* A time that a kernel can have, as far as the bound knows. Predicted ones may lie below it: then there are no shares. */
bool bound_allows(const Bound *b, double time_ns);

/* What keeps a kernel from the bound, as factors of bound / time, which the bound allows:
 *   padding  work that the kernel does on top of the useful          (f_pad, where arithmetic takes longer than memory)
 *   balance  threads that wait for the busiest, waves that are not full  (f_occ, likewise)
 *   kernel   all that remains: instructions beside FMAs, latencies, caches */
typedef struct {
    double reached; /* bound / time = padding * balance * kernel, 1 at most */
    double padding, balance, kernel;
    const char *limited_by; /* "arithmetic", "memory", "padding", "balance", "kernel" */
} Shares;

/* pad, occ: of the kernel, 1 when they are not known. The factor that costs most is what limits; when none costs a tenth, the bound itself does. */
Shares roofline_shares(const Bound *b, double time_ns, double pad, double occ);

const char *level_text(Level level); /* "the L2 cache" */

#endif
