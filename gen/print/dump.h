/* SPDX-License-Identifier: Apache-2.0
 *
 * dump: what one stage of the pipeline made, as a table for people or as JSON for programs (--dump STAGE [--json]).
 * Times in ns.
 */
#ifndef DCGEN_DUMP_H
#define DCGEN_DUMP_H

#include <stdio.h>
#include "search/loop/trace.h"

typedef enum {
    DUMP_NONE,
    DUMP_SPEC,
    DUMP_SPACE,
    DUMP_SOURCE,
    DUMP_RECORDS,
    DUMP_MODEL,
    DUMP_ASSIGN,
    DUMP_TREE,
    DUMP_TRACE
} DumpStage;

/* What a stage is shown from. A field names the stages that need it; others leave it empty. */
typedef struct {
    const Spec *spec;   /* spec, source */
    const Space *space; /* space, source */
    int trials;         /* source: at most so many candidates; -1: all */
    uint64_t seed;      /* source */
    /* source needs its `unit` alone; records its `records`, here all of the file; model, assign and tree need all of
     * it */
    Result result;
    const SearchTrace *trace; /* trace */
} DumpInput;

/* Prints the stage. Errors in d: a template cannot be filled, or the op's definition cannot be read; that is left
 * out. */
void dump(Arena *a, DumpStage stage, const DumpInput *in, bool json, FILE *out, Diag *d);

#endif
