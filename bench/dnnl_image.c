/* SPDX-License-Identifier: Apache-2.0
 *
 * dnnl_image: oneDNN's pooling and resampling primitives.
 */
#include "bench/dnnl.h"

#ifndef BENCH_HAVE_DNNL

void *dnnl_image_setup(const DnnlImage *v, Memory *mem, int threads)
{
    (void)v, (void)mem, (void)threads;
    return NULL;
}

#else

#include "bench/dnnl_call.h"

enum { IMAGE_RANK = 4 };

static dnnl_memory_desc_t image_desc(DnnlCall *c, const DnnlImage *v, const int64_t size[2])
{
    const dnnl_dims_t dims = { v->N, v->C, size[0], size[1] };
    dnnl_memory_desc_t d = { 0 };
    dnnl_call_expect(c, dnnl_memory_desc_init_by_tag(&d, IMAGE_RANK, dims, dnnl_f32, v->nchw ? dnnl_nchw : dnnl_nhwc));
    return d;
}

static void make_pooling(DnnlCall *c, const DnnlImage *v, const dnnl_memory_desc_t *x, const dnnl_memory_desc_t *y)
{
    const dnnl_alg_kind_t algorithm = v->kind == IMAGE_MAX        ? dnnl_pooling_max
                                      : v->kind == IMAGE_MEAN_PAD ? dnnl_pooling_avg_include_padding
                                                                  : dnnl_pooling_avg_exclude_padding;
    const dnnl_dims_t stride = { v->stride[0], v->stride[1] }, taps = { v->taps[0], v->taps[1] };
    const dnnl_dims_t holes = { v->dilation[0] - 1, v->dilation[1] - 1 };
    const dnnl_dims_t before = { v->before[0], v->before[1] }, after = { v->after[0], v->after[1] };
    dnnl_pooling_v2_desc_t d;
    dnnl_call_expect(c, dnnl_pooling_v2_forward_desc_init(&d, dnnl_forward_inference, algorithm, x, y, stride, taps,
                                                          holes, before, after));
    dnnl_call_make(c, &d);
}

static void make_resampling(DnnlCall *c, const DnnlImage *v, const dnnl_memory_desc_t *x, const dnnl_memory_desc_t *y)
{
    const dnnl_alg_kind_t algorithm = v->kind == IMAGE_LINEAR ? dnnl_resampling_linear : dnnl_resampling_nearest;
    dnnl_resampling_desc_t d;
    dnnl_call_expect(c, dnnl_resampling_forward_desc_init(&d, dnnl_forward_inference, algorithm, NULL, x, y));
    dnnl_call_make(c, &d);
}

void *dnnl_image_setup(const DnnlImage *v, Memory *mem, int threads)
{
    DnnlCall *c = dnnl_call_new(threads);
    const dnnl_memory_desc_t x = image_desc(c, v, v->x_size), y = image_desc(c, v, v->y_size);
    if (v->kind == IMAGE_NEAREST || v->kind == IMAGE_LINEAR)
        make_resampling(c, v, &x, &y);
    else
        make_pooling(c, v, &x, &y);
    dnnl_call_add(c, DNNL_ARG_SRC, &x, v->X);
    dnnl_call_add(c, DNNL_ARG_DST, &y, v->Y);
    return dnnl_call_finish(c, mem);
}

#endif
