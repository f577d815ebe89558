/* SPDX-License-Identifier: MIT-0 */
/* bar.arrive: the same without waiting: of the barrier's threads those wait that call barrier_sync. */
static __device__ __forceinline__ void barrier_arrive(int id, int threads)
{
    asm volatile("bar.arrive %0, %1;" ::"r"(id), "r"(threads) : "memory");
}
