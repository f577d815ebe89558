/* SPDX-License-Identifier: Apache-2.0
 *
 * What the generator puts around a kernel of dense, for the kernels of this folder: Y [M][N] = X [M][K] * W [N][K] +
 * bias.
 */
#include <cuda_runtime.h>

#if defined(F16) || defined(BF16)
typedef unsigned short dense_elem;
#else
typedef float dense_elem;
#endif
typedef struct {
    int M, N, K;
    const dense_elem *X, *W, *bias;
    dense_elem *Y;
    void *scratch;
    unsigned *counters;
} dense_args;
typedef struct {
    unsigned x, y, z;
    int threads;
    size_t smem_bytes, scratch_bytes, counter_bytes;
} dense_plan;

namespace dense_device
{
#include "device.h"
}

static dense_plan plan(int64_t M, int64_t N, int64_t K);
static __global__ void kernel(const dense_args a);

extern "C" int64_t dcgen_scratch(const int64_t *extent, int64_t)
{
    return (int64_t)plan(extent[0], extent[1], extent[2]).scratch_bytes;
}

extern "C" int64_t dcgen_counters(const int64_t *extent)
{
    return (int64_t)plan(extent[0], extent[1], extent[2]).counter_bytes;
}

#ifndef PACK /* what host code does besides */
#define PACK
#endif
#ifndef HOST
#define HOST
#endif

#ifdef PACKED
extern "C" int64_t dcgen_packed_bytes(const int64_t *extent)
{
    return extent[1] * extent[2] * (int64_t)sizeof(dense_elem);
}

extern "C" int dcgen_pack(const int64_t *extent, const void *w, void *packed)
{
    PACK;
    const size_t row = (size_t)extent[2] * sizeof(dense_elem);
    return cudaMemcpy2DAsync(packed, row, w, row, row, (size_t)extent[1], cudaMemcpyDeviceToDevice) != cudaSuccess;
}
#endif

extern "C" int dcgen_launch(const int64_t *extent, void *const *operand, void *scratch, void *counters, void *stream)
{
    HOST;
    const dense_plan p = plan(extent[0], extent[1], extent[2]);
    const dense_args a = { (int)extent[0],
                           (int)extent[1],
                           (int)extent[2],
                           (const dense_elem *)operand[0],
                           (const dense_elem *)operand[1],
                           (const dense_elem *)operand[2],
                           (dense_elem *)operand[3],
                           scratch,
                           (unsigned *)counters };
    return dense_device::launch(kernel, dim3(p.x, p.y, p.z), 0, p.threads, p.smem_bytes, (cudaStream_t)stream, a);
}
