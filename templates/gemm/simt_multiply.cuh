/* SPDX-License-Identifier: MIT-0 */
/* What simt_gemm does with a stage that is there. KERNEL_load: n neighbouring floats from shared memory, aligned to all of them, to v[0], v[apart] ...: 4 or 2. */
template <int n, int apart = 1> static __device__ __forceinline__ void KERNEL_load(float *v, const char *p)
{
    if (n == 4) {
        const float4 q = *(const float4 *)p;
        v[0] = q.x, v[apart] = q.y, v[2 * apart] = q.z, v[3 * apart] = q.w;
    } else {
        const float2 q = *(const float2 *)p;
        v[0] = q.x, v[apart] = q.y;
    }
}

/* acc += the product of what a stage holds, four k at a time: x and w are the thread's places in it, c that of the
 * four k in a row, all in bytes. Chunk c of a row r with r % 8 = a + b (no bit in both) lies at (chunk 0 of row a) ^
 * (chunk c of row b). */
static __device__ __forceinline__ void KERNEL_multiply(float (&acc)[TM * TN], const char *stages, int x, int w)
{
    constexpr int unroll = UNROLL;
#pragma unroll unroll
    for (int c = 0; c < 16 * OWN_CHUNKS; c += 16) {
        float xv[TM][4];
#if !W_IS_KN && TM * TN >= 96 && BK * KGROUPS > 16
        float wv[TN][4];
#pragma unroll
        for (int j = 0; j < TN; j++)
            KERNEL_load<4>(wv[j], stages + (w ^ c) + 8 * j * BK * 4);
#endif
#if X_IS_KM
#pragma unroll
        for (int k = 0; k < 4; k++)
#pragma unroll
            for (int i = 0; i < TM; i += VM)
                KERNEL_load<VM, 4>(&xv[i][k], stages + x + (c / 4 + k) * X_PITCH * 4 + 16 * i);
#else
#pragma unroll
        for (int i = 0; i < TM; i++)
            KERNEL_load<4>(xv[i], stages + (x ^ c ^ 4 * i / LINE_ROWS % SWIZZLE * 16) + 4 * i * BK * 4);
#endif
#if !W_IS_KN && TM * TN >= 96 && BK * KGROUPS > 16
        /* All values of four k are there before the first is used. Row by row, there and back: neighbours have a value
         * in common, which stays in the unit, so that its registers' ports are free for others. */
#pragma unroll
        for (int k = 0; k < 4; k++)
#pragma unroll
            for (int i = 0; i < TM; i++)
#pragma unroll
                for (int l = 0; l < TN; l++) {
                    const int j = (i + k) % 2 ? TN - 1 - l : l;
                    acc[i * TN + j] = fmaf(xv[i][k], wv[j][k], acc[i * TN + j]);
                }
#elif !W_IS_KN
#pragma unroll
        for (int j = 0; j < TN; j++) {
            float wv[4];
            KERNEL_load<4>(wv, stages + (w ^ c) + 8 * j * BK * 4);
#pragma unroll
            for (int l = 0; l < 4; l++) {
                /* Registers with even and odd numbers are two banks; both operands of a k are in that of k, so the sum
                 * is best in the other. Even k, odd k, in the next two columns the other way round: sums change
                 * their bank half as often, and what one leaves free another can take. */
                const int k = (l % 2 * 2 + l / 2) ^ (j + 1) / 2 % 2;
#pragma unroll
                for (int i = 0; i < TM; i++)
                    acc[i * TN + j] = fmaf(xv[i][k], wv[k], acc[i * TN + j]);
            }
        }
#else
#pragma unroll
        for (int k = 0; k < 4; k++) {
            const char *row = stages + w + (c / 4 + k) * W_PITCH * 4;
            float wv[TN];
#pragma unroll
            for (int j = 0; j < TN; j += VN)
                KERNEL_load<VN>(wv + j, row + 32 * j);
#pragma unroll
            for (int i = 0; i < TM; i++)
#pragma unroll
                for (int j = 0; j < TN; j++)
                    acc[i * TN + j] = fmaf(xv[i][k], wv[j], acc[i * TN + j]);
        }
#endif
    }
}
