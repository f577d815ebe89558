/* SPDX-License-Identifier: MIT-0 */
/* cp.async.cg.shared.global.L2::128B [smem], [gmem], 16, bytes: starts a copy of 16 bytes to shared memory, sm_80
 * and later. Of them `bytes` (0..16) are read, the rest of the destination becomes 0. L2 alone caches them (.cg),
 * with the 128-byte line around them. Both addresses are multiples of 16. With bytes = 0 gmem is not touched. The
 * copy is done behind cp_wait. */
static __device__ __forceinline__ void cp_async16(void *smem, const void *gmem, int bytes)
{
    asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], 16, %2;" ::
                 "r"((unsigned)__cvta_generic_to_shared(smem)), "l"(__cvta_generic_to_global(gmem)), "r"(bytes)
                 : "memory");
}
