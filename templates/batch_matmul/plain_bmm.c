/* SPDX-License-Identifier: MIT-0 */
/* dcgen
name    = "plain_bmm";
op      = "batch_matmul";
family  = "cpu";
doc     = "three loops";
packed  = false;
dtypes  = ["f32"];
params  = ( { name = "MR"; choices = [1, 2, 4]; doc = "rows"; } );
general = ( { target = "avx512"; MR = 4; }, { target = "avx2"; MR = 4; }, { target = "portable"; MR = 2; } );
tile    = { B0 = "1"; B1 = "1"; M = "MR"; N = "1"; K = "1"; };
*/
static TARGET_ATTRIBUTE int KERNEL(const NAME_args *a, int64_t task, int64_t ntask)
{
    const int64_t nb = a->B0 * a->B1;
    for (int64_t b = nb * task / ntask; b < nb * (task + 1) / ntask; b++) {
        const int64_t b0 = b / a->B1, b1 = b % a->B1;
        const float *A = a->A + b0 * a->A_stride[0] + b1 * a->A_stride[1];
        const float *B = a->B + b0 * a->B_stride[0] + b1 * a->B_stride[1];
        float *Y = a->Y + b0 * a->Y_stride[0] + b1 * a->Y_stride[1];
        for (int64_t m0 = 0; m0 < a->M; m0 += MR)
            for (int64_t m = m0; m < m0 + MR && m < a->M; m++)
                for (int64_t n = 0; n < a->N; n++) {
                    float sum = 0;
                    for (int64_t k = 0; k < a->K; k++)
#if LAYOUT_A_KM
                        sum += A[k * a->A_stride[2] + m]
#else
                        sum += A[m * a->A_stride[2] + k]
#endif
#if LAYOUT_B_NK
                               * B[n * a->B_stride[2] + k];
#else
                               * B[k * a->B_stride[2] + n];
#endif
                    Y[m * a->Y_stride[2] + n] = sum;
                }
    }
    return 0;
}
