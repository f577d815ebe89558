/* SPDX-License-Identifier: Apache-2.0
 *
 * replay: takes jobs and their records, gives each its result (search/choose/result.h), and the package that these make
 * together. Nothing is compiled, measured or written here.
 */
#ifndef DCGEN_REPLAY_H
#define DCGEN_REPLAY_H

#include "gen/driver/run.h"
#include "gen/package/package_write.h"
#include "gen/package/prove.h"
#include "search/choose/result.h"

/* Of the devices that run the job's target, the one with the most times of its kernels in the records; of several the
 * one with the smallest id. *ntime: how many times. NULL with *err set: none runs it. */
const Device *replay_device(Arena *a, const Job *job, const Records *r, int64_t *ntime, const char **err);
/* Makes the job's result of the records. False with *err set: no device runs the target, or nothing usable was
 * measured. */
bool replay_job(Arena *a, const Job *job, const Records *r, const char **err);

/* Finds or measures the records of all jobs (learn.c), within the seconds that there are for all of them, which began
 * at began_s. A function's kernels take no bytes of those behind it. A failure is printed. */
bool learn_jobs(Run *r, const Workload *w, double began_s);
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
