/* SPDX-License-Identifier: MIT-0 */
/* The sums of a thread of simt_gemm, over all stages of its slice of k. */
#if SM_ARCH >= 80
/* acc = the product over the slice's k. Stages are copied asynchronously, STAGES-1 ahead of the one in use. */
static __device__ __forceinline__ void
KERNEL_sum(float (&acc)[TM * TN], float *stages, KERNEL_source src, const KERNEL_place &p)
{
#pragma unroll 1
    for (int i = 0; i < STAGES - 1; i++)
        KERNEL_copy_next(stages + i * TILE, src);
    int use = 0, fill = (STAGES - 1) * TILE;
#pragma unroll 1
    while (src.nk > -(STAGES - 1) * BK) {
        PACKAGE_device::cp_wait<STAGES - 2>();
        __syncthreads(); /* stage `use` is there, and nobody reads stage `fill` any more */
        KERNEL_copy_next(stages + fill, src);
        KERNEL_multiply(acc, (const char *)stages, 4 * (use + p.x), 4 * (use + p.w));
        fill = use;
        use = use == (STAGES - 1) * TILE ? 0 : use + TILE;
    }
}
#else
/* The same through registers, without asynchronous copies: while one stage is in use, the next one's values arrive. */
static __device__ __forceinline__ void
KERNEL_sum(float (&acc)[TM * TN], float *stages, KERNEL_source src, const KERNEL_place &p)
{
    float held[KERNEL_nparts * WIDTH];
    const auto fetch = [&]() {
        KERNEL_parts<WHOLE>(src, [&](int i, int, const float *from, bool exists, int) {
#if ALIGNED
            const float4 q = exists ? *(const float4 *)from : make_float4(0, 0, 0, 0);
            held[4 * i] = q.x, held[4 * i + 1] = q.y, held[4 * i + 2] = q.z, held[4 * i + 3] = q.w;
#else
            held[i] = exists ? *from : 0;
#endif
        });
        src.nk -= BK;
    };
    const auto put = [&](float *stage) {
        KERNEL_source any = src;
        KERNEL_parts<WHOLE>(any, [&](int i, int at, const float *, bool, int) {
#if ALIGNED
            *(float4 *)(stage + at) = make_float4(held[4 * i], held[4 * i + 1], held[4 * i + 2], held[4 * i + 3]);
#else
            stage[at] = held[i];
#endif
        });
    };
    int left = src.nk;
    if (left > 0) {
        fetch();
        put(stages);
    }
    int use = 0;
#pragma unroll 1
    for (; left > 0; left -= BK) {
        __syncthreads(); /* stage `use` is there, and nobody reads the other any more */
        if (left > BK)
            fetch();
        KERNEL_multiply(acc, (const char *)stages, 4 * (use + p.x), 4 * (use + p.w));
        use ^= TILE;
        if (left > BK)
            put(stages + use);
    }
}
#endif
