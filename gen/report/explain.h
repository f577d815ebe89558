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
#include "search/choose/result.h"

typedef struct {
    const char *name;
    int64_t value;
} ExplainBinding;

/* As text, or as one JSON object. 0; or 2 after one line on err: a name that is unknown or missing, a
 * value that no call can have. A shape outside the declared ranges is no error: it has a kernel too. */
int explain(Arena *a, const Result *r, const ExplainBinding *binding, int nbinding, bool json, FILE *out, FILE *err);

#endif
