/* SPDX-License-Identifier: MIT-0 */
/* Computes the formula, rounds, and stores what exists of the thread's sums: of a consumer's part i, with g = lane / 4, q = lane % 4, sum e is of row
 * 16 * warp + g + 8 * (e / 2 % 2) and column 8 * (e / 4) + 2 * q + e % 2; SWAP: of that column of Y and that row. */
#if SWAP
static __device__ __forceinline__ void KERNEL_store(const float (&acc)[MBLOCKS][WIDE / 2], const NAME_args &a, const KERNEL_output &o, int high)
{
    const int lane = threadIdx.x % 32, col = high + threadIdx.x / 32 % 4 * 16 + lane / 4, row = lane % 4 * 2;
#pragma unroll
    for (int i = 0; i < MBLOCKS; i++)
#pragma unroll
        for (int e = 0; e < WIDE / 2; e++) {
            const int m = row + e / 4 * 8 + e % 2, n = col + i * 64 + e / 2 % 2 * 8;
            const float v = KERNEL_value(a, o, acc[i][e], m, n);
            if (KERNEL_has_row(o, m) && n < o.ncol)
                KERNEL_row(o, m)[n] = PACKAGE_device::RESULT_ELEMENT_of(v);
        }
}
#else
#if ELEM_BYTES == 2
/* Stores four neighbours of a row, of which `left` exist, that a thread and its neighbour have of two parts of 8 columns: the even one stores those
 * of the first part, the odd one those of the second. */
static __device__ __forceinline__ void KERNEL_store4(RESULT_TYPE *y, const float (&v)[4], int left, bool wide)
{
    const unsigned first = PACKAGE_device::RESULT_ELEMENT_of(v[0]) | (unsigned)PACKAGE_device::RESULT_ELEMENT_of(v[1]) << 16;
    const unsigned second = PACKAGE_device::RESULT_ELEMENT_of(v[2]) | (unsigned)PACKAGE_device::RESULT_ELEMENT_of(v[3]) << 16;
    const bool odd = threadIdx.x % 2;
    const unsigned other = __float_as_uint(PACKAGE_device::shfl_xor(__uint_as_float(odd ? first : second), 1));
    const unsigned low = odd ? other : first, high = odd ? second : other;
    if (wide) {
        if (left > 0)
            *(uint2 *)y = make_uint2(low, high);
    } else {
#pragma unroll
        for (int l = 0; l < 4; l++)
            if (l < left)
                y[l] = (RESULT_TYPE)((l < 2 ? low : high) >> l % 2 * 16);
    }
}
#else
/* Stores two pairs of neighbours, 8 columns apart, of which `left` exist from the first on. */
static __device__ __forceinline__ void KERNEL_store4(RESULT_TYPE *y, const float (&v)[4], int left, bool wide)
{
#pragma unroll
    for (int part = 0; part < 2; part++)
        if (wide) {
            if (left > part * 8)
                *(float2 *)(y + part * 8) = make_float2(v[2 * part], v[2 * part + 1]);
        } else {
            if (left > part * 8)
                y[part * 8] = v[2 * part];
            if (left > part * 8 + 1)
                y[part * 8 + 1] = v[2 * part + 1];
        }
}
#endif

static __device__ __forceinline__ void KERNEL_store(const float (&acc)[MBLOCKS][WIDE / 2], const NAME_args &a, const KERNEL_output &o, int high)
{
    const int lane = threadIdx.x % 32, row = high + threadIdx.x / 32 % 4 * 16 + lane / 4, col = lane % 4 * 2;
#if ELEM_BYTES == 2
    const int first = col + lane % 2 * 6; /* of what it stores */
#else
    const int first = col;
#endif
#pragma unroll
    for (int j = 0; j < WIDE; j += 16) {
        float v[2 * MBLOCKS][4]; /* of all rows before any is stored: what the formula reads of these columns is read once */
#pragma unroll
        for (int r = 0; r < 2 * MBLOCKS; r++)
#pragma unroll
            for (int l = 0; l < 4; l++)
                v[r][l] = KERNEL_value(a, o, acc[r / 2][j / 2 + l / 2 * 4 + r % 2 * 2 + l % 2], row + r / 2 * 64 + r % 2 * 8,
                                       col + j + l / 2 * 8 + l % 2);
#pragma unroll
        for (int r = 0; r < 2 * MBLOCKS; r++) {
            const int m = row + r / 2 * 64 + r % 2 * 8;
            KERNEL_store4(KERNEL_row(o, m) + first + j, v[r], KERNEL_has_row(o, m) ? o.ncol - first - j : 0, o.wide);
        }
    }
}
#endif
