/* SPDX-License-Identifier: MIT-0 */
#ifndef DCGEN /* to compile this file as it stands */
#include "standalone.cuh"
#define LAYOUT_W_KN 0
#define VECTOR_ELEMS 4
#define VECTOR_TAIL 3
#endif
/* W packed: its rows, each padded to a multiple of 16 bytes, so that every row begins where a vector load may. The padding is not used. */
static uint64_t NAME_packed_row(int64_t N, int64_t K)
{
#if LAYOUT_W_KN
    (void)K;
    return ((uint64_t)N + VECTOR_TAIL) / VECTOR_ELEMS * VECTOR_ELEMS;
#else
    (void)N;
    return ((uint64_t)K + VECTOR_TAIL) / VECTOR_ELEMS * VECTOR_ELEMS;
#endif
}

size_t NAME_cuda_packed_bytes(int64_t N, int64_t K)
{
    if (N < 0 || K < 0 || N > INT32_MAX || K > INT32_MAX)
        return 0;
#if LAYOUT_W_KN
    const uint64_t rows = (uint64_t)K;
#else
    const uint64_t rows = (uint64_t)N;
#endif
    const uint64_t row_bytes = NAME_packed_row(N, K) * sizeof(NAME_elem);
    return row_bytes == 0 || rows <= PTRDIFF_MAX / row_bytes ? (size_t)(rows * row_bytes) : 0;
}

int NAME_cuda_pack(int64_t N, int64_t K, const void *W, void *packed, struct CUstream_st *stream)
{
    if (N < 0 || K < 0 || N > INT32_MAX || K > INT32_MAX)
        return NAME_BAD_EXTENT;
    if (N == 0 || K == 0)
        return NAME_OK;
    if (NAME_cuda_packed_bytes(N, K) == 0)
        return NAME_BAD_EXTENT;
    if (!packed || !W)
        return NAME_BAD_POINTER;
#if LAYOUT_W_KN
    const size_t rows = (size_t)K, row_bytes = (size_t)N * sizeof(NAME_elem);
#else
    const size_t rows = (size_t)N, row_bytes = (size_t)K * sizeof(NAME_elem);
#endif
    const cudaError_t code = cudaMemcpy2DAsync(packed, (size_t)NAME_packed_row(N, K) * sizeof(NAME_elem), W, row_bytes, row_bytes, rows,
                                               cudaMemcpyDeviceToDevice, stream);
    return code == cudaSuccess ? NAME_OK : NAME_CUDA_ERROR;
}
