/* SPDX-License-Identifier: MIT-0 */
/* What a tile at column n adds to: what Y has from k0 > 0 on, else the bias. NULL: nothing. */
static inline __attribute__((always_inline)) const float *
KERNEL_addend(const NAME_args *a, const float *y, int64_t n, int64_t k0)
{
#if KC
    if (k0)
        return y;
#else
    (void)y, (void)k0;
#endif
#if HAS_BIAS
    return a->bias + n;
#else
    (void)a, (void)n;
    return 0;
#endif
}
