/* SPDX-License-Identifier: MIT-0 */
/* Adds up the tile of all blocks that share it, in the order of its slices, for the last of them to come here: false in the others. acc: the
 * thread's part of it. Scratch memory has a tile for each item, in quads: quad q of consumer t is quad q * threads + t. */
static __device__ __forceinline__ bool
KERNEL_combine(float *acc, const NAME_args &a, const KERNEL_work &w, const KERNEL_item &item, unsigned *flag)
{
    constexpr int threads = 128 * CONSUMERS, sums = BM * BN / threads;
    const unsigned t = threadIdx.x - 128;
    if (w.slices == 1)
        return true;
    float *tile = (float *)a.scratch + (size_t)item.tile * w.slices * (BM * BN) + t * 4;
    float *own = tile + (size_t)item.slice * (BM * BN);
#pragma unroll
    for (int i = 0; i < sums; i += 4)
        *(float4 *)(own + i * threads) = make_float4(acc[i], acc[i + 1], acc[i + 2], acc[i + 3]);
    PACKAGE_device::barrier_sync(2, threads); /* all sums are stored: one thread says so, and learns of the others' */
    if (t == 0)
        *flag = PACKAGE_device::atomic_add_acq_rel(a.counters + item.tile, 1);
    PACKAGE_device::barrier_sync(2, threads);
    if (*flag != w.slices - 1)
        return false;
    if (t == 0)
        a.counters[item.tile] = 0;
#pragma unroll
    for (int i = 0; i < sums; i++)
        acc[i] = 0;
#pragma unroll 1
    for (unsigned s = 0; s < w.slices; s++, tile += BM * BN)
#pragma unroll
        for (int i = 0; i < sums; i += 4) {
            const float4 q = PACKAGE_device::load_l2_16(tile + i * threads);
            acc[i] += q.x, acc[i + 1] += q.y, acc[i + 2] += q.z, acc[i + 3] += q.w;
        }
    return true;
}
