/* SPDX-License-Identifier: MIT-0 */
/* dcgen
name    = "column_a_thread";
op      = "words";
family  = "cuda";
doc     = "a thread an element of Y; it reads W and its scales as they are or packed";
params  = ( { name = "NT"; choices = [32, 128]; doc = "threads of a block"; } );
general = ( { target = "sm_75"; NT = 32; }, { target = "sm_80"; NT = 32; }, { target = "sm_86"; NT = 32; }, { target = "sm_89"; NT = 32; },
            { target = "sm_90a"; NT = 32; } );
tile    = { M = "1"; N = "NT"; K = "4"; };
launch  = { x = "min(ceil_div(M * N, NT), 1048576)"; };
*/
static __global__ void __launch_bounds__(NT) KERNEL(const NAME_args a)
{
#if TARGET_GUARD
    const int64_t pitch = a.W_stride[0];
#if PACKED
    const float *scale = (const float *)(a.W + a.N * pitch);
#else
    const float *scale = a.scale;
#endif
    for (int64_t i = (int64_t)blockIdx.x * NT + threadIdx.x; i < (int64_t)a.M * a.N; i += (int64_t)gridDim.x * NT) {
        const int64_t m = i / a.N, n = i % a.N;
        float sum = 0;
        for (int k = 0; k < a.K; k++)
            sum += a.X[m * a.K + k] * (float)((int)((unsigned)a.W[n * pitch + k / 4] >> 8 * (k % 4) & 255) - 128);
        sum *= scale[n];
#if HAS_EPILOGUE
        sum = NAME_epilogue(a, sum, m, n);
#endif
        a.Y[i] = sum;
    }
#endif
}
