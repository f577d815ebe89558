/* SPDX-License-Identifier: MIT-0 */
/* Y in NCHW, stored by vectors of pixels. */
/* Where a pixel of Y is. */
typedef struct {
    int64_t n, p, q;
} KERNEL_pixel;

static inline KERNEL_pixel KERNEL_pixel_of(const NAME_args *a, int64_t pixel) { return (KERNEL_pixel){ pixel / a->Q / a->P, pixel / a->Q % a->P, pixel % a->Q }; }

/* How many pixels of Y, from the first of a row or of an image on, lie one behind the other and are one vector's for the formula, too. */
static inline int64_t KERNEL_line_of_y(const NAME_args *a)
{
#if HAS_EPILOGUE && !EPILOGUE_PLANES /* lanes are places in a row */
    return a->Q;
#else
    return STRIDED(Y, a->Y_stride[2] == a->Q ? a->P * a->Q : a->Q, a->P * a->Q);
#endif
}

static inline float *KERNEL_of_y(const NAME_args *a, const KERNEL_pixel *at, int64_t oc)
{
    return a->Y + STRIDED(Y, at->n * a->Y_stride[0] + oc * a->Y_stride[1] + at->p * a->Y_stride[2], ((at->n * a->OC + oc) * a->P + at->p) * a->Q) + at->q;
}

/* Stores `count` pixels of `filters` filters, of which `part` has the sums, `stride` floats a filter. add: to what Y has; whole: the sums are complete, and the
 * formula is computed. One copy for all tiles, and no call while sums are in registers. */
static PACKAGE_ONE_COPY TARGET_ATTRIBUTE void
KERNEL_store_part(const NAME_args *a, const float *part, int64_t stride, int64_t oc, int64_t filters, int64_t pixel, int64_t count, int add, int whole)
{
    const int64_t line = KERNEL_line_of_y(a);
    for (int64_t here; count > 0; count -= here, pixel += here, part += here) {
        const KERNEL_pixel at = KERNEL_pixel_of(a, pixel);
        here = line - pixel % line < count ? line - pixel % line : count;
        for (int64_t f = 0; f < filters; f++) {
            float *y = KERNEL_of_y(a, &at, oc + f);
            for (int64_t i = 0; i < here; i += LANES) {
                const int64_t lanes = here - i < LANES ? here - i : LANES;
                PACKAGE_floats_MACHINE sum = PACKAGE_load_MACHINE(part + f * stride + i, lanes);
                if (add)
                    sum += PACKAGE_load_MACHINE(y + i, lanes);
#if HAS_EPILOGUE
                if (whole)
                    sum = NAME_epilogue_MACHINE(a, sum, at.n, oc + f, at.p, at.q + i, lanes);
#endif
                PACKAGE_store_MACHINE(y + i, sum, lanes);
            }
        }
    }
    (void)whole;
}

/* The same of a tile, whose sums are in registers. `rows` and `vectors` are constants of each call. */
static inline __attribute__((always_inline)) TARGET_ATTRIBUTE void
KERNEL_store(const int rows, const int vectors, KERNEL_vec acc[MR][NV], const NAME_args *a, int64_t oc, int64_t pixel, int64_t count, int add, int whole)
{
#if !EPILOGUE_CALLS
    const int64_t line = KERNEL_line_of_y(a);
    if (count == vectors * LANES && line - pixel % line >= count) {
        const KERNEL_pixel at = KERNEL_pixel_of(a, pixel);
        const int64_t apart = STRIDED(Y, a->Y_stride[1], a->P * a->Q);
        float *y = KERNEL_of_y(a, &at, oc);
        PACKAGE_UNROLL(16)
        for (int r = 0; r < rows; r++)
            PACKAGE_UNROLL(32)
            for (int v = 0; v < vectors; v++) {
                KERNEL_vec *to = (KERNEL_vec *)(y + r * apart + v * LANES);
                if (add)
                    acc[r][v] += *to;
#if HAS_EPILOGUE
                if (whole)
                    acc[r][v] = NAME_epilogue_MACHINE(a, acc[r][v], at.n, oc + r, at.p, at.q + v * LANES, LANES);
#endif
                *to = acc[r][v]; /* at once: else all sums stay in registers, beside what the formula needs */
            }
        return;
    }
#endif
    float part[MR * NV * LANES];
    KERNEL_write(rows, vectors, acc, part, vectors * LANES);
    KERNEL_store_part(a, part, vectors * LANES, oc, rows, pixel, count, add, whole);
}
