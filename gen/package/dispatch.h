/* SPDX-License-Identifier: Apache-2.0
 *
 * dispatch: which kernels a package has for which kinds of machines; an assignment's tree as C, for the package's
 * dispatch.h; and which kernel that C must choose, so that prove.h can compare the two.
 */
#ifndef DCGEN_DISPATCH_H
#define DCGEN_DISPATCH_H

#include "search/choose/result.h"

/* The body of the function that is the tree: nested ifs over the axes' names (and threads) ending in "return K;". The
 * comment of a leaf says what it serves, the time of a typical instance, the runner-up and how much slower that is.
 * first: the package's number of the assignment's first kernel. */
const char *dispatch_tree(Arena *a, const Study *s, const Assignment *as, int first);

/* Of each instance of the spec, where the tree leads it. */
const TreeNode **dispatch_leaves(Arena *a, const Study *s, const Assignment *as);

/* Counts the tree's thresholds of that feature, and writes them to `cut` unless it is NULL. */
int dispatch_cuts(const TreeNode *t, int feature, int64_t *cut);

/* What a package has for the machines of a tuned target, or for those that lack it and run its code or a fallback's. */
typedef struct {
    const Target *target;
    const Result *result; /* what was tuned for the target; NULL: the entry has the general kernel alone */
    const TreeNode *tree; /* of the result, over extents and threads; NULL: every call takes the general kernel */
    int first, nkernel;   /* the package's number of its first kernel, which is the tree's class 0; how many it has */
    int general;          /* the package's number of the kernel for calls outside the declared ranges */
} DispatchEntry;

/* The function NAME_dispatch of a package, as data: a tree that compares an extent or the number of parts with a
 * constant, and for kernels that do not serve every call (Template.serves) conditions on the extents. Where the kernel
 * that it finds does not serve the call, the entry's first one that does takes its place. */
typedef struct {
    const Spec *spec; /* the package's */
    /* behind the extents it is told the operands' alignment (spec_align), as some kernels ask for that */
    bool asks_align;
    bool is_told_parts; /* the function's last argument is the number of parts, as in packages for CPUs */
    ResultList results; /* what was tuned */
    int nentry;
    DispatchEntry *entry; /* by descending rank; of one target first what was tuned, then what later devices get */
    int nkernel;
    UnitKernel *kernel; /* of all entries, one after the other */
    /* one a kernel: the calls that it is for, as a condition on the function's arguments; NULL: all */
    Expr **condition;
} Dispatcher;

/* What the dispatch.h of a function with these results must compute. */
const Dispatcher *package_dispatcher(Arena *a, const ResultList *results);
/* Lists the targets that stand in for a tuned one and have no kernel, nor has any that stands in for them, TARGET_MAX
 * at most, and gives how many: calls on machines that need one are refused. */
int dispatch_lacking(const Dispatcher *d, const Target **out);
/* Works out in which calls' packed operands the parts are that some kernels read (Op.pack): where the trees choose such
 * a kernel, as a condition on the extents that the packed operand depends on. From then on a kernel serves those calls
 * alone whose operand has the parts that it reads. */
void dispatch_keep_parts(Arena *a, Dispatcher *d);
/* Works out d->condition from the kernels. */
void dispatch_bind(Arena *a, Dispatcher *d);
/* Is the kernel for a call? x: every extent, then the alignment where the dispatcher is told that, then the parts. */
bool dispatch_serves(const Dispatcher *d, int kernel, const int64_t *x);
/* Do the conditions of the entry's kernels fit 64 bits at x? Else it is no legal call, whose operands' sizes do. */
bool dispatch_decides(const Dispatcher *d, int entry, const int64_t *x);
/* The name of x[i] in the function. */
const char *dispatch_argument(const Dispatcher *d, int i);
int dispatch_narguments(const Dispatcher *d);
/* The kernel of a call; any 64-bit numbers have one. */
int dispatch_kernel(const Dispatcher *d, int entry, const int64_t *x);

#endif
