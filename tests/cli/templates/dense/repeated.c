/* SPDX-License-Identifier: MIT-0 */
/* dcgen
name    = "repeated";
op      = "dense";
family  = "cpu";
doc     = "Y = X * W + bias by three loops, each sum taken TIMES times over: how fast a kernel is, is known beforehand, for tests";
packed  = false;
layouts = { W = ["NK"]; };
dtypes  = ["f32"];
params = (
  { name = "TIMES"; choices = [1, 3, 9]; doc = "how often each sum is taken"; } );
constraints = (
  { need = "TIMES <= 9"; why = "that is slow enough"; } );
general = (
  { target = "avx512";   TIMES = 1; },
  { target = "avx2";     TIMES = 1; },
  { target = "portable"; TIMES = 1; } );
tile = { M = "1"; N = "1"; K = "1"; };
padded_flops = "2 * M * N * K";
serial_flops = "2 * M * N * K";
features = (
  { name = "times"; expr = "log2(TIMES)"; doc = "work done over again"; } );
*/
#ifndef DCGEN
#include "../../../../templates/dense/standalone.h"
#define TIMES 3
#endif
static TARGET_ATTRIBUTE float KERNEL_dot(const float *x, const float *w, int64_t K)
{
    float sum = 0;
    for (int i = 0; i < TIMES; i++) {
        sum = 0;
        for (int64_t k = 0; k < K; k++)
            sum += x[k] * w[k];
        __asm__ volatile("" : "+x"(sum) : : "memory"); /* no sum is left out, whoever may see that it is the same */
    }
    return sum;
}

static TARGET_ATTRIBUTE int KERNEL(const NAME_args *a, int64_t task, int64_t ntask)
{
    const int64_t n0 = a->N * task / ntask, n1 = a->N * (task + 1) / ntask;
    for (int64_t m = 0; m < a->M; m++)
        for (int64_t n = n0; n < n1; n++) {
            float y = KERNEL_dot(a->X + m * a->K, a->W + n * a->K, a->K);
#if HAS_EPILOGUE
            y = NAME_epilogue_MACHINE(a, PACKAGE_all_MACHINE(y), m, n, 1)[0];
#endif
            a->Y[m * a->N + n] = y;
        }
    return 0;
}
