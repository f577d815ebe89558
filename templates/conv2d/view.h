/* SPDX-License-Identifier: MIT-0 */
/* The call as tiles see it: `rows` rows of Q pixels of Y, `down` of them an image, of images of H x W; `across` tiles lie in a row, and
 * neighbouring pixels of Y are `step` pixels of X apart. A 1 x 1 convolution without padding has one long row, or one an image where layouts want
 * that: of pixels that lie so, or, `picked` out of X, are copied so. Channel c of pixel (n, h, w) of X is at x + n*image + h*line + w*IC + c - origin. */
typedef struct {
    int64_t rows, down, Q, H, W, across, step;
    int picked;
    const float *x;
    int64_t image, line, origin;
} KERNEL_view;

#if X_STRIDED || Y_STRIDED
/* Do pixels lie equally far apart, those of X in an image or in all of them, and those of Y? (In NCHW pixels of Y are stored row by row, wherever.) */
static int KERNEL_is_even(const NAME_args *a)
{
    int is = 1;
#if X_STRIDED
#if LAYOUT_X_NCHW
    is &= a->X_stride[2] == a->W || a->H == 1;
#else
    is &= (a->X_stride[1] == a->W * a->X_stride[2] || a->H == 1) && (LAYOUT_Y_NCHW || a->N == 1 || a->X_stride[0] == a->H * a->W * a->X_stride[2]);
#endif
#endif
#if Y_STRIDED
#if !LAYOUT_Y_NCHW
    is &= (a->Y_stride[1] == a->Q * a->Y_stride[2] || a->P == 1) && (a->N == 1 || a->Y_stride[0] == a->P * a->Q * a->Y_stride[2]);
#endif
#endif
    return is;
}

#endif
static KERNEL_view KERNEL_look(const NAME_args *a)
{
    const int strides = NAME_STRIDE_H(a) > 1 || NAME_STRIDE_W(a) > 1;
    const int is_flat = a->R == 1 && a->S == 1 && (NAME_PAD_T(a) | NAME_PAD_B(a) | NAME_PAD_L(a) | NAME_PAD_R(a)) == 0 && (!strides || (COPY && !LAYOUT_X_NCHW));
    const uint64_t line = STRIDED(X, (uint64_t)a->X_stride[1], (uint64_t)a->W * (uint64_t)a->IC), image = STRIDED(X, (uint64_t)a->X_stride[0], line * (uint64_t)a->H); /* unsigned: they wrap where no memory could hold X */
    KERNEL_view view = { a->N * a->P, a->P, a->Q, a->H, a->W, 0, NAME_STRIDE_W(a), 0, a->X, (int64_t)image, (int64_t)line, 0 };
#if X_STRIDED || Y_STRIDED
    if (is_flat && !KERNEL_is_even(a)) {
        if (strides) { /* each row of Y is an image of its own, of pixels that are copied: no more than scratch memory holds */
            view.rows = a->N * a->P;
            view.down = view.H = view.step = view.picked = 1;
            view.W = a->Q;
        }
    } else
#endif
    if (is_flat) {
        const int by_image = LAYOUT_X_NCHW || LAYOUT_Y_NCHW;
        view.rows = by_image ? a->N : 1;
        view.down = view.H = view.step = 1;
        view.Q = view.W = (int64_t)((uint64_t)(by_image ? 1 : a->N) * (uint64_t)a->P * (uint64_t)a->Q);
        view.line = (int64_t)((uint64_t)view.W * (uint64_t)a->IC);
        view.picked = strides;
    }
    view.across = (view.Q + MR - 1) / MR;
    return view;
}

/* The first pixel of the i-th tile of a row: the first tiles have a pixel more than the others, where they cannot all be of one length. */
static inline int64_t KERNEL_first_of(const KERNEL_view *view, int64_t i)
{
    const int64_t longer = view->Q % view->across;
    return view->Q / view->across * i + (i < longer ? i : longer);
}
