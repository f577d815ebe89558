/* SPDX-License-Identifier: MIT-0 */
/* mbarrier.arrive.shared::cta.b64: one arrival. What the thread did before is seen by those that wait for the phase. */
static __device__ __forceinline__ void mbarrier_arrive(uint64_t *bar)
{
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"((unsigned)__cvta_generic_to_shared(bar)) : "memory");
}
