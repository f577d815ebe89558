/* SPDX-License-Identifier: Apache-2.0
 *
 * trace: which kernels ran when, and for which call, as an activity tracer tells it: kernels carry a correlation number
 * of the API call that started them, links say within which of our numbered calls that API call was made. The time of
 * a call is the union of the intervals of its kernels: two that overlap count once, a gap between two does not count.
 */
#ifndef DCGEN_CUDA_TRACE_H
#define DCGEN_CUDA_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TRACE_NO_CALL UINT64_MAX

typedef struct {
    uint64_t start_ns, end_ns;
    uint32_t correlation;
    uint64_t call; /* set by trace_times */
} TraceKernel;

typedef struct {
    uint32_t correlation;
    uint64_t call;
} TraceLink;

typedef struct {
    TraceKernel *kernel;
    TraceLink *link;
    size_t nkernel, nlink, kernel_space, link_space;
    uint64_t ndropped; /* records the tracer lost */
    bool out_of_memory;
} Trace;

typedef enum {
    TRACE_OK,
    TRACE_MISSING, /* a call has no kernel (yet) */
    TRACE_UNEVEN,  /* a call has fewer kernels than another (yet) */
    TRACE_DROPPED, /* records were lost, so that a call may lack one of its kernels */
    TRACE_BROKEN   /* impossible times: zero, or an end that is not behind its start; or no memory */
} TraceStatus;
const char *trace_status_text(TraceStatus s);

void trace_add_kernel(Trace *t, uint64_t start_ns, uint64_t end_ns, uint32_t correlation);
void trace_add_link(Trace *t, uint32_t correlation, uint64_t call);
void trace_clear(Trace *t); /* forgets all records, keeps the memory */

/* Times of the calls first .. first+n-1, which are calls of the same code: each starts as many kernels. Kernels of other calls are skipped.
 * Sorts the trace. */
TraceStatus trace_times(Trace *t, uint64_t first, size_t n, double *ns);

/* Length of the union of n intervals, which are in order of their starts; negative: one of them is impossible. */
double trace_union_ns(const TraceKernel *kernel, size_t n);

#endif
