/* SPDX-License-Identifier: Apache-2.0
 *
 * space: every candidate that fits the hardware, for all shapes at once (DietCode, MLSys 2022, section 4.1: micro-kernels are bounded
 * by registers, caches and threads, never by a shape). A candidate is a template and a choice of each parameter's value.
 */
#ifndef DCGEN_SPACE_H
#define DCGEN_SPACE_H

#include <stdbool.h>
#include <stdint.h>
#include "gen/base/arena.h"
#include "gen/base/diag.h"
#include "gen/spec/spec.h"
#include "gen/target/target.h"
#include "gen/template/template.h"

typedef struct {
    const Template *t;
    const Target *target;
    uint8_t choice[TEMPLATE_MAX_PARAM]; /* index into the parameter's choices */
} Candidate;

/* Why candidates of a template were left out. */
typedef struct {
    const Template *t;
    const Constraint *constraint;
    int64_t count; /* combinations that it ruled out, as the first of the constraints to do so */
} Rejection;

typedef struct {
    int64_t n, nraw;      /* kept, and all combinations */
    Candidate *candidate; /* by template, then parameters in order */
    int nrejection;
    Rejection *rejection;
    int ngeneral;
    Candidate *general; /* of each suitable template, its general kernel for this target */
} Space;

enum { SPACE_MAX = 2000000 }; /* combinations kept at most; more is an error in d */

/* NULL after errors in d: no template suits the spec and target, or a constraint cannot be evaluated. */
Space *space_make(Arena *a, const Spec *spec, const TemplateList *templates, const Target *target, const Device *device,
                  Diag *d);

void candidate_values(const Candidate *c, int64_t *value);
bool candidate_from_values(const Template *t, const Target *target, const int64_t *value,
                           Candidate *out); /* false: no such choice */
bool candidate_general(const Template *t, const Target *target,
                       Candidate *out); /* false: it has none for this target */
bool candidate_same(const Candidate *a, const Candidate *b);
/* The extent of this axis that it is fixed for; 0: none. It serves others too, slowly. */
int64_t candidate_fixed(const Candidate *c, int axis);
/* Is it fixed for any? */
bool candidate_is_fixed(const Candidate *c);
/* Do all constraints hold, and is each value one that the spec searches? */
bool candidate_fits(const Candidate *c, const Spec *spec, const Device *device);
/* Is it a general kernel of its template? Those serve whatever the spec's `space` says. */
bool candidate_is_general(const Candidate *c);
/* 32 hex digits: template text, parameters, target, context (gen/unit/unit.h), device's compiler and flags. */
const char *candidate_key(Arena *a, const Candidate *c, const char *context_hash, const Device *device);

#endif
