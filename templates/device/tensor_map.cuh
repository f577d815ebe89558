/* SPDX-License-Identifier: MIT-0 */
/* Host: makes the map of a tensor for TMA (cuTensorMapEncodeTiled, which the CUDA driver has from 12.0 on; nothing is linked). Extents, and elements
 * of the box that a copy takes, are outermost first; strides are the elements from one to the next along each extent but the last. Rows of a box,
 * `swizzle` bytes at most, are swizzled by it (0: not). A copy takes every step[i]-th element along extent i, NULL: all. Where a stride is 0, and the
 * box has one element along it, all are the same one: the map has that alone, at 0. False: TMA cannot copy it, as address or strides are no multiples
 * of 16 bytes, steps are too long, or an extent is 0; or there is no such function. */
static bool tensor_map(CUtensorMap *map, int element_bytes, const void *address, int rank, const int64_t *extent, const int64_t *stride,
                       const int *box, int swizzle, const int64_t *step = nullptr)
{
    typedef decltype(&cuTensorMapEncodeTiled) Encode;
    static void *volatile found; /* what several threads find is the same */
    cuuint64_t extents[5], strides[5];
    cuuint32_t boxes[5], steps[5];
    void *function = found;
    if (!function) {
        cudaDriverEntryPointQueryResult result = cudaDriverEntryPointSymbolNotFound;
#if CUDART_VERSION >= 12050
        const cudaError_t code = cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &function, 12000, cudaEnableDefault, &result);
#else
        const cudaError_t code = cudaGetDriverEntryPoint("cuTensorMapEncodeTiled", &function, cudaEnableDefault, &result);
#endif
        if (code != cudaSuccess || result != cudaDriverEntryPointSuccess || !function)
            return false;
        found = function;
    }
    bool fits = (uintptr_t)address % 16 == 0;
    for (int i = 0; i < rank; i++) {
        const int at = rank - 1 - i;
        extents[i] = (cuuint64_t)extent[at];
        fits = fits && extents[i] > 0 && (!step || step[at] <= 8);
        steps[i] = (cuuint32_t)(step && fits ? step[at] : 1);
        boxes[i] = (cuuint32_t)box[at] * steps[i];
        if (i == 0)
            continue;
        strides[i - 1] = (cuuint64_t)stride[at] * element_bytes;
        if (strides[i - 1] == 0 && box[at] == 1 && fits)
            extents[i] = 1;
        if (extents[i] == 1) /* its stride does not matter */
            strides[i - 1] = i > 1 ? extents[i - 1] * strides[i - 2] : (extents[0] * element_bytes + 15) / 16 * 16;
        fits = fits && strides[i - 1] > 0 && strides[i - 1] % 16 == 0;
    }
    const CUtensorMapDataType type = element_bytes == 1   ? CU_TENSOR_MAP_DATA_TYPE_UINT8
                                     : element_bytes == 2 ? CU_TENSOR_MAP_DATA_TYPE_UINT16
                                                          : CU_TENSOR_MAP_DATA_TYPE_UINT32;
    const CUtensorMapSwizzle mode = swizzle == 128  ? CU_TENSOR_MAP_SWIZZLE_128B
                                    : swizzle == 64 ? CU_TENSOR_MAP_SWIZZLE_64B
                                    : swizzle == 32 ? CU_TENSOR_MAP_SWIZZLE_32B
                                                    : CU_TENSOR_MAP_SWIZZLE_NONE;
    return fits && ((Encode)function)(map, type, (cuuint32_t)rank, (void *)address, extents, strides, boxes, steps, CU_TENSOR_MAP_INTERLEAVE_NONE, mode,
                                      CU_TENSOR_MAP_L2_PROMOTION_L2_256B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_SUCCESS;
}
