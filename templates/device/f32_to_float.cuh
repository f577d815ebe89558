/* SPDX-License-Identifier: MIT-0 */
/* An element of f32 as a float. */
static __device__ __forceinline__ float f32_to_float(float x)
{
    return x;
}
