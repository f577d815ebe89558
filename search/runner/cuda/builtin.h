/* SPDX-License-Identifier: Apache-2.0
 *
 * builtin: kernels of this program's own, as PTX text that the driver compiles: no nvcc at build time. One does nothing: its time is the
 * floor of what can be measured. One makes a digest of memory, so that what lies on the GPU is compared there and not downloaded.
 *
 *   digest = sum over i of mix(i, byte i), modulo 2^64
 *
 * Before it is used it must agree with the same sum by the CPU. Where the driver does not load it, or it does not agree, memory is
 * downloaded and the CPU makes digests: slower, so that there is a limit to it, and all else stays the same.
 */
#ifndef DCGEN_CUDA_BUILTIN_H
#define DCGEN_CUDA_BUILTIN_H

#include <cuda_runtime_api.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Once a process, when the GPU has a context. False: there is no null kernel. Digests work all the same. What is missing is said on stderr. */
bool builtin_open(int sms);
/* Starts the null kernel; stream: a cudaStream_t. 0, or the driver's error. */
int builtin_null(void *stream);

/* Bytes on the GPU. */
typedef struct {
    const void *data;
    size_t bytes;
} Span;
enum { MAX_SPAN = 16 };
/* The digests of n <= MAX_SPAN spans, when all that was started before has ended. Equal bytes have equal digests wherever they lie. */
void builtin_digest(const Span *span, int n, uint64_t *digest);
/* Operands of so many bytes are more than the CPU makes digests of in the time of a request (some GB/s, four times for each kernel). */
bool builtin_too_much(size_t bytes);

extern const char builtin_ptx[]; /* the code of both kernels */
/* The digest of bytes at hand: what the kernel gives for the same bytes. */
uint64_t builtin_sum(const void *host, size_t bytes);

#endif
