/* SPDX-License-Identifier: Apache-2.0
 *
 * regret: `dcgen bench PKG --regret`. Takes a package's own spec and records, and the bound that its regret.json states; measures on this
 * machine, on each shape of the contract, the chosen kernel against all that were compared there before, side by side; prints the regret of
 * each shape then and now, and fails when their sums, or a single shape, are above the bound. A shape that would break it, or
 * whose times differ by too much to say its regret, is measured again with more samples; one that still cannot be said is named, and
 * judges nothing.
 */
#ifndef DCGEN_REGRET_H
#define DCGEN_REGRET_H

#include "gen/base/arena.h"
#include "gen/command/replay.h"

/* Of n targets' results, by descending rank, the first that this machine runs. dcgen's exit code: EXIT_FAILED above the bound,
 * EXIT_ENVIRONMENT when nothing can be said of most shapes. o->regret: 0: all shapes of the contract; fewer than it has: a part of them, evenly, and
 * means are not judged; more: held-out shapes besides, against the kernels that are predicted to be near the best, without a bound. */
int regret(Arena *a, const Workload *w, const Result *out, int n, const Options *o, const volatile int *stop);

#endif
