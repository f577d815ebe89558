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

/* sum += x * w: x is a float in memory, HOLD says how it comes to all lanes; half: of the lanes, the first half alone. */
static inline __attribute__((always_inline)) TARGET_ATTRIBUTE KERNEL_vec
KERNEL_fma(KERNEL_vec sum, const float *x, KERNEL_vec xv, KERNEL_vec w, const int half)
{
#if HOLD == 2
    if (half)
        __asm__("vfmadd231ps %1%{1to8%}, %t2, %t0" : "+v"(sum) : "m"(*x), "v"(w));
    else
        __asm__("vfmadd231ps %1%{1to16%}, %2, %0" : "+v"(sum) : "m"(*x), "v"(w));
    (void)xv;
#else
#if VECTOR_BYTES == 64
    if (half)
        __asm__("vfmadd231ps %t1, %t2, %t0" : "+v"(sum) : "v"(xv), "v"(w));
    else
#endif
        PACKAGE_FMA(sum, xv, w);
    PACKAGE_IN_REGISTER(sum); /* where products and sums are two instructions, compilers would else compute many products first */
    (void)x, (void)half;
#endif
    return sum;
}

/* Of the last vector of B only the lanes `last` are there, all if that is NULL; half: see KERNEL_load_first. rows, vectors,
 * half and q are constants of each call. */
static inline __attribute__((always_inline)) TARGET_ATTRIBUTE void
KERNEL_step(const int rows, const int vectors, const int half, KERNEL_vec acc[MR][NV], const float *const *x, int64_t xs,
            const float *w, const KERNEL_mask *last, const int q)
{
    KERNEL_vec wv[NV];
    PACKAGE_UNROLL(32)
    for (int v = 0; v < vectors; v++) {
        KERNEL_vec load;
        if (v + 1 < vectors || !last)
            load = *(const KERNEL_vec *)(w + v * LANES);
        else
            load = KERNEL_load_first(w + v * LANES, last, half);
        PACKAGE_IN_REGISTER(load);
        wv[v] = load;
    }
    PACKAGE_UNROLL(32)
    for (int r = 0; r < rows; r++) {
        const float *value = KERNEL_a(x, r, xs, q);
        KERNEL_vec xv = {0};
#if HOLD == 1
#if VECTOR_BYTES == 64
        if (half && vectors == 1)
            __asm__("vbroadcastss %1, %t0" : "=v"(xv) : "m"(*value));
        else
#endif
            xv = *value - (KERNEL_vec){0};
        PACKAGE_IN_REGISTER(xv);
#endif
        PACKAGE_UNROLL(32)
        for (int v = 0; v < vectors; v++)
            acc[r][v] = KERNEL_fma(acc[r][v], value, xv, wv[v], half && v + 1 == vectors);
    }
}

/* Sums of a tile: 0 yet. Where PF is 2, its lines of Y, whose rows are ys apart, are fetched meanwhile. */
static inline __attribute__((always_inline)) TARGET_ATTRIBUTE void
KERNEL_begin(const int rows, const int vectors, KERNEL_vec acc[2][MR][NV], const float *y, int64_t ys)
{
    PACKAGE_UNROLL(32)
    for (int r = 0; r < rows; r++)
        PACKAGE_UNROLL(32)
        for (int v = 0; v < vectors; v++) {
            acc[0][r][v] = acc[1][r][v] = (KERNEL_vec){0};
            if (PF == 2)
                __builtin_prefetch(y + r * ys + v * LANES, 1);
        }
}

/* Small tiles keep two sums for each element, of even and of odd k, so that FMAs need not wait. */
static inline __attribute__((always_inline)) int KERNEL_keeps_two(const int rows, const int vectors)
{
    return rows * vectors < 8 && 2 * rows * vectors + vectors < VECTOR_REGISTERS;
}
