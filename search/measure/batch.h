/* SPDX-License-Identifier: Apache-2.0
 *
 * batch: trials that are built and verified together, for lab_machine.c.
 */
#ifndef DCGEN_BATCH_H
#define DCGEN_BATCH_H

#include "search/measure/lab.h"

typedef struct Batch {
    struct Batch *later; /* the next of those that are built in the background */
    bool begun;          /* its builds were started in the background */
    int n;
    int64_t trial[REQUEST_MOST];
    Build build[REQUEST_MOST];
    int nfact[REQUEST_MOST]; /* what compiler and emulator told of each */
    Param fact[REQUEST_MOST][RECORD_MAX_FACT];
    const char *why[REQUEST_MOST]; /* why a member that was built failed; else NULL */
} Batch;

static inline Trial *batch_member(const Lab *l, const Batch *b, int i) { return &l->study->trial[b->trial[i]]; }
bool batch_works(const Lab *l, const Batch *b, int i); /* was it built, and has it not failed so far? */
/* Adds a member to a request for a call, if it works and serves that. gap: elements between rows. */
void batch_add_member(const Lab *l, const Batch *b, int i, const int64_t *extent, int64_t gap, Kernels *k);
void batch_add_fact(Batch *b, int i, const char *name, int64_t value); /* one that does not fit is dropped */

/* ---- building and recording (batch.c) ---- */

bool batch_fill(Lab *l, Batch *b, const char **err); /* makes the texts of the kernels */
/* Builds the batch, or waits for its builds in the background. Members whose builds are not done by until_s leave the
 * batch; but of the `first` batch one is waited for. False with *err set: interrupted, or this machine cannot build. */
bool batch_build(Lab *l, Batch *b, double until_s, bool first, const char **err);
/* Records all members but those that failed for what the machine lacks. */
bool batch_record(Lab *l, const Batch *b, const char **err);

/* ---- verifying (batch_verify.c) ---- */

/* Verifies the batch on awkward shapes. Members for which the time does not suffice leave the batch; of the `first`
 * batch only once one works. All are executed on the same shapes, so that the reference is computed once. Where
 * executing them takes longer (in the emulator), each comes alone, on shapes around its own tile. */
bool batch_verify(Lab *l, Arena *scratch, Batch *b, double until_s, bool first, const char **err);
/* Has the emulator count what each kernel does in one whole tile of its own: sectors and shared-memory wavefronts.
 * Kernels that are fixed for extents are left out, and those for which such a call is not legal. */
bool batch_count(Lab *l, Arena *scratch, Batch *b, const char **err);
/* Where the spec allows more than the rounding error of plain sums: has the runner tell the errors of each kernel, in
 * thousandths of a tolerance of plain sums. Kernels that are fixed for extents are left out. */
bool batch_tell_errors(Lab *l, Arena *scratch, Batch *b, const char **err);
/* A request that verifies and times nothing. The emulator is told the target's shared memory of a block. */
MeasureRequest verify_request(const Lab *l, const int64_t *extent, int threads, double deadline_s);

#endif
