/* SPDX-License-Identifier: Apache-2.0
 *
 * tracer: CUPTI's activity records, which give the start and the end of each kernel on the GPU to about 32 ns. Only one
 * user of CUPTI can be active at a time, and it may be absent: all failures are said, and the caller times otherwise.
 */
#ifndef DCGEN_CUDA_TRACER_H
#define DCGEN_CUDA_TRACER_H

#include <cupti.h>
#include "search/runner/cuda/library.h"
#include "search/runner/cuda/trace.h"

/* Once a process, before the GPU is used. False: `why` says what is missing. */
bool tracer_open(char why[LIBRARY_WHY_BYTES]);
void tracer_close(void);
/* Where CUPTI's library came from; "" when it was not found. */
const char *tracer_where(void);

/* Kernels started between the two belong to this call. Begin and end come from one thread. */
void tracer_call_begin(uint64_t call);
void tracer_call_end(void);

/* Forgets what was recorded; records that come later are those of other calls. */
void tracer_clear(void);
/* After the GPU has finished: times of the calls first .. first+n-1. Waits a moment for records that are late. */
TraceStatus tracer_times(uint64_t first, size_t n, double *ns);

/* For tests: takes the records of one of CUPTI's buffers into t. next is cuptiActivityGetNextRecord's stand-in. */
typedef CUptiResult TracerNext(uint8_t *buffer, size_t bytes, CUpti_Activity **record);
void tracer_take(Trace *t, uint8_t *buffer, size_t bytes, TracerNext *next);

#endif
