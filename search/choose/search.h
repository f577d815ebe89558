/* SPDX-License-Identifier: Apache-2.0
 *
 * search: the loop. Propose a batch, build it, verify it, measure it, fit the model again, until the budget is spent or nothing better is
 * expected; then compare the best side by side, choose, and measure what the choice relies on, until it stands.
 * Every result becomes a record before the next step, so that a run that is killed resumes where it was.
 */
#ifndef DCGEN_SEARCH_H
#define DCGEN_SEARCH_H

#include "search/measure/lab.h"
#include "search/space/propose.h"

typedef struct {
    Lab *lab; /* with the study, which a run adds to or puts a new one in the place of */
    const Strategy *strategy;
    const Space *space;
    uint64_t seed;
    bool ahead;     /* candidates are compiled while others are measured (Family.aside) */
    bool fruitless; /* result: it ended without a kernel, and the environment is not to blame */
} Search;

/* The whole search; where the lab times nothing, what offline.h says. False with *err set: interrupted, the runner cannot be started, the
 * records cannot be written. What was measured is recorded. */
bool search_run(Search *q, const char **err);

/* The rounds alone, and the library: what a search that runs elsewhere will have to compile. */
bool search_compile(Search *q, const char **err);

/* At most `most` general kernels that were not tried and are not under way. They come first: they are the baseline, and the model's first
 * foothold. */
int search_general(const Search *q, Proposal *out, int most);
/* Tries once more what a former run failed with and is to be tried again, until that share of the time is over. *any: there was something. */
bool search_again(const Search *q, Arena *scratch, double share, bool *any, const char **err);

#endif
