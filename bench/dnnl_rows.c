/* SPDX-License-Identifier: Apache-2.0
 *
 * dnnl_rows: oneDNN's softmax and layer normalisation over the last axis.
 */
#include "bench/dnnl.h"

#ifndef BENCH_HAVE_DNNL

void *dnnl_softmax_setup(const DnnlRows *r, Memory *mem, int threads)
{
    (void)r, (void)mem, (void)threads;
    return NULL;
}

void *dnnl_layernorm_setup(const DnnlRows *r, Memory *mem, int threads) { return dnnl_softmax_setup(r, mem, threads); }

#else

#include "bench/dnnl_call.h"

enum { LAST_AXIS = 1 };

static void add_x_and_y(DnnlCall *c, const DnnlRows *r, const dnnl_memory_desc_t *lying)
{
    dnnl_call_add(c, DNNL_ARG_SRC, lying, r->X);
    dnnl_call_add(c, DNNL_ARG_DST, lying, r->Y);
}

void *dnnl_softmax_setup(const DnnlRows *r, Memory *mem, int threads)
{
    DnnlCall *c = dnnl_call_new(threads);
    const dnnl_memory_desc_t lying = dnnl_plain_desc(c, 0, r->rows, r->columns, false);
    dnnl_softmax_v2_desc_t d;
    dnnl_call_expect(c, dnnl_softmax_v2_forward_desc_init(&d, dnnl_forward_inference, dnnl_softmax_accurate, &lying,
                                                          &lying, LAST_AXIS));
    dnnl_call_make(c, &d);
    add_x_and_y(c, r, &lying);
    return dnnl_call_finish(c, mem);
}

void *dnnl_layernorm_setup(const DnnlRows *r, Memory *mem, int threads)
{
    DnnlCall *c = dnnl_call_new(threads);
    const dnnl_memory_desc_t lying = dnnl_plain_desc(c, 0, r->rows, r->columns, false);
    dnnl_memory_desc_t column = { 0 };
    dnnl_layer_normalization_desc_t d;
    dnnl_call_expect(c, dnnl_memory_desc_init_by_tag(&column, 1, (dnnl_dims_t){ r->columns }, dnnl_f32, dnnl_a));
    dnnl_call_expect(c, dnnl_layer_normalization_forward_desc_init(&d, dnnl_forward_inference, &lying, NULL, r->epsilon,
                                                                   dnnl_use_scale | dnnl_use_shift));
    dnnl_call_make(c, &d);
    add_x_and_y(c, r, &lying);
    dnnl_call_add(c, DNNL_ARG_SCALE, &column, r->gamma);
    dnnl_call_add(c, DNNL_ARG_SHIFT, &column, r->beta);
    return dnnl_call_finish(c, mem);
}

#endif
