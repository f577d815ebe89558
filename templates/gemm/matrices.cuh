/* SPDX-License-Identifier: MIT-0 */
/* What a block works on: tiles of matrices Y = X * W. An operator's operands.cuh says where these are in a call. The tiles of a matrix have
 * neighbouring numbers. */
struct KERNEL_operands {
    const LEFT_TYPE *x;
    const RIGHT_TYPE *w;
    RESULT_TYPE *y;
    unsigned ldx, ldw, ldy; /* elements from one row to the next */
#if NSUM > 1
    const RIGHT_TYPE *g; /* the second sum's */
    unsigned ldg;
#endif
};

/* What operands.cuh defines: rows and columns of a matrix of Y (nrow, ncol), and values of k behind each of its elements (nk); the matrices of the
 * call (nmatrix); those of the thread's tile (of), where K is the call's or a constant that is as large; the formula of element (m, n). */
static __device__ __forceinline__ int KERNEL_nrow(const NAME_args &a);
static __device__ __forceinline__ int KERNEL_ncol(const NAME_args &a);
#if !ONE_MATRIX
static __device__ __forceinline__ unsigned KERNEL_nmatrix(const NAME_args &a);
#endif
#if !HAS_EPILOGUE
static __device__ __forceinline__ float KERNEL_epilogue(const NAME_args &, float sum, int, int) { return sum; }
#endif

/* The thread's number among those of its tile. */
static __device__ __forceinline__ unsigned KERNEL_thread()
{
#if PROBLEMS > 1
    return threadIdx.x % (NT / PROBLEMS);
#else
    return threadIdx.x;
#endif
}

/* The number of the thread's tile among those of all matrices. */
static __device__ __forceinline__ unsigned KERNEL_number()
{
#if PROBLEMS > 1
    return blockIdx.x * PROBLEMS + threadIdx.x / (NT / PROBLEMS);
#else
    return blockIdx.x;
#endif
}

#if ONE_MATRIX
/* Its number among those of its matrix. */
static __device__ __forceinline__ unsigned KERNEL_tile_number(const NAME_args &)
{
    return KERNEL_number();
}
#else
/* Tiles of each matrix. */
static __device__ __forceinline__ unsigned KERNEL_tiles(const NAME_args &a)
{
    return ((unsigned)(KERNEL_nrow(a) - 1) / BM + 1) * ((unsigned)(KERNEL_ncol(a) - 1) / BN + 1);
}

/* Its number among those of its matrix. */
static __device__ __forceinline__ unsigned KERNEL_tile_number(const NAME_args &a)
{
    return KERNEL_number() % KERNEL_tiles(a);
}

/* The number of its matrix; of a tile too many, which the last block may have, the last one. */
static __device__ __forceinline__ unsigned KERNEL_matrix(const NAME_args &a)
{
    const unsigned matrix = KERNEL_number() / KERNEL_tiles(a);
#if PROBLEMS > 1
    return min(matrix, KERNEL_nmatrix(a) - 1);
#else
    return matrix;
#endif
}
#endif

#if SPLITK > 1
/* Is the block the last one of its tile to come here, with its sums stored? There is a counter for each tile, a.counters + blockIdx.x. */
static __device__ __forceinline__ bool KERNEL_is_last(unsigned *counter, unsigned *flag)
{
    __syncthreads(); /* all sums are stored: one thread says so, and learns of the others' */
    if (threadIdx.x == 0)
        *flag = PACKAGE_device::atomic_add_acq_rel(counter, 1);
    __syncthreads();
    if (*flag != gridDim.z - 1)
        return false;
    if (threadIdx.x == 0)
        *counter = 0;
    return true;
}
#endif
