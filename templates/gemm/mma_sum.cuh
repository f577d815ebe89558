/* SPDX-License-Identifier: MIT-0 */
/* acc = the product over the slice's k. Stages are copied STAGES-1 ahead of the one in use. A stage's last step is multiplied behind the barrier
 * for the next stage, when its first operands are on their way to registers: the tensor cores go on across the barrier. */
static __device__ __forceinline__ void
KERNEL_sum(float (&acc)[MTILES][NTILES][4], LEFT_TYPE *stages, KERNEL_source src)
{
    const KERNEL_place p = KERNEL_find();
#pragma unroll 1
    for (int i = 0; i < STAGES - 1; i++)
        KERNEL_copy_next(stages + i * TILE, src);
    bool more = src.nk > -(STAGES - 1) * BK; /* than what is in use */
    if (!more)
        return;
    KERNEL_fragments f[2];
    int use = 0, fill = (STAGES - 1) * TILE;
    PACKAGE_device::cp_wait<STAGES - 2>();
    __syncthreads(); /* the first stage is there */
    KERNEL_load(f[0], stages, p, use, 0);
#pragma unroll 1
    do {
        KERNEL_copy_next(stages + fill, src);
        more = src.nk > -(STAGES - 1) * BK;
#pragma unroll
        for (int s = 0; s + 1 < KSTEPS; s++) {
            KERNEL_load(f[(s + 1) % 2], stages, p, use, s + 1);
            KERNEL_multiply(acc, f[s % 2]);
        }
        fill = use;
        if (more) /* else the loads below are for nothing */
            use = use == (STAGES - 1) * TILE ? 0 : use + TILE;
        PACKAGE_device::cp_wait<STAGES - 2>();
        __syncthreads(); /* the next stage is there, and nobody reads stage `fill` any more */
        KERNEL_load(f[0], stages, p, use, 0);
        KERNEL_multiply(acc, f[1]);
    } while (more);
}
