/* SPDX-License-Identifier: MIT-0 */
/* Stores a tile of sums, from row m and column n of Y on: of values of k from k0 up to k1, what is before k0 is in Y; and the formula, where that
 * completes them. */

/* Does Y hold sums to add to? */
static inline __attribute__((always_inline)) int KERNEL_adds(int64_t k0) { return KC && k0 > 0; }

/* Is the sum complete behind k1? */
static inline __attribute__((always_inline)) int KERNEL_is_whole(int64_t k1, int64_t K) { return KC == 0 || k1 == K; }

/* Of its columns those from `from` up to `to` alone. */
static inline __attribute__((always_inline)) TARGET_ATTRIBUTE void
KERNEL_store_columns(const int rows, const int vectors, KERNEL_vec acc[MR][NV], const NAME_args *a, int64_t m, int64_t n, int64_t from, int64_t to,
                     int64_t k0, int64_t k1)
{
    float part[MR * NV * LANES];
    KERNEL_write(rows, vectors, acc, part, vectors * LANES);
    KERNEL_store_part(a, part + from, vectors * LANES, m, n + from, rows, to - from, KERNEL_adds(k0), KERNEL_is_whole(k1, a->K));
}

static inline __attribute__((always_inline)) TARGET_ATTRIBUTE void
KERNEL_store(const int rows, const int vectors, KERNEL_vec acc[MR][NV], const NAME_args *a, int64_t m, int64_t n, int64_t k0, int64_t k1)
{
#if EPILOGUE_CALLS && !CALLS
    KERNEL_store_columns(rows, vectors, acc, a, m, n, 0, vectors * LANES, k0, k1);
#else
    const int64_t N = STRIDED(Y, a->Y_stride[0], a->N);
    float *y = a->Y + m * N + n;
    PACKAGE_UNROLL(16)
    for (int r = 0; r < rows; r++)
        PACKAGE_UNROLL(32)
        for (int v = 0; v < vectors; v++) {
            if (KERNEL_adds(k0))
                acc[r][v] += *(const KERNEL_vec *)(y + r * N + v * LANES);
#if HAS_EPILOGUE
            if (KERNEL_is_whole(k1, a->K))
                acc[r][v] = NAME_epilogue_MACHINE(a, acc[r][v], m + r, n + v * LANES, LANES);
#endif
        }
    KERNEL_write(rows, vectors, acc, y, N);
    (void)k1;
#endif
}
