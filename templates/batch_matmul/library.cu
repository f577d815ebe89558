/* SPDX-License-Identifier: MIT-0
 *
 * library: the op as NVIDIA's library computes it, behind a candidate's entry (search/runner/abi.h): what kernels are
 * timed side by side with. One strided batch, or one for each b0 where the strides of both batch axes do not make one.
 * Never part of a package.
 */
//@ cublaslt

/* Products that lie one b1 behind the other are those of B0 and B1 together if a step of b0 is B1 steps of b1. */
static bool is_one_batch(const int64_t *stride, int64_t B1)
{
    return stride[0] == B1 * stride[1];
}

extern "C" int dcgen_launch(const int64_t *extent, void *const *operand, void *workspace, void *stream)
{
    const int64_t *A = extent + 5, *B = A + 3, *Y = B + 3; /* strides */
    const int64_t B0 = extent[0], B1 = extent[1];
    const bool is_one = B0 == 1 || (is_one_batch(A, B1) && is_one_batch(B, B1) && is_one_batch(Y, B1));
    const int64_t calls = is_one ? 1 : B0, steps = (A[0] | B[0] | Y[0]) * ELEM_BYTES;
    Product p;
    p.M = extent[2], p.N = extent[3], p.K = extent[4];
    p.x_is_km = LAYOUT_A_KM, p.w_is_kn = LAYOUT_B_KN;
    p.ldx = A[2], p.ldw = B[2], p.ldy = Y[2];
#if HAS_FORMULA && IS_BIAS == 0
    return NO_ALGORITHM; /* its epilogues have no such formula */
#elif IS_BIAS
    p.bias = operand[BIAS_PLACE];
#endif
    p.batches = is_one ? B0 * B1 : B1;
    p.next_x = A[1], p.next_w = B[1], p.next_y = Y[1];
    if (calls > 1 && steps % 256 != 0)
        p.aligned = steps & -steps;
    int code = B0 > 0 ? 0 : NO_ALGORITHM;
    for (int64_t b0 = 0; code == 0 && b0 < calls; b0++)
        code = multiply(&p, (const char *)operand[0] + b0 * A[0] * ELEM_BYTES,
                        (const char *)operand[1] + b0 * B[0] * ELEM_BYTES, (char *)operand[OUTPUT_PLACE] + b0 * Y[0] * ELEM_BYTES,
                        workspace, stream);
    return code;
}
