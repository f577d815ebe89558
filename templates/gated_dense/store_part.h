/* SPDX-License-Identifier: MIT-0 */
/* Computes the formula of sums in memory, of W and of G, in rows `stride` apart, and stores it: `rows` rows of Y from m on, `columns` columns from n on.
 * One copy for all tiles, and no call while sums are in registers: gcc would keep them on the stack, in the loop over k too. */
static PACKAGE_ONE_COPY TARGET_ATTRIBUTE void
KERNEL_store_part(const NAME_args *a, const float *acc, const float *gate, int64_t stride, int64_t m, int64_t n, int64_t rows, int64_t columns)
{
    const int64_t N = STRIDED(Y, a->Y_stride[0], a->N), lanes = VECTOR_BYTES / 4, m1 = m + rows;
    float *y = a->Y + m * N + n;
    for (; m < m1; m++, acc += stride, gate += stride, y += N)
        for (int64_t i = 0; i < columns; i += lanes) {
            const int64_t left = columns - i < lanes ? columns - i : lanes;
            PACKAGE_store_MACHINE(y + i, NAME_epilogue_MACHINE(a, PACKAGE_load_MACHINE(acc + i, left), PACKAGE_load_MACHINE(gate + i, left), m, n + i, left),
                                  left);
        }
}
