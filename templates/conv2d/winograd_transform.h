/* SPDX-License-Identifier: MIT-0 */
/* Winograd's transforms of a tile: B^T x B of its pixels of X, and A^T m A of its sums. */

/* Of a part of a call: its scratch memory, and the tiles of an image. Strides are in floats; those between frequencies are no multiples of 4096 bytes. */
typedef struct {
    float *v, *m;
    KERNEL_vec *between; /* XT x XT vectors */
    int64_t of_v, of_m, channels; /* from a frequency to the next in V and M; from a tile to the next in V */
    int64_t down, across; /* tiles of an image */
} KERNEL_view;

static inline int64_t KERNEL_channels(const NAME_args *a) { return (a->C + 15) / 16 * 16; }

/* The place of a tile. */
typedef struct {
    int64_t n, p, q; /* its first pixel of Y */
} KERNEL_spot;

static inline KERNEL_spot KERNEL_spot_of(const KERNEL_view *view, int64_t tile)
{
    return (KERNEL_spot){ tile / view->across / view->down, tile / view->across % view->down * YT, tile % view->across * YT };
}

/* out = B^T in. */
static inline __attribute__((always_inline)) TARGET_ATTRIBUTE void
KERNEL_forward(KERNEL_vec *out, const KERNEL_vec *x)
{
#if YT == 2
    out[0] = x[2] - x[0];
    out[1] = x[2] + x[1];
    out[2] = x[2] - x[1];
    out[3] = x[3] - x[1];
#else
    const KERNEL_vec near = x[4] - 2.0f * x[2], far = x[4] - 0.5f * x[2], near_odd = x[3] - 2.0f * x[1], far_odd = x[3] - 0.5f * x[1];
    out[0] = x[4] - 2.5f * x[2] + x[0];
    out[1] = near + 0.70710678f * near_odd;
    out[2] = near - 0.70710678f * near_odd;
    out[3] = far + 1.41421356f * far_odd;
    out[4] = far - 1.41421356f * far_odd;
    out[5] = x[5] - 2.5f * x[3] + x[1];
#endif
}

/* out = A^T in. */
static inline __attribute__((always_inline)) TARGET_ATTRIBUTE void
KERNEL_back(KERNEL_vec *out, const KERNEL_vec *m)
{
#if YT == 2
    out[0] = m[0] + m[1] + m[2];
    out[1] = m[1] - m[2] + m[3];
#else
    const KERNEL_vec near = m[1] + m[2], near_odd = m[1] - m[2], far = m[3] + m[4], far_odd = m[3] - m[4];
    out[0] = m[0] + near + far;
    out[1] = 0.70710678f * near_odd + 1.41421356f * far_odd;
    out[2] = 0.5f * near + 2.0f * far;
    out[3] = 0.35355339f * near_odd + 2.82842712f * far_odd + m[5];
#endif
}

/* LANES channels of the pixels under a tile, whose first one is at x, into V. from..to: its rows and columns that the image has. */
static inline __attribute__((always_inline)) TARGET_ATTRIBUTE void
KERNEL_transform(const KERNEL_view *view, const float *x, int64_t row, int64_t pixel, float *v, int64_t lanes, const int is_inside, const int64_t *from, const int64_t *to)
{
    KERNEL_vec *const between = view->between;
    const int64_t of_v = view->of_v;
    PACKAGE_UNROLL(6)
    for (int j = 0; j < XT; j++) {
        __asm__("" : : : "memory"); /* a column after the other: else gcc loads ahead what registers cannot hold */
        KERNEL_vec in[XT], out[XT];
        PACKAGE_UNROLL(6)
        for (int i = 0; i < XT; i++) {
            in[i] = (KERNEL_vec){ 0 };
            if (is_inside)
                in[i] = *(const KERNEL_vec *)(x + i * row + j * pixel);
            else if (i >= from[0] && i < to[0] && j >= from[1] && j < to[1])
                in[i] = (KERNEL_vec)PACKAGE_load_MACHINE(x + i * row + j * pixel, lanes);
        }
        KERNEL_forward(out, in);
        PACKAGE_UNROLL(6)
        for (int i = 0; i < XT; i++)
            between[i * XT + j] = out[i];
    }
    PACKAGE_UNROLL(6)
    for (int i = 0; i < XT; i++) {
        __asm__("" : : : "memory");
        KERNEL_vec in[XT], out[XT];
        PACKAGE_UNROLL(6)
        for (int j = 0; j < XT; j++)
            in[j] = between[i * XT + j];
        KERNEL_forward(out, in);
        PACKAGE_UNROLL(6)
        for (int j = 0; j < XT; j++)
            *(KERNEL_vec *)(v + (i * XT + j) * of_v) = out[j];
    }
}

/* The part from..to of a line of XT pixels from `first` on that lies within 0..end-1. */
static inline void KERNEL_within(int64_t first, int64_t end, int64_t *from, int64_t *to)
{
    *from = first < 0 ? -first : 0;
    *to = end - first < XT ? end - first : XT;
}
