/* SPDX-License-Identifier: Apache-2.0
 *
 * collect: the records that a package is made of, found or measured.
 */
#ifndef DCGEN_COLLECT_H
#define DCGEN_COLLECT_H

#include "gen/driver/run.h"

/* Finds or measures the records of all jobs, within the seconds that there are for all of them, which began at began_s.
 * A function's kernels take no bytes of those behind it. A failure is printed. */
bool collect_records(Run *r, const Workload *w, double began_s);

#endif
