/* SPDX-License-Identifier: MIT-0 */
/* setmaxnreg.dec.sync.aligned.u32: the warpgroup's threads need n registers from here on (24..256, a multiple of 8), and give the others back. */
template <int n> static __device__ __forceinline__ void registers_less() { asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(n)); }
