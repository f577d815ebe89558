/* SPDX-License-Identifier: MIT-0 */
/* setmaxnreg.inc.sync.aligned.u32: waits until the warpgroup's threads have n registers (24..256, a multiple of 8), which others gave back. */
template <int n> static __device__ __forceinline__ void registers_more() { asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(n)); }
