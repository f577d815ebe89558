/* SPDX-License-Identifier: Apache-2.0
 *
 * summary: what a command says at its end, as a few lines for people or as one JSON object.
 */
#ifndef DCGEN_SUMMARY_H
#define DCGEN_SUMMARY_H

#include <stdbool.h>
#include <stdio.h>
#include "gen/command/replay.h"
#include "gen/package/prove.h"
#include "search/space/space.h"

/* Of a package of n results that was written; as JSON an object for each. proof: of its dispatcher; NULL: that was not
 * compiled. */
void summary_package(const Workload *w, const Result *out, int n, const Proof *proof, bool json, FILE *to);
/* Of a spec that is right: its shapes, then of each of n targets the machine, and the space with all rejections; as JSON an object for each. */
void summary_check(Arena *a, const Workload *w, const Space *const *space, const Device *device, int n, bool json,
                   FILE *to);
/* What the package should have and has not: the regret that the spec demands, tuned shapes that were not measured. Nothing if all is well. */
void summary_contract(Arena *a, const Result *out, bool several, FILE *to);
/* The candidates that failed, a line each. */
void summary_failures(Arena *a, const Result *out, FILE *to);

#endif
