/* SPDX-License-Identifier: Apache-2.0
 *
 * prove: the dispatcher of a package, as it was printed and compiled, against the tree that it was printed from: the same kernel
 *
 *   - for every declared shape with every thread count, all integer points of the dims' ranges (above PROVE_MAX_POINT: the corners and
 *     a sample);
 *   - at every threshold and end of a range, its neighbours, 0 and the ends of 32 and 64 bits, each axis' with each other's: inside the
 *     declared ranges what the tree says, outside the general kernel;
 *
 * on each kind of machine that the package serves.
 */
#ifndef DCGEN_PROVE_H
#define DCGEN_PROVE_H

#include <stdbool.h>
#include <stdint.h>
#include "gen/base/arena.h"
#include "gen/package/dispatch.h"
#include "search/build/build.h"

enum { PROVE_MAX_POINT = 10000000 };

/* A package's dispatcher: the kernel for machines of the package's n-th kind; x as in dispatch_kernel. */
typedef int ProveCall(int entry, const int64_t *x);

typedef struct {
    int64_t ndeclared, ncut; /* points where both agree */
    bool all;                /* these are all declared points, not a sample */
} Proof;

/* False with *why set (one line, the point and both kernels in it): they disagree. */
bool prove_call(Arena *a, const Dispatcher *d, ProveCall *call, Proof *out, const char **why);

/* PROOF_NONE: it could not be compiled or loaded here for reasons that are not its own (the compiler was killed, it makes code for another
 * machine). */
typedef enum { PROOF_HOLDS, PROOF_FAILS, PROOF_NONE } ProofStatus;

/* text: the package's dispatch.h. It is compiled as C. *why is set unless it holds. */
ProofStatus prove_text(Arena *a, const Dispatcher *d, const char *text, Builder *b, const volatile int *stop,
                       Proof *out, const char **why);

/* C that includes nothing and defines `int dcgen_dispatch(int entry, const int64_t *x)` by a package's dispatch.h. */
const char *prove_source(Arena *a, const Dispatcher *d, const char *text);

#endif
