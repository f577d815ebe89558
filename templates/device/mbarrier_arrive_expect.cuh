/* SPDX-License-Identifier: MIT-0 */
/* mbarrier.arrive.expect_tx.shared::cta.b64: one arrival, and the phase also takes copies of so many bytes. */
static __device__ __forceinline__ void mbarrier_arrive_expect(uint64_t *bar, unsigned bytes)
{
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"((unsigned)__cvta_generic_to_shared(bar)), "r"(bytes)
                 : "memory");
}
