/* SPDX-License-Identifier: MIT-0
 *
 * gated_dense, by its definition, in double precision: of each element of Y two sums, sum_k X[m][k] W(n,k) and
 * sum_k X[m][k] G(n,k). What kernels are checked against; slow on purpose.
 *
 *   extent   M, N, K
 *   element  as DCGEN_DTYPE says (package/element.h)
 *   operand  X [M][K];  W, G [N][K], or [K][N] when compiled with DCGEN_LAYOUT_W_KN;  Y (not looked at)
 */
#include <math.h>

#ifdef DCGEN_LAYOUT_W_KN
enum { IS_KN = 1 };
#else
enum { IS_KN = 0 };
#endif

/* Rounded operations behind one sum: K products that are summed, and one more. */
int64_t dcgen_reference_terms(const int64_t *extent)
{
    return extent[2] + 1;
}

/* y[][][] is, for each element of rows row0..row1-1, the sum of W and that of G, bound[][][] that of the magnitudes of
 * each one's terms. */
void dcgen_reference_rows(const int64_t *extent, const void *const *operand, int64_t row0, int64_t row1,
                          double *y, double *bound)
{
    const int64_t N = extent[1], K = extent[2];
    for (int64_t m = row0; m < row1; m++) {
        for (int64_t i = 0; i < 2 * N; i++) {
            const int64_t n = i / 2; /* of W, then of G */
            double sum = 0, magnitude = 0;
            for (int64_t k = 0; k < K; k++) {
                const double w = dcgen_load(DCGEN_DTYPE, operand[1 + i % 2], IS_KN ? k * N + n : n * K + k);
                const double term = dcgen_load(DCGEN_DTYPE, operand[0], m * K + k) * w;
                sum += term;
                magnitude += fabs(term);
            }
            *y++ = sum;
            *bound++ = magnitude;
        }
    }
}
