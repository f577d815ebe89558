/* SPDX-License-Identifier: Apache-2.0
 *
 * roofline: the least time that a shape can take on the device, whatever the kernel (Williams, Waterman, Patterson,
 * CACM 2009):
 *
 *   compute = flops / peak      memory = bytes / bandwidth      bound = the greater of both
 *
 * flops are the op's useful ones, but of an operator that is a formula alone none count: exp and the like are far from
 * the peak of FMAs. bytes are those of all operands, each counted once. They lie where the call before left them: of
 * each level of memory come at least the bytes that the levels before it together cannot hold, at its bandwidth, and
 * the level that takes longest counts. Where the packed operand comes from memory (study_is_cold), its own bytes over
 * the bandwidth of memory count, or those of the others, whichever is more. Peak and bandwidths were measured
 * (LimitRecord). If the device is a GPU that was not measured, they are the data sheet's in the target's file, for the
 * device's number of multiprocessors. Another program on the machine may have slowed all measurements of a limit. So a
 * verified kernel, or the library, that exceeds a limit raises it: the peak to its useful flops over its time; the
 * bandwidth of a level to the bytes that came from there, or from beyond, over its time, and those of nearer levels,
 * which are no slower, to at least as much. Only a rate that was seen counts: a time as it was recorded
 * (MeasureRecord.time_ns), and none that follows from a comparison with another moment. Where data decide how much of
 * the work there is (Op.by_data), flops and bytes are those of the full shape: a time below its bound is possible. Then
 * no time raises a limit, and none is judged by the bound.
 */
#ifndef DCGEN_ROOFLINE_H
#define DCGEN_ROOFLINE_H

#include "search/record/study.h"

struct Roofline {
    const Study *study; /* says which calls are cold */
    const Spec *spec;
    int nlimit;         /* 0: nothing is known */
    LimitRecord *limit; /* one a thread count */
    bool raised;        /* a kernel was faster than the limits that were measured */
    bool modelled;      /* the limits are a data sheet's, not measured */
    /* What each level holds, L1 and L2 for one core; INT64_MAX: memory; 0: there is no such level. */
    int64_t bytes[LEVEL_COUNT];
};

/* Of what the study has taken over of the records. */
const Roofline *roofline_make(Arena *a, const Study *s, const Records *r);

typedef struct {
    double flops, bytes;
    double compute_ns, memory_ns, ns; /* ns: the bound */
    double flops_per_s, bytes_per_s;
    /* where the bytes come from that memory_ns is of; LEVEL_COUNT: no rate is known, or there is none of them */
    Level level;
    bool by_data; /* all of this is of the full shape: what data ask for may take less */
} Bound;

/* Works out the least time of a shape. False: nothing is known for so many threads (f NULL: ever), or to be done. */
bool roofline_bound(const Roofline *f, const int64_t *extent, int threads, Bound *out);

#endif
