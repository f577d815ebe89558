/* SPDX-License-Identifier: Apache-2.0
 *
 * conv2d_dnnl: conv2d by oneDNN: its direct kernels on X and Y as they lie; or Winograd's algorithm, for which X and Y
 * are turned into oneDNN's own layout and back in each run, if it has none for theirs. Bias, residual and relu are part
 * of the primitive.
 */
#include "bench/conv2d.h"

static void *direct_setup(Problem *p, int form, int threads)
{
    const DnnlConv v = conv2d_of(p);
    (void)form;
    return dnnl_conv_setup(&v, p->mem, threads);
}

static void *winograd_setup(Problem *p, int form, int threads)
{
    DnnlConv v = conv2d_of(p);
    (void)form;
    v.winograd = v.turned = true;
    return dnnl_conv_setup(&v, p->mem, threads);
}

const Peer conv2d_dnnl = { &dnnl_library, direct_setup, dnnl_run, dnnl_teardown, conv2d_is_known, false, dnnl_weights };
const Peer conv2d_dnnl_winograd = { &dnnl_winograd_library, winograd_setup, dnnl_run,    dnnl_teardown,
                                    conv2d_is_known,        false,          dnnl_weights };
