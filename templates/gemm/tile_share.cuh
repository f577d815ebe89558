/* SPDX-License-Identifier: MIT-0 */
/* How the threads of a tile share out what they copy of X and W to a stage in shared memory, a block of k, BK values deep: all NT
 * threads of a block or, where it has PROBLEMS tiles, NT / PROBLEMS.
 *
 * X's part of the stage has rows along k or, where X_IS_KM, across it, along m; W's has rows along k (NK) or along n (KN).
 * KERNEL_at(r, k) tells where element k of row r lies in a part whose rows run along k, and KERNEL_column(s) which column
 * of Y row s of W is then for; KERNEL_at_km(k, m) and KERNEL_at_kn(k, n) where an element of a row across k lies in the
 * stage. Rows that are a multiple of 8 apart are swizzled alike.
 *
 * How the threads share out a part, WIDTH elements at a time, is said by KERNEL_along_k or KERNEL_across_k:
 *   parts              copies of a thread
 *   first()            the first m or n of the thread, counted from the tile's
 *   begin(p, ld, i, k) where the thread's first element of a block of k is in a matrix at p: of the tile at row or column i
 *   next(ld)           from there to the same of the next block of k
 *   each(...)          calls part(...) for each copy, as KERNEL_parts does */
#if SM_ARCH >= 80 && WIDTH < QUAD
static constexpr int KERNEL_unroll = 1; /* many short copies would keep many addresses in registers */
#else
static constexpr int KERNEL_unroll = 64; /* parts may be in registers */
#endif

#if !X_IS_KM || !W_IS_KN
/* `count` rows along k that begin `start` in the stage, `down` at a time: row s is m or n number row(s). down is a power of
 * two unless row(s) is s, so that row() of the sum of a row and a multiple of down is the sum of theirs. */
template <int count, int start, int (*row)(int)> struct KERNEL_along_k {
    static constexpr int across = BK / WIDTH, down = NT / PROBLEMS / across, parts = (count + down - 1) / down;
    static __device__ __forceinline__ int r() { return KERNEL_thread() / across; }
    static __device__ __forceinline__ int k() { return KERNEL_thread() % across * WIDTH; }
    static __device__ __forceinline__ int first() { return row(r()); }
    static __device__ __forceinline__ int at(int i)
    {
        return start + (down % 8 == 0 ? KERNEL_at(r(), k()) + i * down * BK : KERNEL_at(r() + i * down, k()));
    }
    template <class Elem> static __device__ __forceinline__ const Elem *begin(const Elem *p, unsigned ld, int i, int k0)
    {
        return p + (uint64_t)ld * i + (uint64_t)ld * first() + k0 + k();
    }
    static __device__ __forceinline__ unsigned next(unsigned) { return BK; }
    template <bool whole, class Elem, class Part>
    static __device__ __forceinline__ void
    each(int number, const Elem *from, unsigned ld, int nrow, int nk, Part part)
    {
        constexpr int unroll = KERNEL_unroll;
        const bool here = whole || k() < nk;
#pragma unroll unroll
        for (int i = 0; i < parts; i++)
            if (count % down == 0 || r() + i * down < count)
                part(number + i, at(i), from + (uint64_t)ld * row(i * down), row(i * down) < nrow && here, nk - k());
    }
};
#endif

#if X_IS_KM || W_IS_KN
/* BK rows of `count` elements that lie `place` in the stage, `pitch` from a row to the next. */
template <int count, int pitch, int (*place)(int, int)> struct KERNEL_across_k {
    static constexpr int wide = count % 3 == 0 && NT / PROBLEMS % 3 != 0 ? count / 3 * 4 : count; /* what threads can share out */
    static constexpr int threads = NT / PROBLEMS, along = wide / WIDTH < threads ? wide / WIDTH : threads;
    static constexpr int rows = threads / along, step = along * WIDTH;
    static constexpr int down = (BK + rows - 1) / rows, parts = down * (wide / step);
    static __device__ __forceinline__ int k() { return KERNEL_thread() / along; }
    static __device__ __forceinline__ int first() { return KERNEL_thread() % along * WIDTH; }
    static __device__ __forceinline__ int at(int i, int j)
    {
        return rows % 8 == 0 ? place(k(), first() + j * step) + i * rows * pitch
                             : place(k() + i * rows, first() + j * step);
    }
    template <class Elem> static __device__ __forceinline__ const Elem *begin(const Elem *p, unsigned ld, int i, int k0)
    {
        return p + (uint64_t)ld * k0 + (uint64_t)ld * k() + i + first();
    }
    static __device__ __forceinline__ uint64_t next(unsigned ld) { return (uint64_t)ld * BK; }
    template <bool whole, class Elem, class Part>
    static __device__ __forceinline__ void
    each(int number, const Elem *from, unsigned ld, int left, int nk, Part part)
    {
        constexpr int unroll = KERNEL_unroll;
#pragma unroll unroll
        for (int i = 0; i < down; i++)
#pragma unroll
            for (int j = 0; j < wide / step; j++)
                if ((BK % rows == 0 || k() + i * rows < BK) && (wide == count || first() + j * step < count))
                    part(number + i * (wide / step) + j, at(i, j), from + (uint64_t)ld * (i * rows) + j * step,
                         j * step < left && (whole || k() + i * rows < nk), left - j * step);
    }
};
#endif

#if X_IS_KM
typedef KERNEL_across_k<BM, X_PITCH, KERNEL_at_km> KERNEL_share_x;
#else
/* Row s of X is the row s of the tile. */
static __device__ __forceinline__ int KERNEL_row(int s)
{
    return s;
}
typedef KERNEL_along_k<BM, 0, KERNEL_row> KERNEL_share_x;
#endif
#if NSUM > 1
/* The first half of W's part is of W, the second one of G. */
#if !W_IS_KN
typedef KERNEL_along_k<BN / NSUM, X_PART, KERNEL_column> KERNEL_share_w;
typedef KERNEL_along_k<BN / NSUM, X_PART + BN / NSUM * BK, KERNEL_column> KERNEL_share_g;
#else
static __device__ __forceinline__ int KERNEL_at_second(int k, int n)
{
    return KERNEL_at_kn(k, n + BN / NSUM);
}
typedef KERNEL_across_k<BN / NSUM, W_PITCH, KERNEL_at_kn> KERNEL_share_w;
typedef KERNEL_across_k<BN / NSUM, W_PITCH, KERNEL_at_second> KERNEL_share_g;
#endif
static constexpr int KERNEL_nparts = KERNEL_share_x::parts + KERNEL_share_w::parts + KERNEL_share_g::parts; /* copies of a thread, of all */
#else
#if !W_IS_KN
typedef KERNEL_along_k<BN, X_PART, KERNEL_column> KERNEL_share_w;
#else
typedef KERNEL_across_k<BN, W_PITCH, KERNEL_at_kn> KERNEL_share_w;
#endif
static constexpr int KERNEL_nparts = KERNEL_share_x::parts + KERNEL_share_w::parts; /* copies of a thread, of both */
#endif

struct KERNEL_slice { /* of the sum: k0 .. k1-1 */
    int k0, k1;
};

/* The block's part of a sum over K values of k: slice blockIdx.z, a whole number of blocks of k unless it is the last. */
static __device__ __forceinline__ KERNEL_slice KERNEL_slice_of(int K)
{
#if SPLITK > 1
    const int slice = (K / BK + (K % BK != 0) + (int)gridDim.z - 1) / (int)gridDim.z; /* blocks of k */
    return { (int)blockIdx.z * slice * BK, blockIdx.z + 1 == gridDim.z ? K : ((int)blockIdx.z + 1) * slice * BK };
#else
    return { 0, K };
#endif
}
