/* SPDX-License-Identifier: MIT-0 */
/* mbarrier.try_wait.parity.shared::cta.b64 in a loop: waits until the phase of this parity is complete. Phases are counted from 0 on; the one before
 * the first counts as complete, with parity 1. */
static __device__ __forceinline__ void mbarrier_wait(uint64_t *bar, unsigned parity)
{
    asm volatile("{\n"
                 ".reg .pred done;\n"
                 "again:\n"
                 "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
                 "@!done bra again;\n"
                 "}" ::"r"((unsigned)__cvta_generic_to_shared(bar)),
                 "r"(parity)
                 : "memory");
}
