/* SPDX-License-Identifier: MIT-0 */
/* What wgmma is told of an operand in shared memory. Rows of `swizzle` bytes (0, 32, 64 or 128) lie one behind the other, eight of them are a
 * group; the first lies at a multiple of 8 * swizzle. K-major (a row is a row or column of the matrix, along k): groups are `stride` bytes
 * apart. MN-major (a row is one k): groups along k are `stride` bytes apart, parts of `swizzle` bytes along m or n `leading` bytes.
 *   bits 0..13: the address / 16; 16..29: leading / 16; 32..45: stride / 16; 62..63: 0 no swizzle, 1 128 bytes, 2 64 bytes, 3 32 bytes */
static __device__ __forceinline__ uint64_t wgmma_matrix(const void *smem, unsigned swizzle, unsigned leading, unsigned stride)
{
    const uint64_t mode = swizzle == 128 ? 1 : swizzle == 64 ? 2 : swizzle == 32 ? 3 : 0;
    return (uint64_t)(shared_address(smem) >> 4 & 0x3fff) | (uint64_t)(leading >> 4) << 16 | (uint64_t)(stride >> 4) << 32 | mode << 62;
}
