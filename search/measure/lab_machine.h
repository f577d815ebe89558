/* SPDX-License-Identifier: Apache-2.0
 *
 * lab_machine: the labs that compile: this machine or the one that the runner is on, and the emulator, which verifies GPU code but times
 * nothing. A batch of candidates is built, every member is verified on awkward shapes, and timed on the shapes asked for; each result is
 * recorded as soon as it is there.
 */
#ifndef DCGEN_LAB_MACHINE_H
#define DCGEN_LAB_MACHINE_H

#include "search/measure/lab.h"

/* Both need all of Lab.shop. */
extern const LabKind lab_machine;
/* Its trials are verified, and their accesses counted (the facts of their records); it cannot compare. */
extern const LabKind lab_emulator;

/* Samples that a kernel has on this tuned shape in a search. */
int lab_machine_repeats(const Study *s, int64_t shape);

/* What a lab that runs nothing has of this one: LabKind's functions of these names. Proposals and the general kernels of lesser targets are
 * built, and nothing of it is kept but what compilers tell and a cache stores (build_cache.h). */
bool lab_machine_built(Lab *l, Arena *scratch, const Proposal *p, int n, const char **err);
bool lab_machine_built_lesser(Lab *l, Arena *scratch, const char **err);
bool lab_machine_lesser_ahead(Lab *l, const char **err);
bool lab_machine_ahead(Lab *l, const Proposal *p, int n, const char **err);
void lab_machine_drop(Lab *l);

#endif
