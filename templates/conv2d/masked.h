/* SPDX-License-Identifier: MIT-0 */
/* Floats of a row of X that exist; 0 for the others. */
#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ < 12
#error "NAME needs gcc 12 or later, or clang, for __builtin_shufflevector."
#endif
typedef uint32_t KERNEL_words __attribute__((vector_size(VECTOR_BYTES), aligned(4), may_alias));
typedef int32_t KERNEL_ints __attribute__((vector_size(VECTOR_BYTES)));
#if VECTOR_BYTES == 64 /* AVX-512 */
typedef uint16_t KERNEL_mask;
#else
typedef KERNEL_ints KERNEL_mask;
#endif

/* Which of the numbers, `more` added to each, are from 0 up to `limit`? */
static inline __attribute__((always_inline)) TARGET_ATTRIBUTE KERNEL_mask KERNEL_below(KERNEL_words numbers, int64_t more, int64_t limit)
{
    const KERNEL_words zero = { 0 }, sum = numbers + (uint32_t)more;
#if VECTOR_BYTES == 64
    return (KERNEL_mask)__builtin_ia32_ucmpd512_mask((KERNEL_ints)sum, (KERNEL_ints)(zero + (uint32_t)limit), 1, (uint16_t)0xffff);
#else
    return (KERNEL_mask)(sum < zero + (uint32_t)limit);
#endif
}

static inline __attribute__((always_inline)) int KERNEL_has(const KERNEL_mask *mask, int i)
{
#if VECTOR_BYTES == 64
    return *mask >> i & 1;
#else
    return (*mask)[i] != 0;
#endif
}

static inline __attribute__((always_inline)) TARGET_ATTRIBUTE KERNEL_vec KERNEL_read(const float *p, const KERNEL_mask *mask)
{
#if VECTOR_BYTES == 64
    return (KERNEL_vec)__builtin_ia32_loadups512_mask(p, (PACKAGE_floats_MACHINE){ 0 }, *mask);
#elif VECTOR_BYTES == 32
    return (KERNEL_vec)__builtin_ia32_maskloadps256((const PACKAGE_floats_MACHINE *)(const void *)p, *mask);
#else
    KERNEL_vec v;
    for (int i = 0; i < LANES; i++)
        v[i] = (*mask)[i] ? p[i] : 0;
    return v;
#endif
}

/* Every `step`-th float from x on, as far as the masks have it, else 0. The step is a constant of each call; 0 stands for any, `stride`. So is
 * `all`: all floats exist, also those that a step passes. */
static inline __attribute__((always_inline)) TARGET_ATTRIBUTE KERNEL_vec
KERNEL_every(const int step, const int all, const float *x, int64_t stride, const KERNEL_mask *mask)
{
    if (step == 1)
        return all ? *(const KERNEL_vec *)x : KERNEL_read(x, mask);
    if (step == 2) {
        const KERNEL_vec lo = all ? *(const KERNEL_vec *)x : KERNEL_read(x, mask), hi = all ? *(const KERNEL_vec *)(x + LANES) : KERNEL_read(x + LANES, mask + 1);
#if VECTOR_BYTES == 64
        return __builtin_shufflevector(lo, hi, 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
#elif VECTOR_BYTES == 32
        return __builtin_shufflevector(lo, hi, 0, 2, 4, 6, 8, 10, 12, 14);
#else
        return __builtin_shufflevector(lo, hi, 0, 2, 4, 6);
#endif
    }
    float picked[LANES];
    for (int i = 0; i < LANES; i++)
        picked[i] = all || KERNEL_has(mask, i) ? x[i * stride] : 0;
    return *(const KERNEL_vec *)picked;
}
