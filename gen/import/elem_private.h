/* SPDX-License-Identifier: Apache-2.0
 *
 * elem_private: what the files elem*.c share.
 */
#ifndef DCGEN_ELEM_PRIVATE_H
#define DCGEN_ELEM_PRIVATE_H

#include "gen/base/text.h"
#include "gen/import/elem.h"

enum { ELEM_BUCKETS = 1 << 14 };

struct Elems {
    Arena *arena;
    Polys *polys;
    Elem *bucket[ELEM_BUCKETS];
    int ntemporary, temporary[ELEM_MAX_ARG]; /* places that stand in for others for a moment */
};

int elem_temporary(Elems *e, int i);
/* The size that a real number is without its fraction; NULL: none. */
const Elem *elem_whole_size(Elems *e, const Elem *x);
/* A function as it is, whatever is known of it. */
const Elem *elem_plain(Elems *e, const char *op, ElemType type, int n, const Elem *const *arg);

#endif
