/* SPDX-License-Identifier: MIT-0 */
/* ld.global.cg.f32: from L2, past this SM's L1, which knows nothing of what other blocks wrote. */
static __device__ __forceinline__ float load_l2(const float *p)
{
    float v;
    asm volatile("ld.global.cg.f32 %0, [%1];" : "=f"(v) : "l"(__cvta_generic_to_global(p)) : "memory");
    return v;
}
