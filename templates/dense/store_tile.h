/* SPDX-License-Identifier: MIT-0 */
/* Stores a tile of sums, from row m and column n of Y on: of values of k from k0 up to k1, what is before k0 is in Y; and the formula, where that
 * completes them. */

/* What a tile adds to: what Y has from k0 > 0 on. NULL: nothing. */
static inline __attribute__((always_inline)) const float *
KERNEL_addend(const float *y, int64_t k0)
{
#if KC
    return k0 ? y : 0;
#else
    return (void)y, (void)k0, NULL;
#endif
}

#if HAS_EPILOGUE
/* Is the sum complete behind k1? */
static inline __attribute__((always_inline)) int
KERNEL_is_whole(int64_t k1, int64_t K)
{
#if KC
    return k1 == K;
#else
    return (void)k1, (void)K, 1;
#endif
}

#endif
static inline __attribute__((always_inline)) TARGET_ATTRIBUTE void
KERNEL_store(const int rows, const int vectors, KERNEL_vec acc[MR][NV], const NAME_args *a, int64_t m, int64_t n, int64_t k0, int64_t k1)
{
    const int64_t N = STRIDED(Y, a->Y_stride[0], a->N);
    float *y = a->Y + m * N + n;
    PACKAGE_UNROLL(16)
    for (int r = 0; r < rows; r++) {
        const float *add = KERNEL_addend(y + r * N, k0);
        PACKAGE_UNROLL(32)
        for (int v = 0; v < vectors; v++) {
            if (add)
                acc[r][v] += *(const KERNEL_vec *)(add + v * LANES);
#if HAS_EPILOGUE && (CALLS || !EPILOGUE_CALLS)
            if (KERNEL_is_whole(k1, a->K))
                acc[r][v] = NAME_epilogue_MACHINE(a, acc[r][v], m + r, n + v * LANES, LANES);
#endif
        }
    }
#if OUTPUT_READ
#if EPILOGUE_CALLS && !CALLS
    float part[MR * NV * LANES];
    KERNEL_write(rows, vectors, acc, part, vectors * LANES);
    KERNEL_finish(a, part, vectors * LANES, m, n, rows, vectors * LANES);
#else
    KERNEL_write(rows, vectors, acc, y, N);
#endif
    (void)k1;
#else
    KERNEL_write(rows, vectors, acc, y, N);
    (void)k1;
#if EPILOGUE_CALLS && !CALLS
    if (KERNEL_is_whole(k1, a->K))
        KERNEL_finish(a, m, n, rows, vectors * LANES);
#endif
#endif
}

/* Of its columns those from `from` up to `to` alone. */
static inline __attribute__((always_inline)) TARGET_ATTRIBUTE void
KERNEL_store_columns(const int rows, const int vectors, KERNEL_vec acc[MR][NV], const NAME_args *a, int64_t m, int64_t n, int64_t from, int64_t to,
                     int64_t k0, int64_t k1)
{
#if OUTPUT_READ
    float part[MR * NV * LANES];
    KERNEL_write(rows, vectors, acc, part, vectors * LANES);
    KERNEL_finish(a, part + from, vectors * LANES, m, n + from, rows, to - from);
    (void)k0, (void)k1;
#else
    float part[MR * NV * LANES], *y = a->Y + m * STRIDED(Y, a->Y_stride[0], a->N) + n + from;
    KERNEL_write(rows, vectors, acc, part, vectors * LANES);
    KERNEL_store_part(rows, to - from, part + from, vectors * LANES, KERNEL_addend(y, k0), y, STRIDED(Y, a->Y_stride[0], a->N));
    (void)k1;
#if HAS_EPILOGUE
    if (KERNEL_is_whole(k1, a->K))
        KERNEL_finish(a, m, n + from, rows, to - from);
#endif
#endif
}
