/* SPDX-License-Identifier: MIT-0 */
#if HAS_EPILOGUE
#if OUTPUT_READ
/* The formula, which reads what Y held, on sums that lie elsewhere, in rows `stride` apart: those of `rows` rows of Y from m on, `columns` columns
 * from n on. One copy for all tiles. */
static PACKAGE_ONE_COPY TARGET_ATTRIBUTE void
KERNEL_finish(const NAME_args *a, const float *sums, int64_t stride, int64_t m, int64_t n, int64_t rows, int64_t columns)
{
    const int64_t lanes = VECTOR_BYTES / 4, m1 = m + rows;
    for (; m < m1; m++, sums += stride)
        for (int64_t i = 0; i < columns; i += lanes) {
            const int64_t left = columns - i < lanes ? columns - i : lanes;
            PACKAGE_store_MACHINE(a->Y + m * STRIDED(Y, a->Y_stride[0], a->N) + n + i, NAME_epilogue_MACHINE(a, PACKAGE_load_MACHINE(sums + i, left), m, n + i, left), left);
        }
}
#else
/* The formula, on the sums that Y holds: `rows` rows from m on, `columns` columns from n on. One copy for all tiles, and no call while sums are in
 * registers. */
static PACKAGE_ONE_COPY TARGET_ATTRIBUTE void
KERNEL_finish(const NAME_args *a, int64_t m, int64_t n, int64_t rows, int64_t columns)
{
    const int64_t lanes = VECTOR_BYTES / 4, m1 = m + rows, n1 = n + columns;
    for (; m < m1; m++) {
        float *y = a->Y + m * STRIDED(Y, a->Y_stride[0], a->N);
        int64_t i = n;
        for (; i + lanes <= n1; i += lanes)
            PACKAGE_store_MACHINE(y + i, NAME_epilogue_MACHINE(a, PACKAGE_load_MACHINE(y + i, lanes), m, i, lanes), lanes);
        if (i < n1)
            PACKAGE_store_MACHINE(y + i, NAME_epilogue_MACHINE(a, PACKAGE_load_MACHINE(y + i, n1 - i), m, i, n1 - i), n1 - i);
    }
}
#endif
#endif
