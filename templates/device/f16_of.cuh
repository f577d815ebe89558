/* SPDX-License-Identifier: MIT-0 */
/* cvt.rn.f16.f32: x rounded to the nearest f16, ties to even; its bits. */
static __device__ __forceinline__ unsigned short f16_of(float x)
{
    unsigned short bits;
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(x));
    return bits;
}
