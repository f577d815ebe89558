/* SPDX-License-Identifier: MIT-0
 *
 * library: the operator as NVIDIA's library computes it, behind the entry that dcgen's kernels have when they are
 * measured (search/runner/abi.h there): what they are timed side by side with, in a search and by a package's
 * benchmark. One strided batch, or one for each b0 where the strides of both batch axes do not make one. A bias,
 * matrices that are added, and some functions of the sum are cublasLt's own; any other formula is computed by a kernel
 * behind it.
 */
//@ cublaslt
#if HAS_OTHER_FORMULA

struct Rows { /* of all matrices of Y */
    NAME_args a;
    const float *sums; /* dense; NULL: in Y */
    int64_t rows, N;
    __device__ RESULT_TYPE *at(int64_t r, int n) const
    {
        const int64_t batch = r / a.M;
        return a.Y + batch / a.B1 * a.Y_stride[0] + batch % a.B1 * a.Y_stride[1] + r % a.M * a.Y_stride[2] + n;
    }
    __device__ float value(int64_t r, int n) const
    {
        const int64_t batch = r / a.M;
        const float sum = sums ? sums[r * N + n] : *(const float *)at(r, n);
        return NAME_epilogue(a, sum, (int)(batch / a.B1), (int)(batch % a.B1), (int)(r % a.M), n);
    }
};
#if ELEM_BYTES == 2

static int64_t count_results(const int64_t *extent)
{
    return extent[0] * extent[1] * extent[2] * extent[3];
}
#endif
#endif

/* Products that lie one b1 behind the other are those of B0 and B1 together if a step of b0 is B1 steps of b1. */
static bool is_one_batch(const int64_t *stride, int64_t B1)
{
    return stride[0] == B1 * stride[1];
}

/* Where the results of cublasLt lie: bytes from the first one of one b0 to that of the next, elements from one b1, and from one row. */
struct Results {
    char *first;
    int64_t next_b0, next_b1, row;
};

extern "C" int dcgen_launch(const int64_t *extent, void *const *operand, void *scratch, void *, void *stream)
{
    const int64_t *A = extent + 5, *B = A + 3; /* strides */
    const int64_t B0 = extent[0], B1 = extent[1], M = extent[2], N = extent[3];
#if HAS_OTHER_FORMULA && ELEM_BYTES == 2
    const Results y = { (char *)sums_of(scratch), B1 * M * N * 4, M * N, N };
    const bool y_is_one = true;
#else
    const int64_t *Y = extent + OUTPUT_STRIDES;
    const Results y = { (char *)operand[OUTPUT_PLACE], Y[0] * ELEM_BYTES, Y[1], Y[2] };
    const bool y_is_one = is_one_batch(Y, B1);
#endif
    const bool is_one = B0 == 1 || (is_one_batch(A, B1) && is_one_batch(B, B1) && y_is_one);
    const int64_t calls = is_one ? 1 : B0, steps = (A[0] | B[0] | HAS_ADDEND * B1 * M * N) * ELEM_BYTES | y.next_b0;
    Product p;
    p.M = M, p.N = N, p.K = extent[4];
    p.x_is_km = LAYOUT_A_KM, p.w_is_kn = LAYOUT_B_KN;
    p.ldx = A[2], p.ldw = B[2], p.ldy = y.row;
#if HAS_SUM_BIAS
    p.bias = operand[BIAS_PLACE];
#endif
    p.batches = is_one ? B0 * B1 : B1;
    p.next_x = A[1], p.next_w = B[1], p.next_y = y.next_b1;
    if (calls > 1 && steps % 256 != 0)
        p.aligned = steps & -steps;
#if HAS_ADDEND
    p.addend = operand[ADDEND_PLACE], p.ldc = N, p.next_c = M * N;
#endif
    int code = B0 > 0 ? 0 : NO_ALGORITHM;
    for (int64_t b0 = 0; code == 0 && b0 < calls; b0++)
        code = multiply(&p, (const char *)operand[0] + b0 * A[0] * ELEM_BYTES, (const char *)operand[1] + b0 * B[0] * ELEM_BYTES,
                        b0 * B1 * M * N * ELEM_BYTES, y.first + b0 * y.next_b0, scratch, stream);
#if HAS_OTHER_FORMULA
    const NAME_args a = NAME_arguments(EACH(extents, extent[PLACE]), EACH(operands, FROM_RUNNER));
    if (code == 0)
        code = finish(Rows{ a, ELEM_BYTES == 2 ? sums_of(scratch) : NULL, B0 * B1 * M, N }, stream);
#endif
    return code;
}
