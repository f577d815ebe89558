/* SPDX-License-Identifier: MIT-0 */
/* Packing: GROUP columns of B, four values of k, go into the block, where rows of BLOCK columns lie one behind the other, a
 * row for each k.
 *
 * B as [n][k]: quads of four values of k are loaded from each column into the lanes that the column will have in a row, so that only
 * 4 x 4 elements within 16 bytes are left to be turned: two shuffles for each vector. */
typedef float KERNEL_quad __attribute__((vector_size(16), aligned(4), may_alias));
#if VECTOR_BYTES == 64
typedef KERNEL_vec KERNEL_group;
#else
typedef float KERNEL_group __attribute__((vector_size(32), aligned(4), may_alias));
#endif

#if LAYOUT_B_NK
/* Four values of k of the i-th column from p on or, behind the last one, of that. */
static inline __attribute__((always_inline)) const KERNEL_quad *
KERNEL_quad_of(const float *p, int64_t stride, int64_t i, int64_t last)
{
    return (const KERNEL_quad *)(p + (i < last ? i : last) * stride);
}

/* Puts those of the columns i, i + 4, i + 8 and i + 12 (or i and i + 4) into *to: gcc warns of a function that returns a vector larger than the
 * target's. */
static inline __attribute__((always_inline)) TARGET_ATTRIBUTE void
KERNEL_quads(const float *p, int64_t stride, int64_t i, int64_t last, KERNEL_group *to)
{
    KERNEL_group v;
    const KERNEL_quad *first = KERNEL_quad_of(p, stride, i, last), *second = KERNEL_quad_of(p, stride, i + 4, last);
    /* gcc would load quads alone and shuffle: to insert from memory is a load and a blend */
#if VECTOR_BYTES == 64
    const KERNEL_quad *third = KERNEL_quad_of(p, stride, i + 8, last), *fourth = KERNEL_quad_of(p, stride, i + 12, last);
    __asm__("vmovups %1, %x0" : "=v"(v) : "m"(*first));
    __asm__("vinsertf32x4 $1, %1, %t0, %t0" : "+v"(v) : "m"(*second));
    __asm__("vinsertf32x4 $2, %1, %0, %0" : "+v"(v) : "m"(*third));
    __asm__("vinsertf32x4 $3, %1, %0, %0" : "+v"(v) : "m"(*fourth));
#elif VECTOR_BYTES == 32
    __asm__("vinsertf128 $1, %2, %t1, %0" : "=x"(v) : "x"(*first), "m"(*second));
#else
    v = __builtin_shufflevector(*first, *second, 0, 1, 2, 3, 4, 5, 6, 7);
#endif
    *to = v;
}

#if VECTOR_BYTES == 64
#define KERNEL_SHUFFLE(a, b, i, j, k, l) \
    __builtin_shufflevector(a, b, i, j, k, l, i + 4, j + 4, k + 4, l + 4, i + 8, j + 8, k + 8, l + 8, i + 12, j + 12, \
                            k + 12, l + 12)
#else
#define KERNEL_SHUFFLE(a, b, i, j, k, l) __builtin_shufflevector(a, b, i, j, k, l, i + 4, j + 4, k + 4, l + 4)
#endif
#endif

/* b: four values of k of the columns 0 to `last` of B, whose rows are ws apart. Behind them the block gets other columns' values. */
static inline __attribute__((always_inline)) TARGET_ATTRIBUTE void
KERNEL_round(const float *b, int64_t ws, const int64_t last, float *block)
{
#if LAYOUT_B_NK
    KERNEL_group c0, c1, c2, c3;
    KERNEL_quads(b, ws, 0, last, &c0);
    KERNEL_quads(b, ws, 1, last, &c1);
    KERNEL_quads(b, ws, 2, last, &c2);
    KERNEL_quads(b, ws, 3, last, &c3);
    const KERNEL_group low01 = KERNEL_SHUFFLE(c0, c1, 0, GROUP, 1, GROUP + 1);
    const KERNEL_group low23 = KERNEL_SHUFFLE(c2, c3, 0, GROUP, 1, GROUP + 1);
    const KERNEL_group high01 = KERNEL_SHUFFLE(c0, c1, 2, GROUP + 2, 3, GROUP + 3);
    const KERNEL_group high23 = KERNEL_SHUFFLE(c2, c3, 2, GROUP + 2, 3, GROUP + 3);
    *(KERNEL_group *)block = KERNEL_SHUFFLE(low01, low23, 0, 1, GROUP, GROUP + 1);
    *(KERNEL_group *)(block + BLOCK) = KERNEL_SHUFFLE(low01, low23, 2, 3, GROUP + 2, GROUP + 3);
    *(KERNEL_group *)(block + 2 * BLOCK) = KERNEL_SHUFFLE(high01, high23, 0, 1, GROUP, GROUP + 1);
    *(KERNEL_group *)(block + 3 * BLOCK) = KERNEL_SHUFFLE(high01, high23, 2, 3, GROUP + 2, GROUP + 3);
#else
    PACKAGE_UNROLL(4)
    for (int i = 0; i < 4; i++)
        if (last == GROUP - 1)
            *(KERNEL_group *)(block + i * BLOCK) = *(const KERNEL_group *)(b + i * ws);
        else
            for (int64_t n = 0; n < GROUP; n++)
                block[i * BLOCK + n] = b[i * ws + (n < last ? n : last)];
#endif
}
