/* SPDX-License-Identifier: Apache-2.0
 *
 * trace: a search repeated from its seed and its own records (search/measure/lab_records.c): which kernels it looked at, round by round, and why.
 * A search that was begun once and not resumed is a function of both, so its trace meets every kernel that it recorded, in that order.
 */
#ifndef DCGEN_TRACE_H
#define DCGEN_TRACE_H

#include "gen/command/replay.h"
#include "search/space/propose.h"

typedef struct {
    int64_t round; /* from 0 */
    Candidate c;
    double gain; /* expected, as a part of the time of all shapes; +inf: not asked for */
    int nshape;  /* shapes that it was measured on */
} TraceStep;

typedef struct {
    int64_t nstep, nrecord; /* kernels asked for; kernels of this target in the records */
    TraceStep *step;
    bool same; /* both are the same, in the same order */
} Trace;

/* r: as the search left it. NULL with *err set: nothing can be searched. */
const Trace *trace_make(Arena *a, const Result *out, const Records *r, const Strategy *strategy, uint64_t seed,
                        const char **err);

#endif
