/* SPDX-License-Identifier: Apache-2.0
 *
 * prove: compares the dispatcher of a package, as it was printed and compiled, with the tree that it was printed from.
 * For each kind of machine that the package serves, both must choose the same kernel
 *
 *   - for every declared shape with every thread count, at all integer points of the dims' ranges (above
 *     PROVE_MAX_POINT: the corners and a sample);
 *   - at every threshold and end of a range, their neighbours, 0, and the least and greatest numbers of 32 and 64 bits,
 *     in all combinations of the axes: inside the declared ranges the tree's kernel, outside the general one; where
 *     that does not serve the call, the one that does.
 *
 * Each kind of machine must have a kernel that serves every call, whatever its extents: its condition says so without
 * them.
 */
#ifndef DCGEN_PROVE_H
#define DCGEN_PROVE_H

#include <stdbool.h>
#include <stdint.h>
#include "gen/base/arena.h"
#include "gen/package/dispatch.h"
#include "search/build/build.h"

enum { PROVE_MAX_POINT = 10000000 };

/* A package's dispatcher: the kernel of a call on machines of an entry of the Dispatcher; x as in dispatch_kernel. */
typedef int ProveCall(int entry, const int64_t *x);

typedef struct {
    int64_t ndeclared, ncut; /* points where both agree */
    bool all;                /* all declared points were compared, not a sample */
} Proof;

/* Compares `call` with d. False if they disagree, with *why set: one line with the point and both kernels. */
bool prove_call(Arena *a, const Dispatcher *d, ProveCall *call, Proof *out, const char **why);

/* PROOF_NONE: the dispatcher could not be compiled or loaded here, through no fault of its own (the compiler was
 * killed, or makes code for another machine). */
typedef enum { PROOF_HOLDS, PROOF_FAILS, PROOF_NONE } ProofStatus;

/* Compiles text, the package's dispatch.h, as C, and compares it with d. *why is set unless the proof holds. */
ProofStatus prove_text(Arena *a, const Dispatcher *d, const char *text, Builder *b, const volatile int *stop,
                       Proof *out, const char **why);

/* C that defines `int dcgen_dispatch(int entry, const int64_t *x)` by the text of a package's dispatch.h. */
const char *prove_source(Arena *a, const Dispatcher *d, const char *text);

#endif
