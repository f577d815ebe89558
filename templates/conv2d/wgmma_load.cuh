/* SPDX-License-Identifier: MIT-0 */
/* What a stage is filled with: BK channels of a tap, for each pixel of the tile's box those of X, and of F's filters from k0 on. In shared memory row
 * (n * PT + p) * QT + q is pixel (n, p, q) of the box. TMA copies a box of X that begins at the first pixel's tap, with the strides as its steps; on
 * padding it finds zeros, as it does behind the last channel. */
struct KERNEL_source {
    int n, h, w;  /* image, and row and column of X of the first pixel's first tap; bits, as sums with them are unsigned */
    int c0, k0;   /* the group's first channel of X; the tile's first filter, of all groups */
    int filters;  /* of the group from there on */
    int r, s, c;  /* the next step's tap and first channel, in the group */
};

static __device__ __forceinline__ KERNEL_source KERNEL_begin(const NAME_args &a, const KERNEL_item &i)
{
    const KERNEL_pixel at = KERNEL_first_pixel(a, i.m0);
    const int blocks = max(KERNEL_blocks(a), 1), tap = i.first / blocks;
    KERNEL_source s;
    s.n = at.n;
    s.h = (unsigned)at.p * NAME_STRIDE_H(a) - NAME_PAD_T(a), s.w = (unsigned)at.q * NAME_STRIDE_W(a) - NAME_PAD_L(a);
    s.c0 = i.matrix * a.C, s.k0 = i.matrix * a.K + i.n0;
    s.filters = a.K - i.n0;
    s.r = tap / a.S, s.s = tap % a.S, s.c = i.first % blocks * BK;
    return s;
}

static __device__ __forceinline__ void KERNEL_advance(const NAME_args &a, KERNEL_source &s)
{
    s.c += BK;
    if (s.c >= a.C) {
        s.c = 0;
        if (++s.s == a.S)
            s.s = 0, s.r++;
    }
}

/* TMA would take channels of the next group for those of a last block that is not whole. */
static __device__ __forceinline__ bool KERNEL_is_mapped(const KERNEL_given &given)
{
#if X_STRIDED
    const NAME_args &a = given.call;
    if ((a.X_stride[0] == 0 && a.N > 1) || (a.X_stride[1] == 0 && a.H > 1))
        return false; /* all images or rows are one: a map may have that alone, at 0, and TMA would find zeros in the place of the others */
#endif
    return given.is_mapped && (given.call.G == 1 || given.call.C % BK == 0);
}

/* Starts the copies of a step to x and w; the barrier waits for their bytes. */
static __device__ __forceinline__ void
KERNEL_load(const KERNEL_given &given, const KERNEL_source &s, unsigned char *x, unsigned char *w, uint64_t *full)
{
    const NAME_args &a = given.call;
    PACKAGE_device::mbarrier_arrive_expect(full, COPY_BYTES);
    PACKAGE_device::tensor_load_4(x, &given.x_map, full, s.c0 + s.c, s.w + (unsigned)s.s * NAME_DIL_W(a), s.h + (unsigned)s.r * NAME_DIL_H(a), s.n);
#if W_IS_KN
#pragma unroll
    for (int n = 0; n < BN; n += W_BOX)
        PACKAGE_device::tensor_load_4(w + n / W_BOX * (BK * W_SPAN), &given.f_map, full, (int)(s.k0 + (unsigned)n), s.c, s.s, s.r);
#else
    PACKAGE_device::tensor_load_4(w, &given.f_map, full, s.c, s.s, s.r, s.k0);
#endif
}

/* Puts a step's elements in x and w. */
static __device__ __forceinline__ void KERNEL_fill(const NAME_args &a, const KERNEL_source &s, unsigned char *x, unsigned char *w)
{
#pragma unroll 1
    for (int e = threadIdx.x; e < X_ROWS * 8; e += 128) {
        const int row = e / 8, c = s.c + e % 8 * 8;
        const int n = s.n + row / (QT * PT);
        const unsigned at_h = s.h + (unsigned)s.r * NAME_DIL_H(a) + (unsigned)(row / QT % PT) * NAME_STRIDE_H(a);
        const unsigned at_w = s.w + (unsigned)s.s * NAME_DIL_W(a) + (unsigned)(row % QT) * NAME_STRIDE_W(a);
        const bool exists = n < a.N && at_h < (unsigned)a.H && at_w < (unsigned)a.W;
        const LEFT_TYPE *from = a.X + (STRIDED(X, n * a.X_stride[0] + at_h * a.X_stride[1] + at_w * a.X_stride[2], (((int64_t)n * a.H + at_h) * a.W + at_w) * a.IC) + s.c0 + c);
        LEFT_TYPE v[8];
#pragma unroll
        for (int l = 0; l < 8; l++)
            v[l] = exists && c + l < a.C ? from[l] : (LEFT_TYPE)0;
        KERNEL_put_chunk<128>(x, row, e % 8, v);
    }
#if W_IS_KN
    const RIGHT_TYPE *f = a.F + (s.r * a.F_stride[0] + s.s * a.F_stride[1] + s.k0);
#pragma unroll 1
    for (int n = 0; n < BN; n += W_BOX)
        KERNEL_put<W_SPAN>(w + n / W_BOX * (BK * W_SPAN), f + n, (unsigned)a.F_stride[2], s.c, a.C, 0, s.filters - n, BK);
#else
    const RIGHT_TYPE *f = a.F + (s.k0 * a.F_stride[0] + s.r * a.F_stride[1] + s.s * a.F_stride[2]);
    KERNEL_put<128>(w, f, (unsigned)a.F_stride[0], 0, s.filters, s.c, a.C, BN);
#endif
}
