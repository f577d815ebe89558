/* SPDX-License-Identifier: MIT-0 */
/* ld.global.nc.L1::no_allocate.v4.u32: 16 bytes that no kernel of the launch writes and nobody here reads again. p
 * is a multiple of 16. */
static __device__ __forceinline__ uint4 load_once16(const void *p)
{
    uint4 v;
    asm volatile("ld.global.nc.L1::no_allocate.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                 : "l"(__cvta_generic_to_global(p)));
    return v;
}
