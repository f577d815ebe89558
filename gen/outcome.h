/* SPDX-License-Identifier: Apache-2.0
 *
 * outcome: takes a workload and its records, gives what they say of it: the study, the model, the choice, the contract; and from that the
 * package. Nothing is compiled, measured or written here.
 */
#ifndef DCGEN_OUTCOME_H
#define DCGEN_OUTCOME_H

#include "gen/arena.h"
#include "gen/diag.h"
#include "gen/dispatch.h"
#include "gen/package_write.h"
#include "gen/unit.h"
#include "gen/workload.h"
#include "model/cost.h"
#include "search/contract.h"
#include "search/record.h"
#include "search/select.h"
#include "search/study.h"

typedef struct {
    const Workload *workload;
    const Device *device;
    const Study *study;
    const CostModel *model;
    const Assignment *assignment;
    const Records *records; /* those that the study was made of */
    const Contract *contract;
} Outcome;

UnitContext outcome_unit(const Workload *w, const Device *device, const Target *target);

/* The device that most times come from, of those that run the workload's target; the smaller id of several. NULL with *err set. */
const Device *outcome_device(Arena *a, const Workload *w, const Records *r, const char **err);
/* Are there times of a device that runs the target? */
bool outcome_timed(Arena *a, const Workload *w, const Records *r);

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
