/* SPDX-License-Identifier: Apache-2.0
 *
 * deliver: takes the results of a workload's targets, makes their package, proves its dispatcher, writes it and prints a summary. Each
 * function prints its errors on stderr and sets *code to the exit code.
 */
#ifndef DCGEN_DELIVER_H
#define DCGEN_DELIVER_H

#include "gen/command/workload.h"
#include "gen/package/package_write.h"
#include "gen/package/prove.h"
#include "search/choose/result.h"

/* True if the package can be written to its folder. Called before the search. */
bool deliver_check(Arena *a, const Workload *w, const Options *o, int *code);
/* Makes all files of the package, report.html among them, from n results, one a target; sets their `cost`. NULL after an error. */
const Package *deliver_make(Arena *a, const Workload *w, Result *part, int n, const Options *o, int *code);
/* Compiles the dispatcher, as it will be written, and compares it with the trees. Returns false if they differ, so that such a package is not
 * written, or if *stop became true. Without a compiler it prints a warning and returns true. *proof says what was compared. */
bool deliver_prove(Arena *a, const Workload *w, const Result *part, int n, const Package *p, const Options *o,
                   const volatile int *stop, Proof *proof, int *code);
/* Writes the package, prints the summary and returns the exit code. proof: NULL if the dispatcher was not proven. */
int deliver_write(Arena *a, const Workload *w, const Result *part, int n, const Package *p, const Options *o,
                  const Proof *proof);

#endif
