/* SPDX-License-Identifier: MIT-0 */
/* Copies of a block of k, BK values deep, from X and W to a stage in shared memory, NT threads sharing the work.
 *
 * KERNEL_at(r, k) tells where element k of row r lies in a tile whose rows run along k, and, of W, KERNEL_column(s) which
 * column of Y row s belongs to (NK), or KERNEL_at_kn(k, n) where column n of row k lies in the stage (KN). Rows that are
 * a multiple of 8 apart are swizzled alike. */

/* How the threads share out the copies, `width` elements each. Along k they copy `down` rows at a time: a power of two
 * unless KERNEL_column(s) is s, so that KERNEL_column of the sum of a row and a multiple of `down` is the sum of theirs. */
template <int width> struct KERNEL_share {
    static constexpr int across = BK / width, down = NT / across, nx = (BM + down - 1) / down;
    static __device__ __forceinline__ int row() { return threadIdx.x / across; }
    static __device__ __forceinline__ int k() { return threadIdx.x % across * width; }
    static __device__ __forceinline__ int at(int i) /* where the thread's i-th part lies, of X or of NK's W */
    {
        return down % 8 == 0 ? KERNEL_at(row(), k()) + i * down * BK : KERNEL_at(row() + i * down, k());
    }
#if LAYOUT_W_NK
    static constexpr int parts = nx + (BN + down - 1) / down; /* of a thread */
#else
    static constexpr int along = WIDE / width < NT ? WIDE / width : NT, rows = NT / along, step = along * width;
    static constexpr int parts = nx + (BK + rows - 1) / rows * (WIDE / step); /* of a thread */
    static __device__ __forceinline__ int k_of_w() { return threadIdx.x / along; }
    static __device__ __forceinline__ int column() { return threadIdx.x % along * width; }
    static __device__ __forceinline__ int at_w(int i, int j) /* of KN's W, its part that is i down and j along */
    {
        return rows % 8 == 0 ? KERNEL_at_kn(k_of_w(), column() + j * step) + i * rows * W_PITCH
                             : KERNEL_at_kn(k_of_w() + i * rows, column() + j * step);
    }
#endif
};

struct KERNEL_source { /* what a thread copies of the next block of k */
    const NAME_elem *x, *w; /* its first elements of X and of W */
    unsigned ldx, ldw;
    int nrow, ncol; /* rows of X and columns of W from these on */
    int nk;         /* values of k from the block's first on */
};

/* The thread's part of the tile at row m0 and column n0, and of the slice blockIdx.z of k, of operands with this N
 * and K. */
template <int width>
static __device__ __forceinline__ KERNEL_source KERNEL_begin(const NAME_args &a, int N, int K, int m0, int n0)
{
    typedef KERNEL_share<width> share;
#if SPLITK > 1
    const int slice = (K / BK + (K % BK != 0) + (int)gridDim.z - 1) / (int)gridDim.z; /* blocks of k */
    const int k0 = blockIdx.z * slice * BK, k1 = blockIdx.z + 1 == gridDim.z ? K : k0 + slice * BK;
#else
    const int k0 = 0, k1 = K;
#endif
    const KERNEL_operands o = KERNEL_of(a, K);
    KERNEL_source s;
    s.ldx = o.ldx;
    s.ldw = o.ldw;
    s.x = o.x + (uint64_t)s.ldx * m0 + (uint64_t)s.ldx * share::row() + k0 + share::k();
    s.nrow = a.M - m0 - share::row();
#if LAYOUT_W_NK
    const int column = KERNEL_column(share::row());
    s.w = o.w + (uint64_t)s.ldw * n0 + (uint64_t)s.ldw * column + k0 + share::k();
#else
    const int column = share::column();
    s.w = o.w + (uint64_t)s.ldw * k0 + (uint64_t)s.ldw * share::k_of_w() + n0 + column;
#endif
    s.ncol = N - n0 - column;
    s.nk = k1 - k0;
    return s;
}

/* Calls part(i, at, from, exists, left) for each `width` elements that this thread copies of the next block of k: the i-th
 * of its parts, its place in the stage, where it comes from, and whether there is any such: else it is 0. left: elements
 * from there to the end of the row, if it exists. whole: no block of k is cut short, as K is fixed. Then src is at the
 * block behind it, but for nk. */
template <int width, bool whole = width == QUAD && WHOLE, class Part>
static __device__ __forceinline__ void KERNEL_parts(KERNEL_source &src, Part part)
{
    typedef KERNEL_share<width> share;
#if SM_ARCH >= 80 /* many short copies would keep many addresses in registers */
    constexpr int unroll = width == QUAD ? 64 : 1;
#else
    constexpr int unroll = 64; /* parts are in registers */
#endif
    constexpr int down = share::down, nx = share::nx;
    const bool here = whole || share::k() < src.nk;
#pragma unroll unroll
    for (int i = 0; i < nx; i++)
        if (BM % down == 0 || share::row() + i * down < BM)
            part(i, share::at(i), src.x + (uint64_t)src.ldx * (i * down), i * down < src.nrow && here,
                 src.nk - share::k());
    src.x += BK;
#if LAYOUT_W_NK
#pragma unroll unroll
    for (int i = 0; i < (BN + down - 1) / down; i++)
        if (BN % down == 0 || share::row() + i * down < BN)
            part(nx + i, BM * BK + share::at(i), src.w + (uint64_t)src.ldw * KERNEL_column(i * down),
                 KERNEL_column(i * down) < src.ncol && here, src.nk - share::k());
    src.w += BK;
#else
    constexpr int rows = share::rows, step = share::step;
    const int r = share::k_of_w(), n = share::column();
#pragma unroll unroll
    for (int i = 0; i < (BK + rows - 1) / rows; i++)
#pragma unroll
        for (int j = 0; j < WIDE / step; j++)
            if ((BK % rows == 0 || r + i * rows < BK) && (WIDE == BN || n + j * step < BN))
                part(nx + i * (WIDE / step) + j, share::at_w(i, j),
                     src.w + (uint64_t)src.ldw * (i * rows) + j * step,
                     j * step < src.ncol && (whole || r + i * rows < src.nk), src.ncol - j * step);
    src.w += (uint64_t)src.ldw * BK;
#endif
}
