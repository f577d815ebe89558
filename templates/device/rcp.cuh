/* SPDX-License-Identifier: MIT-0 */
/* rcp.approx.ftz.f32: 1 / x within 1 ULP. Denormal numbers are 0, also as results. */
static __device__ __forceinline__ float rcp(float x)
{
    float y;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}
