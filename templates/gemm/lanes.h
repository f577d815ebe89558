/* SPDX-License-Identifier: MIT-0 */
/* The first n floats of a vector in memory: a row's last columns, behind which memory may end. A mask takes time of its own in each load. */
#if VECTOR_BYTES == 64 /* AVX-512 */
typedef unsigned short KERNEL_mask;
#else
typedef int32_t KERNEL_mask __attribute__((vector_size(LANES * 4)));
#endif

/* The mask of the first n lanes, n <= LANES. */
static inline __attribute__((always_inline)) TARGET_ATTRIBUTE KERNEL_mask KERNEL_first(int64_t n)
{
#if VECTOR_BYTES == 64
    return (KERNEL_mask)((1u << n) - 1);
#else
    KERNEL_mask mask;
    for (int i = 0; i < LANES; i++)
        mask[i] = i < n ? -1 : 0;
    return mask;
#endif
}

/* `half`, a constant of each call: no more than half of the lanes are there, and only those are worked on. */
static inline __attribute__((always_inline)) TARGET_ATTRIBUTE KERNEL_vec
KERNEL_load_first(const float *p, const KERNEL_mask *mask, const int half)
{
    KERNEL_vec v;
#if VECTOR_BYTES == 64
    if (half)
        __asm__("vmovups %1, %t0%{%2%}%{z%}" : "=v"(v) : "m"(*(const KERNEL_vec *)p), "Yk"(*mask));
    else
        __asm__("vmovups %1, %0%{%2%}%{z%}" : "=v"(v) : "m"(*(const KERNEL_vec *)p), "Yk"(*mask));
#elif VECTOR_BYTES == 32
    /* the mask has no register of its own, which a tile would miss */
    __asm__("vmovups %2, %0\n\tvmaskmovps %1, %0, %0" : "=&x"(v) : "m"(*(const KERNEL_vec *)p), "m"(*mask));
#else
    for (int i = 0; i < LANES; i++)
        v[i] = (*mask)[i] ? p[i] : 0;
#endif
    (void)half;
    return v;
}
