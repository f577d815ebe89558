/* SPDX-License-Identifier: MIT-0 */
/* mapa.shared::cluster.u32, ld.shared::cluster.v4.f32: 16 bytes of another block of the cluster, at the place of smem in this one. */
static __device__ __forceinline__ float4 cluster_load16(const void *smem, unsigned rank)
{
    float4 v;
    asm volatile("{\n"
                 ".reg .b32 there;\n"
                 "mapa.shared::cluster.u32 there, %4, %5;\n"
                 "ld.shared::cluster.v4.f32 {%0, %1, %2, %3}, [there];\n"
                 "}"
                 : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w)
                 : "r"((unsigned)__cvta_generic_to_shared(smem)), "r"(rank)
                 : "memory");
    return v;
}
