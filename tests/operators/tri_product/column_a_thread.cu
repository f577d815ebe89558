/* SPDX-License-Identifier: MIT-0 */
/* dcgen
name    = "column_a_thread";
op      = "tri_product";
family  = "cuda";
doc     = "a thread computes MR rows of one column; the block's part of L goes through shared memory, BK columns at a time";
params  = (
  { name = "MR"; choices = [1, 4, 8];     doc = "rows of a block"; },
  { name = "BK"; choices = [8, 32];       doc = "columns of L in shared memory"; },
  { name = "NT"; choices = [32, 64, 128]; doc = "threads of a block, each a column"; } );
values  = ( { name = "SMEM"; expr = "MR * BK * 4"; doc = "bytes of shared memory"; } );
general = ( { target = "sm_75"; MR = 4; BK = 8; NT = 64; }, { target = "sm_80"; MR = 4; BK = 8; NT = 64; }, { target = "sm_86"; MR = 4; BK = 8; NT = 64; },
            { target = "sm_89"; MR = 4; BK = 8; NT = 64; }, { target = "sm_90a"; MR = 4; BK = 8; NT = 64; } );
tile    = { M = "MR"; N = "NT"; };
launch  = { x = "ceil_div(M, MR)"; y = "ceil_div(N, NT)"; };
*/
static __global__ void __launch_bounds__(NT) KERNEL(const NAME_args a)
{
#if TARGET_GUARD
    float *l = (float *)PACKAGE_device::shared_memory(); /* [MR][BK], 0 above the diagonal */
    const int64_t n = (int64_t)blockIdx.y * NT + threadIdx.x, m0 = (int64_t)blockIdx.x * MR;
    const int64_t end = m0 + MR < a.M ? m0 + MR : a.M; /* terms of the block's last row */
    float sum[MR] = {};
    for (int64_t k0 = 0; k0 < end; k0 += BK) {
        for (int i = threadIdx.x; i < MR * BK; i += NT) {
            const int64_t m = m0 + i / BK, k = k0 + i % BK;
            l[i] = m < a.M && k <= m ? a.L[m * a.L_stride[0] + k] : 0;
        }
        __syncthreads();
        for (int k = 0; k < BK && k0 + k < end; k++) {
            const float x = n < a.N ? a.X[(k0 + k) * a.X_stride[0] + n] : 0;
            for (int r = 0; r < MR; r++)
                sum[r] += l[r * BK + k] * x;
        }
        __syncthreads();
    }
    for (int r = 0; r < MR; r++)
        if (m0 + r < a.M && n < a.N)
            a.Y[(m0 + r) * a.Y_stride[0] + n] = sum[r];
#endif
}
