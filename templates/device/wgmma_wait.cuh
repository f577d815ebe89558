/* SPDX-License-Identifier: MIT-0 */
/* wgmma.wait_group.sync.aligned: waits until all but the last `groups` groups of products are done. */
template <int groups> static __device__ __forceinline__ void wgmma_wait()
{
    asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(groups) : "memory");
}
