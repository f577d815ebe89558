/* SPDX-License-Identifier: MIT-0 */
#if HAS_EPILOGUE
/* Where a pixel of Y is. */
typedef struct {
    int64_t n, p, q;
} KERNEL_pixel;

static inline __attribute__((always_inline)) KERNEL_pixel KERNEL_pixel_of(const NAME_args *a, int64_t pixel)
{
    return (KERNEL_pixel){ pixel / a->Q / a->P, pixel / a->Q % a->P, pixel % a->Q };
}

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

/* The formula, on the sums that Y holds: `pixels` of them from `pixel` on, `filters` filters from oc on. One copy for all tiles, and no call
 * while sums are in registers. */
static PACKAGE_ONE_COPY TARGET_ATTRIBUTE void
KERNEL_finish(const NAME_args *a, int64_t pixel, int64_t oc, int64_t pixels, int64_t filters)
{
    const int64_t lanes = VECTOR_BYTES / 4, end = oc + filters;
    KERNEL_pixel at = KERNEL_pixel_of(a, pixel);
    for (float *y = a->Y + pixel * a->OC; pixels > 0; pixels--, y += a->OC, KERNEL_next_pixel(a, &at))
        for (int64_t i = oc; i < end; i += lanes) {
            const int64_t left = end - i < lanes ? end - i : lanes;
            PACKAGE_store_MACHINE(y + i, NAME_epilogue_MACHINE(a, PACKAGE_load_MACHINE(y + i, left), at.n, at.p, at.q, i, left), left);
        }
}
#endif
