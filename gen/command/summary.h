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

/* Prints what a package that was written holds, made of n results; as JSON an object for each. proof: its dispatcher's;
 * NULL: there is none. */
void summary_package(const Workload *w, const Result *out, int n, const Proof *proof, bool json, FILE *to);
/* Prints what a valid spec asks for, in a line; with -v also what is computed, and for each of n targets the machine,
 * and the space with all rejections; as JSON an object for each target. */
void summary_check(Arena *a, const Workload *w, const Space *const *space, const Device *device, int n,
                   const Options *o, FILE *to);
/* Warns of what the package lacks: the regret that the spec demands, comparisons on tuned shapes. Prints nothing if all
 * is well. several_targets: the package is tuned for more than one. */
void summary_contract(Arena *a, const Result *out, bool several_targets, FILE *to);
/* Prints the candidates that failed, a line each. */
void summary_failures(Arena *a, const Study *s, FILE *to);
/* Warns of the kinds of machines that a package made of n results has no kernel for, though it should. */
void summary_lacking(Arena *a, const Result *out, int n, FILE *to);
/* Warns of each template of which candidates were tried and none works. */
void summary_templates(Arena *a, const Result *out, FILE *to);

#endif
