/* SPDX-License-Identifier: MIT-0 */
/* fence.proxy.async.shared::cta: what this thread wrote to shared memory is seen by asynchronous copies and by wgmma that begin behind it. */
static __device__ __forceinline__ void proxy_fence() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }
