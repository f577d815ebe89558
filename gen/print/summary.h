/* SPDX-License-Identifier: Apache-2.0
 *
 * summary: what a command says at its end, as a few lines for people or as one JSON object.
 */
#ifndef DCGEN_SUMMARY_H
#define DCGEN_SUMMARY_H

#include <stdbool.h>
#include <stdio.h>
#include "gen/package/prove.h"
#include "search/space/space.h"

/* Prints what a package that was written holds of a function, with these results; as JSON an object for each. proof:
 * its dispatcher's; NULL: there is none. package, records: the folder and the file that are named. */
void summary_package(const char *package, const char *records, const ResultList *of, const Proof *proof, bool json,
                     FILE *to);
/* What a job would search, and on which machine. */
typedef struct {
    const Space *space;
    Device device;
} Probe;

/* Prints what a valid spec asks for, in a line; verbose: also what is computed, and for each of its n jobs the machine,
 * and the space with all rejections; as JSON an object for each job. */
void summary_check(Arena *a, const Spec *s, const Probe *probe, int n, bool json, bool verbose, FILE *to);
/* Warns of what the package lacks: the regret that the spec demands, comparisons on tuned shapes. Prints nothing if all
 * is well. several_targets: the package is tuned for more than one. */
void summary_contract(Arena *a, const Result *out, bool several_targets, FILE *to);
/* Prints the candidates that failed, a line each. */
void summary_failures(Arena *a, const Study *s, FILE *to);
/* Warns of the kinds of machines that a function with these results has no kernel for, though it should. */
void summary_lacking(Arena *a, const ResultList *of, FILE *to);
/* Warns of each template of which candidates were tried and none works. */
void summary_templates(Arena *a, const Result *out, FILE *to);

#endif
