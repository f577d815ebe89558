/* SPDX-License-Identifier: Apache-2.0
 *
 * intake: candidates become trials. Builds a batch, verifies every member on awkward shapes, measures it on the shapes asked for,
 * and records each result as soon as it is there.
 */
#ifndef DCGEN_INTAKE_H
#define DCGEN_INTAKE_H

#include "search/propose.h"
#include "search/search.h"

#define INTAKE_SAMPLE_NS 300e3

/* No shape is begun after `share` of the time budget. */
bool intake(Search *q, Arena *scratch, const Proposal *p, int n, double share, const char **err);
/* The general kernels of lesser targets: built and verified only. */
bool intake_lesser(Search *q, Arena *scratch, const char **err);
/* Where nothing can be timed: candidates are built, verified and their accesses counted (the facts of their records), no more. */
bool intake_untimed(Search *q, Arena *scratch, const Candidate *c, int n, const char **err);
/* Verifies one trial on these extents; what fails is recorded, and the trial is not usable any more. */
bool intake_check(Search *q, Arena *scratch, int64_t trial, const int64_t *extent, const char **err);
/* Trials against each other on one tuned shape, for the last comparison; builds those whose shared objects are gone. */
bool intake_final(Search *q, Arena *scratch, int64_t shape, const int64_t *trial, int n, int repeats, const char **err);

#endif
