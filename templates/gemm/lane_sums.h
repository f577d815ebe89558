/* SPDX-License-Identifier: MIT-0 */
/* Sums of the lanes of vectors of VECTOR_BYTES. */
typedef float KERNEL_quad __attribute__((vector_size(16), aligned(4), may_alias));

/* In each 16 bytes: a0 + a2, b0 + b2, a1 + a3, b1 + b3. */
static inline __attribute__((always_inline)) TARGET_ATTRIBUTE KERNEL_vec KERNEL_add2(KERNEL_vec a, KERNEL_vec b)
{
#if VECTOR_BYTES == 64
    return __builtin_shufflevector(a, b, 0, 16, 1, 17, 4, 20, 5, 21, 8, 24, 9, 25, 12, 28, 13, 29) +
           __builtin_shufflevector(a, b, 2, 18, 3, 19, 6, 22, 7, 23, 10, 26, 11, 27, 14, 30, 15, 31);
#elif VECTOR_BYTES == 32
    return __builtin_shufflevector(a, b, 0, 8, 1, 9, 4, 12, 5, 13) +
           __builtin_shufflevector(a, b, 2, 10, 3, 11, 6, 14, 7, 15);
#else
    return __builtin_shufflevector(a, b, 0, 4, 1, 5) + __builtin_shufflevector(a, b, 2, 6, 3, 7);
#endif
}

/* The sums of the lanes of the first n of four vectors, n a constant of each call; 0 of the others. */
static inline __attribute__((always_inline)) TARGET_ATTRIBUTE KERNEL_quad KERNEL_sum4(const int n, const KERNEL_vec *v)
{
    const KERNEL_vec zero = {0}, ac = KERNEL_add2(v[0], n > 2 ? v[2] : zero);
    const KERNEL_vec bd = KERNEL_add2(n > 1 ? v[1] : zero, n > 3 ? v[3] : zero);
    const KERNEL_vec s = KERNEL_add2(ac, bd);
#if VECTOR_BYTES == 64
    return __builtin_shufflevector(s, s, 0, 1, 2, 3) + __builtin_shufflevector(s, s, 4, 5, 6, 7) +
           (__builtin_shufflevector(s, s, 8, 9, 10, 11) + __builtin_shufflevector(s, s, 12, 13, 14, 15));
#elif VECTOR_BYTES == 32
    return __builtin_shufflevector(s, s, 0, 1, 2, 3) + __builtin_shufflevector(s, s, 4, 5, 6, 7);
#else
    return s;
#endif
}
