/* SPDX-License-Identifier: MIT-0 */
/* cp.async.ca.shared.global [smem], [gmem], 4, bytes: starts a copy of 4 bytes to shared memory, sm_80 and later.
 * Of them `bytes` (0..4) are read; the rest of the destination becomes 0. Both addresses are
 * multiples of 4. With bytes = 0 gmem is not touched. The copy is done behind cp_wait. */
static __device__ __forceinline__ void cp_async4(void *smem, const void *gmem, int bytes)
{
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::
                 "r"((unsigned)__cvta_generic_to_shared(smem)), "l"(__cvta_generic_to_global(gmem)), "r"(bytes)
                 : "memory");
}
