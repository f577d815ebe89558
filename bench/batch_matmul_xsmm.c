/* SPDX-License-Identifier: Apache-2.0
 *
 * batch_matmul_xsmm: batch_matmul as a loop over a kernel that libxsmm (version 1.17) compiles at run time for these
 * very extents. Its f32 kernels take no transposed operand, so such a matrix is turned first, by libxsmm too. Several
 * threads share out the batches. Compiled without BENCH_HAVE_XSMM the library is left out.
 */
#include "bench/batch_matmul.h"

#ifndef BENCH_HAVE_XSMM

static const char *xsmm_open(void) { return "bench was built without libxsmm 1 (libxsmm-dev)"; }

const Library xsmm_library = { "libxsmm", xsmm_open, NULL };
const Peer batch_matmul_xsmm = { &xsmm_library, NULL, NULL, NULL, peer_knows_plain, false, NULL };

#else

#include <libxsmm.h>
#include <omp.h>
#include <stdlib.h>

typedef struct {
    BatchMatmul m;
    libxsmm_smmfunction kernel;
    int threads;
    float **turned_a, **turned_b; /* of each thread: room for one matrix, NULL where none is turned */
} State;

static float **take_each(Memory *mem, int threads, int64_t elems)
{
    float **each = malloc(sizeof *each * (size_t)threads);
    for (int i = 0; i < threads; i++)
        each[i] = memory_take(mem, sizeof **each * (size_t)elems);
    return each;
}

static void teardown(void *state)
{
    State *s = state;
    free(s->turned_a);
    free(s->turned_b);
    free(s);
}

/* libxsmm's matrices are column by column: Y' = B' A' is what it computes. */
static void *setup(Problem *p, int form, int threads)
{
    State *s = calloc(1, sizeof *s);
    const BatchMatmul m = batch_matmul_of(p);
    const libxsmm_blasint M = (int)m.M, N = (int)m.N, K = (int)m.K;
    const float one = 1, beta = m.bias ? 1 : 0;
    const int flags = LIBXSMM_GEMM_FLAG_NONE, prefetch = LIBXSMM_PREFETCH_NONE;
    (void)form;
    *s = (State){ .m = m, .threads = threads };
    s->kernel = libxsmm_smmdispatch(N, M, K, &N, &K, &N, &one, &beta, &flags, &prefetch);
    if (m.a_km)
        s->turned_a = take_each(p->mem, threads, m.M * m.K);
    if (m.b_nk)
        s->turned_b = take_each(p->mem, threads, m.K * m.N);
    if (s->kernel)
        return s;
    teardown(s);
    return NULL;
}

/* to[columns][rows] from from[rows][columns] */
static const float *turn(float *to, const float *from, int64_t rows, int64_t columns)
{
    libxsmm_otrans(to, from, sizeof *to, (int)columns, (int)rows, (int)columns, (int)rows);
    return to;
}

static void compute(const State *s, int64_t b, int thread)
{
    const BatchMatmul *m = &s->m;
    const float *A = m->A + b * m->M * m->K, *B = m->B + b * m->K * m->N;
    if (m->a_km)
        A = turn(s->turned_a[thread], A, m->K, m->M);
    if (m->b_nk)
        B = turn(s->turned_b[thread], B, m->N, m->K);
    batch_matmul_lay_bias(m, b);
    s->kernel(B, A, m->Y + b * m->M * m->N);
}

static bool run(void *state)
{
    const State *s = state;
    if (s->threads == 1) {
        for (int64_t b = 0; b < s->m.batches; b++)
            compute(s, b, 0);
        return true;
    }
#pragma omp parallel for schedule(static) num_threads(s->threads)
    for (int64_t b = 0; b < s->m.batches; b++)
        compute(s, b, omp_get_thread_num());
    return true;
}

static const char *xsmm_open(void)
{
    libxsmm_init();
    return NULL;
}

static const char *xsmm_version(void)
{
    static char text[64];
    snprintf(text, sizeof text, "libxsmm %s (%s)", LIBXSMM_VERSION, libxsmm_get_target_arch());
    return text;
}

const Library xsmm_library = { "libxsmm", xsmm_open, xsmm_version };
const Peer batch_matmul_xsmm = { &xsmm_library, setup, run, teardown, peer_knows_plain, false, NULL };

#endif
