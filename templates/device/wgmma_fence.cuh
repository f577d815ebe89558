/* SPDX-License-Identifier: MIT-0 */
/* wgmma.fence.sync.aligned: what the warpgroup wrote to registers is seen by the products that follow. */
static __device__ __forceinline__ void wgmma_fence() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
