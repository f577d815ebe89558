/* SPDX-License-Identifier: Apache-2.0
 *
 * dump: what one stage of the pipeline made, as a table for people or as JSON for programs (--dump STAGE [--json]).
 * Times in ns.
 */
#ifndef DCGEN_DUMP_H
#define DCGEN_DUMP_H

#include "gen/base/json.h"
#include "gen/command/replay.h"
#include "search/space/cost.h"
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

/* What a stage is shown from. A field names the stages that need it (job: all); others leave it empty. */
typedef struct {
    const Job *job;
    const Options *options; /* source */
    const Space *space;     /* space, source */
    /* source needs its `unit` alone; records its `records`, here all of the file; model, assign and tree need all of
     * it */
    Result result;
    const SearchTrace *trace; /* trace */
} DumpInput;

/* Prints the stage. Errors in d: a template cannot be filled, or the op's definition cannot be read; that is left
 * out. */
void dump(Arena *a, DumpStage stage, const DumpInput *in, bool json, FILE *out, Diag *d);

#endif
