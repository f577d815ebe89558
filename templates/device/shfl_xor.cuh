/* SPDX-License-Identifier: MIT-0 */
/* shfl.sync.bfly.b32: the v of lane (own lane ^ mask); all 32 lanes take part. */
static __device__ __forceinline__ float shfl_xor(float v, int mask)
{
    return __shfl_xor_sync(0xffffffffU, v, mask);
}
