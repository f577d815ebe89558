/* SPDX-License-Identifier: MIT-0 */
/* The nearest number that a bf16 can hold. */
static __device__ __forceinline__ float round_bf16(float x)
{
    return bf16_to_float(bf16_of(x));
}
