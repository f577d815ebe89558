/* SPDX-License-Identifier: MIT-0 */
/* Patches of X in NCHW: for each k, a tap of a channel, what the pixels of a tile meet there, side by side; 0 for what is padding. */
/* Pixels of one vector whose X lies STRIDE_W apart: of a row of Y, or of an image where its rows lie so one behind the other. Steps of 2 take two
 * vectors of X, of which every second float counts. */
typedef struct {
    const float *x;          /* what lane 0 meets at the first tap of the group's first channel, should it exist or not */
    KERNEL_words h[2], w[2]; /* rows and columns of X at the first tap, modulo 2^32 */
    KERNEL_mask here[2];     /* what belongs to these pixels */
} KERNEL_piece;

static inline __attribute__((always_inline)) void KERNEL_add_to(KERNEL_mask *mask, int64_t i)
{
#if VECTOR_BYTES == 64
    *mask = (KERNEL_mask)(*mask | 1u << i);
#else
    (*mask)[i] = -1;
#endif
}

/* Copies what a piece meets at values k0..k1-1 of k. is_first: it is its vector's first piece, and the lanes of the others become 0. The step is a
 * constant of each call. */
static inline __attribute__((always_inline)) TARGET_ATTRIBUTE void
KERNEL_copy_taps(const int step, const NAME_args *a, const KERNEL_piece *piece, int64_t k0, int64_t k1, int is_first, float *patches)
{
    const int64_t apart = STRIDED(X, a->X_stride[1], a->H * a->W), line = STRIDED(X, a->X_stride[2], a->W), taps = a->R * a->S;
#if LAYOUT_F_KCRS
    const int64_t q0 = k0 / taps, r0 = k0 % taps, q1 = k1 / taps, r1 = k1 % taps, rows = taps;
#else
    const int64_t rows = 1;
#endif
    for (int64_t r = 0; r < a->R; r++) {
        KERNEL_mask row[2], mask[2];
        for (int i = 0; i < 1 + (step == 2); i++)
            row[i] = (KERNEL_mask)(KERNEL_below(piece->h[i], r * NAME_DIL_H(a), a->H) & piece->here[i]);
        for (int64_t s = 0; s < a->S; s++) {
            const int64_t tap = r * a->S + s;
#if LAYOUT_F_KCRS
            const int64_t c0 = q0 + (tap < r0), c1 = q1 + (tap < r1), first = c0 * taps + tap - k0;
#else
            const int64_t c0 = k0 > tap * a->C ? k0 - tap * a->C : 0, c1 = k1 - tap * a->C < a->C ? k1 - tap * a->C : a->C, first = tap * a->C + c0 - k0;
#endif
            const float *x = piece->x + c0 * apart + r * NAME_DIL_H(a) * line + s * NAME_DIL_W(a);
            float *to = patches + first * WS;
            for (int i = 0; i < 1 + (step == 2); i++)
                mask[i] = (KERNEL_mask)(row[i] & KERNEL_below(piece->w[i], s * NAME_DIL_W(a), a->W));
            for (int64_t c = c0; c < c1; c++, x += apart, to += rows * WS) {
                KERNEL_vec v = KERNEL_every(step, 0, x, NAME_STRIDE_W(a), mask);
                if (!is_first)
                    v += *(const KERNEL_vec *)to;
                *(KERNEL_vec *)to = v;
            }
        }
    }
    (void)taps;
}

/* The piece of `count` pixels from `pixel` on, for group g, in lanes from `lane` on. */
static TARGET_ATTRIBUTE void KERNEL_set_piece(const NAME_args *a, KERNEL_piece *piece, int64_t g, int64_t pixel, int64_t lane, int64_t count)
{
    const int64_t step = NAME_STRIDE_W(a) == 2 ? 2 : 1;
    KERNEL_pixel at = KERNEL_pixel_of(a, pixel);
    const int64_t h = at.p * NAME_STRIDE_H(a) - NAME_PAD_T(a), w = (at.q - lane) * NAME_STRIDE_W(a) - NAME_PAD_L(a);
    memset(piece, 0, sizeof *piece);
    piece->x = a->X + STRIDED(X, at.n * a->X_stride[0] + g * a->C * a->X_stride[1] + h * a->X_stride[2], ((at.n * a->IC + g * a->C) * a->H + h) * a->W) + w;
    for (int64_t i = lane; i < lane + count; i++) {
        const int64_t load = i * step / LANES, place = i * step % LANES;
        piece->h[load][place] = (uint32_t)(at.p * NAME_STRIDE_H(a) - NAME_PAD_T(a));
        piece->w[load][place] = (uint32_t)(at.q * NAME_STRIDE_W(a) - NAME_PAD_L(a));
        KERNEL_add_to(&piece->here[load], place);
        if (++at.q == a->Q) {
            at.q = 0;
            at.p++;
        }
    }
}

/* Copies what `count` pixels from `pixel` on meet, for group g and values k0..k1-1 of k, to lanes from `lane` on. */
static TARGET_ATTRIBUTE void KERNEL_copy_piece(const NAME_args *a, int64_t g, int64_t pixel, int64_t lane, int64_t count, int64_t k0, int64_t k1, float *patches)
{
    KERNEL_piece piece;
    KERNEL_set_piece(a, &piece, g, pixel, lane, count);
    if (NAME_STRIDE_W(a) == 1)
        KERNEL_copy_taps(1, a, &piece, k0, k1, lane == 0, patches);
    else if (NAME_STRIDE_W(a) == 2)
        KERNEL_copy_taps(2, a, &piece, k0, k1, lane == 0, patches);
    else
        KERNEL_copy_taps(0, a, &piece, k0, k1, lane == 0, patches);
}

/* Patches of vectors v0..v1-1 of pixels, for group g and values k0..k1-1 of k, WS floats a k. */
static PACKAGE_ONE_COPY TARGET_ATTRIBUTE void KERNEL_copy(const NAME_args *a, int64_t g, int64_t v0, int64_t v1, int64_t k0, int64_t k1, float *patches)
{
    const int64_t apart = STRIDED(X, a->X_stride[2], a->W);
    const int is_dense = NAME_STRIDE_H(a) == 1 && NAME_STRIDE_W(a) == 1 && a->W == a->Q && apart == a->Q;
    const int64_t line = is_dense ? a->P * a->Q : a->Q, pixels = a->N * a->P * a->Q;
    for (int64_t v = v0; v < v1 && k0 < k1; v++, patches += LANES)
        for (int64_t lane = 0, pixel = v * LANES, count; lane < LANES && pixel < pixels; lane += count, pixel += count) {
            count = line - pixel % line < LANES - lane ? line - pixel % line : LANES - lane;
            count = count < pixels - pixel ? count : pixels - pixel;
            KERNEL_copy_piece(a, g, pixel, lane, count, k0, k1, patches);
        }
}
