/* SPDX-License-Identifier: MIT-0 */
/* bar.sync: a barrier of so many threads of the block, all of their warps. id: 1..15; 0 is __syncthreads. */
static __device__ __forceinline__ void barrier_sync(int id, int threads)
{
    asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(threads) : "memory");
}
