/* SPDX-License-Identifier: MIT-0 */
/* The matrices of a call of gated_dense, which has one of each:
 *
 *   X[m][k]   at x + m*ldx + k,   ldx = K
 *   W[n][k]   at w + n*ldw + k (NK),   W[k][n] at w + k*ldw + n (KN),   ldw = W_stride[0]
 *   G         likewise at g, ldg; packed: behind all rows of W
 *   Y[m][n]   at y + m*ldy + n,   ldy = N */
static __device__ __forceinline__ int KERNEL_nrow(const NAME_args &a) { return a.M; }
static __device__ __forceinline__ int KERNEL_ncol(const NAME_args &a) { return a.N; }
static __device__ __forceinline__ int KERNEL_nk(const NAME_args &a) { return a.K; }

static __device__ __forceinline__ KERNEL_operands KERNEL_of(const NAME_args &a, int K)
{
#if PACKED
    const unsigned ldg = (unsigned)a.W_stride[0];
    const RIGHT_TYPE *g = a.W + (W_IS_KN ? a.K : a.N) * a.W_stride[0];
#else
    const unsigned ldg = (unsigned)a.G_stride[0];
    const RIGHT_TYPE *g = a.G;
#endif
    return { a.X, a.W, a.Y, (unsigned)STRIDED(X, a.X_stride[0], K), (unsigned)a.W_stride[0], (unsigned)STRIDED(Y, a.Y_stride[0], a.N), g, ldg };
}

#if Y_STRIDED
/* Elements from the first row of Y to row m. */
static __device__ __forceinline__ int64_t KERNEL_row_at(const NAME_args &a, int m) { return m * a.Y_stride[0]; }

#endif
static __device__ __forceinline__ float KERNEL_epilogue(const NAME_args &a, float acc, float gate, int m, int n)
{
    return NAME_epilogue(a, acc, gate, m, n);
}
