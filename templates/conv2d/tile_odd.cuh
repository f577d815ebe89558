/* SPDX-License-Identifier: MIT-0 */
/* k + 1 */
static __device__ __forceinline__ void KERNEL_step(const NAME_args &a, int &r, int &s, int &c)
{
    if (++c == a.C) {
        c = 0;
        if (++s == a.S)
            s = 0, r++;
    }
}

/* QUAD elements to shared memory, from the first on. of(j) is the j-th. */
template <class Of> static __device__ __forceinline__ void KERNEL_put(LEFT_TYPE *to, Of of)
{
    unsigned word[4];
#pragma unroll
    for (int j = 0; j < QUAD; j += 2) {
        const unsigned low = of(j);
        word[j / 2] = low | (unsigned)of(j + 1) << 16;
    }
    *(uint4 *)to = make_uint4(word[0], word[1], word[2], word[3]);
}

/* Copies the thread's part of the next block of k, each element by itself: QUAD neighbours may be of several taps. */
static __device__ __forceinline__ void KERNEL_fill(LEFT_TYPE *stage, KERNEL_source &src)
{
    typedef KERNEL_share_x share_x;
    const NAME_args &a = *src.a;
    const int left = src.nk - share_x::k();
#pragma unroll 1
    for (int i = 0; i < share_x::parts; i++) {
        if (BM % share_x::down != 0 && share_x::r() + i * share_x::down >= BM)
            continue;
        const KERNEL_pixel p = KERNEL_pixel_of(share_x::r() + i * share_x::down);
        const bool row = i * share_x::down < src.nrow;
        int r = src.r, s = src.s, c = src.c;
        KERNEL_put(stage + share_x::at(i), [&](int j) {
            const unsigned h = (unsigned)r * NAME_DIL_H(a), w = (unsigned)s * NAME_DIL_W(a);
            const bool exists = row && j < left && p.h + h < (unsigned)a.H && p.w + w < (unsigned)a.W;
#if LAYOUT_X_NCHW
            const LEFT_TYPE v = exists ? src.x[p.at + (int64_t)KERNEL_place_in_x(a, 0, h, w, c)] : (LEFT_TYPE)0;
#else
            const LEFT_TYPE v = exists ? src.x[p.at + (int64_t)(STRIDED(X, h * a.X_stride[1] + w * a.X_stride[2], ((uint64_t)h * a.W + w) * a.IC) + c)] : (LEFT_TYPE)0;
#endif
            KERNEL_step(a, r, s, c);
            return v;
        });
    }
#if LAYOUT_F_KRSC
    typedef KERNEL_share_w share_w;
#pragma unroll 1
    for (int i = 0; i < share_w::parts; i++) {
        if (BN % share_w::down != 0 && share_w::r() + i * share_w::down >= BN)
            continue;
        const RIGHT_TYPE *from = src.w + (uint64_t)src.ldw * KERNEL_column(i * share_w::down);
        const bool column = KERNEL_column(i * share_w::down) < src.ncol;
        int r = src.r, s = src.s, c = src.c;
        KERNEL_put(stage + share_w::at(i), [&](int j) {
            const RIGHT_TYPE v = column && j < left ? from[j] : (RIGHT_TYPE)0;
            KERNEL_step(a, r, s, c);
#if PACKED
            from += c == 0 ? a.F_stride[2] - a.C : 0; /* the next tap */
#endif
            return v;
        });
    }
#else
    KERNEL_share_w::each<false>(0, src.w, src.ldw, src.ncol, src.nk, [&](int, int at, const auto *from, bool exists, int n) {
        KERNEL_put(stage + at, [&](int j) { return exists && j < n ? from[j] : (RIGHT_TYPE)0; });
    });
#endif
    KERNEL_next<true>(src);
    src.nk -= BK;
}

/* acc = the product over the slice's k, where taps begin at any element, which asynchronous copies cannot do. While one stage is multiplied, the next is filled. */
static __device__ __forceinline__ void
KERNEL_sum(float (&acc)[MTILES][NTILES][4], LEFT_TYPE *stages, KERNEL_source src)
{
    const KERNEL_place p = KERNEL_find();
    int left = src.nk, use = 0;
    if (left > 0)
        KERNEL_fill(stages, src);
#pragma unroll 1
    for (; left > 0; left -= BK) {
        __syncthreads(); /* stage `use` is there, and nobody reads the other any more */
        if (left > BK)
            KERNEL_fill(stages + (use ^ TILE), src);
#pragma unroll
        for (int s = 0; s < KSTEPS; s++) {
            KERNEL_fragments f;
            KERNEL_load(f, stages, p, use, s);
            KERNEL_multiply(acc, f);
        }
        use ^= TILE;
    }
}
