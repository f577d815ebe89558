/* SPDX-License-Identifier: MIT-0 */
/* dcgen
name    = "plain_cuda";
op      = "dense";
family  = "cuda";
doc     = "Y = X * W + bias, a thread a column, TM rows of X in shared memory: compiles at once, for tests";
dtypes  = ["f32"];
layouts = { W = ["NK"]; };
params = (
  { name = "TM"; choices = [1, 2, 4]; doc = "rows of a block"; },
  { name = "BK"; choices = [16, 32];  doc = "values of k in shared memory"; } );
values = (
  { name = "NT"; expr = "64"; doc = "threads of a block, each a column"; } );
constraints = (
  { need = "TM * BK * 4 <= SMEM_BLOCK"; why = "the rows must fit shared memory"; } );
regs = "32";
general = (
  { target = "sm_75";  TM = 2; BK = 16; },
  { target = "sm_80";  TM = 2; BK = 16; },
  { target = "sm_86";  TM = 2; BK = 16; },
  { target = "sm_89";  TM = 2; BK = 16; },
  { target = "sm_90a"; TM = 2; BK = 16; } );
tile = { M = "TM"; N = "NT"; K = "BK"; };
launch = { x = "ceil_div(M, TM)"; y = "ceil_div(N, NT)"; z = "1"; cluster = "0"; threads = "NT"; smem = "4 * TM * BK"; };
scratch = "0";
counters = "0";
derived = (
  { name = "BLOCKS"; expr = "ceil_div(M, TM) * ceil_div(N, NT)"; doc = "blocks of the launch"; } );
padded_flops = "2 * BLOCKS * TM * NT * ceil_to(K, BK)";
serial_flops = "2 * BLOCKS * TM * NT * ceil_to(K, BK)";
terms = (
  { name = "ns"; expr = "2500 + ceil_div(BLOCKS, SMS) * ceil_to(K, BK) * (20 + 4 * TM) * 1000 / CLOCK_MHZ"; doc = "nanoseconds"; } );
features = (
  { name = "rows"; expr = "log2(TM)"; doc = "values of W are used so often"; },
  { name = "regs"; expr = "REGS / 32"; doc = "registers" ; } );
*/
#ifndef DCGEN
#include "../../../../templates/dense/standalone.cuh"
#define TM 2
#define BK 16
#define NT 64
#endif
static __global__ void __launch_bounds__(NT) KERNEL(const NAME_args a)
{
#if TARGET_GUARD
    float *x = (float *)PACKAGE_device::shared_memory(); /* [TM][BK] */
    const int m0 = blockIdx.x * TM, n = blockIdx.y * NT + threadIdx.x;
    const RIGHT_TYPE *w = a.W + (int64_t)n * a.W_stride[0];
    float sum[TM];
    for (int r = 0; r < TM; r++)
        sum[r] = 0;
    for (int k0 = 0; k0 < a.K; k0 += BK) {
        for (int i = threadIdx.x; i < TM * BK; i += NT) {
            const int m = m0 + i / BK, k = k0 + i % BK;
            x[i] = m < a.M && k < a.K ? a.X[(int64_t)m * a.K + k] : 0;
        }
        __syncthreads(); /* the rows are there */
        for (int k = 0; k < BK; k++)
            for (int r = 0; r < TM; r++)
                sum[r] += x[r * BK + k] * (n < a.N && k0 + k < a.K ? w[k0 + k] : 0);
        __syncthreads(); /* nobody needs them any more */
    }
    for (int r = 0; r < TM; r++)
        if (m0 + r < a.M && n < a.N) {
            float y = sum[r];
#if HAS_EPILOGUE
            y = NAME_epilogue(a, y, m0 + r, n);
#endif
            a.Y[(int64_t)(m0 + r) * a.N + n] = y;
        }
#endif
}
