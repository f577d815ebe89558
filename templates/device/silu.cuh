/* SPDX-License-Identifier: MIT-0 */
/* x / (1 + exp(-x)), within 4 ULP or 1e-7. At -inf it is 0: what is multiplied is finite there. */
static __device__ __forceinline__ float silu(float x)
{
    return fmaxf(x, -0x1.fffffep127f) * sigmoid(x);
}
