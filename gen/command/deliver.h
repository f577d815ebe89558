/* SPDX-License-Identifier: Apache-2.0
 *
 * deliver: takes the results of a workload's targets, makes their package, proves its dispatcher, writes it and says what it is. What fails
 * is said on stderr, and the exit code is set.
 */
#ifndef DCGEN_DELIVER_H
#define DCGEN_DELIVER_H

#include "gen/command/workload.h"
#include "gen/package/package_write.h"
#include "gen/package/prove.h"
#include "search/choose/result.h"

/* May the package be written where the workload wants it? To be asked before long work. */
bool deliver_check(Arena *a, const Workload *w, const Options *o, int *code);
/* The files of the package of n results, one a target, report.html among them. NULL: that failed. */
const Package *deliver_make(Arena *a, const Workload *w, Result *part, int n, const Options *o, int *code);
/* Compares the dispatcher, as it will be written, with the trees. False when they differ, as no such package leaves, or when *stop became
 * true. Where no compiler can be had that is said, and is no failure. */
bool deliver_prove(Arena *a, const Workload *w, const Result *part, int n, const Package *p, const Options *o,
                   const volatile int *stop, Proof *proof, int *code);
/* Writes it and prints the summary: the exit code. proof: NULL where nothing was proven. */
int deliver_write(Arena *a, const Workload *w, const Result *part, int n, const Package *p, const Options *o,
                  const Proof *proof);

#endif
