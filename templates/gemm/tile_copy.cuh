/* SPDX-License-Identifier: MIT-0 */
/* Copies of a block of k from X and W to a stage in shared memory: each thread knows where it is in both, and goes on from there. */
struct KERNEL_source { /* what a thread copies of the next block of k */
    const LEFT_TYPE *x;  /* its first elements of X */
    const RIGHT_TYPE *w; /* and of W */
    unsigned ldx, ldw;
#if NSUM > 1
    const RIGHT_TYPE *g; /* the second sum's weight: the same of it as of W */
    unsigned ldg;
#endif
    int nrow, ncol; /* rows of X and columns of W from these on */
    int nk;         /* values of k from the block's first on */
};

/* The thread's part of the tile at row m0 and column n0, and of the slice blockIdx.z of k, of operands with this N and K. */
static __device__ __forceinline__ KERNEL_source KERNEL_begin(const NAME_args &a, int N, int K, int m0, int n0)
{
    typedef KERNEL_share_x share_x;
    typedef KERNEL_share_w share_w;
    const KERNEL_slice slice = KERNEL_slice_of(K);
    const KERNEL_operands o = KERNEL_of(a, K);
    KERNEL_source s;
    s.ldx = o.ldx;
    s.ldw = o.ldw;
    s.x = share_x::begin(o.x, o.ldx, m0, slice.k0);
    s.nrow = KERNEL_nrow(a) - m0 - share_x::first();
    s.w = share_w::begin(o.w, o.ldw, n0, slice.k0);
    s.ncol = N - n0 - share_w::first();
#if NSUM > 1
    s.ldg = o.ldg;
    s.g = KERNEL_share_g::begin(o.g, o.ldg, n0, slice.k0);
#endif
    s.nk = slice.k1 - slice.k0;
    return s;
}

/* Calls part(i, at, from, exists, left) for each WIDTH elements that this thread copies of the next block of k: the i-th
 * of its parts, its place in the stage, where it comes from, and whether there is any such: else it is 0. left: elements
 * from there to the end of the row, if it exists. whole: no block of k is cut short, as K is fixed. Then src is at the
 * block behind it, but for nk. */
template <bool whole, class Part>
static __device__ __forceinline__ void KERNEL_parts(KERNEL_source &src, Part part)
{
    typedef KERNEL_share_x share_x;
    typedef KERNEL_share_w share_w;
    share_x::template each<whole>(0, src.x, src.ldx, src.nrow, src.nk, part);
    src.x += share_x::next(src.ldx);
    share_w::template each<whole>(share_x::parts, src.w, src.ldw, src.ncol, src.nk, part);
    src.w += share_w::next(src.ldw);
#if NSUM > 1
    typedef KERNEL_share_g share_g;
    share_g::template each<whole>(share_x::parts + share_w::parts, src.g, src.ldg, src.ncol, src.nk, part);
    src.g += share_g::next(src.ldg);
#endif
}
