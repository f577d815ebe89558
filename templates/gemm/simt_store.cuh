/* SPDX-License-Identifier: MIT-0 */
/* Where a thread of simt_gemm stores its sums, and how. */
/* How far a thread's row i is from its first one. */
static __device__ __forceinline__ int KERNEL_down(int i)
{
#if X_IS_KM
    return i % VM + i / VM * (4 * VM);
#else
    return 4 * i;
#endif
}

#if STAGED
/* Computes the formula and stores what exists. */
static __device__ __forceinline__ void
KERNEL_store(const float (&acc)[TM * TN], const NAME_args &a, float *stages, int m0, int n0, const KERNEL_place &p)
{
    const int first = p.row / STRIP * ROUND_ROWS + p.row % STRIP;
    KERNEL_rounds(stages, a, m0, n0, [&](float *sums, int round) {
        constexpr int part = OWN_ROWS / ROUNDS; /* rows of the thread */
#pragma unroll
        for (int i = 0; i < part; i++)
#pragma unroll
            for (int j = 0; j < TN; j += VN) {
                const float *v = acc + (round * part + i) * TN + j;
                float *to = sums + (first + KERNEL_down(i)) * F_PITCH + p.col + j * 8;
#if VN == 4
                *(float4 *)to = make_float4(v[0], v[1], v[2], v[3]);
#else
                *(float2 *)to = make_float2(v[0], v[1]);
#endif
            }
    });
}
#else
/* Computes the formula and stores the thread's elements that exist. Y has nrow rows and ncol columns from the tile's
 * first on. Beyond the last column the formula is that of the last one once more: loads need no conditions. */
static __device__ __forceinline__ void
KERNEL_store(const float (&acc)[TM * TN], const NAME_args &a, float *, int m0, int n0, const KERNEL_place &p)
{
    const int nrow = KERNEL_nrow(a) - m0 - p.row, ncol = KERNEL_ncol(a) - n0 - p.col;
    const KERNEL_operands o = KERNEL_of(a, KERNEL_nk(a));
    const bool wide = (uintptr_t)o.y % (4 * VN) == 0 && (KERNEL_ncol(a) | o.ldy) % VN == 0;
#if Y_STRIDED
#pragma unroll
    for (int i = 0; i < OWN_ROWS; i++) {
        if (KERNEL_down(i) >= nrow)
            return;
        float *y = o.y + KERNEL_row_at(a, m0 + p.row + KERNEL_down(i)) + n0 + p.col;
#else
    float *y = o.y + ((int64_t)m0 + p.row) * o.ldy + n0 + p.col;
#pragma unroll
    for (int i = 0; i < OWN_ROWS; y += (int64_t)(KERNEL_down(i + 1) - KERNEL_down(i)) * o.ldy, i++) {
        if (KERNEL_down(i) >= nrow)
            return;
#endif
#pragma unroll
        for (int j = 0; j < TN; j += VN) {
            const int n = j * 8;
            float v[VN];
#pragma unroll
            for (int l = 0; l < VN; l++)
#if HAS_EPILOGUE
                v[l] = KERNEL_epilogue(a, acc[i * TN + j + l], m0 + p.row + KERNEL_down(i), n0 + min(p.col + n + l, KERNEL_ncol(a) - n0 - 1));
#else
                v[l] = acc[i * TN + j + l];
#endif
            if (wide && n < ncol)
#if VN == 4
                *(float4 *)(y + n) = make_float4(v[0], v[1], v[2], v[3]);
#else
                *(float2 *)(y + n) = make_float2(v[0], v[1]);
#endif
            else
#pragma unroll
                for (int l = 0; l < VN; l++)
                    if (n + l < ncol)
                        y[n + l] = v[l];
        }
    }
}
#endif
