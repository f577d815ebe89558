/* SPDX-License-Identifier: Apache-2.0
 *
 * dnnl_call: one primitive of oneDNN (C API, version 2) with its arguments bound, made once and run again and again.
 * For the files that describe a primitive: dnnl_matmul.c, dnnl_rows.c, dnnl_conv.c. Only there where the bench is built
 * with oneDNN.
 */
#ifndef BENCH_DNNL_CALL_H
#define BENCH_DNNL_CALL_H

#include <oneapi/dnnl/dnnl.h>
#include "bench/dnnl.h"

enum { DNNL_MAX_ARG = 8 };

typedef struct DnnlCall {
    dnnl_engine_t engine;
    dnnl_stream_t stream;
    dnnl_primitive_attr_t attr;
    dnnl_primitive_desc_t pd;
    dnnl_primitive_t primitive;
    int narg;
    dnnl_exec_arg_t arg[DNNL_MAX_ARG];
    Span weights; /* the argument of that name; 0 bytes: none */
    bool ok;
    struct DnnlCall *next; /* runs behind it, and ends with it; NULL: nothing */
} DnnlCall;

/* Engine, stream, and attributes that say that the scratchpad is the caller's. */
DnnlCall *dnnl_call_new(int threads);
/* Notes a failed call of oneDNN; the first failure makes the whole fail. */
void dnnl_call_expect(DnnlCall *c, dnnl_status_t status);
/* The primitive of an operation's descriptor, with c's attributes. */
void dnnl_call_make(DnnlCall *c, const void *op_desc);
const dnnl_memory_desc_t *dnnl_call_desc(const DnnlCall *c, dnnl_query_t what);
dnnl_memory_t dnnl_call_memory(DnnlCall *c, const dnnl_memory_desc_t *d, const void *data);
void dnnl_call_add(DnnlCall *c, int name, const dnnl_memory_desc_t *d, const void *data);
/* `from`, once, into the format `to_desc`. */
const void *dnnl_call_reordered(DnnlCall *c, const dnnl_memory_desc_t *from_desc, const void *from,
                                const dnnl_memory_desc_t *to_desc, Memory *mem);
/* The same as a call of its own, to be run again and again. NULL: cannot. */
DnnlCall *dnnl_reorder_setup(const dnnl_memory_desc_t *from_desc, const void *from, const dnnl_memory_desc_t *to_desc,
                             void *to, Memory *mem, int threads);
/* Adds the scratchpad, where there is one. c, for dnnl_run; or NULL, and then c is gone. */
DnnlCall *dnnl_call_finish(DnnlCall *c, Memory *mem);

/* rows x columns in each of `batches` (0: there is no such axis), in the other order in memory if `turned`. */
dnnl_memory_desc_t dnnl_plain_desc(DnnlCall *c, int64_t batches, int64_t rows, int64_t columns, bool turned);

#endif
