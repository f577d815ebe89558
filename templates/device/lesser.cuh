/* SPDX-License-Identifier: MIT-0 */
/* The smaller of a and x; x where either is NaN. */
static __device__ __forceinline__ float lesser(float a, float x)
{
    return a < x ? a : x;
}
