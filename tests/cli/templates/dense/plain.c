/* SPDX-License-Identifier: MIT-0 */
/* dcgen
name    = "plain";
op      = "dense";
family  = "cpu";
doc     = "Y = X * W + bias by three loops, in blocks of MB rows: compiles at once, for tests";
packed  = false;
may_spill = false; own_terms = false;
layouts = { W = ["NK"]; };
dtypes  = ["f32"];
params = (
  { name = "MB"; choices = [1, 2, 3, 4, 8, 16]; doc = "rows in a block"; },
  { name = "UK"; choices = [1, 2, 4];           doc = "sums along K"; } );
values = (
  { name = "STEP"; expr = "MB * UK"; doc = "for the sake of a value"; } );
constraints = (
  { need = "STEP <= 32"; why = "a block of that size is of no use"; } );
general = (
  { target = "avx512";   MB = 4; UK = 1; },
  { target = "avx2";     MB = 4; UK = 1; },
  { target = "portable"; MB = 4; UK = 1; } );
tile = { M = "MB"; N = "1"; K = "1"; };
padded_flops = "2 * ceil_to(M, MB) * N * K";
serial_flops = "2 * M * N * K";
features = (
  { name = "block"; expr = "log2(STEP)"; doc = "size of a block"; } );
*/
#ifndef DCGEN
#include "../../../../templates/dense/standalone.h"
#define MB 4
#define UK 1
#define STEP 4
#endif
/* Sums 0..UK-1 along K, in turns. */
static TARGET_ATTRIBUTE float KERNEL_dot(const float *x, const float *w, int64_t K)
{
    float sum[UK] = { 0 }, all = 0;
    for (int64_t k = 0; k < K; k++)
        sum[k % UK] += x[k] * w[k];
    for (int i = 0; i < UK; i++)
        all += sum[i];
    return all;
}

static TARGET_ATTRIBUTE int KERNEL(const NAME_args *a, int64_t task, int64_t ntask)
{
    const int64_t n0 = a->N * task / ntask, n1 = a->N * (task + 1) / ntask;
    _Static_assert(STEP == MB * UK, "derived values are filled in");
    for (int64_t m0 = 0; m0 < a->M; m0 += MB)
        for (int64_t n = n0; n < n1; n++)
            for (int64_t m = m0; m < m0 + MB && m < a->M; m++) {
                float y = KERNEL_dot(a->X + m * a->K, a->W + n * a->K, a->K);
#if HAS_EPILOGUE
                y = NAME_epilogue_MACHINE(a, PACKAGE_all_MACHINE(y), m, n, 1)[0];
#endif
                a->Y[m * a->N + n] = y;
            }
    return 0;
}
