/* SPDX-License-Identifier: Apache-2.0
 *
 * outcome: takes a workload and its records, gives what they say of it: the study, the model, the choice, the contract; and from that the
 * package. Nothing is compiled, measured or written here.
 */
#ifndef DCGEN_OUTCOME_H
#define DCGEN_OUTCOME_H

#include "gen/base/arena.h"
#include "gen/base/diag.h"
#include "gen/command/workload.h"
#include "gen/package/dispatch.h"
#include "gen/package/package_write.h"
#include "gen/unit/unit.h"
#include "search/choose/contract.h"
#include "search/choose/select.h"
#include "search/record/record.h"
#include "search/record/study.h"
#include "search/space/cost.h"

typedef struct {
    const Workload *workload;
    const Device *device;
    const Study *study;
    const CostModel *model;
    const Assignment *assignment;
    const Records *records; /* those that the study was made of */
    const Contract *contract;
    int first; /* the package's number of the assignment's first kernel; set by outcome_number */
} Outcome;

UnitContext outcome_unit(const Workload *w, const Device *device, const Target *target);

/* The device that most times of the target's kernels come from, of those that run it; the smaller id of several. NULL with *err set. */
const Device *outcome_device(Arena *a, const Workload *w, const Records *r, const char **err);
/* Are there times of the target's kernels, of a device that runs it? */
bool outcome_timed(Arena *a, const Workload *w, const Records *r);

/* What the dispatch.h of the package of n outcomes, one a target, is to compute. */
const Dispatcher *outcome_dispatcher(Arena *a, const Outcome *out, int n);

/* device: whose measurements count; NULL: the one with most. False with *err set: no device suits, nothing usable was measured. */
bool outcome_make(Arena *a, const Workload *w, const Records *r, const Device *device, Outcome *out, const char **err);
/* Of every target of the workload from its records, by descending rank; how many. 0 with *err and *code set. */
int outcome_read_all(Arena *a, const Workload *w, Outcome **out, int *code, const char **err);
/* Sets `first` of all n outcomes of a package. */
void outcome_number(Arena *a, Outcome *out, int n);
/* The report.html of n outcomes; NULL in *report where the workload wants none. cost: of each. False with *err set: it cannot be drawn here. */
bool outcome_report(Arena *a, const Outcome *out, int n, const CostReport *cost, const char **report, const char **err);
/* The package of n outcomes, one a target. report: its report.html; NULL: it has none. NULL after errors in d (faulty templates). */
const Package *outcome_package(Arena *a, const Outcome *out, int n, const char *report, Diag *d);

#endif
