/* SPDX-License-Identifier: MIT-0 */
/* x as the sum of two numbers as tf32_mma takes them: high has the first 11 digits of x, low what is left. The tensor cores cut low after 11
 * digits, too. The factor makes up for that and for low * low, which nobody multiplies: sums of many products would come out too small.
 *
 * Both have the sign of x, so that products overflow as those of x do. An infinity is in low, beside the largest number in high: in high it would
 * make a NaN of another number's low part, where that is 0. A NaN is in low, too. */
static __device__ __forceinline__ void tf32_split(unsigned x, unsigned &high, unsigned &low)
{
    const unsigned finite = __float_as_uint(fminf(fabsf(__uint_as_float(x)), 0x1.fffffep127f));
    high = ((finite | x) & 0x80001fff) ^ finite; /* the sign of x, no low bits: one LOP3 */
    low = __float_as_uint((__uint_as_float(x) - __uint_as_float(high)) * (1 + 0x1p-11f));
}
