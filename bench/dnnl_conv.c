/* SPDX-License-Identifier: Apache-2.0
 *
 * dnnl_conv: oneDNN's convolution primitive. The residual and the limits of a relu are its post-operations, in this
 * order: a binary add, then an eltwise.
 */
#include "bench/dnnl.h"

#ifndef BENCH_HAVE_DNNL

void *dnnl_conv_setup(const DnnlConv *v, Memory *mem, int threads)
{
    (void)v, (void)mem, (void)threads;
    return NULL;
}

#else

#include <math.h>
#include <string.h>
#include "bench/dnnl_call.h"

enum { IMAGE_RANK = 4 };

/* X, Y and the residual, or whatever layout oneDNN prefers for such a tensor. */
static dnnl_memory_desc_t image_desc(DnnlCall *c, int64_t images, int64_t channels, const int64_t size[2], bool nchw)
{
    const int64_t pixels = size[0] * size[1], step = nchw ? 1 : channels;
    const dnnl_dims_t dims = { images, channels, size[0], size[1] };
    const dnnl_dims_t steps = { channels * pixels, nchw ? pixels : 1, size[1] * step, step };
    dnnl_memory_desc_t d = { 0 };
    dnnl_call_expect(c, dnnl_memory_desc_init_by_strides(&d, IMAGE_RANK, dims, dnnl_f32, steps));
    return d;
}

static dnnl_memory_desc_t any_image_desc(DnnlCall *c, const dnnl_memory_desc_t *like)
{
    dnnl_memory_desc_t d = { 0 };
    dnnl_call_expect(c, dnnl_memory_desc_init_by_tag(&d, IMAGE_RANK, like->dims, dnnl_f32, dnnl_format_tag_any));
    return d;
}

/* As F lies, or in a format that oneDNN may choose. Groups are an axis of their own, the first. */
static dnnl_memory_desc_t filter_desc(DnnlCall *c, const DnnlConv *v, bool chosen)
{
    const dnnl_dims_t dims = { v->G, v->K, v->C, v->taps[0], v->taps[1] };
    const int64_t *step = v->filter_step;
    const dnnl_dims_t steps = { v->K * step[0], step[0], step[1], step[2], step[3] };
    const int first = v->G > 1 ? 0 : 1, rank = IMAGE_RANK + 1 - first;
    dnnl_memory_desc_t d = { 0 };
    dnnl_call_expect(c, chosen ? dnnl_memory_desc_init_by_tag(&d, rank, dims + first, dnnl_f32, dnnl_format_tag_any)
                               : dnnl_memory_desc_init_by_strides(&d, rank, dims + first, dnnl_f32, steps + first));
    return d;
}

static dnnl_memory_desc_t bias_desc(DnnlCall *c, const DnnlConv *v)
{
    dnnl_memory_desc_t d = { 0 };
    dnnl_call_expect(c, dnnl_memory_desc_init_by_tag(&d, 1, (dnnl_dims_t){ v->G * v->K }, dnnl_f32, dnnl_a));
    return d;
}

static void set_post_ops(DnnlCall *c, const DnnlConv *v, const dnnl_memory_desc_t *y)
{
    dnnl_post_ops_t ops = NULL;
    dnnl_call_expect(c, dnnl_post_ops_create(&ops));
    if (v->residual)
        dnnl_call_expect(c, dnnl_post_ops_append_binary(ops, dnnl_binary_add, y));
    if (v->relu && isinf(v->most))
        dnnl_call_expect(c, dnnl_post_ops_append_eltwise(ops, 1, dnnl_eltwise_relu, 0, 0));
    else if (v->relu)
        dnnl_call_expect(c, dnnl_post_ops_append_eltwise(ops, 1, dnnl_eltwise_clip, 0, v->most));
    dnnl_call_expect(c, dnnl_primitive_attr_set_post_ops(c->attr, ops));
    dnnl_post_ops_destroy(ops);
}

/* Where oneDNN has no kernel for a call it falls back on its plain definition, which nobody would use. */
static bool is_definition(const DnnlCall *c)
{
    const char *name = NULL;
    return dnnl_primitive_desc_query(c->pd, dnnl_query_impl_info_str, 0, &name) != dnnl_success ||
           strncmp(name, "ref", strlen("ref")) == 0;
}

static void make_conv(DnnlCall *c, const DnnlConv *v, const dnnl_memory_desc_t *x, const dnnl_memory_desc_t *y)
{
    const dnnl_memory_desc_t f = filter_desc(c, v, v->packed), bias = bias_desc(c, v);
    const dnnl_alg_kind_t algorithm = v->winograd ? dnnl_convolution_winograd : dnnl_convolution_direct;
    const dnnl_dims_t stride = { v->stride[0], v->stride[1] }, holes = { v->dilation[0] - 1, v->dilation[1] - 1 };
    const dnnl_dims_t before = { v->before[0], v->before[1] }, after = { v->after[0], v->after[1] };
    dnnl_convolution_desc_t d;
    set_post_ops(c, v, y);
    dnnl_call_expect(c, dnnl_dilated_convolution_forward_desc_init(&d, dnnl_forward_inference, algorithm, x, &f,
                                                                   v->bias ? &bias : NULL, y, stride, holes, before,
                                                                   after));
    dnnl_call_make(c, &d);
    c->ok = c->ok && !is_definition(c);
}

static const void *reorder_filters(DnnlCall *c, const DnnlConv *v, Memory *mem)
{
    const dnnl_memory_desc_t from = filter_desc(c, v, false);
    return dnnl_call_reordered(c, &from, v->F, dnnl_call_desc(c, dnnl_query_weights_md), mem);
}

/* X and Y: where the primitive finds and leaves them. */
static void add_args(DnnlCall *c, const DnnlConv *v, const void *X, void *Y, Memory *mem)
{
    const dnnl_memory_desc_t bias = bias_desc(c, v), *y = dnnl_call_desc(c, dnnl_query_dst_md);
    dnnl_call_add(c, DNNL_ARG_SRC, dnnl_call_desc(c, dnnl_query_src_md), X);
    dnnl_call_add(c, DNNL_ARG_WEIGHTS, dnnl_call_desc(c, dnnl_query_weights_md),
                  v->packed ? reorder_filters(c, v, mem) : v->F);
    dnnl_call_add(c, DNNL_ARG_DST, y, Y);
    if (v->bias)
        dnnl_call_add(c, DNNL_ARG_BIAS, &bias, v->bias);
    if (v->residual)
        dnnl_call_add(c, DNNL_ARG_ATTR_MULTIPLE_POST_OP(0) | DNNL_ARG_SRC_1, y, v->residual);
}

/* Room for a tensor in the primitive's layout; or where it lies, if that is its layout. */
static void *place_of(const dnnl_memory_desc_t *lying, const dnnl_memory_desc_t *wanted, const void *at, Memory *mem)
{
    return dnnl_memory_desc_equal(lying, wanted) ? (void *)at : memory_take(mem, dnnl_memory_desc_get_size(wanted));
}

/* `behind` runs after `call`. NULL, and then both are gone, unless both are there. */
static DnnlCall *chain(DnnlCall *call, DnnlCall *behind)
{
    if (call && behind) {
        call->next = behind;
        return call;
    }
    if (call || behind)
        dnnl_teardown(call ? call : behind);
    return NULL;
}

void *dnnl_conv_setup(const DnnlConv *v, Memory *mem, int threads)
{
    DnnlCall *c = dnnl_call_new(threads);
    const dnnl_memory_desc_t x = image_desc(c, v->N, v->G * v->C, v->x_size, v->x_nchw);
    const dnnl_memory_desc_t y = image_desc(c, v->N, v->G * v->K, v->y_size, v->y_nchw);
    const dnnl_memory_desc_t any_x = any_image_desc(c, &x), any_y = any_image_desc(c, &y);
    void *own_x = NULL, *own_y = NULL;
    c->ok = c->ok && !(v->turned && v->residual); /* the residual would have to be turned too */
    make_conv(c, v, v->turned ? &any_x : &x, v->turned ? &any_y : &y);
    if (c->ok) {
        own_x = place_of(&x, dnnl_call_desc(c, dnnl_query_src_md), v->X, mem);
        own_y = place_of(&y, dnnl_call_desc(c, dnnl_query_dst_md), v->Y, mem);
        add_args(c, v, own_x, own_y, mem);
    }
    DnnlCall *first = dnnl_call_finish(c, mem);
    if (first && own_y != v->Y)
        first = chain(first, dnnl_reorder_setup(dnnl_call_desc(c, dnnl_query_dst_md), own_y, &y, v->Y, mem, threads));
    if (first && own_x != v->X)
        first = chain(dnnl_reorder_setup(&x, v->X, dnnl_call_desc(c, dnnl_query_src_md), own_x, mem, threads), first);
    return first;
}

#endif
