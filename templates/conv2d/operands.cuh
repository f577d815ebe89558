/* SPDX-License-Identifier: MIT-0 */
/* The matrices of a call of conv2d, those of each group. A row of Y is a pixel, m = (n*P + p)*Q + q, a column a filter of the group; k goes
 * through the taps and channels behind an element, k = (r*S + s)*C + c.
 *
 *   X         not as a matrix: tile_copy.cuh finds channel c of tap (r, s) of pixel m, from x on, the group's first channel
 *   F[oc][k]  at w + oc*ldw + k (KRSC; packed, where rows of C are padded, k counts the padding), ldw = F_stride[0]
 *   F[k][oc]  at w + k*ldw + oc (RSCK), ldw = F_stride[2]
 *   Y[m][oc]  at y + m*ldy + oc,   ldy = OC */
#if LAYOUT_X_NCHW
/* Elements from the first of X to channel c of pixel (h, w) of image n. Places add up: of an image, of a tap in it, of a channel. */
static __device__ __forceinline__ uint64_t KERNEL_place_in_x(const NAME_args &a, uint64_t n, uint64_t h, uint64_t w, uint64_t c)
{
    return STRIDED(X, n * a.X_stride[0] + c * a.X_stride[1] + h * a.X_stride[2] + w, ((n * a.IC + c) * a.H + h) * a.W + w);
}

#endif
static __device__ __forceinline__ int KERNEL_nrow(const NAME_args &a) { return a.N * a.P * a.Q; }
static __device__ __forceinline__ int KERNEL_ncol(const NAME_args &a) { return a.K; }
static __device__ __forceinline__ int KERNEL_nk(const NAME_args &a) { return a.R * a.S * a.C; }
static __device__ __forceinline__ unsigned KERNEL_nmatrix(const NAME_args &a) { return a.G; }

static __device__ __forceinline__ KERNEL_operands KERNEL_of(const NAME_args &a, int)
{
    const unsigned group = KERNEL_matrix(a);
#if LAYOUT_F_KRSC
    const RIGHT_TYPE *w = a.F + group * a.K * a.F_stride[0];
    const unsigned ldw = (unsigned)a.F_stride[0];
#else
    const RIGHT_TYPE *w = a.F + group * a.K;
    const unsigned ldw = (unsigned)a.F_stride[2];
#endif
#if LAYOUT_X_NCHW
    return { a.X + KERNEL_place_in_x(a, 0, 0, 0, group * a.C), w,
#else
    return { a.X + group * a.C, w,
#endif
#if HAS_EPILOGUE /* as a number: of arguments of more than 128 bytes nvcc keeps a pointer's parts in registers, until some spill */
             (RESULT_TYPE *)((uintptr_t)a.Y + (uint64_t)(group * a.K) * ELEM_BYTES),
#else
             a.Y + group * a.K,
#endif
             0, ldw, (unsigned)STRIDED(Y, (a.Y_stride[0] | a.Y_stride[1] | a.Y_stride[2]), a.OC) };
}

#if Y_STRIDED
/* Elements from the first pixel of Y to pixel m. (ldy tells how rows are aligned, and no more.) */
static __device__ __forceinline__ int64_t KERNEL_row_at(const NAME_args &a, int m)
{
    const unsigned line = (unsigned)m / a.Q;
    return line / a.P * a.Y_stride[0] + line % a.P * a.Y_stride[1] + (unsigned)m % a.Q * a.Y_stride[2];
}

#endif
#if HAS_EPILOGUE
static __device__ __forceinline__ float KERNEL_epilogue(const NAME_args &a, float sum, int m, int n)
{
    const unsigned line = (unsigned)m / a.Q; /* of the lines of all images */
    return NAME_epilogue(a, sum, line / a.P, line % a.P, (unsigned)m % a.Q, KERNEL_matrix(a) * a.K + n);
}
#endif
