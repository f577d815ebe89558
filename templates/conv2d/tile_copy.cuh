/* SPDX-License-Identifier: MIT-0 */
/* Copies of a block of k from X and F to a stage in shared memory.
 *
 * A row of X's part is a pixel of Y, and what is copied of it channels of a tap. Where the first tap of each pixel lies is computed once a
 * tile, and kept in shared memory behind the stages. Each thread knows which tap and channel its k is, the same for all its rows, and how far
 * that is from the first tap. So a copy asks whether the tap is in the image, and takes 0 where it is on padding. */
struct KERNEL_pixel { /* 16 bytes; of a pixel of Y */
    int64_t at; /* elements from x to channel 0 of its first tap, which may be outside of the image */
    int h, w;   /* the row and column of this tap; bits, as sums with them are unsigned */
};

static __device__ __forceinline__ int4 *KERNEL_pixels()
{
    return (int4 *)(PACKAGE_device::shared_memory() + SMEM - 16 * BM);
}

/* Finds the pixels of the tile at row m0, those beyond the last as if they were the last once more. */
static __device__ __forceinline__ void KERNEL_find_pixels(const NAME_args &a, int m0)
{
    for (int i = KERNEL_thread(); i < BM; i += NT) {
        const unsigned m = min(m0 + i, KERNEL_nrow(a) - 1), line = m / a.Q;
        const int64_t h = (int64_t)(line % a.P) * NAME_STRIDE_H(a) - NAME_PAD_T(a), w = (int64_t)(m % a.Q) * NAME_STRIDE_W(a) - NAME_PAD_L(a);
#if LAYOUT_X_NCHW
        const uint64_t at = KERNEL_place_in_x(a, line / a.P, h, w, 0);
#else
        const uint64_t at = STRIDED(X, line / a.P * a.X_stride[0] + h * a.X_stride[1] + w * a.X_stride[2], (((int64_t)(line / a.P) * a.H + h) * a.W + w) * a.IC);
#endif
        KERNEL_pixels()[i] = make_int4((int)(unsigned)at, (int)(at >> 32), (int)(unsigned)h, (int)(unsigned)w);
    }
}

static __device__ __forceinline__ KERNEL_pixel KERNEL_pixel_of(int row)
{
    const int4 q = KERNEL_pixels()[row];
    return { (int64_t)((uint64_t)(unsigned)q.y << 32 | (unsigned)q.x), q.z, q.w };
}

struct KERNEL_source { /* what a thread copies of the next block of k */
    const NAME_args *a;
    const LEFT_TYPE *x;  /* the group's first channel */
    const RIGHT_TYPE *w; /* the thread's first elements of F */
    unsigned ldw;
    int nrow, ncol;         /* rows of X and columns of F from the thread's first on */
    int nk;                 /* values of k from the block's first on */
    int r, s, c;            /* of the thread's first k */
    int dr, ds, dc;         /* from a block of k to the next, before carries */
};

/* The thread's part of the tile at row m0 and column n0, and of the slice blockIdx.z of k. */
static __device__ __forceinline__ KERNEL_source KERNEL_begin(const NAME_args &a, int N, int K, int m0, int n0)
{
    typedef KERNEL_share_x share_x;
    typedef KERNEL_share_w share_w;
    const KERNEL_slice slice = KERNEL_slice_of(K);
    const KERNEL_operands o = KERNEL_of(a, K);
    const int C = max(a.C, 1), k = slice.k0 + share_x::k(), tap = k / C, step = BK / C;
    KERNEL_find_pixels(a, m0);
    KERNEL_source s;
    s.a = &a;
    s.x = o.x;
    s.nrow = KERNEL_nrow(a) - m0 - share_x::first();
    s.ldw = o.ldw;
#if LAYOUT_F_KRSC && PACKED
    s.w = share_w::begin(o.w, o.ldw, n0, slice.k0) + (a.F_stride[2] - a.C) * tap;
#else
    s.w = share_w::begin(o.w, o.ldw, n0, slice.k0);
#endif
    s.ncol = N - n0 - share_w::first();
    s.nk = slice.k1 - slice.k0;
    s.r = tap / a.S, s.s = tap % a.S, s.c = k % C;
    s.dr = step / a.S, s.ds = step % a.S, s.dc = BK % C;
    __syncthreads(); /* the pixels are there */
    return s;
}

/* The thread's k becomes that of the next block, but for nk. skips: rows of C may be padded, in F. */
template <bool skips> static __device__ __forceinline__ void KERNEL_next(KERNEL_source &src)
{
    const int C = src.a->C, S = src.a->S;
    src.c += src.dc;
    const int carry = src.c >= C;
    src.c -= carry ? C : 0;
    src.s += src.ds + carry;
    src.r += src.dr;
    if (src.s >= S)
        src.s -= S, src.r++;
    src.w += KERNEL_share_w::next(src.ldw);
#if LAYOUT_F_KRSC && PACKED
    if (skips)
        src.w += (src.a->F_stride[2] - C) * (src.dr * S + src.ds + carry);
#endif
}

/* Calls part(i, at, from, exists, left) for each WIDTH elements that this thread copies of the next block of k: the i-th
 * of its parts, its place in the stage, where it comes from, and whether there is any such: else it is 0. left: elements
 * from there to the end of the row of F, if it exists. Then src is at the block behind it, but for nk. */
template <bool, class Part> static __device__ __forceinline__ void KERNEL_parts(KERNEL_source &src, Part part)
{
    typedef KERNEL_share_x share_x;
    typedef KERNEL_share_w share_w;
    constexpr int unroll = KERNEL_unroll;
    const NAME_args &a = *src.a;
    const unsigned h = (unsigned)src.r * NAME_DIL_H(a), w = (unsigned)src.s * NAME_DIL_W(a);
#if LAYOUT_X_NCHW
    const LEFT_TYPE *x = src.x + KERNEL_place_in_x(a, 0, h, w, src.c);
#else
    const LEFT_TYPE *x = src.x + (STRIDED(X, h * a.X_stride[1] + w * a.X_stride[2], ((uint64_t)h * a.W + w) * a.IC) + src.c);
#endif
    const bool here = share_x::k() < src.nk;
    constexpr int four = WIDTH == QUAD && share_x::parts % 4 == 0 ? 4 : 1; /* loads of pixels that wait for each other's latency */
#pragma unroll unroll
    for (int i = 0; i < share_x::parts; i += four) {
        KERNEL_pixel p[four];
#pragma unroll
        for (int j = 0; j < four; j++)
            p[j] = KERNEL_pixel_of(min(share_x::r() + (i + j) * share_x::down, BM - 1));
#pragma unroll
        for (int j = 0; j < four; j++) {
            /* without branches: all conditions are asked */
            const bool exists = ((i + j) * share_x::down < src.nrow) & here & (p[j].h + h < (unsigned)a.H) & (p[j].w + w < (unsigned)a.W);
            if (BM % share_x::down == 0 || share_x::r() + (i + j) * share_x::down < BM)
                part(i + j, share_x::at(i + j), x + p[j].at, exists, src.nk - share_x::k());
        }
    }
    share_w::template each<false>(share_x::parts, src.w, src.ldw, src.ncol, src.nk, part);
    KERNEL_next<WIDTH != QUAD>(src); /* whole chunks: C is a multiple of 16 bytes */
}
