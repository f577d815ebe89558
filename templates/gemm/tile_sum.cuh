/* SPDX-License-Identifier: MIT-0 */
/* Adds up the tile of all blocks that share it, in their order, for one of them: false in the others. acc: the thread's
 * part of it. Scratch memory has a tile for each block. */
static __device__ __forceinline__ bool KERNEL_combine(float *acc, const NAME_args &a, unsigned *flag)
{
    const unsigned nslice = gridDim.z, t = threadIdx.x;
    if (nslice == 1)
        return true;
    unsigned *counter = a.counters + blockIdx.x;
    float *tile = (float *)a.scratch + (size_t)blockIdx.x * nslice * (BM * BN) + t * 4;
    float *own = tile + (size_t)blockIdx.z * (BM * BN);
#pragma unroll
    for (int i = 0; i < BM * BN / NT; i += 4)
        *(float4 *)(own + i * NT) = make_float4(acc[i], acc[i + 1], acc[i + 2], acc[i + 3]);
    if (!KERNEL_is_last(counter, flag))
        return false;
#pragma unroll
    for (int i = 0; i < BM * BN / NT; i++)
        acc[i] = 0;
#pragma unroll 1
    for (unsigned s = 0; s < nslice; s++, tile += BM * BN)
#pragma unroll
        for (int i = 0; i < BM * BN / NT; i += 4) {
            const float4 q = PACKAGE_device::load_l2_16(tile + i * NT);
            acc[i] += q.x, acc[i + 1] += q.y, acc[i + 2] += q.z, acc[i + 3] += q.w;
        }
    return true;
}
