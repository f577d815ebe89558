/* SPDX-License-Identifier: MIT-0 */
/* dcgen
name    = "row_a_block";
op      = "standardise";
family  = "cuda";
doc     = "a block a row: each thread adds every NT-th element up, then the threads add up in shared memory";
params  = ( { name = "NT"; choices = [32, 64, 128, 256]; doc = "threads of a block"; } );
values  = ( { name = "SMEM"; expr = "NT * 4"; doc = "bytes of shared memory: a sum a thread"; } );
general = ( { target = "sm_75"; NT = 64; }, { target = "sm_80"; NT = 64; }, { target = "sm_86"; NT = 64; }, { target = "sm_89"; NT = 64; },
            { target = "sm_90a"; NT = 64; } );
tile    = { R = "1"; C = "NT"; };
launch  = { x = "R"; };
*/
#if TARGET_GUARD
/* The sum of what the threads of the block hold, for each of them. */
static __device__ float KERNEL_sum(float mine)
{
    float *sum = (float *)PACKAGE_device::shared_memory();
    __syncthreads(); /* nobody reads the former sum any more */
    sum[threadIdx.x] = mine;
    for (int n = NT / 2; n > 0; n /= 2) {
        __syncthreads();
        if (threadIdx.x < n)
            sum[threadIdx.x] += sum[threadIdx.x + n];
    }
    __syncthreads();
    return sum[0];
}
#endif

static __global__ void __launch_bounds__(NT) KERNEL(const NAME_args a)
{
#if TARGET_GUARD
    const float *x = a.X + blockIdx.x * a.X_stride[0];
    float *y = a.Y + blockIdx.x * a.Y_stride[0];
    float mean = 0, variance = 0;
    for (int c = threadIdx.x; c < a.C; c += NT)
        mean += x[c];
    mean = KERNEL_sum(mean) / a.C;
    for (int c = threadIdx.x; c < a.C; c += NT)
        variance += (x[c] - mean) * (x[c] - mean);
    const float factor = 1 / sqrtf(KERNEL_sum(variance) / a.C + 1e-5f);
    for (int c = threadIdx.x; c < a.C; c += NT)
        y[c] = (x[c] - mean) * factor;
#endif
}
