/* SPDX-License-Identifier: Apache-2.0
 *
 * cover: what a search tries first: for small, middle and large calls of every shape that the spec lists, the kernels
 * that are predicted to be the fastest there. A search that ends early then has a kernel for each of them; what is
 * promising is refined after that (propose.c).
 */
#ifndef DCGEN_COVER_H
#define DCGEN_COVER_H

#include "search/space/propose.h"

enum { COVER_TRIALS = 24 }; /* candidates that are tried, general kernels included, before others are proposed */

/* Fills out[] with at most n candidates that are not in the study, and returns how many. 0: COVER_TRIALS were tried, or
 * each place has had its turns. No chance is involved. */
int cover(Arena *a, const Study *s, const Space *space, const CostModel *m, Proposal *out, int n);

#endif
