/* SPDX-License-Identifier: MIT-0 */
/* The nearest number that an f16 can hold. */
static __device__ __forceinline__ float round_f16(float x)
{
    return f16_to_float(f16_of(x));
}
