/* SPDX-License-Identifier: MIT-0 */
/* acc += the product over an item's steps of k, for the warpgroup's rows from `high` on. A step's products are started while those of the step before
 * are under way; when these are done, their stage is empty. */
#if TURNS
/* Consumer `who` may multiply: all stages before its own are there, so that it does not take one of their phases for its own. */
static __device__ __forceinline__ void KERNEL_give_turn(int who)
{
    PACKAGE_device::barrier_arrive(2 + who, 256);
}

static __device__ __forceinline__ void KERNEL_take_turn(int who)
{
    PACKAGE_device::barrier_sync(2 + who, 256);
}

#endif
static __device__ __forceinline__ void
#if TURNS
KERNEL_multiply(float (&acc)[MBLOCKS][WIDE / 2], const KERNEL_ring &r, KERNEL_place &p, int high, int steps, int other)
#else
KERNEL_multiply(float (&acc)[MBLOCKS][WIDE / 2], const KERNEL_ring &r, KERNEL_place &p, int high, int steps)
#endif
{
    const bool arrives = threadIdx.x % 32 == 0;
    int before = 0; /* the stage of the step before */
#pragma unroll 1
    for (int step = 0; step < steps; step++) {
        const unsigned char *x = r.stage + p.stage * STAGE_BYTES, *w = x + BM * 128;
#if SWAP
        const uint64_t a = PACKAGE_device::wgmma_matrix(w + high * 128, 128, 16, 1024), b = PACKAGE_device::wgmma_matrix(x, 128, 16, 1024);
#elif W_IS_KN
        const uint64_t a = PACKAGE_device::wgmma_matrix(x + high * 128, 128, 16, 1024);
        const uint64_t b = PACKAGE_device::wgmma_matrix(w, W_SPAN, BK * W_SPAN, 8 * W_SPAN);
#else
        const uint64_t a = PACKAGE_device::wgmma_matrix(x + high * 128, 128, 16, 1024), b = PACKAGE_device::wgmma_matrix(w, 128, 16, 1024);
#endif
        PACKAGE_device::mbarrier_wait(r.full + p.stage, p.parity);
        PACKAGE_device::wgmma_fence();
#pragma unroll
        for (int q = 0; q < 4; q++) /* 32 bytes of k */
#pragma unroll
            for (int i = 0; i < MBLOCKS; i++)
#if W_IS_KN
                PACKAGE_device::DTYPE_wgmma_kn_WIDE(acc[i], a + i * 512 + q * 2, b + q * W_SPAN, 1);
#else
                PACKAGE_device::DTYPE_wgmma_WIDE(acc[i], a + i * 512 + q * 2, b + q * 2, 1);
#endif
        PACKAGE_device::wgmma_commit();
        PACKAGE_device::wgmma_wait<1>();
        if (step > 0 && arrives)
            PACKAGE_device::mbarrier_arrive(r.empty + before);
        before = p.stage;
        KERNEL_next(p);
    }
#if TURNS
    if (other)
        KERNEL_give_turn(other);
#endif
    PACKAGE_device::wgmma_wait<0>();
    if (steps > 0 && arrives)
        PACKAGE_device::mbarrier_arrive(r.empty + before);
}
