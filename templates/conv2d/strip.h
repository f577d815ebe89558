/* SPDX-License-Identifier: MIT-0 */
#if COPY
/* The pixels that a block of tiles reads, copied: rows of X that exist, columns with the zeros beside them, channels innermost. A block is a part of
 * a row of Y, or some of an image's rows. */
static int64_t KERNEL_end_of_strip(const KERNEL_view *view, int64_t b0, int64_t t1)
{
    const int64_t row = b0 / view->across, lines = BLOCK / view->across, image = (row / view->down + 1) * view->down;
    int64_t end = b0 + BLOCK;
    if (lines > 0)
        end = (row + lines < image ? row + lines : image) * view->across;
    else if (end > (row + 1) * view->across)
        end = (row + 1) * view->across;
    return end < t1 ? end : t1;
}

#if LAYOUT_X_NCHW
/* `columns` columns of few channels, as of a picture: a constant of each call. Compilers weave them into vectors. */
static inline __attribute__((always_inline)) TARGET_ATTRIBUTE void KERNEL_weave(const int channels, const float *restrict x, int64_t apart, int64_t columns, float *restrict to)
{
    for (int64_t w = 0; w < columns; w++)
        PACKAGE_UNROLL(4)
        for (int i = 0; i < channels; i++)
            to[w * channels + i] = x[i * apart + w];
}

/* Columns w0..w1-1 of a row of an image, whose channels lie H*W apart, to IC floats a column. */
static TARGET_ATTRIBUTE void KERNEL_turn(const float *x, int64_t apart, int64_t IC, int64_t w0, int64_t w1, float *to)
{
    switch (IC) {
    case 1: memcpy(to, x + w0, (size_t)(w1 - w0) * sizeof(float)); return;
    case 2: KERNEL_weave(2, x + w0, apart, w1 - w0, to); return;
    case 3: KERNEL_weave(3, x + w0, apart, w1 - w0, to); return;
    case 4: KERNEL_weave(4, x + w0, apart, w1 - w0, to); return;
    }
    for (int64_t ic = 0; ic < IC; ic += LANES)
        for (int64_t w = w0; w < w1; w += LANES) {
            PACKAGE_floats_MACHINE v[LANES] = { 0 };
            const int64_t channels = IC - ic < LANES ? IC - ic : LANES, columns = w1 - w < LANES ? w1 - w : LANES;
            for (int64_t i = 0; i < channels; i++)
                v[i] = PACKAGE_load_MACHINE(x + (ic + i) * apart + w, columns);
            PACKAGE_transpose_MACHINE(v);
            for (int64_t i = 0; i < columns; i++)
                PACKAGE_store_MACHINE(to + (w - w0 + i) * IC + ic, v[i], channels);
        }
}
#endif

#if !LAYOUT_X_NCHW
/* Copies the pixels of X that a 1 x 1 convolution reads for those of Y from `pixel` on. */
static void KERNEL_pick(const NAME_args *a, int64_t pixel, int64_t pixels, float *to)
{
    KERNEL_pixel at = KERNEL_pixel_of(a, pixel);
    for (; pixels > 0; pixels--, to += a->IC, KERNEL_next_pixel(a, &at))
        memcpy(to, a->X + STRIDED(X, at.n * a->X_stride[0] + at.p * NAME_STRIDE_H(a) * a->X_stride[1] + at.q * NAME_STRIDE_W(a) * a->X_stride[2], ((at.n * a->H + at.p * NAME_STRIDE_H(a)) * a->W + at.q * NAME_STRIDE_W(a)) * a->IC), (size_t)a->IC * sizeof(float));
}
#endif

/* Copies what tiles b0..b1-1 read to `to`, and lets the view show it. */
static PACKAGE_ONE_COPY TARGET_ATTRIBUTE void KERNEL_fill_strip(const NAME_args *a, KERNEL_view *view, float *to, int64_t b0, int64_t b1)
{
    const int64_t row = b0 / view->across, n = row / view->down, last = (b1 - 1) / view->across, IC = a->IC;
    const int64_t top = (row - n * view->down) * NAME_STRIDE_H(a) - NAME_PAD_T(a), below = (last - n * view->down) * NAME_STRIDE_H(a) - NAME_PAD_T(a) + (a->R - 1) * NAME_DIL_H(a) + 1;
    const int64_t h0 = top > 0 ? top : 0, h1 = below < view->H ? below : view->H;
    /* pixels q0..q1-1 of its rows: all, or a part of a single one */
    const int64_t q0 = last > row ? 0 : KERNEL_first_of(view, b0 - row * view->across), q1 = last > row ? view->Q : KERNEL_first_of(view, b1 - row * view->across);
    const int64_t w0 = q0 * view->step - NAME_PAD_L(a), w1 = (q1 - 1) * view->step - NAME_PAD_L(a) + (a->S - 1) * NAME_DIL_W(a) + 1;
    const int64_t from = w0 < 0 ? 0 : w0 < view->W ? w0 : view->W, end = w1 < view->W ? w1 : view->W, until = end > from ? end : from;
    view->x = to;
    view->image = 0;
    view->line = (w1 - w0) * IC;
    view->origin = h0 * view->line + w0 * IC;
#if !LAYOUT_X_NCHW
    if (view->picked) {
        KERNEL_pick(a, row * view->Q + q0, q1 - q0, to);
        return;
    }
#endif
    for (int64_t h = h0; h < h1; h++, to += view->line) {
        float *first = to + (from - w0) * IC, *behind = to + (until - w0) * IC;
        if (from > w0)
            memset(to, 0, (size_t)(first - to) * sizeof(float));
#if LAYOUT_X_NCHW
        KERNEL_turn(a->X + STRIDED(X, n * a->X_stride[0] + h * a->X_stride[2], (n * IC * view->H + h) * view->W), STRIDED(X, a->X_stride[1], view->H * view->W), IC, from, until, first);
#else
#if X_STRIDED
        for (int64_t w = from; w < until; w++)
            memcpy(first + (w - from) * IC, a->X + n * a->X_stride[0] + h * a->X_stride[1] + w * a->X_stride[2], (size_t)IC * sizeof(float));
#else
        if (until > from)
            memcpy(first, a->X + ((n * view->H + h) * view->W + from) * IC, (size_t)(behind - first) * sizeof(float));
#endif
#endif
        if (w1 > until)
            memset(behind, 0, (size_t)(w1 - until) * (size_t)IC * sizeof(float));
    }
}
#endif
