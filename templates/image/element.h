/* SPDX-License-Identifier: MIT-0 */
/* Element (h, w) of channel c of image n. */
static inline __attribute__((always_inline)) float KERNEL_x(const NAME_args *a, int64_t n, int64_t h, int64_t w, int64_t c)
{
#if LAYOUT_X_NCHW
    return a->X[((n * a->C + c) * a->H + h) * a->W + w];
#else
    return a->X[((n * a->H + h) * a->W + w) * a->C + c];
#endif
}
