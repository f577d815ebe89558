/* SPDX-License-Identifier: Apache-2.0
 *
 * package: the function under test, as far as only its package knows it (package.c.in; package.c makes a peer of it). Plain types alone: the
 * operator's definition stands in the same source, and may have any names.
 */
#ifndef BENCH_PACKAGE_H
#define BENCH_PACKAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

extern const char package_name[]; /* "bert_layer_scores" */
extern const char package_spec[]; /* path of the package's spec */
extern const char *const package_function; /* which of its functions; NULL: there is one alone */

int package_choose(const int64_t *extent);
/* Random data for a call, and its result by the definition; memory, zeroed, comes from `take` and is never given back. operand: where they lie,
 * densely; NULL: this function has none. */
void *package_problem(const int64_t *extent, void **operand, void *(*take)(size_t bytes));
void package_spoil(const void *problem);    /* every element of the output becomes NaN */
bool package_is_right(const void *problem); /* all of the output was written, what is compared of it is right; takes it away */
void *package_pool(int threads);
void package_pool_end(void *pool);
/* pool NULL: on the calling thread. */
bool package_call(const void *problem, int threads, void *pool);

#endif
