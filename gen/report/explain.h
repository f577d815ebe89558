/* SPDX-License-Identifier: Apache-2.0
 *
 * explain: which kernel a package takes for a shape, and why. The caller makes the result again from the package's spec
 * and records. The words of the command line name the shape:
 *
 *   T=37                  values of the spec's dims: every declared shape at that point
 *   M=592 N=768 K=768     extents of one shape, declared or not
 *   threads=2             beside either; without it, the spec's smallest count
 */
#ifndef DCGEN_EXPLAIN_H
#define DCGEN_EXPLAIN_H

#include <stdio.h>
#include "search/choose/result.h"

typedef struct {
    const char *name;
    int64_t value;
} ExplainBinding;

/* Writes the answer to out, as text or as one JSON object. Returns 0; or 2 after one line on err: a name is unknown or
 * missing, or no call can have a value. A shape outside the declared ranges is no error: it has a kernel too. */
int explain(Arena *a, const Result *r, const ExplainBinding *binding, int nbinding, bool json, FILE *out, FILE *err);

#endif
