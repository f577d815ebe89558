/* SPDX-License-Identifier: Apache-2.0
 *
 * settle: what follows the last comparison of a search that measures. The choice is made as the package's will be, from the records; every
 * chosen pair of kernel and tuned shape that had no part in the comparison there is verified and timed now, beside its best rival; then
 * the choice is made again, until nothing is missing. Then shapes that are held out are measured (heldout.h). A kernel that turns out
 * wrong there is dropped, and all of this begins anew. With the time that is left, shapes whose times differ too much to say their regret
 * (contract.h) are measured again.
 *
 * When time is up before nothing is missing, the pairs that are left are told by the package's contract and by dcgen, and the same
 * command again goes on with them.
 */
#ifndef DCGEN_SETTLE_H
#define DCGEN_SETTLE_H

#include "search/choose/search.h"
#include "search/choose/select.h"

/* A kernel that the package takes on a tuned shape. */
typedef struct {
    int64_t shape, trial;
} SettlePair;

/* The chosen pairs that were not compared on their shapes, or with nothing else though there are others; room for nshape of them. How many. */
int64_t settle_missing(const Study *s, const Assignment *as, SettlePair *out);

/* measured: this run searched or compared. One that did not measures only what is missing. */
bool settle(Search *q, Arena *scratch, bool measured, const char **err);

#endif
