/* SPDX-License-Identifier: MIT-0 */
/* CONSTANTS packed: the rows of W, and behind them those of G, each padded to a multiple of 16 bytes, which kernels know by its stride. */
size_t NAME_cuda_packed_bytes(PACK_EXTENTS)
{
    if (ANY(packed_axes, AXIS < FEWEST || AXIS > GREATEST))
        return 0;
#if LAYOUT_W_KN
    const size_t rows = (size_t)K, last = (size_t)N;
#else
    const size_t rows = (size_t)N, last = (size_t)K;
#endif
    return 2 * rows * ((last * sizeof(CONSTANT_TYPE) + 15) / 16 * 16);
}

int NAME_cuda_pack(PACK_EXTENTS, EACH(packed_operands, const void *OPERAND), void *packed, struct CUstream_st *stream)
{
    if (ANY(packed_axes, AXIS < FEWEST || AXIS > GREATEST))
        return PACKAGE_BAD_EXTENT;
    if (N == 0 || K == 0)
        return PACKAGE_OK;
    if (!packed || !W || !G)
        return PACKAGE_BAD_POINTER;
#if LAYOUT_W_KN
    const size_t rows = (size_t)K, row = (size_t)N * sizeof(CONSTANT_TYPE);
#else
    const size_t rows = (size_t)N, row = (size_t)K * sizeof(CONSTANT_TYPE);
#endif
    const size_t pitch = (row + 15) / 16 * 16;
    cudaError_t code = cudaMemcpy2DAsync(packed, pitch, W, row, row, rows, cudaMemcpyDeviceToDevice, stream);
    if (code == cudaSuccess)
        code = cudaMemcpy2DAsync((char *)packed + rows * pitch, pitch, G, row, row, rows, cudaMemcpyDeviceToDevice, stream);
    return code == cudaSuccess ? PACKAGE_OK : PACKAGE_CUDA_ERROR;
}
