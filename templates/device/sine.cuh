/* SPDX-License-Identifier: MIT-0 */
/* sin(x) of any float, within 2 ULP. sin(-0) = -0. */
static __device__ __forceinline__ float sine(float x)
{
    return __uint_as_float(__float_as_uint(quarter_wave(fabsf(x), 0)) ^ (__float_as_uint(x) & 0x80000000u));
}
