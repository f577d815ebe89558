/* SPDX-License-Identifier: Apache-2.0
 *
 * peer: what computes an operator, as one row of a contest: a library's way to do it, or the package itself.
 */
#ifndef BENCH_PEER_H
#define BENCH_PEER_H

#include <stdbool.h>
#include <stdint.h>
#include "bench/memory.h"
#include "gen/spec/spec.h"

/* How the constant operand lies: the index of one of its layouts, or the contestant's own form, made once. Operators
 * without such an operand have form 0 alone. */
enum { FORM_PACKED = OP_MAX_NAME };

/* One call with its data. All buffers, those of the peers too, come from `mem`: 64-byte aligned, huge pages. */
typedef struct {
    const Spec *spec;
    const int64_t *extent;
    void *operand[OP_MAX_OPERAND]; /* in the layouts of the spec, dense; NULL: this function has none */
    const void *transposed;        /* the constant operand in its other order; NULL: not made yet */
    void *made;                    /* the package's own view of the call */
    Memory *mem;
} Problem;

/* A library that may lack on this machine. */
typedef struct {
    const char *name;             /* "OpenBLAS" */
    const char *(*open)(void);    /* once, first: NULL, or why it is left out */
    const char *(*version)(void); /* with the code path it runs, where it can tell */
} Library;

/* A library's way to compute an operator. */
typedef struct {
    const Library *library;
    void *(*setup)(Problem *p, int form, int threads); /* what is done once; NULL: cannot */
    bool (*run)(void *state);                          /* what is timed; false: failed */
    void (*teardown)(void *state);
    bool (*knows)(const Spec *spec); /* can it compute this function? */
    bool
        /* it computes something else, which setup has verified: it is shown next to the package, and is no rival */
        apart;
    Span (*constant)(const void *state); /* the constant operand as `run` reads it; NULL: it has none */
} Peer;

extern const Library openblas_library, blis_library, dnnl_library, dnnl_winograd_library, xsmm_library;

/* Leave the libraries' variables and their choice of a code path alone, also where it is poor because they do not know
 * the CPU. */
extern bool peer_as_shipped;

/* The constant operand lies in memory, not in a cache, when a call begins. */
extern bool peer_cold;

/* The package under test, and the data of a call of it from p's memory: p's operands. */
extern const Peer package_peer;
void problem_make(Problem *p);
void *problem_operand(const Problem *p, const char *name); /* NULL: this function has none */
/* The package's function of the same operator that adds a bias alone: what is left of a formula's cost. */
extern const Peer beside_peer;

/* The operator's result as it is, or with a bias and no more: what every library can do. */
bool peer_knows_plain(const Spec *spec);
const float *problem_bias(const Problem *p); /* of such a function; NULL: it has none */

#endif
