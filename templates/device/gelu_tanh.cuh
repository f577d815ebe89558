/* SPDX-License-Identifier: MIT-0 */
/* x / 2 (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))), within 4 ULP or 1e-7. It is x / (1 + 2^t), t being -2 / ln 2 times what tanh
 * is of. At -inf it is 0: what is multiplied is finite there. */
static __device__ __forceinline__ float gelu_tanh(float x)
{
    return fmaxf(x, -0x1.fffffep127f) * rcp(1 + ex2(x * fmaf(x * x, -0x1.a5a7dp-4f, -0x1.26aec2p1f)));
}
