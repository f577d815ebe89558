/* SPDX-License-Identifier: MIT-0 */
/* A consumer leaves its part of the tile in shared memory, behind the ring, and one of its threads has TMA store it: boxes of Y_BOX columns, swizzled
 * by their rows' bytes, so that what a warp leaves at once is in different banks. The copies go on beside the next tile's products. */
static __device__ __forceinline__ void KERNEL_store_by_map(const float (&acc)[MBLOCKS][WIDE / 2], const KERNEL_given &given, const KERNEL_ring &r,
                                                           const KERNEL_output &o, int high, int group)
{
    constexpr int span = 2 * Y_BOX, box = 64 * MBLOCKS * span;
    unsigned char *part = r.stage + STAGES * STAGE_BYTES + (group - 1) * PART_BYTES;
    const int lane = threadIdx.x % 32, row = threadIdx.x / 32 % 4 * 16 + lane / 4, col = lane % 4 * 2;
    if (threadIdx.x % 128 == 0)
        PACKAGE_device::bulk_wait_read<0>(); /* the last tile has left */
    PACKAGE_device::barrier_sync(5 + group, 128);
#pragma unroll
    for (int j = 0; j < WIDE; j += 8)
#pragma unroll
        for (int i = 0; i < MBLOCKS; i++)
#pragma unroll
            for (int down = 0; down < 16; down += 8) {
                const int m = row + i * 64 + down, n = col + j;
                const float *v = acc[i] + j / 2 + down / 4;
                const unsigned first = PACKAGE_device::RESULT_ELEMENT_of(KERNEL_value(given.call, o, v[0], high + m, n));
                const unsigned second = PACKAGE_device::RESULT_ELEMENT_of(KERNEL_value(given.call, o, v[1], high + m, n + 1));
                const int at = m * span + (j % Y_BOX / 8 ^ m * span / 128 % (span / 16)) * 16 + col * 2;
                *(unsigned *)(part + j / Y_BOX * box + at) = first | second << 16;
            }
    PACKAGE_device::proxy_fence();
    PACKAGE_device::barrier_sync(5 + group, 128);
    if (threadIdx.x % 128 == 0) {
#pragma unroll
        for (int j = 0; j < WIDE; j += Y_BOX)
            PACKAGE_device::tensor_store_2(&given.y_map, part + j / Y_BOX * box, o.n0 + j, o.m0 + high);
        PACKAGE_device::bulk_commit();
    }
}
