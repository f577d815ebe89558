/* SPDX-License-Identifier: Apache-2.0
 *
 * dump: what one stage of the pipeline made, as a table for people or as JSON for programs (--dump STAGE [--json]). Times in ns.
 */
#ifndef DCGEN_DUMP_H
#define DCGEN_DUMP_H

#include <stdbool.h>
#include <stdio.h>
#include "gen/base/arena.h"
#include "gen/command/cli.h"
#include "gen/command/trace.h"
#include "gen/command/workload.h"
#include "gen/unit/unit.h"
#include "search/choose/select.h"
#include "search/record/record.h"
#include "search/record/study.h"
#include "search/space/cost.h"
#include "search/space/space.h"

/* What the stage needs must be there; the rest may be NULL. */
typedef struct {
    const Workload *workload;
    const Options *options; /* source */
    const Space *space;     /* space, source */
    Result result;      /* source: its unit; records: its records, all of the file; model, assign, tree: all of it */
    const Trace *trace; /* trace */
} DumpInput;

void dump(Arena *a, DumpStage stage, const DumpInput *in, bool json, FILE *out);

/* Private to dump*.c. */
typedef struct {
    Arena *a;
    const DumpInput *in;
    FILE *out;
} Dump;

/* Candidates as they are compiled, and how: at most --trials of them, chosen by --seed, the general kernels first, every template among
 * them; without --trials all. */
void dump_source(const Dump *d);
struct json_t *dump_source_json(const Dump *d);
/* What any stage made, as one value. */
struct json_t *dump_json(const Dump *d, DumpStage stage);

#endif
