/* SPDX-License-Identifier: MIT-0 */
/* x rounded to the nearest bf16, ties to even; its bits. cvt.rn.bf16.f32 where there is one (sm_80), else on the
 * bits. */
static __device__ __forceinline__ unsigned short bf16_of(float x)
{
#if defined __CUDA_ARCH__ && __CUDA_ARCH__ >= 800
    unsigned short bits;
    asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(bits) : "f"(x));
    return bits;
#else
    const unsigned u = __float_as_uint(x);
    return x != x ? 0x7fff : (unsigned short)((u + 0x7fff + (u >> 16 & 1)) >> 16);
#endif
}
