/* SPDX-License-Identifier: MIT-0 */
/* What a lane of mma_gemv loads. KERNEL_load: 8 elements, WIDTH neighbours at p, the next ones `apart` elements further ...; 0 from p + left on,
 * unless all are there. once: nobody reads them again. */
template <int apart, bool whole, bool once, class Elem>
static __device__ __forceinline__ void KERNEL_load(unsigned (&word)[4], const Elem *p, int left)
{
#if ALIGNED == 16
    uint4 v = make_uint4(0, 0, 0, 0);
    if (whole || left > 0)
        v = once ? PACKAGE_device::load_once16(p) : *(const uint4 *)p;
    word[0] = v.x, word[1] = v.y, word[2] = v.z, word[3] = v.w;
#elif ALIGNED == 4
#pragma unroll
    for (int i = 0; i < 4; i++)
        word[i] = whole || i * apart < left ? *(const unsigned *)(p + i * apart) : 0;
#else
    unsigned one[8];
#pragma unroll
    for (int i = 0; i < 8; i++)
        one[i] = whole || i * apart < left ? p[i * apart] : 0;
#pragma unroll
    for (int i = 0; i < 4; i++)
        word[i] = one[2 * i] | one[2 * i + 1] << 16;
#endif
}

/* The warp's sums, and where its lane reads next: rows of X, rows of W (NK), or W's row and its lane's first column. */
struct KERNEL_lane {
    float acc[CHAINS][STRIPS][4];
    const LEFT_TYPE *x[GROUPS];
#if !W_IS_KN
    const RIGHT_TYPE *w[STRIPS];
#else
    const RIGHT_TYPE *w;
    unsigned stride; /* bytes from a row of W to the next */
    int right;       /* columns from the lane's first one on */
#endif
    int left; /* values of k from the lane's first one on */
};

struct KERNEL_chunk { /* a lane's part of 32 values of k */
    unsigned x[GROUPS][4];
#if !W_IS_KN
    unsigned w[STRIPS][4];
#else
    unsigned w[8][4]; /* for each i */
#endif
};

/* The chunk k values of k from the lane's next one on. */
template <bool whole>
static __device__ __forceinline__ void KERNEL_fetch(KERNEL_chunk &c, const KERNEL_lane &l, int k)
{
#if !W_IS_KN
#pragma unroll
    for (int t = 0; t < STRIPS; t++)
        KERNEL_load<4 * WIDTH, whole, true>(c.w[t], l.w[t] + k, l.left - k);
#else
#pragma unroll
    for (int i = 0; i < 8; i++) {
        const unsigned ki = k + i / WIDTH * (4 * WIDTH) + i % WIDTH;
        const RIGHT_TYPE *w = (const RIGHT_TYPE *)((const char *)l.w + (uint64_t)l.stride * ki);
        KERNEL_load<8 * WIDTH, whole, true>(c.w[i], w, whole || (int)ki < l.left ? l.right : 0);
    }
#endif
#pragma unroll
    for (int r = 0; r < GROUPS; r++)
        KERNEL_load<4 * WIDTH, whole, false>(c.x[r], l.x[r] + k, l.left - k);
}

/* Word j of strip t of a chunk: elements 2*j and 2*j+1 of its column g. */
static __device__ __forceinline__ unsigned KERNEL_word(const KERNEL_chunk &c, int t, int j)
{
#if !W_IS_KN
    return c.w[t][j];
#else
    const unsigned even = c.w[2 * j][t / 2], odd = c.w[2 * j + 1][t / 2];
    if (t % 2)
        return even >> 16 | (odd & 0xffff0000);
    const ushort2 low = make_ushort2((unsigned short)even, (unsigned short)odd); /* one PRMT */
    return *(const unsigned *)&low;
#endif
}
