/* SPDX-License-Identifier: Apache-2.0
 *
 * learn: records for one target. Those that are there will do where nothing can be measured (--offline), or where another machine has
 * measured the target; else the target is searched: its space is made, and rounds of candidates are proposed, built, verified, measured
 * and recorded, and the model is fitted again after each (search/choose/search.h).
 */
#ifndef DCGEN_LEARN_H
#define DCGEN_LEARN_H

#include "gen/command/replay.h"

/* w: the workload of that target alone (workload_for). False after an error, or when *stop became true: it is said, and *code is set. */
bool learn_target(Arena *a, const Workload *w, const Options *o, const volatile int *stop, Known *known, int *code);

#endif
