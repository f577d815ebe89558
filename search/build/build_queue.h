/* SPDX-License-Identifier: Apache-2.0
 *
 * build_queue: batches of builds in the background, on a thread that there is while something is left to do. Private to build.c, which says
 * what its calls do (build_start, build_wait, build_cancel).
 */
#ifndef DCGEN_BUILD_QUEUE_H
#define DCGEN_BUILD_QUEUE_H

#include "search/build/compile.h"

typedef struct BuildQueue BuildQueue;

BuildQueue *queue_new(Arena *a, const Compiler *c);
bool queue_is_busy(BuildQueue *q);
/* Behind the other batches, or in front of them. Results are in the arena when they have been waited for. */
void queue_add(BuildQueue *q, Arena *a, Build *builds, int n, bool in_front);
bool queue_wait(BuildQueue *q, const Build *builds, double until_s, const volatile int *stop);
void queue_cancel(BuildQueue *q); /* ends all */
void queue_free(BuildQueue *q);

#endif
