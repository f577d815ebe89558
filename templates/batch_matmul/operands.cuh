/* SPDX-License-Identifier: MIT-0 */
/* What a block of batch_matmul works on: the matrices of one batch. The tiles of a batch have neighbouring numbers.
 *
 *   A[m][k]   at x + m*ldx + k (MK),   A[k][m] at x + k*ldx + m (KM),   ldx = A_stride[2]
 *   B[n][k]   at w + n*ldw + k (NK),   B[k][n] at w + k*ldw + n (KN),   ldw = B_stride[2]
 *   Y[m][n]   at y + m*ldy + n,   ldy = Y_stride[2] */
struct KERNEL_operands {
    const NAME_elem *x, *w;
    NAME_elem *y;
    unsigned ldx, ldw, ldy; /* elements from one row to the next */
};

/* Tiles of each batch. */
static __device__ __forceinline__ unsigned KERNEL_tiles(const NAME_args &a)
{
    return ((unsigned)(a.M - 1) / BM + 1) * ((unsigned)(a.N - 1) / BN + 1);
}

static __device__ __forceinline__ KERNEL_operands KERNEL_of(const NAME_args &a, int)
{
    const unsigned batch = blockIdx.x / KERNEL_tiles(a), b0 = batch / a.B1, b1 = batch % a.B1;
    return { a.A + (b0 * a.A_stride[0] + b1 * a.A_stride[1]),
             a.B + (b0 * a.B_stride[0] + b1 * a.B_stride[1]),
             a.Y + (b0 * a.Y_stride[0] + b1 * a.Y_stride[1]),
             (unsigned)a.A_stride[2],
             (unsigned)a.B_stride[2],
             (unsigned)a.Y_stride[2] };
}

/* Which tile of its matrix the block computes. */
static __device__ __forceinline__ unsigned KERNEL_tile_number(const NAME_args &a)
{
    return blockIdx.x % KERNEL_tiles(a);
}

/* The addresses and lengths, in bytes, of all rows of A and B of this batch, or'ed: it is a multiple of 16 if they all
 * are, or of 4. */
static __device__ __forceinline__ unsigned KERNEL_unaligned(const NAME_args &a)
{
    const KERNEL_operands o = KERNEL_of(a, a.K);
    const unsigned along_k = LAYOUT_A_MK || LAYOUT_B_NK ? a.K : 0; /* else rows of both are as long as Y's */
    const unsigned elements = along_k | o.ldx | o.ldw | LAYOUT_A_KM * a.M | LAYOUT_B_KN * a.N;
    return (unsigned)((uintptr_t)o.x | (uintptr_t)o.w) | elements * ELEM_BYTES;
}

/* Matrices of the call. */
static int64_t KERNEL_batches(const NAME_args &a)
{
    return (int64_t)a.B0 * a.B1;
}
