/* SPDX-License-Identifier: Apache-2.0
 *
 * tools: what measuring needs: the compiler, a runner that is set up for the workload's operator, the record file, the progress display.
 */
#ifndef DCGEN_TOOLS_H
#define DCGEN_TOOLS_H

#include <stdbool.h>
#include "gen/arena.h"
#include "gen/cli.h"
#include "gen/progress.h"
#include "gen/workload.h"
#include "search/build.h"
#include "search/measure.h"
#include "search/record.h"

/* Each NULL until it is open; tools_close releases what is. */
typedef struct {
    Builder *builder;
    Runner *runner;
    RecordFile *records;
    Progress *progress;
    const Device *device; /* what the runner runs on, with the compiler; set by who chooses the target */
} Tools;

extern const char tools_flags[]; /* what candidates are compiled with, for Device.flags */

/* Starts compiler and runner; nothing is written yet. False with *err set; call tools_close all the same. */
bool tools_open(Arena *a, const Workload *w, const Options *o, Tools *t, const volatile int *stop, const char **err);
/* Opens w->records for appending (with o->fresh a new one, the old one kept beside it), its folders made. */
bool tools_open_records(Arena *a, const Workload *w, const Options *o, Tools *t, const char **err);
void tools_close(Tools *t);

#endif
