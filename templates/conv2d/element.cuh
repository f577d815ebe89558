/* SPDX-License-Identifier: MIT-0 */
/* Elements as floats, and taps. */
static __device__ __forceinline__ float KERNEL_float(NAME_elem e)
{
#if DTYPE_F16
    return PACKAGE_device::f16_to_float(e);
#elif DTYPE_BF16
    return PACKAGE_device::bf16_to_float(e);
#else
    return e;
#endif
}

static __device__ __forceinline__ NAME_elem KERNEL_rounded(float v)
{
#if DTYPE_F16
    return PACKAGE_device::f16_of(v);
#elif DTYPE_BF16
    return PACKAGE_device::bf16_of(v);
#else
    return v;
#endif
}

/* Tap (r, s) of channel c of filter oc. */
static __device__ __forceinline__ float KERNEL_tap(const NAME_args &a, int oc, int r, int s, int c)
{
#if LAYOUT_F_KRSC
    return KERNEL_float(__ldg(a.F + (oc * a.F_stride[0] + r * a.F_stride[1] + s * a.F_stride[2] + c)));
#elif LAYOUT_F_KCRS
    return KERNEL_float(__ldg(a.F + (oc * a.F_stride[0] + c * a.F_stride[1] + r * a.F_stride[2] + s)));
#else
    return KERNEL_float(__ldg(a.F + (r * a.F_stride[0] + s * a.F_stride[1] + c * a.F_stride[2] + oc)));
#endif
}
