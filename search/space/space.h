/* SPDX-License-Identifier: Apache-2.0
 *
 * space: every candidate that fits the hardware, for all shapes at once (DietCode, MLSys 2022, section 4.1:
 * micro-kernels are bounded by registers, caches and threads, never by a shape).
 */
#ifndef DCGEN_SPACE_H
#define DCGEN_SPACE_H

#include "gen/unit/candidate.h"

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

/* NULL after errors in d: a template's constraint cannot be evaluated, or its general kernel is faulty. *why: there is
 * no candidate or no general kernel, as it says; NULL: there are. */
Space *space_find(Arena *a, const Spec *spec, const TemplateList *templates, const Target *target, const Device *device,
                  const char **why, Diag *d);
/* The same; why there are none is an error too. */
Space *space_make(Arena *a, const Spec *spec, const TemplateList *templates, const Target *target, const Device *device,
                  Diag *d);

/* ---- nearest.c: says of a function without kernels on a target what it asks for, why nothing serves that, and what
 * would be served if as little as can be were asked differently, which is found by asking for each. */

/* Adds the error, at the function's name. why: of space_find. device: of the target; NULL: what is typical of it. */
void nearest_say(Arena *a, const Spec *spec, const TemplateList *templates, const Target *target, const Device *device,
                 const TargetList *targets, const char *why, Diag *d);

#endif
