/* SPDX-License-Identifier: MIT-0 */
/* ld.global.cg.v4.f32: from L2, past this SM's L1, which knows nothing of what other blocks wrote. p is a multiple
 * of 16. */
static __device__ __forceinline__ float4 load_l2_16(const float *p)
{
    float4 v;
    asm volatile("ld.global.cg.v4.f32 {%0, %1, %2, %3}, [%4];"
                 : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w)
                 : "l"(__cvta_generic_to_global(p))
                 : "memory");
    return v;
}
