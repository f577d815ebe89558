/* SPDX-License-Identifier: Apache-2.0
 *
 * The definition of dense, which all kernels are compared with, compared with exact sums of small whole numbers, in
 * every layout and type; and how definitions read elements.
 */
#include "tests/test.h"
#include "templates/package/element.h"
#include <math.h>

#define AS f32
#include "tests/gen/template/reference_as.h"

#define AS f16
#define DCGEN_LAYOUT_W_KN
#include "tests/gen/template/reference_as.h"
#undef DCGEN_LAYOUT_W_KN

#define AS bf16
#include "tests/gen/template/reference_as.h"

/* K: more than a block of check. */
enum { M = 4, N = 3, K = 300 };

static int x_of(int m, int k) { return (m * 5 + k * 7) % 9 - 4; }
static int w_of(int n, int k) { return (n * 11 + k * 3) % 7 - 3; }

/* The element of these values, whose magnitudes are below 16. */
static uint16_t half_of(int v)
{
    return (uint16_t)(v < 0    ? 0x8000 | half_of(-v)
                      : v == 0 ? 0
                               : (ilogb(v) + 15) << 10 | (v << (10 - ilogb(v)) & 0x3ff));
}
static uint16_t brain_of(int v)
{
    const float f = (float)v;
    uint32_t bits;
    memcpy(&bits, &f, sizeof bits);
    return (uint16_t)(bits >> 16);
}

typedef void Rows(const int64_t *extent, const void *const *operand, int64_t row0, int64_t row1, double *y,
                  double *bound);
static const int64_t extent[] = { M, N, K };

static void compare(Rows *rows, Rows *check, const void *const *operand)
{
    double y[M * N], bound[M * N], sum[M], sum_bound[M];
    rows(extent, operand, 1, M, y, bound);
    check(extent, operand, 1, M, sum, sum_bound);
    for (int m = 1; m < M; m++) {
        int row = 0, row_bound = 0;
        for (int n = 0; n < N; n++) {
            int want = 0, magnitude = 0;
            for (int k = 0; k < K; k++) {
                const int term = x_of(m, k) * w_of(n, k);
                want += term;
                magnitude += term < 0 ? -term : term;
            }
            assert_true(y[(m - 1) * N + n] == want && bound[(m - 1) * N + n] == magnitude);
            row += want;
            row_bound += magnitude;
        }
        assert_true(sum[m - 1] == row && sum_bound[m - 1] == row_bound);
    }
}

TEST(sums_are_exact)
{
    static float x[M * K], w[N * K];
    static uint16_t x_half[M * K], w_half[K * N], x_brain[M * K], w_brain[N * K];
    for (int i = 0; i < M * K; i++)
        x[i] = (float)x_of(i / K, i % K), x_half[i] = half_of(x_of(i / K, i % K)),
        x_brain[i] = brain_of(x_of(i / K, i % K));
    for (int i = 0; i < N * K; i++)
        w[i] = (float)w_of(i / K, i % K), w_half[i] = half_of(w_of(i % N, i / N)),
        w_brain[i] = brain_of(w_of(i / K, i % K));
    compare(rows_f32, check_f32, (const void *const[]){ x, w, NULL });
    compare(rows_f16, check_f16, (const void *const[]){ x_half, w_half, NULL });
    compare(rows_bf16, check_bf16, (const void *const[]){ x_brain, w_brain, NULL });
    assert_int_equal(terms_f32(extent), K + 1);
    assert_int_equal(terms_f16(extent), K + 1);
    assert_int_equal(terms_bf16(extent), K + 1);
}

TEST(elements_have_their_values)
{
    static const struct {
        uint16_t bits;
        double half, brain;
    } row[] = { { 0x0000, 0, 0 },
                { 0x0001, 0x1p-24, 0x1p-133 },
                { 0x03ff, 1023 * 0x1p-24, (1 + 127. / 128) * 0x1p-120 },
                { 0x0400, 0x1p-14, 0x1p-119 },
                { 0x3c00, 1, 0x1p-7 },
                { 0x3f80, 1.875, 1 },
                { 0xc000, -2, -2 },
                { 0x7bff, 65504, (1 + 127. / 128) * 0x1p120 },
                { 0x7c00, INFINITY, 0x1p121 },
                { 0xfc00, -INFINITY, -0x1p121 },
                { 0xff80, NAN, -INFINITY } };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        const double half = dcgen_load(dcgen_as_f16, &row[i].bits, 0),
                     brain = dcgen_load(dcgen_as_bf16, &row[i].bits, 0);
        assert_true(isnan(row[i].half) ? isnan(half) : half == row[i].half);
        assert_true(brain == row[i].brain);
    }
    const uint16_t odd[] = { 0x8000, 0x7e00, 0x7fc0 };
    assert_true(signbit(dcgen_load(dcgen_as_f16, odd, 0)) && isnan(dcgen_load(dcgen_as_f16, odd, 1)));
    assert_true(isnan(dcgen_load(dcgen_as_bf16, odd, 2)));
    assert_true(dcgen_load(dcgen_as_s32, (int32_t[]){ 0, INT32_MIN }, 1) == INT32_MIN);
}
