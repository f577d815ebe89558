/* SPDX-License-Identifier: Apache-2.0
 *
 * deliver: makes the package of the results of all jobs, proves its dispatchers, and writes it.
 */
#ifndef DCGEN_DELIVER_H
#define DCGEN_DELIVER_H

#include "gen/driver/run.h"
#include "gen/package/package_write.h"
#include "gen/package/prove.h"

/* Makes all files of the package, report.html among them, from the results of all jobs; sets their `cost`. */
const Package *deliver_make(Run *r, const Workload *w);
/* Compiles the dispatcher of each function, as it will be written, and compares it with the trees. Fails if they
 * differ, so that such a package is not written. Without a compiler it prints a warning. proof says what was compared,
 * function by function. */
bool deliver_prove(Run *r, const Workload *w, const Package *p, Proof *proof);
/* Writes the package into a temporary folder, renames it, and prints the summary. */
bool deliver_write(Run *r, const Workload *w, const Package *p, const Proof *proof);

#endif
