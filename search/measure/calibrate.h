/* SPDX-License-Identifier: Apache-2.0
 *
 * calibrate: measures what a device does at most, in the search and by `dcgen limits`. Where the device's family has kernels for that
 * (Family.limits) they are compiled first, like a candidate; elsewhere the runner knows how.
 */
#ifndef DCGEN_CALIBRATE_H
#define DCGEN_CALIBRATE_H

#include "search/measure/lab.h"

/* Compiles the kernels that measure limits (Workshop.limits_so), where the family has any. False with *why set: they cannot be built. */
bool calibrate_build(Workshop *m, Arena *a, const volatile int *stop, const char **why);
/* Measures and records the limits for each thread count of the spec, of the machine's device, all within `most_s`; out[] has room for them. *n:
 * how many; 0 with *why set: they cannot be measured there. False with *err set: interrupted, or they cannot be recorded. */
bool calibrate(Workshop *m, Arena *a, double most_s, LimitRecord *out, int *n, const volatile int *stop,
               const char **why, const char **err);

/* In a search that measures: measures and records the limits when that is due. They serve to judge times, and on GPUs the analytic model
 * takes them over. Whatever else uses the machine hides them for a while, so they are due at the start, every now and then, and a last time
 * before the choice is settled. A device that has none is not asked again. */
bool calibrate_when_due(Lab *l, Arena *scratch, bool last, const char **err);
/* Measures them before the first proposal, but only where the model takes rates of the device and has none yet. */
bool calibrate_first(Lab *l, Arena *scratch, const char **err);

#endif
