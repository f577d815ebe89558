/* SPDX-License-Identifier: MIT-0 */
/* atom.global.add.u32: adds v to *p; returns what was there before. */
static __device__ __forceinline__ unsigned atomic_add(unsigned *p, unsigned v)
{
    return atomicAdd(p, v);
}
