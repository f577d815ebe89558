/* SPDX-License-Identifier: MIT-0 */
/* wgmma.commit_group.sync.aligned: the products that were started since the last one are a group. */
static __device__ __forceinline__ void wgmma_commit() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }
