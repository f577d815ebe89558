/* SPDX-License-Identifier: Apache-2.0
 *
 * replay: takes jobs and their records, gives each its result (search/choose/result.h), and the package that these make
 * together. Nothing is compiled, measured or written here.
 */
#ifndef DCGEN_REPLAY_H
#define DCGEN_REPLAY_H

#include "gen/driver/run.h"
#include "gen/package/package_write.h"
#include "search/choose/result.h"

/* Of the devices that run the job's target, the one with the most times of its kernels in the records; of several the
 * one with the smallest id. *ntime: how many times. NULL with *err set: none runs it. */
const Device *replay_device(Arena *a, const Job *job, const Records *r, int64_t *ntime, const char **err);
/* Makes the job's result of the records. False with *err set: no device runs the target, or nothing usable was
 * measured. */
bool replay_job(Arena *a, const Job *job, const Records *r, const char **err);

/* Makes the results of all jobs, with `first` set. last_words: what an interrupt says meanwhile. */
bool replay_all(Run *r, const Workload *w, const char *last_words);
/* Sets `first` of all results of a function. */
void replay_number(Arena *a, const Function *f);
/* The package of the results of all jobs. report: its report.html; NULL: it has none. NULL after errors in d (faulty
 * templates). */
const Package *replay_package(Arena *a, const Workload *w, const char *report, Diag *d);

#endif
