/* SPDX-License-Identifier: MIT-0 */
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
