/* SPDX-License-Identifier: MIT-0 */
/* tf32x3: acc += the product over an item's steps of k, for the warpgroup's rows from `high` on. A step's products of high and low parts are summed up
 * by the tensor cores, small ones first; then the sum is added to acc by FADD: tensor cores cut sums, and over many steps the error would grow. While
 * a warpgroup splits, or adds, another one's products are under way. */
static __device__ __forceinline__ void
KERNEL_multiply(float (&acc)[MBLOCKS][WIDE / 2], const KERNEL_ring &r, KERNEL_place &p, int high, int steps)
{
    const int lane = threadIdx.x % 32, row = high + threadIdx.x / 32 % 4 * 16 + lane % 16; /* of those that the lane points to for ldmatrix */
#pragma unroll 1
    for (int step = 0; step < steps; step++) {
        const unsigned char *x = r.stage + p.stage * STAGE_BYTES, *w = x + BM * 128, *left = SWAP ? w : x;
        const uint64_t b = PACKAGE_device::wgmma_matrix(SWAP ? x : w, 128, 16, 1024);
        const uint64_t b_low = PACKAGE_device::wgmma_matrix(x + COPY_BYTES, 128, 16, 1024);
        unsigned a_high[4][MBLOCKS][4], a_low[4][MBLOCKS][4];
        float sum[MBLOCKS][WIDE / 2] = {};
        PACKAGE_device::mbarrier_wait(r.full + p.stage, p.parity);
#pragma unroll
        for (int q = 0; q < 4; q++) /* 32 bytes of k */
#pragma unroll
            for (int i = 0; i < MBLOCKS; i++) {
                unsigned v[4];
                PACKAGE_device::ldmatrix_x4(v, left + (row + i * 64) * 128 + ((2 * q + lane / 16) ^ lane % 8) * 16);
#pragma unroll
                for (int l = 0; l < 4; l++)
                    PACKAGE_device::tf32_split(v[l], a_high[q][i][l], a_low[q][i][l]);
            }
        PACKAGE_device::mbarrier_wait(r.split + p.stage, p.parity);
        PACKAGE_device::wgmma_fence();
#pragma unroll
        for (int q = 0; q < 4; q++)
#pragma unroll
            for (int i = 0; i < MBLOCKS; i++) {
                PACKAGE_device::DTYPE_wgmma_regs_WIDE(sum[i], a_low[q][i], b + q * 2, 1);
                PACKAGE_device::DTYPE_wgmma_regs_WIDE(sum[i], a_high[q][i], b_low + q * 2, 1);
                PACKAGE_device::DTYPE_wgmma_regs_WIDE(sum[i], a_high[q][i], b + q * 2, 1);
            }
        PACKAGE_device::wgmma_commit();
        PACKAGE_device::wgmma_wait<0>();
        PACKAGE_device::warp_sync(); /* all lanes have read the stage */
        if (lane == 0)
            PACKAGE_device::mbarrier_arrive(r.empty + p.stage);
#pragma unroll
        for (int i = 0; i < MBLOCKS; i++)
#pragma unroll
            for (int e = 0; e < WIDE / 2; e++)
                acc[i][e] += sum[i][e];
        KERNEL_next(p);
    }
}
