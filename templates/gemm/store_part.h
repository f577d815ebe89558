/* SPDX-License-Identifier: MIT-0 */
/* The columns of a tile that Y has: rows x width of `part`, whose rows lie `stride` apart. add: what Y has is added. One copy for all heights, and
 * no call while sums are in registers: gcc would keep them on the stack, in the loop over k too. */
static PACKAGE_ONE_COPY TARGET_ATTRIBUTE void
KERNEL_store_part(int64_t rows, int64_t width, const float *part, int64_t stride, const float *add, float *y, int64_t N)
{
    for (int64_t r = 0; r < rows; r++, part += stride, y += N)
        for (int64_t i = 0; i < width; i++)
            y[i] = add ? part[i] + y[i] : part[i];
}
