/* SPDX-License-Identifier: MIT-0 */
/* Where a tile's elements of Y lie, which of them exist, and their formula. Row m of the tile is pixel (m / (PT * QT), m / QT % PT, m % QT) of its box. */
struct KERNEL_output { /* the tile's part of Y */
    RESULT_TYPE *y;
    KERNEL_pixel first, left; /* its first pixel; images, rows and columns from there on, those of the box at most */
#if Y_STRIDED
    int64_t of_image, of_row, of_pixel; /* elements from one to the next */
#else
    unsigned height, width, ld; /* P, Q and OC */
#endif
    int n0, ncol;             /* its first filter, of all groups, and those of its group from there on */
    bool wide;                /* 8 bytes may be stored at once */
};

static __device__ __forceinline__ KERNEL_output KERNEL_find_output(const NAME_args &a, const KERNEL_item &i)
{
    KERNEL_output o;
    o.first = KERNEL_first_pixel(a, i.m0);
    o.left = { min(a.N - o.first.n, IT), min(a.P - o.first.p, PT), min(a.Q - o.first.q, QT) };
#if Y_STRIDED
    o.of_image = a.Y_stride[0], o.of_row = a.Y_stride[1], o.of_pixel = a.Y_stride[2];
#else
    o.height = a.P, o.width = a.Q, o.ld = a.OC;
#endif
    o.n0 = i.matrix * a.K + i.n0, o.ncol = a.K - i.n0;
    o.y = a.Y + (STRIDED(Y, o.first.n * a.Y_stride[0] + o.first.p * a.Y_stride[1] + o.first.q * a.Y_stride[2], (((int64_t)o.first.n * a.P + o.first.p) * a.Q + o.first.q) * a.OC) + o.n0);
    o.wide = (uintptr_t)o.y % 8 == 0 && (a.K | STRIDED(Y, (a.Y_stride[0] | a.Y_stride[1] | a.Y_stride[2]), a.OC)) % 4 == 0;
    return o;
}

static __device__ __forceinline__ bool KERNEL_has_row(const KERNEL_output &o, int m)
{
    return m / (PT * QT) < o.left.n && m / QT % PT < o.left.p && m % QT < o.left.q;
}

static __device__ __forceinline__ RESULT_TYPE *KERNEL_row(const KERNEL_output &o, int m)
{
    return o.y + STRIDED(Y, m / (PT * QT) * o.of_image + m / QT % PT * o.of_row + m % QT * o.of_pixel, ((int64_t)(m / (PT * QT)) * o.height * o.width + (int64_t)(m / QT % PT) * o.width + m % QT) * o.ld);
}

/* The formula of an element of the tile, if there is such a one; else that of another pixel or the last filter once more: loads need no conditions. */
static __device__ __forceinline__ float KERNEL_value(const NAME_args &a, const KERNEL_output &o, float sum, int m, int n)
{
#if OUTPUT_READ
    if (!KERNEL_has_row(o, m) || n >= o.ncol)
        return sum; /* the last one is another thread's, which may have written it */
#endif
#if HAS_EPILOGUE
    const int image = o.first.n + min(m / (PT * QT), o.left.n - 1), p = o.first.p + min(m / QT % PT, o.left.p - 1);
    return NAME_epilogue(a, sum, image, p, o.first.q + min(m % QT, o.left.q - 1), o.n0 + min(n, o.ncol - 1));
#else
    return sum;
#endif
}
