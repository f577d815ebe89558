/* SPDX-License-Identifier: Apache-2.0
 *
 * dnnl: oneDNN's matmul primitive (C API, version 2). Compiled without BENCH_HAVE_DNNL the library is left out.
 */
#include "bench/dnnl.h"

#ifndef BENCH_HAVE_DNNL

static const char *dnnl_open(void) { return "bench was built without oneDNN 2 (libdnnl-dev)"; }

const Library dnnl_library = { "oneDNN", dnnl_open, NULL };

void *dnnl_setup(const DnnlMatmul *m, Memory *mem, int threads)
{
    (void)m, (void)mem, (void)threads;
    return NULL;
}

bool dnnl_run(void *state) { return state != NULL; }
void dnnl_teardown(void *state) { (void)state; }

#else

#include <omp.h>
#include <oneapi/dnnl/dnnl.h>
#include <stdio.h>
#include <stdlib.h>

enum { MAX_ARG = 5 };

typedef struct {
    dnnl_engine_t engine;
    dnnl_stream_t stream;
    dnnl_primitive_attr_t attr;
    dnnl_primitive_desc_t pd;
    dnnl_primitive_t matmul;
    int narg;
    dnnl_exec_arg_t arg[MAX_ARG];
    bool ok;
} State;

/* Notes a failed call; the first failure makes setup fail as a whole. */
static void expect(State *s, dnnl_status_t status) { s->ok = s->ok && status == dnnl_success; }

/* rows x columns in each batch, in the other order in memory if `turned`. */
static dnnl_memory_desc_t plain_desc(State *s, int64_t batches, int64_t rows, int64_t columns, bool turned)
{
    dnnl_memory_desc_t d = { 0 };
    const int64_t down = turned ? 1 : columns, across = turned ? rows : 1;
    if (batches == 0)
        expect(s, dnnl_memory_desc_init_by_strides(&d, 2, (dnnl_dims_t){ rows, columns }, dnnl_f32,
                                                   (dnnl_dims_t){ down, across }));
    else
        expect(s, dnnl_memory_desc_init_by_strides(&d, 3, (dnnl_dims_t){ batches, rows, columns }, dnnl_f32,
                                                   (dnnl_dims_t){ rows * columns, down, across }));
    return d;
}

/* B's, which oneDNN may choose. */
static dnnl_memory_desc_t weights_desc(State *s, const DnnlMatmul *m)
{
    dnnl_memory_desc_t d = { 0 };
    if (!m->packed)
        return plain_desc(s, m->batches, m->K, m->N, m->b_nk);
    expect(s, dnnl_memory_desc_init_by_tag(&d, 2, (dnnl_dims_t){ m->K, m->N }, dnnl_f32, dnnl_format_tag_any));
    return d;
}

static dnnl_memory_t memory_over(State *s, const dnnl_memory_desc_t *d, const void *data)
{
    dnnl_memory_t m = NULL;
    if (s->ok)
        expect(s, dnnl_memory_create(&m, d, s->engine, (void *)data));
    return m;
}

static void add_arg(State *s, int name, const dnnl_memory_desc_t *d, const void *data)
{
    dnnl_memory_t m = memory_over(s, d, data);
    if (m)
        s->arg[s->narg++] = (dnnl_exec_arg_t){ name, m };
}

static const dnnl_memory_desc_t *desc_of(State *s, dnnl_query_t what)
{
    return dnnl_primitive_desc_query_md(s->pd, what, 0);
}

static void make_matmul(State *s, const DnnlMatmul *m)
{
    const dnnl_memory_desc_t a = plain_desc(s, m->batches, m->M, m->K, m->a_km), w = weights_desc(s, m);
    const dnnl_memory_desc_t bias = plain_desc(s, m->batches ? 1 : 0, 1, m->N, false),
                             y = plain_desc(s, m->batches, m->M, m->N, false);
    dnnl_matmul_desc_t d;
    expect(s, dnnl_engine_create(&s->engine, dnnl_cpu, 0));
    expect(s, dnnl_stream_create(&s->stream, s->engine, dnnl_stream_default_flags));
    expect(s, dnnl_primitive_attr_create(&s->attr));
    expect(s, dnnl_primitive_attr_set_scratchpad_mode(s->attr, dnnl_scratchpad_mode_user));
    expect(s, dnnl_matmul_desc_init(&d, &a, &w, m->bias ? &bias : NULL, &y));
    if (s->ok)
        expect(s, dnnl_primitive_desc_create(&s->pd, &d, s->attr, s->engine, NULL));
    if (s->ok)
        expect(s, dnnl_primitive_create(&s->matmul, s->pd));
}

/* B into the format that the primitive asked for. */
static const void *reorder_weights(State *s, const DnnlMatmul *m, Memory *mem)
{
    const dnnl_memory_desc_t *to_desc = desc_of(s, dnnl_query_weights_md);
    const dnnl_memory_desc_t from_desc = plain_desc(s, 0, m->K, m->N, m->b_nk);
    void *packed = memory_take(mem, dnnl_memory_desc_get_size(to_desc));
    dnnl_memory_t from = memory_over(s, &from_desc, m->B), to = memory_over(s, to_desc, packed);
    dnnl_primitive_desc_t pd = NULL;
    dnnl_primitive_t reorder = NULL;
    dnnl_exec_arg_t arg[] = { { DNNL_ARG_FROM, from }, { DNNL_ARG_TO, to } };
    expect(s, dnnl_reorder_primitive_desc_create(&pd, &from_desc, s->engine, to_desc, s->engine, NULL));
    if (s->ok)
        expect(s, dnnl_primitive_create(&reorder, pd));
    if (s->ok)
        expect(s, dnnl_primitive_execute(reorder, s->stream, 2, arg));
    dnnl_stream_wait(s->stream);
    dnnl_primitive_destroy(reorder);
    dnnl_primitive_desc_destroy(pd);
    dnnl_memory_destroy(from);
    dnnl_memory_destroy(to);
    return packed;
}

static void add_all_args(State *s, const DnnlMatmul *m, Memory *mem)
{
    const dnnl_memory_desc_t *scratch = desc_of(s, dnnl_query_scratchpad_md);
    const size_t scratch_bytes = dnnl_memory_desc_get_size(scratch);
    add_arg(s, DNNL_ARG_SRC, desc_of(s, dnnl_query_src_md), m->A);
    add_arg(s, DNNL_ARG_WEIGHTS, desc_of(s, dnnl_query_weights_md), m->packed ? reorder_weights(s, m, mem) : m->B);
    add_arg(s, DNNL_ARG_DST, desc_of(s, dnnl_query_dst_md), m->Y);
    if (scratch_bytes)
        add_arg(s, DNNL_ARG_SCRATCHPAD, scratch, memory_take(mem, scratch_bytes));
    if (m->bias) {
        const dnnl_memory_desc_t bias = plain_desc(s, m->batches ? 1 : 0, 1, m->N, false);
        add_arg(s, DNNL_ARG_BIAS, &bias, m->bias);
    }
}

void dnnl_teardown(void *state)
{
    State *s = state;
    for (int i = 0; i < s->narg; i++)
        dnnl_memory_destroy(s->arg[i].memory);
    dnnl_primitive_destroy(s->matmul);
    dnnl_primitive_desc_destroy(s->pd);
    dnnl_primitive_attr_destroy(s->attr);
    dnnl_stream_destroy(s->stream);
    dnnl_engine_destroy(s->engine);
    free(s);
}

void *dnnl_setup(const DnnlMatmul *m, Memory *mem, int threads)
{
    State *s = calloc(1, sizeof *s);
    s->ok = true;
    omp_set_num_threads(threads);
    make_matmul(s, m);
    if (s->ok)
        add_all_args(s, m, mem);
    if (s->ok)
        return s;
    dnnl_teardown(s);
    return NULL;
}

bool dnnl_run(void *state)
{
    const State *s = state;
    return dnnl_primitive_execute(s->matmul, s->stream, s->narg, s->arg) == dnnl_success;
}

static const char *dnnl_open(void) { return NULL; }

static const char *dnnl_version_text(void)
{
    static char text[64];
    const dnnl_version_t *v = dnnl_version();
    snprintf(text, sizeof text, "oneDNN %d.%d.%d (ISA limit %#x)", v->major, v->minor, v->patch,
             (unsigned)dnnl_get_effective_cpu_isa());
    return text;
}

const Library dnnl_library = { "oneDNN", dnnl_open, dnnl_version_text };

#endif
