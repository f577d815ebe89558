/* SPDX-License-Identifier: MIT-0 */
/* Where an element of Y is, by its number as Y lies; and elements of X. For operators whose X and Y are images of the same channels. */
struct KERNEL_place {
    int n, p, q, c;
};

static __device__ __forceinline__ KERNEL_place KERNEL_find(const NAME_args &a, unsigned e)
{
    KERNEL_place at;
#if LAYOUT_Y_NCHW
    at.q = e % a.Q, e /= a.Q;
    at.p = e % a.P, e /= a.P;
    at.c = e % a.C, at.n = e / a.C;
#else
    at.c = e % a.C, e /= a.C;
    at.q = e % a.Q, e /= a.Q;
    at.p = e % a.P, at.n = e / a.P;
#endif
    return at;
}

/* Element (h, w) of the place's image and channel. */
static __device__ __forceinline__ float KERNEL_x(const NAME_args &a, const KERNEL_place &at, int h, int w)
{
#if LAYOUT_X_NCHW
    return PACKAGE_device::LEFT_ELEMENT_to_float(__ldg(a.X + (((int64_t)at.n * a.C + at.c) * a.H + h) * a.W + w));
#else
    return PACKAGE_device::LEFT_ELEMENT_to_float(__ldg(a.X + (((int64_t)at.n * a.H + h) * a.W + w) * a.C + at.c));
#endif
}
