/* SPDX-License-Identifier: Apache-2.0
 *
 * replay: takes a workload and its records, gives a result for each target (search/choose/result.h) and the package that they make together.
 * Nothing is compiled, measured or written here.
 */
#ifndef DCGEN_REPLAY_H
#define DCGEN_REPLAY_H

#include "gen/command/command.h"
#include "gen/package/package_write.h"
#include "gen/package/prove.h"
#include "search/choose/result.h"

/* The device that most times of the target's kernels come from, of those that run it; the smaller id of several. *ntime: how many these are.
 * NULL with *err set. */
const Device *replay_device(Arena *a, const Workload *w, const Records *r, int64_t *ntime, const char **err);
/* device: whose measurements count; NULL: the one with most. False with *err set: no device suits, nothing usable was measured. */
bool replay_target(Arena *a, const Workload *w, const Records *r, const Device *device, Result *out, const char **err);

/* Where the records of one target are. */
typedef struct {
    const char *records;
    const Device *device; /* whose times count, where this run has measured them; NULL: that with most of them */
} Known;

/* Finds or measures the records of the target of w, a workload of that target alone (learn.c). A failure is printed. */
bool learn_target(Run *r, const Workload *w, Known *known);
/* The results of all targets of the workload, by descending rank; `first` is set. known: one a target; NULL: the workload's own records. */
Result *replay_all(Run *r, const Workload *w, const Known *known);
/* Sets `first` of all n results of a package. */
void replay_number(Arena *a, Result *part, int n);
/* The package of n results, one a target. report: its report.html; NULL: it has none. NULL after errors in d (faulty templates). */
const Package *replay_package(Arena *a, const Workload *w, const Result *part, int n, const char *report, Diag *d);

/* ---- the way to the disk (deliver.c) ---- */

/* Makes all files of the package, report.html among them, from the results of all targets; sets their `cost`. */
const Package *deliver_make(Run *r, const Workload *w, Result *part);
/* Compiles the dispatcher, as it will be written, and compares it with the trees. Fails if they differ, so that such a package is not
 * written. Without a compiler it prints a warning. *proof says what was compared. */
bool deliver_prove(Run *r, const Workload *w, const Result *part, const Package *p, Proof *proof);
/* Writes the package into a temporary folder, renames it, and prints the summary. */
bool deliver_write(Run *r, const Workload *w, const Result *part, const Package *p, const Proof *proof);

#endif
