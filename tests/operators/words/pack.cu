/* SPDX-License-Identifier: MIT-0 */
#ifndef DCGEN
/* How the weights of words and their scales are packed, for column_a_thread.cu. */
#endif
/* CONSTANTS packed: rows of W, each padded to 16 bytes, which kernels know by its stride, and behind these [N] floats. */
size_t NAME_cuda_packed_bytes(PACK_EXTENTS)
{
    if (ANY(packed_axes, AXIS < FEWEST || AXIS > GREATEST))
        return 0;
    const int64_t AXIS = VALUE; //@ repeat packed_derived
    return (size_t)N * ((size_t)(KW + 3) / 4 * 16 + sizeof(float));
}

int NAME_cuda_pack(PACK_EXTENTS, EACH(packed_operands, const void *OPERAND), void *packed, struct CUstream_st *stream)
{
    if (ANY(packed_axes, AXIS < FEWEST || AXIS > GREATEST))
        return PACKAGE_BAD_EXTENT;
    const int64_t AXIS = VALUE; //@ repeat packed_derived
    if (N == 0)
        return PACKAGE_OK;
    if (!packed || (!W && KW > 0) || !scale)
        return PACKAGE_BAD_POINTER;
    const size_t row = (size_t)KW * 4, pitch = (size_t)(KW + 3) / 4 * 16;
    cudaError_t code = KW ? cudaMemcpy2DAsync(packed, pitch, W, row, row, (size_t)N, cudaMemcpyDeviceToDevice, stream) : cudaSuccess;
    if (code == cudaSuccess)
        code = cudaMemcpyAsync((char *)packed + (size_t)N * pitch, scale, (size_t)N * sizeof(float), cudaMemcpyDeviceToDevice, stream);
    return code == cudaSuccess ? PACKAGE_OK : PACKAGE_CUDA_ERROR;
}
