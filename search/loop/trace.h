/* SPDX-License-Identifier: Apache-2.0
 *
 * trace: what a search asked for.
 */
#ifndef DCGEN_TRACE_H
#define DCGEN_TRACE_H

#include "search/choose/result.h"
#include "search/space/propose.h"

/* One kernel that a search asked for. */
typedef struct {
    int64_t round; /* from 0 */
    Candidate c;
    double gain; /* expected, as a part of the time of all shapes; +inf: not asked for */
    int nshape;  /* shapes that it was measured on */
} TraceStep;

/* A search repeated from its seed and its own records. If the search ran through without a break, nothing else decided
 * what it asked for, so its trace asks for every kernel that it recorded, in the same order. */
typedef struct {
    int64_t nstep, nrecord; /* kernels asked for; kernels of this target in the records */
    TraceStep *step;
    bool same; /* the kernels asked for are those in the records, in the same order */
} SearchTrace;

/* r: the records as the search left them. NULL with *err set: nothing can be searched. */
const SearchTrace *trace_make(Arena *a, const Result *out, const Records *r, const Strategy *strategy, uint64_t seed,
                              const char **err);

#endif
