/* SPDX-License-Identifier: MIT-0 */
/* The columns of a tile that Y has: rows x width of `part`, whose rows lie `stride` apart. One copy for all heights, and no call while
 * sums are in registers: gcc would keep them on the stack, in the loop over k too. */
static __attribute__((noinline)) TARGET_ATTRIBUTE void
KERNEL_store_part(int64_t rows, int64_t width, const float *part, int64_t stride, const float *add, float *y, int64_t N)
{
    const int64_t next = add == y ? N : 0; /* the bias serves all rows */
    for (int64_t r = 0; r < rows; r++, part += stride, y += N) {
        for (int64_t i = 0; i < width; i++)
            y[i] = add ? part[i] + add[i] : part[i];
        if (add) /* NULL bears no arithmetic, not even of 0 */
            add += next;
    }
}
