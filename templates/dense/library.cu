/* SPDX-License-Identifier: MIT-0
 *
 * library: the operator as NVIDIA's library computes it, behind the entry that dcgen's kernels have when they are
 * measured (search/runner/abi.h there): what they are timed side by side with, in a search and by a package's
 * benchmark. A bias, a matrix that is added, and some functions of the sum are cublasLt's own; any other formula is
 * computed by a kernel behind it.
 */
//@ cublaslt
#if HAS_OTHER_FORMULA

struct Rows { /* of Y */
    NAME_args a;
    const float *sums;
    int64_t rows, N;
    __device__ float value(int64_t r, int n) const { return NAME_epilogue(a, sums[r * N + n], (int)r, n); }
    __device__ RESULT_TYPE *at(int64_t r, int n) const { return a.Y + r * N + n; }
};
#if ELEM_BYTES == 2

static int64_t count_results(const int64_t *extent)
{
    return extent[0] * extent[1];
}
#endif
#endif

extern "C" int dcgen_launch(const int64_t *extent, void *const *operand, void *scratch, void *, void *stream)
{
    Product p;
    p.M = extent[0], p.N = extent[1], p.K = extent[2];
    p.ldx = p.ldw = p.K, p.ldy = p.N;
#if LAYOUT_W_KN
    p.w_is_kn = 1, p.ldw = p.N;
#endif
#if HAS_SUM_BIAS
    p.bias = operand[BIAS_PLACE];
#endif
#if HAS_ADDEND
    p.addend = operand[ADDEND_PLACE], p.ldc = p.N;
#endif
#if HAS_OTHER_FORMULA
    const NAME_args a = NAME_arguments(EACH(extents, extent[PLACE]), EACH(operands, FROM_RUNNER));
    float *sums = ELEM_BYTES == 2 ? sums_of(scratch) : (float *)a.Y;
    const int code = multiply(&p, operand[0], operand[1], 0, sums, scratch, stream);
    return code ? code : finish(Rows{ a, sums, p.M, p.N }, stream);
#else
    return multiply(&p, operand[0], operand[1], 0, operand[OUTPUT_PLACE], scratch, stream);
#endif
}
