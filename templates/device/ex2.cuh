/* SPDX-License-Identifier: MIT-0 */
/* ex2.approx.ftz.f32: 2^x within 2 ULP. Denormal numbers are 0, also as results. */
static __device__ __forceinline__ float ex2(float x)
{
    float y;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}
