/* SPDX-License-Identifier: MIT-0
 *
 * library: the operator as a CBLAS computes it, problem by problem, behind the entry that dcgen's kernels have when
 * they are measured (search/runner/abi.h there): what they are timed side by side with, in a search and by a package's
 * benchmark. A bias is laid into Y first and kept by beta = 1; any other formula is computed behind a product, by the
 * functions that kernels call. A call in several parts shares out the problems. Without a CBLAS every call is refused.
 */
//@ guard
//@ cblas

enum { TRANS_A = LAYOUT_A_KM ? TRANS : NO_TRANS, TRANS_B = LAYOUT_B_NK ? TRANS : NO_TRANS };

#if HAS_FORMULA && IS_BIAS == 0
/* The formula, on the sums of a problem that Y holds. */
static TARGET_ATTRIBUTE void finish(const int64_t *extent, void *const *operand, int64_t b0, int64_t b1)
{
    const NAME_args a = NAME_arguments(EACH(extents, extent[PLACE]), EACH(operands, FROM_RUNNER));
    const int64_t lanes = sizeof(PACKAGE_floats_MACHINE) / sizeof(float);
    for (int64_t m = 0; m < a.M; m++)
        for (int64_t n = 0; n < a.N; n += lanes) {
            float *y = a.Y + b0 * a.Y_stride[0] + b1 * a.Y_stride[1] + m * a.Y_stride[2] + n;
            const int64_t here = a.N - n < lanes ? a.N - n : lanes;
            PACKAGE_store_MACHINE(y, NAME_epilogue_MACHINE(&a, PACKAGE_load_MACHINE(y, here), b0, b1, m, n, here), here);
        }
}
#endif

int dcgen_run(const int64_t *extent, void *const *operand, void *scratch, int64_t task, int64_t ntask)
{
    const int64_t *A_stride = extent + 5, *B_stride = A_stride + 3, *Y_stride = extent + OUTPUT_STRIDES;
    const int64_t batches = extent[0] * extent[1], M = extent[2], N = extent[3], K = extent[4];
    const float *A = operand[0], *B = operand[1];
    float *Y = operand[OUTPUT_PLACE];
    (void)scratch;
    if (!sgemm)
        return NO_LIBRARY;
    if (M <= 0 || N <= 0 || K <= 0 || M > INT_MAX || N > INT_MAX || K > INT_MAX)
        return TOO_LARGE;
    for (int64_t b = batches * task / ntask; b < batches * (task + 1) / ntask; b++) {
        const int64_t b0 = b / extent[1], b1 = b % extent[1];
        float *y = Y + b0 * Y_stride[0] + b1 * Y_stride[1];
#if IS_BIAS
        for (int64_t m = 0; m < M; m++)
            memcpy(y + m * Y_stride[2], operand[BIAS_PLACE], sizeof(float) * (size_t)N);
#endif
        sgemm(ROW_MAJOR, TRANS_A, TRANS_B, (int)M, (int)N, (int)K, 1, A + b0 * A_stride[0] + b1 * A_stride[1],
              (int)A_stride[2], B + b0 * B_stride[0] + b1 * B_stride[1], (int)B_stride[2],
              IS_BIAS, y, (int)Y_stride[2]);
#if HAS_FORMULA && IS_BIAS == 0
        finish(extent, operand, b0, b1);
#endif
    }
    return 0;
}
//@ unguard
