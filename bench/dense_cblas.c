/* SPDX-License-Identifier: Apache-2.0
 *
 * dense_cblas: dense as one sgemm with W plain. A bias is laid into Y first and kept by beta = 1, as users of a BLAS
 * do.
 */
#include <stdlib.h>
#include <string.h>
#include "bench/cblas.h"
#include "bench/dense.h"

typedef struct {
    Dense d;
    const Cblas *blas;
} State;

static void *setup(Problem *p, int form, int threads, const Cblas *blas)
{
    State *s = malloc(sizeof *s);
    *s = (State){ dense_of(p, form), blas };
    blas->use_threads(threads);
    return s;
}

static void *openblas_setup(Problem *p, int form, int threads) { return setup(p, form, threads, &openblas); }
static void *blis_setup(Problem *p, int form, int threads) { return setup(p, form, threads, &blis); }

static bool run(void *state)
{
    const State *s = state;
    const Dense d = s->d;
    for (int64_t m = 0; d.bias && m < d.M; m++)
        memcpy(d.Y + m * d.N, d.bias, sizeof(float) * (size_t)d.N);
    s->blas->sgemm(CBLAS_ROW_MAJOR, CBLAS_NO_TRANS, d.kn ? CBLAS_NO_TRANS : CBLAS_TRANS, (int)d.M, (int)d.N, (int)d.K,
                   1, d.X, (int)d.K, d.W, (int)(d.kn ? d.N : d.K), d.bias ? 1 : 0, d.Y, (int)d.N);
    return true;
}

static Span constant(const void *state)
{
    const Dense *d = &((const State *)state)->d;
    return (Span){ d->W, sizeof(float) * (size_t)(d->N * d->K) };
}

const Peer dense_openblas = { &openblas_library, openblas_setup, run, free, peer_knows_plain, false, constant };
const Peer dense_blis = { &blis_library, blis_setup, run, free, peer_knows_plain, false, constant };
