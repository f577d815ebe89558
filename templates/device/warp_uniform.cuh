/* SPDX-License-Identifier: MIT-0 */
/* v, which is the same in all threads of the warp, as the compiler then knows. */
static __device__ __forceinline__ int warp_uniform(int v)
{
#if EMULATOR
    return v;
#else
    return __shfl_sync(0xffffffff, v, 0);
#endif
}
