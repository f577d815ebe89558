/* SPDX-License-Identifier: MIT-0 */
/* dcgen
name    = "row_a_block";
op      = "grouped";
family  = "cuda";
doc     = "a block a row, which looks for its group; each thread every NT-th column";
params  = ( { name = "NT"; choices = [32, 128]; doc = "threads of a block"; } );
general = ( { target = "sm_75"; NT = 32; }, { target = "sm_80"; NT = 32; }, { target = "sm_86"; NT = 32; }, { target = "sm_89"; NT = 32; },
            { target = "sm_90a"; NT = 32; } );
tile    = { M = "1"; G = "1"; N = "NT"; K = "1"; };
launch  = { x = "min(M, 1048576)"; };
*/
static __global__ void __launch_bounds__(NT) KERNEL(const NAME_args a)
{
#if TARGET_GUARD
    for (int m = blockIdx.x; m < a.M; m += gridDim.x) {
        int g = 0;
        while (m >= a.begin[g] + a.len[g])
            g++;
        for (int n = threadIdx.x; n < a.N; n += NT) {
            float sum = 0;
            for (int k = 0; k < a.K; k++)
                sum += a.X[m * a.X_stride[0] + k] * a.W[((int64_t)g * a.K + k) * a.N + n];
#if HAS_EPILOGUE
            sum = NAME_epilogue(a, sum, m, n);
#endif
            a.Y[(int64_t)m * a.N + n] = sum;
        }
    }
#endif
}
