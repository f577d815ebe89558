/* SPDX-License-Identifier: Apache-2.0
 *
 * dense_dnnl: dense by oneDNN, W plain in either order or in oneDNN's own format; it adds the bias itself.
 */
#include "bench/dense.h"
#include "bench/dnnl.h"

static void *setup(Problem *p, int form, int threads)
{
    const Dense d = dense_of(p, form);
    return dnnl_setup(&(DnnlMatmul){ .M = d.M,
                                     .N = d.N,
                                     .K = d.K,
                                     .A = d.X,
                                     .B = d.W,
                                     .bias = d.bias,
                                     .Y = d.Y,
                                     .b_nk = !d.kn,
                                     .packed = form == FORM_PACKED },
                      p->mem, threads);
}

const Peer dense_dnnl = { &dnnl_library, setup, dnnl_run, dnnl_teardown };
