/* SPDX-License-Identifier: Apache-2.0
 *
 * heldout: how good the choice is where nothing was tuned. Takes the choice as the package will make it; on a sample of the shapes that
 * are held out it times the chosen kernel, all kernels of the package and those that the model predicts near the best, of all that are
 * usable, side by side; then those that came near the best, several times over. The results are records, for the package's contract
 * (contract.h); choice, model and dispatcher never see them, or these shapes would not be held out any more.
 */
#ifndef DCGEN_HELDOUT_H
#define DCGEN_HELDOUT_H

#include "search/choose/select.h"
#include "search/measure/lab.h"

enum { HELD_OUT_LEAST = 8, HELD_OUT_MOST = 24 };

/* At most `most` held-out instances that have a weight: at the corners of the ranges (up to a quarter), the nearest to the thresholds of the
 * dispatcher on either side (up to a half), the rest spread evenly over the weight of all. In no particular order; the same for the
 * same seed. How many: `most`, or all that there are. */
int heldout_sample(Arena *a, const Spec *spec, const Assignment *as, uint64_t seed, int most, int64_t *instance);

/* How many shapes there are to hold out. */
int64_t heldout_count(const Spec *spec);

/* No shape is begun that would not be done at until_s, on the clock of the lab. as and m may live in scratch. */
bool heldout_run(Lab *l, Arena *scratch, const Assignment *as, const CostModel *m, uint64_t seed, double until_s,
                 const char **err);

#endif
