/* SPDX-License-Identifier: MIT-0
 *
 * library: the op as NVIDIA's library computes it, behind a candidate's entry (search/runner/abi.h): what kernels are
 * timed side by side with. The bias is in cublasLt's epilogue. Never part of a package.
 */
//@ cublaslt

extern "C" int dcgen_launch(const int64_t *extent, void *const *operand, void *workspace, void *stream)
{
    Product p;
    p.M = extent[0], p.N = extent[1], p.K = extent[2];
    p.ldx = p.ldw = p.K, p.ldy = p.N;
#if LAYOUT_W_KN
    p.w_is_kn = 1, p.ldw = p.N;
#endif
#if HAS_FORMULA && IS_BIAS == 0
    return NO_ALGORITHM; /* its epilogues have no such formula */
#elif IS_BIAS
    p.bias = operand[BIAS_PLACE];
#endif
    return multiply(&p, operand[0], operand[1], operand[OUTPUT_PLACE], workspace, stream);
}
