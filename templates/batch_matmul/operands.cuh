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

/* Tiles of each batch. */
static __device__ __forceinline__ unsigned KERNEL_tiles(const NAME_args &a)
{
    return ((unsigned)(a.M - 1) / BM + 1) * ((unsigned)(a.N - 1) / BN + 1);
}

#if PROBLEMS > 1
/* The thread's number among those of its tile. */
static __device__ __forceinline__ unsigned KERNEL_thread()
{
    return threadIdx.x % (NT / PROBLEMS);
}

/* The number of the thread's tile among those of all batches. */
static __device__ __forceinline__ unsigned KERNEL_number()
{
    return blockIdx.x * PROBLEMS + threadIdx.x / (NT / PROBLEMS);
}

/* Has the last block fewer tiles, and this not? */
static __device__ __forceinline__ bool KERNEL_is_beyond(const NAME_args &a)
{
    return KERNEL_number() / KERNEL_tiles(a) >= (unsigned)a.B0 * a.B1;
}
#else
static __device__ __forceinline__ unsigned KERNEL_thread()
{
    return threadIdx.x;
}

static __device__ __forceinline__ unsigned KERNEL_number()
{
    return blockIdx.x;
}
#endif

static __device__ __forceinline__ unsigned KERNEL_batch(const NAME_args &a)
{
#if PROBLEMS > 1
    return min(KERNEL_number() / KERNEL_tiles(a), (unsigned)a.B0 * a.B1 - 1);
#else
    return KERNEL_number() / KERNEL_tiles(a);
#endif
}

#if HAS_EPILOGUE
static __device__ __forceinline__ float KERNEL_epilogue(const NAME_args &a, float sum, int m, int n)
{
    const unsigned batch = KERNEL_batch(a);
    return NAME_epilogue(a, sum, batch / a.B1, batch % a.B1, m, n);
}
#endif

static __device__ __forceinline__ KERNEL_operands KERNEL_of(const NAME_args &a, int)
{
    const unsigned batch = KERNEL_batch(a);
    const unsigned b0 = batch / a.B1, b1 = batch % a.B1;
    return { a.A + (b0 * a.A_stride[0] + b1 * a.A_stride[1]),
             a.B + (b0 * a.B_stride[0] + b1 * a.B_stride[1]),
#if HAS_EPILOGUE /* as a number: of arguments of more than 128 bytes nvcc keeps a pointer's parts in registers, until some spill */
             (NAME_elem *)((uintptr_t)a.Y + (b0 * a.Y_stride[0] + b1 * a.Y_stride[1]) * ELEM_BYTES),
#else
             a.Y + (b0 * a.Y_stride[0] + b1 * a.Y_stride[1]),
#endif
             (unsigned)a.A_stride[2],
             (unsigned)a.B_stride[2],
             (unsigned)a.Y_stride[2] };
}

/* Which tile of its matrix the thread works on. */
static __device__ __forceinline__ unsigned KERNEL_tile_number(const NAME_args &a)
{
    return KERNEL_number() % KERNEL_tiles(a);
}
