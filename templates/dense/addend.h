/* SPDX-License-Identifier: MIT-0 */
/* What a tile adds to: what Y has from k0 > 0 on. NULL: nothing. */
static inline __attribute__((always_inline)) const float *
KERNEL_addend(const float *y, int64_t k0)
{
#if KC
    return k0 ? y : 0;
#else
    return (void)y, (void)k0, NULL;
#endif
}
#if HAS_EPILOGUE

/* Is the sum complete behind k1? */
static inline __attribute__((always_inline)) int
KERNEL_is_whole(int64_t k1, int64_t K)
{
#if KC
    return k1 == K;
#else
    return (void)k1, (void)K, 1;
#endif
}
#endif
