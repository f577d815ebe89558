/* SPDX-License-Identifier: MIT-0 */
#if STRIDED(Y, 1, HAS_EPILOGUE || LAYOUT_Y_NCHW || (COPY && !LAYOUT_X_NCHW))
/* Where a pixel of Y is. */
typedef struct {
    int64_t n, p, q;
} KERNEL_pixel;

#endif
#if STRIDED(Y, 1, LAYOUT_Y_NCHW || (HAS_EPILOGUE && !EPILOGUE_FLAT) || (COPY && !LAYOUT_X_NCHW))
static inline __attribute__((always_inline)) KERNEL_pixel KERNEL_pixel_of(const NAME_args *a, int64_t pixel)
{
    return (KERNEL_pixel){ pixel / a->Q / a->P, pixel / a->Q % a->P, pixel % a->Q };
}

#endif
#if (HAS_EPILOGUE && !EPILOGUE_FLAT && !LAYOUT_Y_NCHW) || (COPY && !LAYOUT_X_NCHW)
static inline __attribute__((always_inline)) void KERNEL_next_pixel(const NAME_args *a, KERNEL_pixel *at)
{
    if (++at->q == a->Q) {
        at->q = 0;
        if (++at->p == a->P) {
            at->p = 0;
            at->n++;
        }
    }
}

#endif
#if HAS_EPILOGUE && !LAYOUT_Y_NCHW
/* A pixel as the formula sees it. */
static inline __attribute__((always_inline)) KERNEL_pixel KERNEL_formula_pixel(const NAME_args *a, int64_t pixel)
{
#if EPILOGUE_FLAT /* one number stands for n, p and q: it finds the same elements */
    (void)a;
    return (KERNEL_pixel){ 0, 0, pixel };
#else
    return KERNEL_pixel_of(a, pixel);
#endif
}

static inline __attribute__((always_inline)) void KERNEL_next_formula_pixel(const NAME_args *a, KERNEL_pixel *at)
{
#if EPILOGUE_FLAT
    (void)a;
    at->q++;
#else
    KERNEL_next_pixel(a, at);
#endif
}
#endif

#if Y_STRIDED
/* Filter 0 of a pixel of Y. In NHWC the pixels of a tile lie Y_stride[2] apart. */
static inline float *KERNEL_of_y(const NAME_args *a, int64_t pixel)
{
    const KERNEL_pixel at = KERNEL_pixel_of(a, pixel);
#if LAYOUT_Y_NCHW
    return a->Y + at.n * a->Y_stride[0] + at.p * a->Y_stride[2] + at.q;
#else
    return a->Y + at.n * a->Y_stride[0] + at.p * a->Y_stride[1] + at.q * a->Y_stride[2];
#endif
}

#endif
#if LAYOUT_Y_NCHW
/* The sums of `filters` filters from oc on, for pixels from `pixel` on, all of one image: `part` has a row of them for each pixel. Vectors go along a row of Y. */
static PACKAGE_ONE_COPY TARGET_ATTRIBUTE void
KERNEL_store_turned(const NAME_args *a, const float *part, int64_t stride, int64_t pixel, int64_t pixels, int64_t oc, int64_t filters)
{
    KERNEL_pixel at = KERNEL_pixel_of(a, pixel);
    for (int64_t lanes; pixels > 0; pixels -= lanes, part += lanes * stride, at.q += lanes) {
        if (at.q == a->Q) {
            at.q = 0;
            at.p++;
        }
        lanes = pixels < VECTOR_BYTES / 4 ? pixels : VECTOR_BYTES / 4;
        lanes = lanes < a->Q - at.q ? lanes : a->Q - at.q;
        for (int64_t k = 0; k < filters; k++) {
            float sums[VECTOR_BYTES / 4] = { 0 };
            for (int64_t j = 0; j < lanes; j++)
                sums[j] = part[j * stride + k];
            PACKAGE_floats_MACHINE sum = PACKAGE_load_MACHINE(sums, VECTOR_BYTES / 4);
#if HAS_EPILOGUE
            sum = NAME_epilogue_MACHINE(a, sum, at.n, oc + k, at.p, at.q, lanes);
#endif
            PACKAGE_store_MACHINE(a->Y + STRIDED(Y, (at.n * a->Y_stride[0] + (oc + k) * a->Y_stride[1] + at.p * a->Y_stride[2]), ((at.n * a->OC + oc + k) * a->P + at.p) * a->Q) + at.q, sum, lanes);
        }
    }
}
#else
/* Stores sums of a tile with the formula, where there is one: `part`, or Y itself, has a row of them for each pixel, `stride` floats apart; pixels from `pixel` on,
 * filters from oc on. One copy for all tiles, and no call while sums are in registers. */
static PACKAGE_ONE_COPY TARGET_ATTRIBUTE void
KERNEL_store_part(const NAME_args *a, const float *part, int64_t stride, int64_t pixel, int64_t oc, int64_t pixels, int64_t filters)
{
    const int64_t lanes = VECTOR_BYTES / 4;
    float *y = STRIDED(Y, KERNEL_of_y(a, pixel), a->Y + pixel * a->OC) + oc;
#if HAS_EPILOGUE
    KERNEL_pixel at = KERNEL_formula_pixel(a, pixel);
#endif
    for (; pixels > 0; pixels--, y += STRIDED(Y, a->Y_stride[2], a->OC), part += stride) {
        for (int64_t i = 0; i < filters; i += lanes) {
            const int64_t left = filters - i < lanes ? filters - i : lanes;
            PACKAGE_floats_MACHINE sum = PACKAGE_load_MACHINE(part + i, left);
#if HAS_EPILOGUE
            sum = NAME_epilogue_MACHINE(a, sum, at.n, at.p, at.q, oc + i, left);
#endif
            PACKAGE_store_MACHINE(y + i, sum, left);
        }
#if HAS_EPILOGUE
        KERNEL_next_formula_pixel(a, &at);
#endif
    }
}
#endif
