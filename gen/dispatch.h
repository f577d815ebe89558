/* SPDX-License-Identifier: Apache-2.0
 *
 * dispatch: the assignment's tree as plain C predicates, for dispatch.h of the package.
 */
#ifndef DCGEN_DISPATCH_H
#define DCGEN_DISPATCH_H

#include "gen/arena.h"
#include "gen/spec.h"
#include "search/select.h"
#include "search/study.h"

/* Body of the tree function: nested ifs over the axes' names (and threads) ending in "return K;", each leaf with a comment that says
 * what it serves, the time of a typical instance, the runner-up and its distance. first: the package's number of the assignment's first
 * kernel. */
char *dispatch_tree(Arena *a, const Study *s, const Assignment *as, int first);

#endif
