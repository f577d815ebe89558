/* SPDX-License-Identifier: Apache-2.0
 *
 * op_shown: which numbers of a call people are shown, and by which names. Records and JSON have all of them.
 */
#ifndef DCGEN_OP_SHOWN_H
#define DCGEN_OP_SHOWN_H

#include "gen/spec/op.h"

typedef struct {
    const char *name; /* of an extent; or the one that several attributes share */
    int extent;       /* whose value it is */
} OpShown;

/* What is shown of n calls: their axes, and the attributes that have another value than their default in one of them.
 * Attributes that share a brief name and are alike in each call are shown once, by that name. value: of each call what
 * its given extents are, numbers or expressions; those that are NULL are not shown. shown: room for OP_MAX_EXTENT.
 * Returns how many there are. */
int op_shown(const Op *op, const char *const *value, int64_t n, OpShown *shown);

/* One call: "M = 80, N = 768" for " = " between name and value and ", " between one and the next. */
const char *op_shown_values(Arena *a, const Op *op, const char *const *value, const char *is, const char *next);
const char *op_shown_call(Arena *a, const Op *op, const int64_t *extent, const char *is, const char *next);

/* The values of a call as texts, for the above. */
const char **op_shown_texts(Arena *a, const Op *op, const int64_t *extent);

#endif
