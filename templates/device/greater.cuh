/* SPDX-License-Identifier: MIT-0 */
/* The larger of a and x; x where either is NaN. */
static __device__ __forceinline__ float greater(float a, float x)
{
    return a > x ? a : x;
}
