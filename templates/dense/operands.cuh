/* SPDX-License-Identifier: MIT-0 */
/* What a block of dense works on: the only matrices of the call.
 *
 *   X[m][k]   at x + m*ldx + k,   ldx = K
 *   W[n][k]   at w + n*ldw + k (NK),   W[k][n] at w + k*ldw + n (KN),   ldw = W_stride[0]
 *   Y[m][n]   at y + m*ldy + n,   ldy = N */
struct KERNEL_operands {
    const NAME_elem *x, *w;
    NAME_elem *y;
    unsigned ldx, ldw, ldy; /* elements from one row to the next */
};

/* Rows and columns of a matrix of Y, and the values of k behind each of its elements. */
static __device__ __forceinline__ int KERNEL_nrow(const NAME_args &a)
{
    return a.M;
}

static __device__ __forceinline__ int KERNEL_ncol(const NAME_args &a)
{
    return a.N;
}

static __device__ __forceinline__ int KERNEL_nk(const NAME_args &a)
{
    return a.K;
}

/* K: the call's, or a constant that is as large. */
static __device__ __forceinline__ KERNEL_operands KERNEL_of(const NAME_args &a, int K)
{
    return { a.X, a.W, a.Y, (unsigned)K, (unsigned)a.W_stride[0], (unsigned)a.N };
}

#if HAS_EPILOGUE
static __device__ __forceinline__ float KERNEL_epilogue(const NAME_args &a, float sum, int m, int n)
{
    return NAME_epilogue(a, sum, m, n);
}
#endif

/* The thread's number among those of its tile. */
static __device__ __forceinline__ unsigned KERNEL_thread()
{
    return threadIdx.x;
}

/* Which tile of its matrix the block computes. */
static __device__ __forceinline__ unsigned KERNEL_tile_number(const NAME_args &)
{
    return blockIdx.x;
}
