/* SPDX-License-Identifier: MIT-0 */
/* The boxes of pixels that tiles have, of each group: IT images, PT rows and QT columns of Y; and what is summed up, for each tap C channels in blocks
 * of BK. */
struct KERNEL_boxes {
    unsigned along_p, along_q; /* boxes of an image's height and width */
};

static __device__ __forceinline__ KERNEL_boxes KERNEL_find_boxes(const NAME_args &a)
{
    return { (unsigned)(a.P - 1) / PT + 1, (unsigned)(a.Q - 1) / QT + 1 };
}

static __device__ __forceinline__ unsigned KERNEL_down(const NAME_args &a)
{
    const KERNEL_boxes b = KERNEL_find_boxes(a);
    return ((unsigned)(a.N - 1) / IT + 1) * b.along_p * b.along_q;
}

/* Blocks of channels. */
static __device__ __forceinline__ int KERNEL_blocks(const NAME_args &a) { return a.C / BK + (a.C % BK > 0); }

static __device__ __forceinline__ int KERNEL_steps(const NAME_args &a) { return a.R * a.S * KERNEL_blocks(a); }
static __device__ __forceinline__ int KERNEL_ncol(const NAME_args &a) { return a.K; }
static __device__ __forceinline__ unsigned KERNEL_nmatrix(const NAME_args &a) { return a.G; }

struct KERNEL_pixel { /* the first one of a tile: its image, row and column of Y */
    int n, p, q;
};

static __device__ __forceinline__ KERNEL_pixel KERNEL_first_pixel(const NAME_args &a, int m0)
{
    const KERNEL_boxes b = KERNEL_find_boxes(a);
    const unsigned box = (unsigned)m0 / BM, line = box / b.along_q;
    return { (int)(line / b.along_p) * IT, (int)(line % b.along_p) * PT, (int)(box % b.along_q) * QT };
}
