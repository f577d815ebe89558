/* SPDX-License-Identifier: MIT-0 */
/* mov.u32 of %cluster_ctarank: the block's number in its cluster. */
static __device__ __forceinline__ unsigned cluster_rank()
{
    unsigned rank;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    return rank;
}
