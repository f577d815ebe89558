/* SPDX-License-Identifier: MIT-0
 *
 * batch_matmul, by its definition, in double precision: Y[b][m][n] = sum_k A(b,m,k) B(b,k,n), b = b0*B1 + b1.
 * What kernels are checked against; slow on purpose.
 *
 *   extent   B0, B1, M, N, K
 *   element  as DCGEN_DTYPE says (package/element.h)
 *   operand  A [b][M][K], or [b][K][M] when compiled with DCGEN_LAYOUT_A_KM;  B [b][K][N], or [b][N][K] with
 *            DCGEN_LAYOUT_B_NK;  Y (not looked at). Elements lie densely.
 */
#include <math.h>

/* The matrix of one batch, element by element. */
typedef struct {
    const void *a, *b;
    int64_t batch, M, N, K;
} Problem;

static Problem problem(const int64_t *extent, const void *const *operand, int64_t batch)
{
    return (Problem){ operand[0], operand[1], batch, extent[2], extent[3], extent[4] };
}

static double a_at(const Problem *p, int64_t m, int64_t k)
{
#ifdef DCGEN_LAYOUT_A_KM
    return dcgen_load(DCGEN_DTYPE, p->a, (p->batch * p->K + k) * p->M + m);
#else
    return dcgen_load(DCGEN_DTYPE, p->a, (p->batch * p->M + m) * p->K + k);
#endif
}

static double b_at(const Problem *p, int64_t k, int64_t n)
{
#ifdef DCGEN_LAYOUT_B_NK
    return dcgen_load(DCGEN_DTYPE, p->b, (p->batch * p->N + n) * p->K + k);
#else
    return dcgen_load(DCGEN_DTYPE, p->b, (p->batch * p->K + k) * p->N + n);
#endif
}

/* Rounded operations behind one element: K products that are summed, and one more. */
int64_t dcgen_reference_terms(const int64_t *extent) { return extent[4] + 1; }

/* Rows row0..row1-1 of all batches' rows, one after the other: y[][] is the result, bound[][] the sum of the magnitudes of each element's terms. */
void dcgen_reference_rows(const int64_t *extent, const void *const *operand, int64_t row0, int64_t row1, double *y,
                          double *bound)
{
    for (int64_t row = row0; row < row1; row++) {
        const Problem p = problem(extent, operand, row / extent[2]);
        for (int64_t n = 0; n < p.N; n++) {
            double sum = 0, magnitude = 0;
            for (int64_t k = 0; k < p.K; k++) {
                const double term = a_at(&p, row % p.M, k) * b_at(&p, k, n);
                sum += term;
                magnitude += fabs(term);
            }
            *y++ = sum;
            *bound++ = magnitude;
        }
    }
}

/* The sum of each row without the product of three extents: sum_n Y[m][n] = sum_k A(m,k) (sum_n B(k,n)). Goes
 * block by block over k, so that the sums of B's rows fit on the stack. */
void dcgen_reference_check(const int64_t *extent, const void *const *operand, int64_t row0, int64_t row1, double *sum,
                           double *bound)
{
    enum { BLOCK = 256 };
    for (int64_t row = row0, end; row < row1; row = end) { /* the rows of one batch */
        const Problem p = problem(extent, operand, row / extent[2]);
        end = (row / p.M + 1) * p.M < row1 ? (row / p.M + 1) * p.M : row1;
        for (int64_t r = row; r < end; r++)
            sum[r - row0] = bound[r - row0] = 0;
        for (int64_t k0 = 0; k0 < p.K; k0 += BLOCK) {
            const int64_t nk = p.K - k0 < BLOCK ? p.K - k0 : BLOCK;
            double b_sum[BLOCK] = { 0 }, b_magnitude[BLOCK] = { 0 };
            for (int64_t k = 0; k < nk; k++)
                for (int64_t n = 0; n < p.N; n++) {
                    b_sum[k] += b_at(&p, k0 + k, n);
                    b_magnitude[k] += fabs(b_at(&p, k0 + k, n));
                }
            for (int64_t r = row; r < end; r++)
                for (int64_t k = 0; k < nk; k++) {
                    const double a = a_at(&p, r % p.M, k0 + k);
                    sum[r - row0] += a * b_sum[k];
                    bound[r - row0] += fabs(a) * b_magnitude[k];
                }
        }
    }
}
