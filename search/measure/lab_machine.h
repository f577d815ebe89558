/* SPDX-License-Identifier: Apache-2.0
 *
 * intake: candidates become trials. Builds a batch, verifies every member on awkward shapes, measures it on the shapes asked for,
 * and records each result as soon as it is there.
 */
#ifndef DCGEN_INTAKE_H
#define DCGEN_INTAKE_H

#include "search/choose/search.h"
#include "search/measure/stopwatch.h"
#include "search/space/propose.h"

/* This machine, or the one that the runner is on. */
extern const Lab lab_intake;

/* Samples that a kernel has on this shape. */
int intake_repeats(const Search *q, int64_t shape);
/* The general kernels of lesser targets: built and verified only. */
bool intake_lesser(Search *q, Arena *scratch, const char **err);
/* Starts to build proposals in the background; intake_drop: what is not built yet is not wanted any more. */
bool intake_lesser_ahead(Search *q, const char **err);
bool intake_ahead(Search *q, const Proposal *p, int n, const char **err);
void intake_drop(Search *q);
/* Where nothing can be run: proposals, and the general kernels of lesser targets, are built, and nothing of it is kept but what compilers
 * tell and a cache stores (build_cache.h). */
bool intake_built(Search *q, Arena *scratch, const Proposal *p, int n, const char **err);
bool intake_built_lesser(Search *q, Arena *scratch, const char **err);
/* Where nothing can be timed: candidates are built, verified and their accesses counted (the facts of their records), no more. */
bool intake_untimed(Search *q, Arena *scratch, const Candidate *c, int n, const char **err);
/* Learns what the anchor takes on these shapes when nothing else uses the machine; those that are known are not measured. */
bool intake_quiet(Search *q, Arena *scratch, const Instance *const *inst, int64_t n, const char **err);
/* Verifies one trial on these extents; what fails is recorded, and the trial is not usable any more. */
bool intake_check(Search *q, Arena *scratch, int64_t trial, const int64_t *extent, const char **err);
/* Trials against each other on any shape, tuned or not; builds those whose shared objects are gone. final: as of stopwatch_time. ns: gets
 * a time for each, 0 for one that failed; may be NULL. */
bool intake_race(Search *q, Arena *scratch, const Instance *inst, const int64_t *trial, int n, int repeats, bool final,
                 double *ns, const char **err);

#endif
