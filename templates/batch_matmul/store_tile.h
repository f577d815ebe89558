/* SPDX-License-Identifier: MIT-0 */
/* Stores of the first floats of a vector, which a mask says, and of a tile. */
static inline __attribute__((always_inline)) TARGET_ATTRIBUTE void
KERNEL_store_first(float *p, KERNEL_vec v, const KERNEL_mask *mask)
{
#if VECTOR_BYTES == 64
    __asm__("vmovups %1, %0%{%2%}" : "+m"(*(KERNEL_vec *)p) : "v"(v), "Yk"(*mask));
#elif VECTOR_BYTES == 32
    __asm__("vmaskmovps %1, %2, %0" : "+m"(*(KERNEL_vec *)p) : "x"(v), "x"(*mask));
#else
    for (int i = 0; i < LANES; i++)
        if ((*mask)[i])
            p[i] = v[i];
#endif
}

#if OUTPUT_READ
#if EPILOGUE_CALLS
static PACKAGE_ONE_COPY TARGET_ATTRIBUTE void
KERNEL_finish(const NAME_args *a, const float *sums, int64_t stride, const KERNEL_place *at, int64_t rows, int64_t columns);

#endif
#endif
/* Stores a tile: the formula's values of sums that are complete. It lies at `at`; NULL: the sums are stored. The last vector of each row has the
 * lanes `last`, all if that is NULL. rows and vectors are constants of each call. */
static inline __attribute__((always_inline)) TARGET_ATTRIBUTE void
KERNEL_store(const int rows, const int vectors, KERNEL_vec acc[MR][NV], const NAME_args *a, const KERNEL_place *at, float *y,
             const KERNEL_mask *last)
{
#if OUTPUT_READ
#if EPILOGUE_CALLS /* on sums that lie elsewhere, as Y is still to be read */
    float part[MR * NV * LANES];
    const int64_t width = vectors * LANES, there = a->N - at->n;
    PACKAGE_UNROLL(32)
    for (int r = 0; r < rows; r++)
        PACKAGE_UNROLL(32)
        for (int v = 0; v < vectors; v++)
            *(KERNEL_vec *)(part + r * width + v * LANES) = acc[r][v];
    KERNEL_finish(a, part, width, at, rows, there < width ? there : width);
    (void)y, (void)last;
    return;
#endif
#endif
    const int64_t ys = a->Y_stride[2];
    KERNEL_place here = { 0 };
    if (at) {
        here = *at;
#if HAS_EPILOGUE && !EPILOGUE_CALLS /* else gcc keeps what depends on it, for all tiles, in registers that the loop over k needs */
        __asm__ volatile("" : "+r"(here.b0), "+r"(here.b1), "+r"(here.n));
#endif
    }
    PACKAGE_UNROLL(32)
    for (int r = 0; r < rows; r++, y += ys, here.m++)
        PACKAGE_UNROLL(32)
        for (int v = 0; v < vectors; v++) {
            const int whole = v + 1 < vectors || !last;
            KERNEL_vec sum = acc[r][v];
#if HAS_EPILOGUE && !EPILOGUE_CALLS
            if (v == 0) /* else it computes what depends on it for all rows at once, more than there are registers */
                __asm__("" : "+r"(here.m));
            const int64_t n = here.n + v * LANES;
            if (at)
                sum = NAME_epilogue_MACHINE(a, sum, here.b0, here.b1, here.m, n, whole ? LANES : a->N - n);
#endif
            if (whole)
                *(KERNEL_vec *)(y + v * LANES) = sum;
            else
                KERNEL_store_first(y + v * LANES, sum, last);
        }
}
