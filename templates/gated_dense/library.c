/* SPDX-License-Identifier: MIT-0
 *
 * library: the operator as a CBLAS computes it, behind the entry that dcgen's kernels have when they are measured
 * (search/runner/abi.h there): what they are timed side by side with, in a search and by a package's benchmark. Two
 * products, that of W in Y, that of G in scratch memory, and then the formula of both, by the functions that kernels
 * call. A call in several parts is that many calls, each of some rows of Y or, where there are more columns than rows,
 * of some columns. Without a CBLAS every call is refused.
 */
//@ guard
//@ cblas

#if LAYOUT_W_KN
enum { TRANS_W = NO_TRANS };
#else
enum { TRANS_W = TRANS };
#endif

/* The formula, on the sums that Y and `gate` hold. */
static TARGET_ATTRIBUTE void
finish(const int64_t *extent, void *const *operand, const float *gate, int64_t m0, int64_t m1, int64_t n0, int64_t n1)
{
    const NAME_args a = NAME_arguments(EACH(extents, extent[PLACE]), EACH(operands, FROM_RUNNER));
    const int64_t lanes = sizeof(PACKAGE_floats_MACHINE) / sizeof(float);
    for (int64_t m = m0; m < m1; m++)
        for (int64_t n = n0; n < n1; n += lanes) {
            float *y = a.Y + m * a.N + n;
            const int64_t here = n1 - n < lanes ? n1 - n : lanes;
            const PACKAGE_floats_MACHINE g = PACKAGE_load_MACHINE(gate + m * a.N + n, here);
            PACKAGE_store_MACHINE(y, NAME_epilogue_MACHINE(&a, PACKAGE_load_MACHINE(y, here), g, m, n, here), here);
        }
}

/* Rows m0..m1-1 and columns n0..n1-1 of a product, which is as large as Y. */
static void multiply(const int64_t *extent, const float *X, const float *weight, float *to, int64_t m0, int64_t m1, int64_t n0, int64_t n1)
{
    const int64_t N = extent[1], K = extent[2];
#if LAYOUT_W_KN
    const float *first = weight + n0;
    const int64_t row = N;
#else
    const float *first = weight + n0 * K;
    const int64_t row = K;
#endif
    sgemm(ROW_MAJOR, NO_TRANS, TRANS_W, (int)(m1 - m0), (int)(n1 - n0), (int)K, 1, X + m0 * K, (int)K, first, (int)row, 0, to + m0 * N + n0, (int)N);
}

int64_t dcgen_scratch(const int64_t *extent, int64_t ntask)
{
    (void)ntask;
    return extent[0] * extent[1] * (int64_t)sizeof(float);
}

int dcgen_run(const int64_t *extent, void *const *operand, void *scratch, int64_t task, int64_t ntask)
{
    const int64_t M = extent[0], N = extent[1];
    if (!sgemm)
        return NO_LIBRARY;
    if (M <= 0 || N <= 0 || extent[2] <= 0 || M > INT_MAX || N > INT_MAX || extent[2] > INT_MAX)
        return TOO_LARGE;
    const int64_t begin = task * (M >= N ? M : N) / ntask, end = (task + 1) * (M >= N ? M : N) / ntask;
    const int64_t m0 = M >= N ? begin : 0, m1 = M >= N ? end : M, n0 = M >= N ? 0 : begin, n1 = M >= N ? N : end;
    if (begin == end)
        return 0;
    multiply(extent, operand[0], operand[1], operand[OUTPUT_PLACE], m0, m1, n0, n1);
    multiply(extent, operand[0], operand[2], scratch, m0, m1, n0, n1);
    finish(extent, operand, scratch, m0, m1, n0, n1);
    return 0;
}
//@ unguard
