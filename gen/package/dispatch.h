/* SPDX-License-Identifier: Apache-2.0
 *
 * dispatch: which kernels a package has for which kinds of machines; an assignment's tree as plain C predicates, for dispatch.h of the package;
 * and what these are to compute, for the comparison of both (prove.h).
 */
#ifndef DCGEN_DISPATCH_H
#define DCGEN_DISPATCH_H

#include "search/choose/result.h"

/* Body of the tree function: nested ifs over the axes' names (and threads) ending in "return K;", each leaf with a comment that says
 * what it serves, the time of a typical instance, the runner-up and its distance. first: the package's number of the assignment's first
 * kernel. */
const char *dispatch_tree(Arena *a, const Study *s, const Assignment *as, int first);

/* What feature f of a tree is called: an axis, or the threads. */
const char *dispatch_feature(const Op *op, int f);
/* How many thresholds of that feature the tree has; they are written to `cut` unless it is NULL. */
int dispatch_cuts(const TreeNode *t, int feature, int64_t *cut);

/* What a package has for one kind of machine: for the best one of a tree, else for those that lack what it needs. */
typedef struct {
    const Target *target;
    const Result *part;   /* what was tuned for it; NULL: it has the general kernel alone */
    const TreeNode *tree; /* of the part, over extents and threads; NULL: every call takes the general kernel */
    int first, nkernel;   /* the package's number of its first kernel, which is the tree's class 0; how many it has */
    int general;          /* the kernel outside the declared ranges */
} DispatchEntry;

/* The function NAME_dispatch of a package, as data. Predicates compare an extent or the number of parts with a constant and compute nothing,
 * so there is nothing in them that could overflow. */
typedef struct {
    const Spec *spec;   /* of the package */
    bool is_told_parts; /* its last argument is the number of parts: a package for CPUs */
    const Result *part; /* what was tuned, by descending rank of the targets */
    int npart;
    int nentry;
    DispatchEntry *entry; /* by descending rank; of one target what was tuned, then what others get of it */
    int nkernel;
    UnitKernel *kernel; /* of all entries, one after the other */
} Dispatcher;

/* What the dispatch.h of a package with these parts is to compute. */
const Dispatcher *package_dispatcher(Arena *a, const Result *part, int npart);
/* x: every extent, then the parts. Total: any 64-bit numbers have a kernel. */
int dispatch_kernel(const Dispatcher *d, int entry, const int64_t *x);

#endif
