/* SPDX-License-Identifier: MIT-0 */
/* x / 2 (1 + erf(x / sqrt(2))), within 4 ULP or 1e-7: the larger of x and 0, less a Q(a), where a = |x| and Q(a) = erfc(a / sqrt(2)) / 2
 * = 2^p(a). p is a polynomial, minimax for the error of a Q(a) up to 6.2, where that is 2e-9: 3e-8. */
static __device__ __forceinline__ float gelu(float x)
{
    const float a = fabsf(x) < 6.2f ? fabsf(x) : 6.2f;
    float p = fmaf(a, 0x1.a70afp-19f, 0x1.3c558ap-22f);
    p = fmaf(p, a, -0x1.4d699cp-11f);
    p = fmaf(p, a, 0x1.ffe21ap-8f);
    p = fmaf(p, a, -0x1.b330bap-5f);
    p = fmaf(p, a, -0x1.d5f15p-2f);
    p = fmaf(p, a, -0x1.26b29cp0f);
    p = fmaf(p, a, -0x1.ffff7ep-1f);
    return fmaf(-a, ex2(p), x < 0 ? 0 : x);
}
