/* SPDX-License-Identifier: MIT-0 */
/* x / (1 + exp(-x)), within 4 ULP or 1e-7. */
static __device__ __forceinline__ float silu(float x)
{
    return x * sigmoid(x);
}
