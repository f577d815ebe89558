/* SPDX-License-Identifier: Apache-2.0
 *
 * workload: reads what a command needs from files before anything is measured: the spec with the command line's
 * changes, the targets, the op's templates.
 */
#ifndef DCGEN_WORKLOAD_H
#define DCGEN_WORKLOAD_H

#include "gen/base/diag.h"
#include "gen/driver/cli.h"
#include "gen/driver/job.h"

/* NULL after errors in d; or with *err set when dcgen's own files are not found. */
Workload *workload_read(Arena *a, const char *spec_path, const Options *o, Diag *d, const char **err);
/* Makes a job of each function at hand and each target. */
void workload_make_jobs(Arena *a, Workload *w);

#endif
