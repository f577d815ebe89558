/* SPDX-License-Identifier: MIT-0
 *
 * library: the op as a CBLAS computes it, problem by problem, behind a candidate's entry (search/runner/abi.h): what
 * kernels are timed side by side with. A call in several parts shares out the problems. Without a CBLAS every call is
 * refused. Never part of a package.
 */
//@ cblas

enum { TRANS_A = LAYOUT_A_KM ? TRANS : NO_TRANS, TRANS_B = LAYOUT_B_NK ? TRANS : NO_TRANS };

int dcgen_run(const int64_t *extent, void *const *operand, void *workspace, int64_t task, int64_t ntask)
{
    const int64_t *A_stride = extent + 5, *B_stride = A_stride + 3, *Y_stride = B_stride + 3;
    const int64_t batches = extent[0] * extent[1], M = extent[2], N = extent[3], K = extent[4];
    const float *A = operand[0], *B = operand[1];
    const float *bias = operand[2];
    float *Y = operand[3];
    (void)workspace;
    if (!sgemm)
        return NO_LIBRARY;
    if (M <= 0 || N <= 0 || K <= 0 || M > INT_MAX || N > INT_MAX || K > INT_MAX)
        return TOO_LARGE;
    for (int64_t b = batches * task / ntask; b < batches * (task + 1) / ntask; b++) {
        const int64_t b0 = b / extent[1], b1 = b % extent[1];
        float *y = Y + b0 * Y_stride[0] + b1 * Y_stride[1];
        for (int64_t m = 0; bias && m < M; m++)
            memcpy(y + m * Y_stride[2], bias, sizeof(float) * (size_t)N);
        sgemm(ROW_MAJOR, TRANS_A, TRANS_B, (int)M, (int)N, (int)K, 1, A + b0 * A_stride[0] + b1 * A_stride[1],
              (int)A_stride[2], B + b0 * B_stride[0] + b1 * B_stride[1], (int)B_stride[2],
              bias ? 1 : 0, y, (int)Y_stride[2]);
    }
    return 0;
}
