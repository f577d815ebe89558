/* SPDX-License-Identifier: MIT-0 */
/* fence.mbarrier_init.release.cluster: the barriers that this thread made are seen by asynchronous copies and other blocks. */
static __device__ __forceinline__ void mbarrier_init_fence()
{
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}
