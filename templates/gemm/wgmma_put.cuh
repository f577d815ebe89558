/* SPDX-License-Identifier: MIT-0 */
/* Puts chunk c, 16 bytes, of row `at` of an operand in its place: rows of span bytes, swizzled. */
template <int span, class Element>
static __device__ __forceinline__ void KERNEL_put_chunk(unsigned char *to, int at, int c, const Element (&v)[16 / ELEM_BYTES])
{
    uint4 q;
#if ELEM_BYTES == 2
    q = make_uint4(v[0] | (unsigned)v[1] << 16, v[2] | (unsigned)v[3] << 16, v[4] | (unsigned)v[5] << 16, v[6] | (unsigned)v[7] << 16);
#else
    q = make_uint4(__float_as_uint(v[0]), __float_as_uint(v[1]), __float_as_uint(v[2]), __float_as_uint(v[3]));
#endif
    *(uint4 *)(to + at * span + (c ^ at * span / 128 % (span / 16)) * 16) = q;
}

/* Puts `rows` rows of span bytes, from (row, col) on of a matrix with nrow rows and ncol columns, in their places. What lies outside is 0. */
template <int span, class Element>
static __device__ __forceinline__ void KERNEL_put(unsigned char *to, const Element *from, unsigned ld, int row, int nrow, int col, int ncol, int rows)
{
    constexpr int chunks = span / 16, most = 16 / ELEM_BYTES;
#pragma unroll 1
    for (int e = threadIdx.x; e < rows * chunks; e += 128) {
        const int at = e / chunks, c = e % chunks;
        Element v[most];
#pragma unroll
        for (int l = 0; l < most; l++)
            v[l] = at < nrow - row && c * most + l < ncol - col ? from[(int64_t)(row + at) * ld + col + c * most + l] : (Element)0;
        KERNEL_put_chunk<span>(to, at, c, v);
    }
}
