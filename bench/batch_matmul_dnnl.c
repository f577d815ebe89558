/* SPDX-License-Identifier: Apache-2.0
 *
 * batch_matmul_dnnl: batch_matmul as one matmul primitive of oneDNN with a batch axis.
 */
#include "bench/batch_matmul.h"
#include "bench/dnnl.h"

static void *setup(Problem *p, int form, int threads)
{
    const BatchMatmul m = batch_matmul_of(p);
    (void)form;
    return dnnl_setup(&(DnnlMatmul){ .batches = m.batches,
                                     .M = m.M,
                                     .N = m.N,
                                     .K = m.K,
                                     .A = m.A,
                                     .B = m.B,
                                     .bias = m.bias,
                                     .Y = m.Y,
                                     .a_km = m.a_km,
                                     .b_nk = m.b_nk },
                      p->mem, threads);
}

const Peer batch_matmul_dnnl = { &dnnl_library, setup, dnnl_run, dnnl_teardown, peer_knows_plain, false, NULL };
