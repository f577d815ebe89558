/* SPDX-License-Identifier: MIT-0 */
/* Pixels that are left behind whole vectors: their sums by vectors along k, of which `turned` has `apart` floats a pixel. */
static PACKAGE_ONE_COPY TARGET_ATTRIBUTE void KERNEL_turn_left(const float *patches, int64_t left, int64_t len, float *turned, int64_t apart)
{
    for (int64_t k = 0; k < len; k++, patches += WS)
        for (int64_t i = 0; i < left; i++)
            turned[i * apart + k] = patches[i];
}

/* The sums of four filters, `depth` floats apart, with `len` values of k of a pixel. */
static inline __attribute__((always_inline)) TARGET_ATTRIBUTE KERNEL_quad KERNEL_dots(const float *const f[4], const float *x, int64_t len)
{
    KERNEL_vec acc[2][4] = { { { 0 } } };
    int64_t k = 0;
    for (; k + 2 * LANES <= len; k += 2 * LANES)
        PACKAGE_UNROLL(2)
        for (int half = 0; half < 2; half++)
            PACKAGE_UNROLL(4)
            for (int i = 0; i < 4; i++)
                acc[half][i] += *(const KERNEL_vec *)(f[i] + k + half * LANES) * *(const KERNEL_vec *)(x + k + half * LANES);
    for (; k < len; k += LANES) {
        const int64_t lanes = len - k < LANES ? len - k : LANES;
        PACKAGE_UNROLL(4)
        for (int i = 0; i < 4; i++)
            acc[0][i] += (KERNEL_vec)(PACKAGE_load_MACHINE(f[i] + k, lanes) * PACKAGE_load_MACHINE(x + k, lanes));
    }
    PACKAGE_UNROLL(4)
    for (int i = 0; i < 4; i++)
        acc[0][i] += acc[1][i];
    return KERNEL_sum4(4, acc[0]);
}

/* Filters oc..oc+rows-1 by `left` pixels from `pixel` on, values k0..k1-1 of k: adds to Y unless k0 is 0. */
static PACKAGE_ONE_COPY TARGET_ATTRIBUTE void
KERNEL_do_left(const NAME_args *a, const float *turned, int64_t apart, int64_t oc, int64_t rows, int64_t pixel, int64_t left, int64_t k0, int64_t k1)
{
    const int64_t depth = a->C * a->R * a->S;
    float part[(MR + 3) * LEFT];
    for (int64_t r = 0; r < rows; r += 4) {
        const float *f[4];
        for (int64_t i = 0; i < 4; i++)
            f[i] = a->F + (oc + (r + i < rows ? r + i : rows - 1)) * depth + k0;
        for (int64_t i = 0; i < left; i++) {
            const KERNEL_quad sum = KERNEL_dots(f, turned + i * apart, k1 - k0);
            PACKAGE_UNROLL(4)
            for (int64_t j = 0; j < 4; j++)
                part[(r + j) * LEFT + i] = sum[j];
        }
    }
    KERNEL_store_part(a, part, LEFT, oc, rows, pixel, left, k0 > 0, k1 == depth);
}
