/* SPDX-License-Identifier: MIT-0 */
/* Tap (r, s) of channel c of filter oc. */
static __device__ __forceinline__ float KERNEL_tap(const NAME_args &a, int oc, int r, int s, int c)
{
#if LAYOUT_F_KRSC
    return PACKAGE_device::RIGHT_ELEMENT_to_float(__ldg(a.F + (oc * a.F_stride[0] + r * a.F_stride[1] + s * a.F_stride[2] + c)));
#elif LAYOUT_F_KCRS
    return PACKAGE_device::RIGHT_ELEMENT_to_float(__ldg(a.F + (oc * a.F_stride[0] + c * a.F_stride[1] + r * a.F_stride[2] + s)));
#else
    return PACKAGE_device::RIGHT_ELEMENT_to_float(__ldg(a.F + (r * a.F_stride[0] + s * a.F_stride[1] + c * a.F_stride[2] + oc)));
#endif
}
