/* SPDX-License-Identifier: MIT-0 */
/* How elements lie in a stage, and in the fragments that a lane holds of them for an mma. All that depends on their type is here.
 *
 * A fragment of X is 16 rows by 32 bytes of k, one of W 8 columns. Four matrices of 8 rows of 16 bytes are read at once: of X in the order
 * rows 0..7 and 8..15 of the first 16 bytes of k, then of the next; of W (k_first) first and next 16 bytes of columns 0..7, then of 8..15.
 * Chunks of 16 bytes (QUAD elements) are swizzled. A further chunk changes bits of a lane's place that are clear in its row's start and that
 * the swizzle turned: hence the exclusive or. load(r, stages, at, offset, s, b) reads the four matrices of step s and of the 16 rows or columns
 * number b from the warp's first on, in the stage at `offset`; at: the lane's place (KERNEL_find). */
#if !X_IS_KM || !W_IS_KN
/* Where element k of row r lies in a tile whose rows run along k. */
static __device__ __forceinline__ int KERNEL_at(int r, int k)
{
    return r * BK + (k / QUAD ^ r / X_ROWS % X_MASK) * QUAD + k % QUAD;
}

struct KERNEL_rows_along {
    static __device__ __forceinline__ void load(unsigned (&r)[4], const LEFT_TYPE *stages, int at, int offset, int s, int b)
    {
        PACKAGE_device::ldmatrix_x4(r, stages + ((at + offset) ^ 2 * s * QUAD) + 16 * b * BK);
    }
};
#endif

#if X_IS_KM || W_IS_KN
/* Rows of `count` elements along m or n, `pitch` from one to the next. at(k, i): where element i of row k lies. */
template <int count, int pitch, bool k_first> struct KERNEL_rows_across {
#if WORDS /* no ldmatrix transposes them: they are read one by one, from rows with 8 more, which no swizzle turns */
    static __device__ __forceinline__ int at(int k, int i)
    {
        return k * pitch + i;
    }
    static __device__ __forceinline__ void load(unsigned (&r)[4], const LEFT_TYPE *stages, int at, int offset, int s, int b)
    {
        const unsigned *from = (const unsigned *)stages + at + offset + 8 * s * pitch;
        constexpr int next = k_first ? 4 * pitch : 8, then = k_first ? 8 : 4 * pitch;
        r[0] = from[16 * b], r[1] = from[16 * b + next], r[2] = from[16 * b + then], r[3] = from[16 * b + then + next];
    }
#else
    static constexpr int mask = count % 64 == 0 ? 8 : count % 32 == 0 ? 4 : 2; /* chunks swizzled among each other, which divide a row */
    static __device__ __forceinline__ int at(int k, int i)
    {
        return k * pitch + (i / QUAD ^ k / (8 / mask) % mask) * QUAD + i % QUAD;
    }
    static __device__ __forceinline__ void load(unsigned (&r)[4], const LEFT_TYPE *stages, int at, int offset, int s, int b)
    {
        PACKAGE_device::ldmatrix_x4_trans(r, stages + ((at + offset) ^ 2 * b % mask * QUAD) + 2 * b / mask * mask * QUAD + 16 * s * pitch);
    }
#endif
};
#endif

#if X_IS_KM
typedef KERNEL_rows_across<BM, X_PITCH, false> KERNEL_rows_x;
/* Where row m of row k lies in a stage. */
static __device__ __forceinline__ int KERNEL_at_km(int k, int m)
{
    return KERNEL_rows_x::at(k, m);
}
#else
typedef KERNEL_rows_along KERNEL_rows_x;
#endif

#if W_IS_KN
typedef KERNEL_rows_across<BN, W_PITCH, true> KERNEL_rows_w;
/* Where column n of row k lies in a stage. */
static __device__ __forceinline__ int KERNEL_at_kn(int k, int n)
{
    return X_PART + KERNEL_rows_w::at(k, n);
}
#else
typedef KERNEL_rows_along KERNEL_rows_w;
/* The column of Y whose row of W is in row s of the tile. */
static __device__ __forceinline__ int KERNEL_column(int s)
{
    return s;
}
#endif

struct KERNEL_fragments { /* operands of a warp for a step: X 16 x 32 bytes, W 32 bytes x 8 columns each */
    unsigned x[MTILES][4], w[NTILES][2];
};

struct KERNEL_place { /* of a lane in a stage, for step 0 */
    int x, w;
};

/* The first row of the warp's part that the lane gives ldmatrix the address of, or its first word. */
static __device__ __forceinline__ KERNEL_place KERNEL_find()
{
    const int lane = KERNEL_thread() % 32, warp = KERNEL_thread() / 32, wy = warp % (BM / WM), wx = warp / (BM / WM);
    KERNEL_place p;
#if !X_IS_KM
    p.x = KERNEL_at(wy * WM + lane % 16, lane / 16 * QUAD);
#elif WORDS
    p.x = KERNEL_at_km(lane % 4, wy * WM + lane / 4);
#else
    p.x = KERNEL_at_km(lane % 8 + lane / 16 * 8, wy * WM + lane / 8 % 2 * QUAD);
#endif
#if !W_IS_KN
    p.w = X_PART + KERNEL_at(wx * WN + lane % 8 + lane / 16 * 8, lane / 8 % 2 * QUAD);
#elif WORDS
    p.w = KERNEL_at_kn(lane % 4, wx * WN + lane / 4);
#else
    p.w = KERNEL_at_kn(lane % 16, wx * WN + lane / 16 * QUAD);
#endif
    return p;
}

/* Loads the fragments of step s of the stage at `offset`. */
static __device__ __forceinline__ void
KERNEL_load(KERNEL_fragments &f, const LEFT_TYPE *stages, const KERNEL_place &p, int offset, int s)
{
#pragma unroll
    for (int i = 0; i < MTILES; i++)
        KERNEL_rows_x::load(f.x[i], stages, p.x, offset, s, i);
#pragma unroll
    for (int j = 0; j < NTILES; j += 2) {
        unsigned r[4];
        KERNEL_rows_w::load(r, stages, p.w, offset, s, j / 2);
        f.w[j][0] = r[0], f.w[j][1] = r[1], f.w[j + 1][0] = r[2], f.w[j + 1][1] = r[3];
    }
}

static __device__ __forceinline__ void KERNEL_multiply(float (&acc)[MTILES][NTILES][4], const KERNEL_fragments &f)
{
#pragma unroll
    for (int j = 0; j < NTILES; j++)
#pragma unroll
        for (int i = 0; i < MTILES; i++)
            PACKAGE_device::DTYPE_mma(acc[i][j], f.x[i], f.w[j]);
}
