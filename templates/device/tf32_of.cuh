/* SPDX-License-Identifier: MIT-0 */
/* cvt.rna.tf32.f32: x rounded to 10 bits of mantissa, to nearest and ties away from 0; its bits as tf32_mma takes
 * them. */
static __device__ __forceinline__ unsigned tf32_of(float x)
{
    unsigned bits;
    asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(bits) : "f"(x));
    return bits;
}
