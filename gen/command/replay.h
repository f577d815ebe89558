/* SPDX-License-Identifier: Apache-2.0
 *
 * replay: takes jobs and their records, gives each its result (search/choose/result.h), and the package that these make
 * together. Nothing is compiled, measured or written here.
 */
#ifndef DCGEN_REPLAY_H
#define DCGEN_REPLAY_H

#include "gen/command/command.h"
#include "gen/package/package_write.h"
#include "gen/package/prove.h"
#include "search/choose/result.h"
#include "search/measure/lab.h"

/* Of the devices that run the job's target, the one with the most times of its kernels in the records; of several the
 * one with the smallest id. *ntime: how many times. NULL with *err set: none runs it. */
const Device *replay_device(Arena *a, const Job *job, const Records *r, int64_t *ntime, const char **err);
/* Makes the job's result of the records. False with *err set: no device runs the target, or nothing usable was
 * measured. */
bool replay_job(Arena *a, const Job *job, const Records *r, const char **err);

/* What a job's turn in a command is, beside its seconds. */
typedef struct {
    ProgressPart part; /* what the display says of it */
    Effort *effort;    /* what candidates took in the jobs before; it learns what they take in this one */
} Turn;

/* Finds or measures the records of the job, and says where they are (learn.c). A failure is printed. */
bool learn_job(Run *r, Job *job, const Turn *turn);
/* Makes the results of all jobs, with `first` set. last_words: what an interrupt says meanwhile. */
bool replay_all(Run *r, const Workload *w, const char *last_words);
/* Sets `first` of all results of a function. */
void replay_number(Arena *a, const Function *f);
/* The package of the results of all jobs. report: its report.html; NULL: it has none. NULL after errors in d (faulty
 * templates). */
const Package *replay_package(Arena *a, const Workload *w, const char *report, Diag *d);

/* ---- the way to the disk (deliver.c) ---- */

/* Makes all files of the package, report.html among them, from the results of all jobs; sets their `cost`. */
const Package *deliver_make(Run *r, const Workload *w);
/* Compiles the dispatcher of each function, as it will be written, and compares it with the trees. Fails if they
 * differ, so that such a package is not written. Without a compiler it prints a warning. proof says what was compared,
 * function by function. */
bool deliver_prove(Run *r, const Workload *w, const Package *p, Proof *proof);
/* Writes the package into a temporary folder, renames it, and prints the summary. */
bool deliver_write(Run *r, const Workload *w, const Package *p, const Proof *proof);

#endif
