/* SPDX-License-Identifier: MIT-0 */
/* Host: makes the map of a tensor for TMA (cuTensorMapEncodeTiled, which the CUDA driver has from 12.0 on; nothing is linked). Extents, and elements
 * of the box that a copy takes, are outermost first; strides are the elements from one to the next along each extent but the last. Rows of a box,
 * `swizzle` bytes at most, are swizzled by it (0: not). False: TMA cannot copy it, as address or strides are no multiples of 16 bytes, or an extent
 * is 0; or there is no such function. */
static bool tensor_map(CUtensorMap *map, int element_bytes, const void *address, int rank, const int64_t *extent, const int64_t *stride,
                       const int *box, int swizzle)
{
    typedef decltype(&cuTensorMapEncodeTiled) Encode;
    static void *volatile found; /* what several threads find is the same */
    cuuint64_t extents[5], strides[5];
    cuuint32_t boxes[5], ones[5];
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
        extents[i] = (cuuint64_t)extent[rank - 1 - i];
        boxes[i] = (cuuint32_t)box[rank - 1 - i];
        ones[i] = 1;
        fits = fits && extents[i] > 0;
        if (i + 1 < rank) {
            strides[i] = (cuuint64_t)stride[rank - 2 - i] * element_bytes;
            fits = fits && strides[i] % 16 == 0;
        }
    }
    const CUtensorMapDataType type = element_bytes == 1   ? CU_TENSOR_MAP_DATA_TYPE_UINT8
                                     : element_bytes == 2 ? CU_TENSOR_MAP_DATA_TYPE_UINT16
                                                          : CU_TENSOR_MAP_DATA_TYPE_UINT32;
    const CUtensorMapSwizzle mode = swizzle == 128  ? CU_TENSOR_MAP_SWIZZLE_128B
                                    : swizzle == 64 ? CU_TENSOR_MAP_SWIZZLE_64B
                                    : swizzle == 32 ? CU_TENSOR_MAP_SWIZZLE_32B
                                                    : CU_TENSOR_MAP_SWIZZLE_NONE;
    return fits && ((Encode)function)(map, type, (cuuint32_t)rank, (void *)address, extents, strides, boxes, ones, CU_TENSOR_MAP_INTERLEAVE_NONE, mode,
                                      CU_TENSOR_MAP_L2_PROMOTION_L2_256B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_SUCCESS;
}
