/* SPDX-License-Identifier: MIT-0 */
/* Adds up the sums of all groups of simt_gemm, in their order: acc[0 .. OWN_ROWS * TN - 1] becomes the whole sums of rows
 * OWN_ROWS * g and on of the thread, where g is its group. So all threads have a part of what follows.
 *
 * Group g's sums of the rows of another group r are the (g * KGROUPS + r)-th set in shared memory, not counting those
 * of r itself: OWN_ROWS * TN floats of each thread of a group, four at a time, thread by thread. */
static __device__ __forceinline__ float *KERNEL_set(float *sums, int g, int r)
{
    return sums + (g * (KGROUPS - 1) + r - (r > g)) * (OWN_ROWS * TN * GROUP_NT) + KERNEL_thread() % GROUP_NT * 4;
}

static __device__ __forceinline__ void KERNEL_add_groups(float (&acc)[TM * TN], float *sums)
{
    constexpr int n = OWN_ROWS * TN;
    const int group = KERNEL_group();
    __syncthreads(); /* nobody reads a stage any more */
#pragma unroll
    for (int r = 0; r < KGROUPS; r++)
        if (r != group)
#pragma unroll
            for (int i = 0; i < n; i += 4) {
                const float *v = acc + r * n + i;
                *(float4 *)(KERNEL_set(sums, group, r) + i * GROUP_NT) = make_float4(v[0], v[1], v[2], v[3]);
            }
    __syncthreads();
#pragma unroll
    for (int r = 0; r < KGROUPS; r++)
        if (r == group)
#pragma unroll
            for (int i = 0; i < n; i += 4) {
                float4 sum = make_float4(0, 0, 0, 0);
#pragma unroll
                for (int g = 0; g < KGROUPS; g++) {
                    const float *v = acc + r * n + i;
                    const float4 q = g == r ? make_float4(v[0], v[1], v[2], v[3])
                                            : *(const float4 *)(KERNEL_set(sums, g, r) + i * GROUP_NT);
                    sum.x += q.x, sum.y += q.y, sum.z += q.z, sum.w += q.w;
                }
                acc[i] = sum.x, acc[i + 1] = sum.y, acc[i + 2] = sum.z, acc[i + 3] = sum.w;
            }
}
