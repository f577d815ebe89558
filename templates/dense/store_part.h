/* SPDX-License-Identifier: MIT-0 */
/* Stores sums, which `part` has, or Y itself, in rows `stride` apart: `rows` rows of Y from m on, `columns` columns from n on. add: to what Y has; whole:
 * the sums are complete, and the formula is computed. One copy for all tiles, and no call while sums are in registers: gcc would keep them on the
 * stack, in the loop over k too. */
static PACKAGE_ONE_COPY TARGET_ATTRIBUTE void
KERNEL_store_part(const NAME_args *a, const float *part, int64_t stride, int64_t m, int64_t n, int64_t rows, int64_t columns, int add, int whole)
{
    const int64_t N = STRIDED(Y, a->Y_stride[0], a->N), lanes = VECTOR_BYTES / 4, m1 = m + rows;
    float *y = a->Y + m * N + n;
    for (; m < m1; m++, part += stride, y += N)
        for (int64_t i = 0; i < columns; i += lanes) {
            const int64_t left = columns - i < lanes ? columns - i : lanes;
            PACKAGE_floats_MACHINE sum = PACKAGE_load_MACHINE(part + i, left);
            if (add)
                sum += PACKAGE_load_MACHINE(y + i, left);
#if HAS_EPILOGUE
            if (whole)
                sum = NAME_epilogue_MACHINE(a, sum, m, n + i, left);
#endif
            PACKAGE_store_MACHINE(y + i, sum, left);
        }
    (void)whole;
}
