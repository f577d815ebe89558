/* SPDX-License-Identifier: Apache-2.0
 *
 * ptxas: what the assembler of GPU code says of the kernels that it made (nvcc -Xptxas -v).
 */
#ifndef DCGEN_PTXAS_H
#define DCGEN_PTXAS_H

#include <stdbool.h>
#include <stdint.h>

/* Of all kernels in one source the most of each. */
typedef struct {
    int nkernel;
    int64_t regs;        /* a thread */
    int64_t spill_bytes; /* stored to local memory for lack of registers, a thread; what is loaded again not counted */
    int64_t stack_bytes; /* a thread: spills, and arrays that are indexed at run time */
    int64_t smem_bytes;  /* static shared memory a block */
} PtxasReport;

/* False: the text says nothing of any kernel. */
bool ptxas_read(const char *log, PtxasReport *out);

#endif
