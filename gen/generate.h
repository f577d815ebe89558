/* SPDX-License-Identifier: Apache-2.0
 *
 * generate: the commands that take a spec. Each returns dcgen's exit code.
 *
 *   generate   search, then the package from the records that the search left
 *   replay     the package from recorded measurements: nothing is compiled or measured, the same bytes on any machine
 *   check      is the spec right, and what would be searched? Every rejection of the space with its reason
 *
 * generate ends with what replay does: the package never depends on anything that is not in its records.
 */
#ifndef DCGEN_GENERATE_H
#define DCGEN_GENERATE_H

#include "gen/arena.h"
#include "gen/cli.h"
#include "gen/diag.h"
#include "gen/dispatch.h"
#include "gen/package_write.h"
#include "gen/workload.h"
#include "model/cost.h"
#include "search/contract.h"
#include "search/record.h"
#include "search/select.h"
#include "search/study.h"

enum { EXIT_DONE = 0, EXIT_FAILED = 1, EXIT_USAGE = 2, EXIT_ENVIRONMENT = 3, EXIT_INTERRUPTED = 130 };

int generate(Arena *a, const Options *o, const volatile int *stop);
int replay(Arena *a, const Options *o);
/* replay --check PKG: is the package as dcgen wrote it, and as this dcgen would write it? (gen/drift.h) */
int replay_check(Arena *a, const Options *o);
int check(Arena *a, const Options *o);
/* --dump STAGE: what that stage makes of the spec, or of the records that there are. Nothing is measured or written. */
int dump_stage(Arena *a, const Options *o);
/* explain PKG: from the spec and records in the package itself. */
int explain_package(Arena *a, const Options *o);
/* bench PKG --regret: likewise. */
int regret_package(Arena *a, const Options *o, const volatile int *stop);

/* What records say of a workload: the study, the model and the choice. `explain` looks at the same. */
typedef struct {
    const Workload *workload;
    const Device *device;
    const Study *study;
    const CostModel *model;
    const Assignment *assignment;
    const Records *records; /* those that the study was made of */
    const Contract *contract;
} Outcome;

/* What the dispatch.h of the package of n outcomes, one a target, is to compute. */
const Dispatcher *outcome_dispatcher(Arena *a, const Outcome *out, int n);

/* device: whose measurements count; NULL: the one with most. False with *err set: no device suits, nothing usable was measured. */
bool outcome_make(Arena *a, const Workload *w, const Records *r, const Device *device, Outcome *out, const char **err);
/* The same for the records of a file. False with *err set, and dcgen's exit code in *code. */
bool outcome_read(Arena *a, const Workload *w, const char *path, Outcome *out, int *code, const char **err);
/* Its report.html; NULL in *report where the workload wants none. False with *err set: it cannot be drawn here. */
bool outcome_report(Arena *a, const Outcome *out, const CostReport *cost, const char **report, const char **err);
/* The package of n outcomes, one a target. report: its report.html; NULL: it has none. NULL after errors in d (faulty templates). */
const Package *outcome_package(Arena *a, const Outcome *out, int n, const char *report, Diag *d);

#endif
