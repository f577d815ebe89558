/* SPDX-License-Identifier: Apache-2.0
 *
 * roofline: the least time that a shape can take on the device, whatever the kernel (Williams, Waterman, Patterson, CACM 2009):
 *
 *   compute = flops / peak      memory = bytes / bandwidth      bound = the greater of both
 *
 * flops are the op's useful ones, but of an operator that is a formula alone none count: exp and the like are far from the peak of FMAs. bytes are those of all operands, each counted once; the bandwidth is that of the nearest level of memory
 * that holds them all. Peak and bandwidths were measured (LimitRecord). If the device is a GPU that was not measured, they are the data
 * sheet's in the target's file, for the device's number of multiprocessors.
 * Another program on the machine may have slowed all measurements of a limit. So a verified kernel, or the library, that exceeds a limit on a
 * tuned shape raises it: the peak to its useful flops over its time; the bandwidth of the level that its bytes lie in to its bytes over its
 * time, and those of nearer levels, which are no slower, to at least as much. Nothing that was measured is above the roofline.
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
    bool modelled;      /* the limits are a data sheet's, not measured */
    /* What each level holds, L1 and L2 for one core; INT64_MAX: memory; 0: there is no such level. */
    int64_t bytes[LEVEL_COUNT];
} Roofline;

Roofline roofline_make(Arena *a, const Study *s, const Records *r);

typedef struct {
    double flops, bytes;
    double compute_ns, memory_ns, ns; /* ns: the bound */
    double flops_per_s, bytes_per_s;
    Level level; /* where the operands lie */
} Bound;

/* Works out the least time of a shape. False: nothing is known for that number of threads, or there is nothing to do. */
bool roofline_bound(const Roofline *f, const int64_t *extent, int threads, Bound *out);

/* Can a kernel have that time? A predicted time may lie below the bound: then there are no shares. */
bool bound_allows(const Bound *b, double time_ns);

/* What keeps a kernel from the bound, as factors of bound / time:
 *   padding  work that the kernel does on top of the useful          (f_pad, where arithmetic takes longer than memory)
 *   balance  threads that wait for the busiest, waves that are not full  (f_occ, likewise)
 *   kernel   all that remains: instructions beside FMAs, latencies, caches */
typedef struct {
    double reached; /* bound / time = padding * balance * kernel, 1 at most */
    double padding, balance, kernel;
    const char *limited_by; /* "arithmetic", "memory", "padding", "balance", "kernel" */
} Shares;

/* time_ns: one that the bound allows. pad, occ: the kernel's f_pad and f_occ; 1: not known. The factor that costs most is what limits the kernel; if
 * none costs a tenth, the bound itself does. */
Shares roofline_shares(const Bound *b, double time_ns, double pad, double occ);

const char *level_text(Level level); /* "the L2 cache" */

#endif
