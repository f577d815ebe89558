/* SPDX-License-Identifier: Apache-2.0
 *
 * calibrate: measures what a device does at most, in the search and by `dcgen limits`. Where the device's family has kernels for that
 * (Family.limits) they are compiled first, like a candidate; elsewhere the runner knows how.
 */
#ifndef DCGEN_CALIBRATE_H
#define DCGEN_CALIBRATE_H

#include "gen/unit/unit.h"
#include "search/build/build.h"
#include "search/measure/limit.h"

typedef struct {
    const UnitContext *unit; /* its device names the records */
    Builder *builder;
    Runner *runner;
    const volatile int *stop;
    const char *so; /* the family's kernels for it, once they are built */
} Calibration;

/* Compiles the family's kernels for it, where it has any. False with *why set: they cannot be built. */
bool calibrate_build(Calibration *c, Arena *a, const char **why);
/* One record a thread count of the spec, all within `most_s`; out[] has room for them. *n: how many; 0 with *why set: they cannot be
 * measured there. False with *err set: interrupted. */
bool calibrate(Calibration *c, Arena *a, double most_s, LimitRecord *out, int *n, const char **why, const char **err);

#endif
