/* SPDX-License-Identifier: Apache-2.0
 *
 * dnnl_matmul: oneDNN's matmul primitive. Functions, residual and factor are its post-operations, in this order: an
 * eltwise, then a binary add or product, or a sum where the residual lies in Y.
 */
#include "bench/dnnl.h"

#ifndef BENCH_HAVE_DNNL

void *dnnl_setup(const DnnlMatmul *m, Memory *mem, int threads)
{
    (void)m, (void)mem, (void)threads;
    return NULL;
}

#else

#include "bench/dnnl_call.h"

/* B's, which oneDNN may choose. */
static dnnl_memory_desc_t weights_desc(DnnlCall *c, const DnnlMatmul *m)
{
    dnnl_memory_desc_t d = { 0 };
    if (!m->packed)
        return dnnl_plain_desc(c, m->batches, m->K, m->N, m->b_nk);
    dnnl_call_expect(c,
                     dnnl_memory_desc_init_by_tag(&d, 2, (dnnl_dims_t){ m->K, m->N }, dnnl_f32, dnnl_format_tag_any));
    return d;
}

static dnnl_memory_desc_t bias_desc(DnnlCall *c, const DnnlMatmul *m)
{
    return dnnl_plain_desc(c, m->batches ? 1 : 0, 1, m->N, false);
}

static void set_post_ops(DnnlCall *c, const DnnlMatmul *m, const dnnl_memory_desc_t *y)
{
    dnnl_post_ops_t ops = NULL;
    dnnl_call_expect(c, dnnl_post_ops_create(&ops));
    if (m->gelu)
        dnnl_call_expect(c, dnnl_post_ops_append_eltwise(ops, 1, dnnl_eltwise_gelu_erf, 0, 0));
    if (m->silu)
        dnnl_call_expect(c, dnnl_post_ops_append_eltwise(ops, 1, dnnl_eltwise_swish, 1, 0));
    if (m->residual && m->residual == m->Y)
        dnnl_call_expect(c, dnnl_post_ops_append_sum(ops, 1));
    else if (m->residual)
        dnnl_call_expect(c, dnnl_post_ops_append_binary(ops, dnnl_binary_add, y));
    if (m->factor)
        dnnl_call_expect(c, dnnl_post_ops_append_binary(ops, dnnl_binary_mul, y));
    dnnl_call_expect(c, dnnl_primitive_attr_set_post_ops(c->attr, ops));
    dnnl_post_ops_destroy(ops);
}

static void make_matmul(DnnlCall *c, const DnnlMatmul *m)
{
    const dnnl_memory_desc_t a = dnnl_plain_desc(c, m->batches, m->M, m->K, m->a_km), w = weights_desc(c, m);
    const dnnl_memory_desc_t bias = bias_desc(c, m), y = dnnl_plain_desc(c, m->batches, m->M, m->N, false);
    dnnl_matmul_desc_t d;
    if (m->gelu || m->silu || m->residual || m->factor)
        set_post_ops(c, m, &y);
    dnnl_call_expect(c, dnnl_matmul_desc_init(&d, &a, &w, m->bias ? &bias : NULL, &y));
    dnnl_call_make(c, &d);
}

/* B in the format that the primitive asked for. */
static const void *reorder_weights(DnnlCall *c, const DnnlMatmul *m, Memory *mem)
{
    const dnnl_memory_desc_t from = dnnl_plain_desc(c, 0, m->K, m->N, m->b_nk);
    return dnnl_call_reordered(c, &from, m->B, dnnl_call_desc(c, dnnl_query_weights_md), mem);
}

static void add_args(DnnlCall *c, const DnnlMatmul *m, Memory *mem)
{
    const dnnl_memory_desc_t *y = dnnl_call_desc(c, dnnl_query_dst_md);
    dnnl_call_add(c, DNNL_ARG_SRC, dnnl_call_desc(c, dnnl_query_src_md), m->A);
    dnnl_call_add(c, DNNL_ARG_WEIGHTS, dnnl_call_desc(c, dnnl_query_weights_md),
                  m->packed ? reorder_weights(c, m, mem) : m->B);
    dnnl_call_add(c, DNNL_ARG_DST, y, m->Y);
    if (m->bias) {
        const dnnl_memory_desc_t bias = bias_desc(c, m);
        dnnl_call_add(c, DNNL_ARG_BIAS, &bias, m->bias);
    }
    const float *other = m->factor ? m->factor : m->residual != m->Y ? m->residual : NULL;
    if (other)
        dnnl_call_add(c, DNNL_ARG_ATTR_MULTIPLE_POST_OP(m->gelu || m->silu) | DNNL_ARG_SRC_1, y, other);
}

void *dnnl_setup(const DnnlMatmul *m, Memory *mem, int threads)
{
    DnnlCall *c = dnnl_call_new(threads);
    make_matmul(c, m);
    if (c->ok)
        add_args(c, m, mem);
    return dnnl_call_finish(c, mem);
}

#endif
