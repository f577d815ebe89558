/* SPDX-License-Identifier: MIT-0 */
#if HAS_EPILOGUE
#if OUTPUT_READ
/* The formula, which reads what Y held, on sums that lie elsewhere, in rows `stride` apart: rows x columns of Y from `at` on. One copy for all tiles. */
static PACKAGE_ONE_COPY TARGET_ATTRIBUTE void
KERNEL_finish(const NAME_args *a, const float *sums, int64_t stride, const KERNEL_place *at, int64_t rows, int64_t columns)
{
    const int64_t lanes = VECTOR_BYTES / 4;
    float *y = a->Y + KERNEL_matrix(a->Y_stride, at->b0, at->b1) + at->m * a->Y_stride[2] + at->n;
    for (int64_t r = 0; r < rows; r++, sums += stride, y += a->Y_stride[2])
        for (int64_t i = 0; i < columns; i += lanes) {
            const int64_t left = columns - i < lanes ? columns - i : lanes;
            PACKAGE_store_MACHINE(y + i, NAME_epilogue_MACHINE(a, PACKAGE_load_MACHINE(sums + i, left), at->b0, at->b1, at->m + r, at->n + i, left), left);
        }
}
#else
/* The formula, on the sums that Y holds: `rows` rows from m on of problem (b0, b1), and of the count - 1 that follow it along the inner axis. */
static PACKAGE_ONE_COPY TARGET_ATTRIBUTE void
KERNEL_finish(const NAME_args *a, int64_t b0, int64_t b1, int64_t count, int64_t m, int64_t rows)
{
    const int64_t lanes = VECTOR_BYTES / 4, inner = a->B1 > 1, N = a->N, m1 = m + rows;
    for (; count > 0; count--, b0 += !inner, b1 += inner)
        for (int64_t i = m; i < m1; i++) {
            float *y = a->Y + b0 * a->Y_stride[0] + b1 * a->Y_stride[1] + i * a->Y_stride[2];
            int64_t n = 0;
            for (; n + lanes <= N; n += lanes)
                PACKAGE_store_MACHINE(
                    y + n, NAME_epilogue_MACHINE(a, PACKAGE_load_MACHINE(y + n, lanes), b0, b1, i, n, lanes), lanes);
            if (n < N)
                PACKAGE_store_MACHINE(
                    y + n, NAME_epilogue_MACHINE(a, PACKAGE_load_MACHINE(y + n, N - n), b0, b1, i, n, N - n), N - n);
        }
}
#endif
#endif
