/* SPDX-License-Identifier: Apache-2.0
 *
 * dispatch: the assignment's tree as plain C predicates, for dispatch.h of the package; and what these are to compute, for the comparison
 * of both (prove.h).
 */
#ifndef DCGEN_DISPATCH_H
#define DCGEN_DISPATCH_H

#include "gen/base/arena.h"
#include "gen/spec/spec.h"
#include "gen/target/target.h"
#include "search/choose/select.h"
#include "search/record/study.h"

/* Body of the tree function: nested ifs over the axes' names (and threads) ending in "return K;", each leaf with a comment that says
 * what it serves, the time of a typical instance, the runner-up and its distance. first: the package's number of the assignment's first
 * kernel. */
char *dispatch_tree(Arena *a, const Study *s, const Assignment *as, int first);
/* The same of any tree, without comments: name[f] is what feature f is called. */
char *dispatch_predicates(Arena *a, const TreeNode *t, const char *const *name, int first);

/* What feature f of a tree is called: an axis, or the threads. */
const char *dispatch_feature(const Op *op, int f);

/* What a package has for one kind of machine: for the best one of a tree, else for those that lack what it needs. */
typedef struct {
    const Target *target;
    const TreeNode *tree; /* over extents and threads; NULL: every call takes the general kernel */
    int first;            /* the package's number of the tree's class 0 */
    int general;          /* the kernel outside the declared ranges */
} DispatchEntry;

/* The function NAME_dispatch of a package, as data. Predicates compare an extent or the number of parts with a constant and compute nothing,
 * so there is nothing in them that could overflow. */
typedef struct {
    const char *name; /* of the package */
    const Op *op;
    int naxis;
    bool is_told_parts; /* its last argument is the number of parts: a package for CPUs */
    Box box;            /* of the declared ranges */
    int nentry;
    DispatchEntry *entry;
} Dispatcher;

/* x: every extent, then the parts. Total: any 64-bit numbers have a kernel. */
int dispatch_kernel(const Dispatcher *d, int entry, const int64_t *x);

#endif
