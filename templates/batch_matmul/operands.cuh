/* SPDX-License-Identifier: MIT-0 */
/* The matrices of a call of batch_matmul, those of each batch:
 *
 *   A[m][k]   at x + m*ldx + k (MK),   A[k][m] at x + k*ldx + m (KM),   ldx = A_stride[2]
 *   B[n][k]   at w + n*ldw + k (NK),   B[k][n] at w + k*ldw + n (KN),   ldw = B_stride[2]
 *   Y[m][n]   at y + m*ldy + n,   ldy = Y_stride[2] */
static __device__ __forceinline__ int KERNEL_nrow(const NAME_args &a) { return a.M; }
static __device__ __forceinline__ int KERNEL_ncol(const NAME_args &a) { return a.N; }
static __device__ __forceinline__ int KERNEL_nk(const NAME_args &a) { return a.K; }
static __device__ __forceinline__ unsigned KERNEL_nmatrix(const NAME_args &a) { return (unsigned)a.B0 * a.B1; }

/* Those of any matrix. */
static __device__ __forceinline__ KERNEL_operands KERNEL_of_matrix(const NAME_args &a, unsigned batch)
{
    const unsigned b0 = batch / a.B1, b1 = batch % a.B1;
    return { a.A + (b0 * a.A_stride[0] + b1 * a.A_stride[1]),
             a.B + (b0 * a.B_stride[0] + b1 * a.B_stride[1]),
#if HAS_EPILOGUE /* as a number: of arguments of more than 128 bytes nvcc keeps a pointer's parts in registers, until some spill */
             (RESULT_TYPE *)((uintptr_t)a.Y + (b0 * a.Y_stride[0] + b1 * a.Y_stride[1]) * ELEM_BYTES),
#else
             a.Y + (b0 * a.Y_stride[0] + b1 * a.Y_stride[1]),
#endif
             (unsigned)a.A_stride[2], (unsigned)a.B_stride[2], (unsigned)a.Y_stride[2] };
}

/* Those of the thread's tile. */
static __device__ __forceinline__ KERNEL_operands KERNEL_of(const NAME_args &a, int)
{
    return KERNEL_of_matrix(a, KERNEL_matrix(a));
}

#if HAS_EPILOGUE
static __device__ __forceinline__ float KERNEL_epilogue_of_matrix(const NAME_args &a, float sum, unsigned batch, int m, int n)
{
    return NAME_epilogue(a, sum, batch / a.B1, batch % a.B1, m, n);
}

static __device__ __forceinline__ float KERNEL_epilogue(const NAME_args &a, float sum, int m, int n)
{
    return KERNEL_epilogue_of_matrix(a, sum, KERNEL_matrix(a), m, n);
}
#endif
