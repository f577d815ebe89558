/* SPDX-License-Identifier: MIT-0 */
/* cp.async.ca.shared.global [smem], [gmem], 8, bytes: starts a copy of 8 bytes to shared memory, sm_80 and later.
 * Of them `bytes` (0..8) are read; the rest of the destination becomes 0. Both addresses are
 * multiples of 8. With bytes = 0 gmem is not touched. The copy is done behind cp_wait. */
static __device__ __forceinline__ void cp_async8(void *smem, const void *gmem, int bytes)
{
    asm volatile("cp.async.ca.shared.global [%0], [%1], 8, %2;" ::
                 "r"((unsigned)__cvta_generic_to_shared(smem)), "l"(__cvta_generic_to_global(gmem)), "r"(bytes)
                 : "memory");
}
