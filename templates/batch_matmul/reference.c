/* SPDX-License-Identifier: MIT-0
 *
 * batch_matmul, by its definition, in double precision: Y[b][m][n] = sum_k A(b,m,k) B(b,k,n), b = b0*B1 + b1.
 * What kernels are checked against; slow on purpose.
 *
 *   extent   B0, B1, M, N, K
 *   element  float, or with DCGEN_DTYPE_F16 or DCGEN_DTYPE_BF16 the 16 bits of such a number
 *   operand  A [b][M][K], or [b][K][M] when compiled with DCGEN_LAYOUT_A_KM;  B [b][K][N], or [b][N][K] with
 *            DCGEN_LAYOUT_B_NK;  Y (not looked at). Elements lie densely.
 */
#include <math.h>
#include <stdint.h>

#if defined(DCGEN_DTYPE_F16) || defined(DCGEN_DTYPE_BF16)
typedef uint16_t Element;
#else
typedef float Element; /* f32, and tf32: rounding it is left to the arithmetic of kernels */
#endif

/* The value of a stored element. */
static float element(Element e)
{
#if defined(DCGEN_DTYPE_BF16)
    union { uint32_t bits; float value; } u = { (uint32_t)e << 16 };
    return u.value;
#elif defined(DCGEN_DTYPE_F16)
    /* The fields at the places of a float's; the product sets its exponent right, of denormals too. */
    union { uint32_t bits; float value; } u = { (uint32_t)(e & 0x7fff) << 13 };
    u.value *= 0x1p112f;
    u.bits |= (e & 0x7c00) == 0x7c00 ? 0x7f800000u : 0; /* infinity, NaN */
    u.bits |= (uint32_t)(e & 0x8000) << 16;
    return u.value;
#else
    return e;
#endif
}

/* The matrix of one batch, element by element. */
typedef struct {
    const Element *a, *b;
    int64_t M, N, K;
} Problem;

static Problem problem(const int64_t *extent, const void *const *operand, int64_t batch)
{
    const int64_t M = extent[2], N = extent[3], K = extent[4];
    return (Problem){ (const Element *)operand[0] + batch * M * K, (const Element *)operand[1] + batch * K * N, M, N, K };
}

static double a_at(const Problem *p, int64_t m, int64_t k)
{
#ifdef DCGEN_LAYOUT_A_KM
    return element(p->a[k * p->M + m]);
#else
    return element(p->a[m * p->K + k]);
#endif
}

static double b_at(const Problem *p, int64_t k, int64_t n)
{
#ifdef DCGEN_LAYOUT_B_NK
    return element(p->b[n * p->K + k]);
#else
    return element(p->b[k * p->N + n]);
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
