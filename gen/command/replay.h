/* SPDX-License-Identifier: Apache-2.0
 *
 * replay: takes a workload and its records, gives a result for each target (search/choose/result.h) and the package
 * that they make together. Nothing is compiled, measured or written here.
 */
#ifndef DCGEN_REPLAY_H
#define DCGEN_REPLAY_H

#include "gen/command/command.h"
#include "gen/package/package_write.h"
#include "gen/package/prove.h"
#include "search/choose/result.h"
#include "search/measure/lab.h"

/* Of the devices that run the target, the one with the most times of its kernels in the records; of several the one
 * with the smallest id. *ntime: how many times. NULL with *err set: none runs it. */
const Device *replay_device(Arena *a, const Workload *w, const Records *r, int64_t *ntime, const char **err);
/* Makes the result of one target. device: whose measurements count; NULL: the one with the most. False with *err set:
 * no device runs the target, or nothing usable was measured. */
bool replay_target(Arena *a, const Workload *w, const Records *r, const Device *device, Result *out, const char **err);

/* Adds the kernels that were chosen. */
void replay_note(Arena *a, const Result *result, KernelKeys *present);

/* Where the records of one target are. */
typedef struct {
    const char *records;
    const Device *device; /* whose times count: the one that this run measured on; NULL: the one with the most times */
} Known;

/* What a part of a command is given. */
typedef struct {
    double seconds;    /* from its beginning on */
    ProgressPart part; /* what the display says of it */
    Effort *effort;    /* what candidates took in the parts before; it learns what they take in this one */
} Turn;

/* Finds or measures the records of the target of w, a workload of that target alone (learn.c). A failure is printed. */
bool learn_target(Run *r, const Workload *w, const Turn *turn, Known *known);
/* The results of all parts of the workload, with `first` set. known: one a part; NULL: the workload's own records. */
Result *replay_all(Run *r, const Workload *w, const Known *known);
/* Sets `first` of all n results of a function. */
void replay_number(Arena *a, Result *result, int n);
/* The package of the results of all parts of w. report: its report.html; NULL: it has none. NULL after errors in d
 * (faulty templates). */
const Package *replay_package(Arena *a, const Workload *w, const Result *result, const char *report, Diag *d);

/* ---- the way to the disk (deliver.c) ---- */

/* Makes all files of the package, report.html among them, from the results of all targets; sets their `cost`. */
const Package *deliver_make(Run *r, const Workload *w, Result *result);
/* Compiles the dispatcher of each function, as it will be written, and compares it with the trees. Fails if they
 * differ, so that such a package is not written. Without a compiler it prints a warning. proof says what was compared,
 * function by function. */
bool deliver_prove(Run *r, const Workload *w, const Result *result, const Package *p, Proof *proof);
/* Writes the package into a temporary folder, renames it, and prints the summary. */
bool deliver_write(Run *r, const Workload *w, const Result *result, const Package *p, const Proof *proof);

#endif
