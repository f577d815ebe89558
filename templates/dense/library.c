/* SPDX-License-Identifier: MIT-0
 *
 * library: the operator as a CBLAS computes it, behind the entry that dcgen's kernels have when they are measured
 * (search/runner/abi.h there): what they are timed side by side with, in a search and by a package's benchmark. A bias
 * is laid into Y first and kept by beta = 1, as users of a BLAS do; any other formula is computed behind the product,
 * by the functions that kernels call. A call in several parts is that many calls, each of some rows of Y or, where
 * there are more columns than rows, of some columns. Without a CBLAS every call is refused.
 */
//@ guard
//@ cblas

#if LAYOUT_W_KN
enum { TRANS_W = NO_TRANS };
#else
enum { TRANS_W = TRANS };
#endif

#if HAS_FORMULA && IS_BIAS == 0
/* The formula, on the sums that Y holds. */
static TARGET_ATTRIBUTE void finish(const int64_t *extent, void *const *operand, int64_t m0, int64_t m1, int64_t n0, int64_t n1)
{
    const NAME_args a = NAME_arguments(EACH(extents, extent[PLACE]), EACH(operands, FROM_RUNNER));
    const int64_t lanes = sizeof(PACKAGE_floats_MACHINE) / sizeof(float);
    for (int64_t m = m0; m < m1; m++)
        for (int64_t n = n0; n < n1; n += lanes) {
            float *y = a.Y + m * a.N + n;
            const int64_t here = n1 - n < lanes ? n1 - n : lanes;
            PACKAGE_store_MACHINE(y, NAME_epilogue_MACHINE(&a, PACKAGE_load_MACHINE(y, here), m, n, here), here);
        }
}
#endif

/* Y[m0..m1)[n0..n1). */
static void part(const int64_t *extent, void *const *operand, int64_t m0, int64_t m1, int64_t n0, int64_t n1)
{
    const int64_t N = extent[1], K = extent[2];
    const float *X = (const float *)operand[0] + m0 * K;
    float *Y = (float *)operand[OUTPUT_PLACE] + m0 * N + n0;
#if LAYOUT_W_KN
    const float *W = (const float *)operand[1] + n0;
    const int64_t ldw = N;
#else
    const float *W = (const float *)operand[1] + n0 * K;
    const int64_t ldw = K;
#endif
#if IS_BIAS
    for (int64_t m = 0; m < m1 - m0; m++)
        memcpy(Y + m * N, (const float *)operand[BIAS_PLACE] + n0, sizeof(float) * (size_t)(n1 - n0));
#endif
    sgemm(ROW_MAJOR, NO_TRANS, TRANS_W, (int)(m1 - m0), (int)(n1 - n0), (int)K, 1, X, (int)K, W, (int)ldw, IS_BIAS, Y,
          (int)N);
#if HAS_FORMULA && IS_BIAS == 0
    finish(extent, operand, m0, m1, n0, n1);
#endif
}

int dcgen_run(const int64_t *extent, void *const *operand, void *scratch, int64_t task, int64_t ntask)
{
    const int64_t M = extent[0], N = extent[1];
    (void)scratch;
    if (!sgemm)
        return NO_LIBRARY;
    if (M <= 0 || N <= 0 || extent[2] <= 0 || M > INT_MAX || N > INT_MAX || extent[2] > INT_MAX)
        return TOO_LARGE;
    const int64_t begin = task * (M >= N ? M : N) / ntask, end = (task + 1) * (M >= N ? M : N) / ntask;
    if (begin < end && M >= N)
        part(extent, operand, begin, end, 0, N);
    else if (begin < end)
        part(extent, operand, 0, M, begin, end);
    return 0;
}
//@ unguard
