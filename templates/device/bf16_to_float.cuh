/* SPDX-License-Identifier: MIT-0 */
/* The value of a bf16, exactly: it is the upper half of a float. */
static __device__ __forceinline__ float bf16_to_float(unsigned short bits)
{
    return __uint_as_float((unsigned)bits << 16);
}
