/* SPDX-License-Identifier: MIT-0 */
/* cos(x) of any float, within 2 ULP. */
static __device__ __forceinline__ float cosine(float x)
{
    return quarter_wave(fabsf(x), 1);
}
