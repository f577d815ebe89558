/* SPDX-License-Identifier: MIT-0 */
#ifndef DCGEN
/* How the constant operand is packed where the operator says nothing else. */
#endif
/* CONSTANT packed: its rows, each padded to a multiple of 16 bytes, so that every row begins where a vector load may. The padding is not used. */
typedef struct {
    size_t rows, row_bytes, pitch; /* pitch: bytes from one row to the next */
} NAME_packing;

/* 0: more than memory can hold. */
static int NAME_packing_of(PACK_EXTENTS, NAME_packing *packing)
{
    const int64_t AXIS = VALUE; //@ repeat constants
    (void)AXIS; //@ repeat constants
    const int64_t AXIS = VALUE; //@ repeat packed_derived
//@ repeat operands
#if IS_CONSTANT
    const int64_t along[] = { EACH(shape, ALONG) }, padded[] = { EACH(order, ALONG) };
#endif
//@ end
    const size_t last = sizeof along / sizeof *along - 1;
    packing->row_bytes = (size_t)along[last] * sizeof(CONSTANT_TYPE);
    packing->pitch = (size_t)padded[last] * sizeof(CONSTANT_TYPE);
    packing->rows = 1;
    for (size_t k = 0; k < last; k++) {
        if (along[k] > 0 && packing->rows > PTRDIFF_MAX / (packing->pitch + 1) / (uint64_t)along[k])
            return 0;
        packing->rows *= (size_t)along[k];
    }
    return 1;
}

size_t NAME_cuda_packed_bytes(PACK_EXTENTS)
{
    NAME_packing packing;
    if (ANY(packed_axes, AXIS < FEWEST || AXIS > GREATEST) || !NAME_packing_of(PACK_AXES, &packing))
        return 0;
    return packing.rows * packing.pitch;
}

int NAME_cuda_pack(PACK_EXTENTS, const void *CONSTANT, void *packed, struct CUstream_st *stream)
{
    NAME_packing packing;
    if (ANY(packed_axes, AXIS < FEWEST || AXIS > GREATEST))
        return PACKAGE_BAD_EXTENT;
    const int64_t AXIS = VALUE; //@ repeat constants
    (void)AXIS; //@ repeat constants
    const int64_t AXIS = VALUE; //@ repeat packed_derived
//@ repeat operands
#if IS_CONSTANT
    if (!(HAS_ELEMENTS))
        return PACKAGE_OK;
#endif
//@ end
    if (!NAME_packing_of(PACK_AXES, &packing))
        return PACKAGE_BAD_EXTENT;
    if (!packed || !CONSTANT)
        return PACKAGE_BAD_POINTER;
    const cudaError_t code = cudaMemcpy2DAsync(packed, packing.pitch, CONSTANT, packing.row_bytes, packing.row_bytes, packing.rows,
                                               cudaMemcpyDeviceToDevice, stream);
    return code == cudaSuccess ? PACKAGE_OK : PACKAGE_CUDA_ERROR;
}
