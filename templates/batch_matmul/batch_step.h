/* SPDX-License-Identifier: MIT-0 */
/* One value of k for a tile of Y: acc[r][v] += A[r][k] * B[k][v-th vector].
 *   x   where the tile's rows of A stand, at some k; xs: from a row to the next, or from a k to the next where A is [k][m]
 *   w   B[k][first column of the tile] for the q-th k from there on */
#define KERNEL_A_ROWS(rows) (LAYOUT_A_KM ? 1 : (rows))
#define KERNEL_A_STEP(xs) (LAYOUT_A_KM ? (xs) : 1)

static inline __attribute__((always_inline)) TARGET_ATTRIBUTE const float *
KERNEL_a(const float *const *x, const int r, int64_t xs, const int q)
{
#if LAYOUT_A_KM
    return x[0] + q * xs + r;
#else
    return KERNEL_row(x, r, xs) + q;
#endif
}

/* sum += x * w: x is a float in memory, HOLD says how it comes to all lanes. */
static inline __attribute__((always_inline)) TARGET_ATTRIBUTE KERNEL_vec KERNEL_fma(KERNEL_vec sum, const float *x, KERNEL_vec xv, KERNEL_vec w)
{
#if HOLD == 2 && LANES == 16
    __asm__("vfmadd231ps %1%{1to16%}, %2, %0" : "+v"(sum) : "m"(*x), "v"(w));
    (void)xv;
#elif HOLD == 2
    __asm__("vfmadd231ps %1%{1to8%}, %2, %0" : "+v"(sum) : "m"(*x), "v"(w));
    (void)xv;
#else
    (void)x;
    PACKAGE_FMA(sum, xv, w);
#endif
    return sum;
}

/* `masked`: of the last vector only the lanes of `last` are there. rows, vectors, masked and q are constants of each call. */
static inline __attribute__((always_inline)) TARGET_ATTRIBUTE void
KERNEL_step(const int rows, const int vectors, KERNEL_vec acc[MR][NV], const float *const *x, int64_t xs, const float *w,
            const int masked, KERNEL_mask last, const int q)
{
    KERNEL_vec wv[NV];
#pragma GCC unroll 32
    for (int v = 0; v < vectors; v++) {
        KERNEL_vec load = masked && v + 1 == vectors ? KERNEL_load_first(w + v * LANES, last) : *(const KERNEL_vec *)(w + v * LANES);
        PACKAGE_IN_REGISTER(load);
        wv[v] = load;
    }
#pragma GCC unroll 32
    for (int r = 0; r < rows; r++) {
        const float *value = KERNEL_a(x, r, xs, q);
        KERNEL_vec xv = {0};
#if HOLD == 1
        xv = *value - (KERNEL_vec){0};
        PACKAGE_IN_REGISTER(xv);
#endif
#pragma GCC unroll 32
        for (int v = 0; v < vectors; v++)
            acc[r][v] = KERNEL_fma(acc[r][v], value, xv, wv[v]);
    }
}
