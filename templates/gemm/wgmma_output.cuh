/* SPDX-License-Identifier: MIT-0 */
/* Where a tile's elements of Y lie, which of them exist, and their formula. */
struct KERNEL_output { /* the tile's part of Y */
    RESULT_TYPE *y;
    unsigned ld;
    int m0, n0, nrow, ncol; /* where it begins, and its rows and columns up to Y's last ones */
    bool wide;              /* 8 bytes may be stored at once */
#if !ONE_MATRIX
    unsigned matrix;
#endif
};

static __device__ __forceinline__ KERNEL_output KERNEL_find_output(const NAME_args &a, const KERNEL_item &i)
{
#if ONE_MATRIX
    const KERNEL_operands of = KERNEL_of(a, KERNEL_nk(a));
#else
    const KERNEL_operands of = KERNEL_of_matrix(a, i.matrix);
#endif
    KERNEL_output o;
    o.y = of.y + (int64_t)i.m0 * of.ldy + i.n0;
    o.ld = of.ldy;
    o.m0 = i.m0, o.n0 = i.n0, o.nrow = KERNEL_nrow(a) - i.m0, o.ncol = KERNEL_ncol(a) - i.n0;
    o.wide = (uintptr_t)of.y % 8 == 0 && (KERNEL_ncol(a) | of.ldy) % (8 / ELEM_BYTES) == 0;
#if !ONE_MATRIX
    o.matrix = i.matrix;
#endif
    return o;
}

static __device__ __forceinline__ bool KERNEL_has_row(const KERNEL_output &o, int m)
{
    return m < o.nrow;
}

static __device__ __forceinline__ RESULT_TYPE *KERNEL_row(const KERNEL_output &o, int m)
{
    return o.y + (int64_t)m * o.ld;
}

/* The formula of an element of the tile, if there is such a one; else that of the last row or column once more: loads need no conditions. */
static __device__ __forceinline__ float KERNEL_value(const NAME_args &a, const KERNEL_output &o, float sum, int m, int n)
{
#if OUTPUT_READ
    if (m >= o.nrow || n >= o.ncol)
        return sum; /* the last one is another thread's, which may have written it */
#endif
#if HAS_EPILOGUE && !ONE_MATRIX
    return KERNEL_epilogue_of_matrix(a, sum, o.matrix, o.m0 + min(m, o.nrow - 1), o.n0 + min(n, o.ncol - 1));
#else
    return KERNEL_epilogue(a, sum, o.m0 + min(m, o.nrow - 1), o.n0 + min(n, o.ncol - 1));
#endif
}
