/* SPDX-License-Identifier: Apache-2.0
 *
 * candidate: a template, a target and a choice of each parameter's value. It takes few bytes, as a space may have very
 * many. Status says what became of one.
 */
#ifndef DCGEN_CANDIDATE_H
#define DCGEN_CANDIDATE_H

#include <stdbool.h>
#include <stdint.h>
#include "gen/base/arena.h"
#include "gen/spec/spec.h"
#include "gen/target/device.h"
#include "gen/template/template.h"

typedef struct {
    const Template *t;
    const Target *target;
    uint8_t choice[TEMPLATE_MAX_PARAM]; /* index into the parameter's choices */
} Candidate;

void candidate_values(const Candidate *c, int64_t *value);
const char *candidate_settings(Arena *a, const Candidate *c); /* "MR=8 NP=3" */
/* False: a value is no choice of its parameter. */
bool candidate_from_values(const Template *t, const Target *target, const int64_t *value, Candidate *out);
/* The i-th of the template's general kernels for this target; false: it has no more. */
bool candidate_general(const Template *t, const Target *target, int i, Candidate *out);
bool candidate_same(const Candidate *a, const Candidate *b);
/* Is it fixed for an extent of any axis? */
bool candidate_is_fixed(const Candidate *c);
/* Is it for the call of these extents? */
bool candidate_serves(const Candidate *c, const Spec *spec, const int64_t *extent);
/* Is it for every call of the operator? */
bool candidate_serves_all(const Candidate *c, const Spec *spec);
/* Do all constraints hold, and is each value one that the spec searches? */
bool candidate_fits(const Candidate *c, const Spec *spec, const Device *device);
/* The first constraint that fails, given what a compiler told of the candidate; NULL: all hold. */
const Constraint *candidate_breaks(const Candidate *c, const Spec *spec, const Device *device, KernelFacts told);
/* Is it a general kernel of its template? Those serve whatever the spec's `space` says. */
bool candidate_is_general(const Candidate *c);
/* 32 hex digits: template text, parameters, target, context (gen/unit/unit.h), device's compiler and flags. */
const char *candidate_key(Arena *a, const Candidate *c, const char *context_hash, const Device *device);
/* The same of a candidate that need not be one here: of what its record says of it. */
typedef struct {
    const char *template_name, *template_hash, *target;
    int nparam;
    const Param *param;
} CandidateNames;
const char *candidate_key_of(Arena *a, const CandidateNames *c, const char *context_hash, const Device *device);

/* What became of a candidate that was built, verified and timed. */
typedef enum {
    STATUS_OK,
    STATUS_INVALID,
    STATUS_BUILD_FAILED,
    STATUS_WRONG,
    STATUS_CRASHED,
    STATUS_TIMED_OUT,
    STATUS_COUNT
} Status;
const char *status_name(Status s);    /* "ok", "invalid", "build_failed", ... */
Status status_find(const char *name); /* STATUS_COUNT: there is no such status */

#endif
