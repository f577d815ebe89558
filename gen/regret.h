/* SPDX-License-Identifier: Apache-2.0
 *
 * regret: what the dispatcher's choice costs on shapes that were not tuned, measured: time of the chosen kernel over that of the best of all
 * candidates that the package's records name (those that are predicted to come near), side by side.
 */
#ifndef DCGEN_REGRET_H
#define DCGEN_REGRET_H

#include "gen/arena.h"
#include "gen/generate.h"

/* Prints a row a shape, then geometric mean and worst. dcgen's exit code. nshape: how many held-out shapes at most. */
int regret(Arena *a, const Outcome *out, const Options *o, int nshape, const volatile int *stop);

#endif
