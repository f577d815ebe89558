/* SPDX-License-Identifier: MIT-0 */
/* shfl.sync.down.b32: the v of lane (own lane + delta), the own one where there is none; all 32 lanes take part. */
static __device__ __forceinline__ float shfl_down(float v, int delta)
{
    return __shfl_down_sync(0xffffffffU, v, delta);
}
