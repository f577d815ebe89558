/* SPDX-License-Identifier: Apache-2.0
 *
 * package: a function of a package, as far as only its package knows it (package.c.in; package.c makes peers of them).
 * Plain types alone: the operator's definition stands in the same source, and may have any names.
 */
#ifndef BENCH_PACKAGE_H
#define BENCH_PACKAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
    const char *name;     /* "bert_layer_scores"; NULL: there is no such function */
    const char *spec;     /* path of the package's spec */
    const char *function; /* which of its functions; NULL: there is one alone */
    int nargument;        /* extents that a caller gives: without attributes that are the same for all shapes */
    const char *const *argument;
    int (*choose)(const int64_t *argument);
    /* Random data for a call, and its result by the definition; memory, zeroed, comes from `take` and is never given
     * back. operand: where they lie, densely; NULL: this function has none. */
    void *(*problem)(const int64_t *extent, void **operand, void *(*take)(size_t bytes));
    void (*spoil)(const void *problem); /* every element of the output becomes NaN */
    bool (*is_right)(
        const void *problem); /* all of the output was written, what is compared of it is right; takes it away */
    void *(*pool)(int threads);
    void (*pool_end)(void *pool);
    bool (*call)(const void *problem, int threads, void *pool); /* pool NULL: on the calling thread */
    /* Where the call reads this operand, the constant one: packed, if the package packs it. */
    const void *(*constant)(const void *problem, int operand, size_t *bytes);
} PackageFunction;

/* The function under test; and the package's function of the same operator that adds a bias and does no more, where the
 * first one's formula is another. */
extern const PackageFunction package_tested, package_beside;

#endif
