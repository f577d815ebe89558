/* SPDX-License-Identifier: MIT-0 */
/* mbarrier.init.shared::cta.b64: a barrier of 8 bytes in shared memory, whose phases each take so many arrivals. Others may use it
 * behind mbarrier_init_fence and a barrier of the block. */
static __device__ __forceinline__ void mbarrier_init(uint64_t *bar, unsigned arrivals)
{
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"((unsigned)__cvta_generic_to_shared(bar)), "r"(arrivals) : "memory");
}
