/* SPDX-License-Identifier: MIT-0 */
/* atom.acq_rel.gpu.global.add.u32: adds v to *p; returns what was there before. What this thread wrote before, and what
 * others of its block wrote before a barrier that lies before, is seen by whoever finds its sum with this function later, and by
 * the others of that block behind a barrier. */
static __device__ __forceinline__ unsigned atomic_add_acq_rel(unsigned *p, unsigned v)
{
    unsigned old;
    asm volatile("atom.acq_rel.gpu.global.add.u32 %0, [%1], %2;"
                 : "=r"(old)
                 : "l"(__cvta_generic_to_global(p)), "r"(v)
                 : "memory");
    return old;
}
