/* SPDX-License-Identifier: Apache-2.0
 *
 * nearest: says of a function that has no kernels on a target what it asks for, why nothing serves that, and what would
 * be served if as little as can be were asked differently: another dtype, layout or target, no epilogue, no limits. It
 * is found by asking for each.
 */
#ifndef DCGEN_NEAREST_H
#define DCGEN_NEAREST_H

#include "search/space/space.h"

/* Adds the error, at the function's name. why: of space_find. device: of the target; NULL: what is typical of it. */
void nearest_say(Arena *a, const Spec *spec, const TemplateList *templates, const Target *target, const Device *device,
                 const TargetList *targets, const char *why, Diag *d);

#endif
