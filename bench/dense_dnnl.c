/* SPDX-License-Identifier: Apache-2.0
 *
 * dense_dnnl: dense by oneDNN, W plain in either order or in oneDNN's own format; bias, gelu and residual are part of
 * its primitive.
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
                                     .residual = d.residual,
                                     .Y = d.Y,
                                     .b_nk = !d.kn,
                                     .packed = form == FORM_PACKED,
                                     .gelu = d.gelu },
                      p->mem, threads);
}

const Peer dense_dnnl = { &dnnl_library, setup, dnnl_run, dnnl_teardown, dense_is_known, false, dnnl_weights };
