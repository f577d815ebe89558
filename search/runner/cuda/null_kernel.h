/* SPDX-License-Identifier: Apache-2.0
 *
 * null_kernel: a kernel that does nothing, as PTX text that the driver compiles: no nvcc at build time. Its time is the
 * floor of what can be measured.
 */
#ifndef DCGEN_CUDA_NULL_KERNEL_H
#define DCGEN_CUDA_NULL_KERNEL_H

#include <cuda_runtime_api.h>
#include <stdbool.h>
#include <stddef.h>

/* Once a process, when the GPU has a context. False: `why` says what is missing. */
bool null_kernel_open(char *why, size_t why_bytes);
/* Starts it; stream: a cudaStream_t. 0, or the driver's error. */
int null_kernel_launch(void *stream);

#endif
