/* SPDX-License-Identifier: Apache-2.0
 *
 * explain: which kernel a package takes for a shape, and why. What the package was made from (its spec and records) is
 * made into a study, a model and an assignment again by the caller; the words of the command line name the shape:
 *
 *   T=37                  values of the spec's dims: every declared shape at that point
 *   M=592 N=768 K=768     extents of one shape, declared or not
 *   threads=2             with either; absent: the spec's smallest count
 */
#ifndef DCGEN_EXPLAIN_H
#define DCGEN_EXPLAIN_H

#include <stdio.h>
#include "gen/base/arena.h"
#include "gen/command/cli.h"
#include "gen/report/roofline.h"
#include "search/choose/select.h"
#include "search/record/study.h"
#include "search/space/cost.h"

/* As text, or with o->json as one JSON object. 0; or 2 after one line on err: a name that is unknown or missing, a
 * value that no call can have. first: the package's number of the assignment's first kernel. A shape outside the declared ranges is no error: it has a kernel too. */
int explain(Arena *a, const Study *s, const CostModel *m, const Assignment *as, int first, const Roofline *roofline,
            const Options *o, FILE *out, FILE *err);

#endif
