/* SPDX-License-Identifier: MIT-0 */
/* A float as an element of f32, as f16_of and bf16_of round it to one of theirs. */
static __device__ __forceinline__ float f32_of(float x)
{
    return x;
}
