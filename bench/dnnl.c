/* SPDX-License-Identifier: Apache-2.0
 *
 * dnnl: oneDNN itself, and what is alike in all its primitives. Compiled without BENCH_HAVE_DNNL the library is left
 * out.
 */
#include "bench/dnnl.h"

#ifndef BENCH_HAVE_DNNL

static const char *dnnl_open(void) { return "bench was built without oneDNN 2 (libdnnl-dev)"; }

const Library dnnl_library = { "oneDNN", dnnl_open, NULL };
const Library dnnl_winograd_library = { "oneDNN", dnnl_open, NULL };

bool dnnl_run(void *state) { return state != NULL; }
void dnnl_teardown(void *state) { (void)state; }
Span dnnl_weights(const void *state) { return (void)state, (Span){ 0 }; }
void *dnnl_both(void *first, void *second) { return (void)first, (void)second, NULL; }

#else

#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include "bench/dnnl_call.h"

void dnnl_call_expect(DnnlCall *c, dnnl_status_t status) { c->ok = c->ok && status == dnnl_success; }

DnnlCall *dnnl_call_new(int threads)
{
    DnnlCall *c = calloc(1, sizeof *c);
    c->ok = true;
    omp_set_num_threads(threads);
    dnnl_call_expect(c, dnnl_engine_create(&c->engine, dnnl_cpu, 0));
    dnnl_call_expect(c, dnnl_stream_create(&c->stream, c->engine, dnnl_stream_default_flags));
    dnnl_call_expect(c, dnnl_primitive_attr_create(&c->attr));
    dnnl_call_expect(c, dnnl_primitive_attr_set_scratchpad_mode(c->attr, dnnl_scratchpad_mode_user));
    return c;
}

void dnnl_call_make(DnnlCall *c, const void *op_desc)
{
    if (c->ok)
        dnnl_call_expect(c, dnnl_primitive_desc_create(&c->pd, op_desc, c->attr, c->engine, NULL));
    if (c->ok)
        dnnl_call_expect(c, dnnl_primitive_create(&c->primitive, c->pd));
}

const dnnl_memory_desc_t *dnnl_call_desc(const DnnlCall *c, dnnl_query_t what)
{
    return dnnl_primitive_desc_query_md(c->pd, what, 0);
}

dnnl_memory_t dnnl_call_memory(DnnlCall *c, const dnnl_memory_desc_t *d, const void *data)
{
    dnnl_memory_t m = NULL;
    if (c->ok)
        dnnl_call_expect(c, dnnl_memory_create(&m, d, c->engine, (void *)data));
    return m;
}

void dnnl_call_add(DnnlCall *c, int name, const dnnl_memory_desc_t *d, const void *data)
{
    dnnl_memory_t m = dnnl_call_memory(c, d, data);
    if (m)
        c->arg[c->narg++] = (dnnl_exec_arg_t){ name, m };
    if (name == DNNL_ARG_WEIGHTS)
        c->weights = (Span){ data, dnnl_memory_desc_get_size(d) };
}

DnnlCall *dnnl_reorder_setup(const dnnl_memory_desc_t *from_desc, const void *from, const dnnl_memory_desc_t *to_desc,
                             void *to, Memory *mem, int threads)
{
    DnnlCall *c = dnnl_call_new(threads);
    if (c->ok)
        dnnl_call_expect(c,
                         dnnl_reorder_primitive_desc_create(&c->pd, from_desc, c->engine, to_desc, c->engine, c->attr));
    if (c->ok)
        dnnl_call_expect(c, dnnl_primitive_create(&c->primitive, c->pd));
    dnnl_call_add(c, DNNL_ARG_FROM, from_desc, from);
    dnnl_call_add(c, DNNL_ARG_TO, to_desc, to);
    return dnnl_call_finish(c, mem);
}

const void *dnnl_call_reordered(DnnlCall *c, const dnnl_memory_desc_t *from_desc, const void *from,
                                const dnnl_memory_desc_t *to_desc, Memory *mem)
{
    void *to = memory_take(mem, dnnl_memory_desc_get_size(to_desc));
    DnnlCall *reorder = dnnl_reorder_setup(from_desc, from, to_desc, to, mem, omp_get_max_threads());
    c->ok = c->ok && reorder && dnnl_run(reorder);
    if (reorder)
        dnnl_teardown(reorder);
    return to;
}

DnnlCall *dnnl_call_finish(DnnlCall *c, Memory *mem)
{
    if (c->ok) {
        const dnnl_memory_desc_t *scratch = dnnl_call_desc(c, dnnl_query_scratchpad_md);
        const size_t scratch_bytes = dnnl_memory_desc_get_size(scratch);
        if (scratch_bytes)
            dnnl_call_add(c, DNNL_ARG_SCRATCHPAD, scratch, memory_take(mem, scratch_bytes));
    }
    if (c->ok)
        return c;
    dnnl_teardown(c);
    return NULL;
}

dnnl_memory_desc_t dnnl_plain_desc(DnnlCall *c, int64_t batches, int64_t rows, int64_t columns, bool turned)
{
    dnnl_memory_desc_t d = { 0 };
    const int64_t down = turned ? 1 : columns, across = turned ? rows : 1;
    if (batches == 0)
        dnnl_call_expect(c, dnnl_memory_desc_init_by_strides(&d, 2, (dnnl_dims_t){ rows, columns }, dnnl_f32,
                                                             (dnnl_dims_t){ down, across }));
    else
        dnnl_call_expect(c, dnnl_memory_desc_init_by_strides(&d, 3, (dnnl_dims_t){ batches, rows, columns }, dnnl_f32,
                                                             (dnnl_dims_t){ rows * columns, down, across }));
    return d;
}

bool dnnl_run(void *state)
{
    bool done = true;
    for (const DnnlCall *c = state; c && done; c = c->next)
        done = dnnl_primitive_execute(c->primitive, c->stream, c->narg, c->arg) == dnnl_success;
    return done;
}

void *dnnl_both(void *first, void *second)
{
    DnnlCall *c = first;
    if (c && second)
        c->next = second;
    else if (c || second)
        dnnl_teardown(c ? c : second);
    return second ? first : NULL;
}

Span dnnl_weights(const void *state)
{
    const DnnlCall *c = state;
    while (c->next && !c->weights.bytes)
        c = c->next;
    return c->weights;
}

void dnnl_teardown(void *state)
{
    DnnlCall *c = state;
    if (c->next)
        dnnl_teardown(c->next);
    for (int i = 0; i < c->narg; i++)
        dnnl_memory_destroy(c->arg[i].memory);
    dnnl_primitive_destroy(c->primitive);
    dnnl_primitive_desc_destroy(c->pd);
    dnnl_primitive_attr_destroy(c->attr);
    dnnl_stream_destroy(c->stream);
    dnnl_engine_destroy(c->engine);
    free(c);
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

static const char *winograd_open(void)
{
    const bool is_wide = (dnnl_get_effective_cpu_isa() & dnnl_cpu_isa_avx512_core) == dnnl_cpu_isa_avx512_core;
    return is_wide ? NULL : "it has Winograd's algorithm for AVX-512 alone";
}

const Library dnnl_library = { "oneDNN", dnnl_open, dnnl_version_text };
const Library dnnl_winograd_library = { "oneDNN", winograd_open, dnnl_version_text };

#endif
