/* SPDX-License-Identifier: Apache-2.0
 *
 * batch_matmul_cblas: batch_matmul as a loop over OpenBLAS's sgemm. Several threads share out the batches, each calling
 * a library of one thread: for small matrices that is faster than several threads on each.
 */
#include <stdlib.h>
#include "bench/batch_matmul.h"
#include "bench/cblas.h"

typedef struct {
    BatchMatmul m;
    int threads;
} State;

static void *setup(Problem *p, int form, int threads)
{
    State *s = malloc(sizeof *s);
    (void)form;
    *s = (State){ batch_matmul_of(p), threads };
    openblas.use_threads(1);
    return s;
}

static void compute(const BatchMatmul *m, int64_t b)
{
    batch_matmul_lay_bias(m, b);
    openblas.sgemm(CBLAS_ROW_MAJOR, m->a_km ? CBLAS_TRANS : CBLAS_NO_TRANS, m->b_nk ? CBLAS_TRANS : CBLAS_NO_TRANS,
                   (int)m->M, (int)m->N, (int)m->K, 1, m->A + b * m->M * m->K, (int)(m->a_km ? m->M : m->K),
                   m->B + b * m->K * m->N, (int)(m->b_nk ? m->K : m->N), m->bias ? 1 : 0, m->Y + b * m->M * m->N,
                   (int)m->N);
}

static bool run(void *state)
{
    const State *s = state;
    if (s->threads == 1) {
        for (int64_t b = 0; b < s->m.batches; b++)
            compute(&s->m, b);
        return true;
    }
#pragma omp parallel for schedule(static) num_threads(s->threads)
    for (int64_t b = 0; b < s->m.batches; b++)
        compute(&s->m, b);
    return true;
}

const Peer batch_matmul_openblas = { &openblas_library, setup, run, free, peer_knows_plain, false, NULL };
