/* SPDX-License-Identifier: MIT-0 */
/* The blocks of a cluster have a slice each of the sum of a tile. They leave their sums in shared memory, where the ring was, as a part of Y: [BM][BN]
 * floats, KERNEL_pitch from a row to the next. Then each adds up its share of the tile, in the order of slices, and stores it. */
static constexpr int KERNEL_pitch = BN + 8 - 4 * SWAP; /* so that what a warp leaves at once is in different banks */

static __device__ __forceinline__ void KERNEL_meet()
{
    PACKAGE_device::cluster_arrive();
    PACKAGE_device::cluster_wait();
}

static __device__ __forceinline__ void KERNEL_leave(const float (&acc)[MBLOCKS][WIDE / 2], float *sums, int high)
{
    const int lane = threadIdx.x % 32, row = high + threadIdx.x / 32 % 4 * 16 + lane / 4, col = lane % 4 * 2;
    PACKAGE_device::barrier_sync(2, 128 * CONSUMERS); /* nobody multiplies any more what is in the ring */
#pragma unroll
    for (int i = 0; i < MBLOCKS; i++)
#pragma unroll
        for (int e = 0; e < WIDE / 2; e += 2) {
            const int r = row + i * 64 + e / 2 % 2 * 8, c = col + e / 4 * 8;
#if SWAP
            sums[c * KERNEL_pitch + r] = acc[i][e];
            sums[(c + 1) * KERNEL_pitch + r] = acc[i][e + 1];
#else
            *(float2 *)(sums + r * KERNEL_pitch + c) = make_float2(acc[i][e], acc[i][e + 1]);
#endif
        }
    PACKAGE_device::proxy_fence(); /* copies will write there again */
}

/* Four neighbours of a row, of which `left` exist. */
static __device__ __forceinline__ void KERNEL_store_quad(RESULT_TYPE *y, const float (&v)[4], int left, bool wide)
{
    RESULT_TYPE q[4];
#pragma unroll
    for (int l = 0; l < 4; l++)
        q[l] = PACKAGE_device::RESULT_ELEMENT_of(v[l]);
    if (wide) {
#if ELEM_BYTES == 2
        *(uint2 *)y = make_uint2(q[0] | (unsigned)q[1] << 16, q[2] | (unsigned)q[3] << 16);
#else
        *(float2 *)y = make_float2(q[0], q[1]);
        if (left > 2)
            *(float2 *)(y + 2) = make_float2(q[2], q[3]);
#endif
    } else {
#pragma unroll
        for (int l = 0; l < 4; l++)
            if (l < left)
                y[l] = q[l];
    }
}

static __device__ __forceinline__ void KERNEL_add_up(const float *sums, const NAME_args &a, const KERNEL_output &o, int slice)
{
    constexpr int across = BN / 4, quads = BM * across, share = (quads + SPLITK - 1) / SPLITK;
    const int end = min((slice + 1) * share, quads);
#pragma unroll 2
    for (int q = slice * share + (int)threadIdx.x - 128; q < end; q += 128 * CONSUMERS) {
        const int m = q / across, n = q % across * 4;
        float v[4] = { 0, 0, 0, 0 };
#pragma unroll
        for (int s = 0; s < SPLITK; s++) {
            const float4 part = PACKAGE_device::cluster_load16(sums + m * KERNEL_pitch + n, s);
            v[0] += part.x, v[1] += part.y, v[2] += part.z, v[3] += part.w;
        }
        if (KERNEL_has_row(o, m) && n < o.ncol) {
#pragma unroll
            for (int l = 0; l < 4; l++)
                v[l] = KERNEL_value(a, o, v[l], m, n + l);
            KERNEL_store_quad(KERNEL_row(o, m) + n, v, o.ncol - n, o.wide);
        }
    }
}
