/* SPDX-License-Identifier: MIT-0 */
/* d += a * b as tf32_mma, which is used three times for it: of the high and low parts of a and b (tf32_split) all products but low * low, the
 * small ones first. The sum is added to d by FADD: tensor cores cut sums, and over many steps the error would grow. */
static __device__ __forceinline__ void tf32x3_mma(float (&d)[4], const unsigned (&a)[4], const unsigned (&b)[2])
{
    unsigned a_high[4], a_low[4], b_high[2], b_low[2];
    float sum[4] = { 0, 0, 0, 0 };
#pragma unroll
    for (int i = 0; i < 4; i++)
        tf32_split(a[i], a_high[i], a_low[i]);
#pragma unroll
    for (int i = 0; i < 2; i++)
        tf32_split(b[i], b_high[i], b_low[i]);
    tf32_mma(sum, a_low, b_high);
    tf32_mma(sum, a_high, b_low);
    tf32_mma(sum, a_high, b_high);
#pragma unroll
    for (int i = 0; i < 4; i++)
        d[i] += sum[i];
}
