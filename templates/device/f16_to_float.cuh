/* SPDX-License-Identifier: MIT-0 */
/* cvt.f32.f16: the value of an f16, exactly. */
static __device__ __forceinline__ float f16_to_float(unsigned short bits)
{
    float x;
    asm("cvt.f32.f16 %0, %1;" : "=f"(x) : "h"(bits));
    return x;
}
