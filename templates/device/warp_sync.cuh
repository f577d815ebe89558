/* SPDX-License-Identifier: MIT-0 */
/* __syncwarp: all threads of the warp come here; what each did to memory before, the others see behind it. */
static __device__ __forceinline__ void warp_sync()
{
    __syncwarp();
}
