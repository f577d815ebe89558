/* SPDX-License-Identifier: MIT-0 */
/* 1 / (1 + exp(-x)), within 4 ULP or 1e-7. */
static __device__ __forceinline__ float sigmoid(float x)
{
    return rcp(1 + ex2(x * -0x1.715476p0f)); /* 1 / ln 2 */
}
