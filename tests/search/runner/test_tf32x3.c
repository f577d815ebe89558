/* SPDX-License-Identifier: Apache-2.0
 *
 * tf32x3: what three products of tf32 make of f32 (templates/device/tf32x3_mma.cuh), by kernels of the emulator. How
 * far sums are off, beside those of f32 and tf32: of random numbers, of rows of one number, of numbers far from 0;
 * docs/spec.md has these figures, and PRINT=1 prints them. And what becomes of infinities, NaN, the largest numbers and
 * the smallest.
 *
 *   ctest: emulator label=slow timeout=120 cost=10
 */
#include "tests/test.h"
#include <float.h>
#include "tests/search/runner/emu_matrix.h"

enum { F32, TF32, TF32X3, NTYPE };
/* clang-format off */
static const KernelRow rows[NTYPE] = {
    { "dense f32 W=NK", "simt_gemm sm_80 BM=32 BN=32 TM=4 TN=4 BK=32 STAGES=3 SPLITK=1 ALIGNED=16", NULL, NULL },
    { "dense tf32 W=NK", "mma_gemm sm_80 ALIGNED=16", NULL, NULL },
    { "dense tf32x3 W=NK", "mma_gemm sm_80 ALIGNED=16", NULL, NULL },
};
/* clang-format on */

static RowWorld *w;
static EmuEntry entry[NTYPE];

/* ---- calls */

enum { MOST_M = 32, MOST_N = 32, MOST_K = 8192 };
static _Alignas(256) float x[MOST_M * MOST_K], weight[MOST_N * MOST_K], y[MOST_M * MOST_N];

/* y = x * weight, of M x K and N x K elements. */
static void call(int type, int M, int N, int K)
{
    Emu emu = { .workers = 2, .smem_limit = SMEM_LIMIT, .block_budget = (int64_t)1 << 40 };
    void *operand[] = { x, weight, y };
    emu_add_region(&emu, EMU_INPUT, "X", x, (size_t)(M * K) * sizeof *x, sizeof *x);
    emu_add_region(&emu, EMU_INPUT, "W", weight, (size_t)(N * K) * sizeof *x, sizeof *x);
    emu_add_region(&emu, EMU_OUTPUT, "Y", y, (size_t)(M * N) * sizeof *x, sizeof *x);
    emu_begin(&emu);
    const int code = entry[type].launch((const int64_t[]){ M, N, K, K }, operand, NULL, NULL, NULL);
    emu_end(&emu);
    if (code != 0 || emu.nfinding > 0)
        fail_msg("%s: %s", rows[type].call, emu.nfinding ? emu.finding[0].text : emu.refusal);
}

/* ---- errors */

static double uniform(void)
{
    static uint64_t state = 1;
    state = state * 6364136223846793005u + 1442695040888963407u;
    return ((double)(state >> 12) + 0.5) * 0x1p-52;
}

static double normal(void) { return sqrt(-2 * log(uniform())) * cos(2 * M_PI * uniform()); }

typedef enum { NORMAL, CONSTANT_ROWS, LARGE_MEANS, NDATA } Data;
static const char *const data_name[NDATA] = { "normal", "constant rows", "large means" };

static void fill(float *to, int nrow, int K, Data data)
{
    for (int r = 0; r < nrow; r++) {
        const double row = data == CONSTANT_ROWS ? normal() : 100;
        for (int k = 0; k < K; k++)
            to[r * K + k] = (float)(data == NORMAL ? normal() : data == CONSTANT_ROWS ? row : row + normal());
    }
}

/* The largest error of an element, against its products' magnitudes, in units of 2^-24; `tolerated`: what may be at
 * most. */
static double error_of(int M, int N, int K, const Rounding *rounding, double *tolerated)
{
    double most = 0;
    for (int i = 0; i < M * N; i++) {
        double exact = 0, size = 0;
        for (int k = 0; k < K; k++) {
            const double p = (double)x[i / N * K + k] * weight[i % N * K + k];
            exact += p;
            size += fabs(p);
        }
        most = fmax(most, fabs(y[i] - exact) / size);
        *tolerated = rounding_tolerance(rounding, K, size, exact) / size * 0x1p24;
    }
    return most * 0x1p24;
}

/* Of a product alone at most 16 units are left out; the emulator rounds sums to nearest. */
TEST(errors_are_those_of_f32)
{
    static const int depth[] = { 64, 768, MOST_K };
    for (int d = 0; d < NDATA; d++)
        for (size_t i = 0; i < LENGTH(depth); i++) {
            const int K = depth[i];
            double error[NTYPE], tolerated[NTYPE];
            fill(x, MOST_M, K, (Data)d);
            fill(weight, MOST_N, K, (Data)d);
            for (int t = 0; t < NTYPE; t++) {
                const Rounding r = dtype_rounding(dtype_find(w->kernel[t].spec->dtype), storage_find("f32"));
                call(t, MOST_M, MOST_N, K);
                error[t] = error_of(MOST_M, MOST_N, K, &r, &tolerated[t]);
            }
            if (getenv("PRINT"))
                print_message("%-14s K=%-5d f32 %.3g of %.3g, tf32 %.4g of %.4g, tf32x3 %.3g of %.3g\n", data_name[d],
                              K, error[F32], tolerated[F32], error[TF32], tolerated[TF32], error[TF32X3],
                              tolerated[TF32X3]);
            assert_true(error[TF32X3] <= tolerated[TF32X3]);
            assert_true(error[TF32X3] < error[F32] + 16);
            assert_true(error[TF32X3] < error[TF32] / 50);
        }
}

/* Numbers that are tf32 as they are, and whose sums are f32, are multiplied without error. */
TEST(whole_numbers_are_exact)
{
    enum { K = 96 };
    for (int i = 0; i < MOST_M * K; i++) {
        x[i] = (float)(i * 37 % 201 - 100);
        weight[i] = (float)(i * 53 % 301 - 150);
    }
    call(TF32X3, MOST_M, MOST_N, K);
    for (int i = 0; i < MOST_M * MOST_N; i++) {
        float exact = 0;
        for (int k = 0; k < K; k++)
            exact += x[i / MOST_N * K + k] * weight[i % MOST_N * K + k];
        assert_true(y[i] == exact);
    }
}

/* ---- numbers that are no common ones */

static const float number[] = {
    0,
    -0.0f,
    1,
    -1.5f,
    1.0f / 3,
    -1e-3f,
    2047.5f,
    INFINITY,
    -INFINITY,
    NAN,
    FLT_MAX,
    -FLT_MAX,
    0x1p127f,
    0x1.ffep127f,
    0x1.fffp127f,
    -1e30f,
    0x1p64f,
    0x1.fffffep63f,
    FLT_MIN,
    -0x1.abcdefp-20f,
    0x1p-130f,
    -0x1p-136f,
    0x1p-149f,
    1e-30f,
};
enum { NNUMBER = LENGTH(number) };

/* As tensor cores have it: they know no digits below 2^-136. */
static double seen(float v) { return fabsf(v) < FLT_MIN ? trunc(v * 0x1p136) * 0x1p-136 : v; }

/* Each times each, beside products of zeros: as in f32, but for digits below 2^-136, and the largest number times
 * 1 may be infinite. */
TEST(products_of_any_numbers)
{
    enum { K = 4 };
    memset(x, 0, sizeof x);
    memset(weight, 0, sizeof weight);
    for (int i = 0; i < NNUMBER; i++)
        x[i * K + i % K] = weight[i * K + i % K] = number[i];
    for (int turn = 0; turn < K; turn++) {
        call(TF32X3, NNUMBER, NNUMBER, K);
        for (int i = 0; i < NNUMBER * NNUMBER; i++) {
            const float a = number[i / NNUMBER], b = number[i % NNUMBER];
            const bool meet = (i / NNUMBER + turn) % K == i % NNUMBER % K;
            const double exact = meet ? seen(a) * seen(b) : seen(a) * 0 + seen(b) * 0;
            const double near = fabs(exact) * 0x1p-20 + 0x1p-136 * fmin(FLT_MAX, fmax(fabsf(a), fabsf(b))) + 0x1p-149;
            const bool may_overflow = fabs(exact) + near > FLT_MAX && y[i] == copysign(INFINITY, exact);
            const bool is_near = isfinite(y[i]) && fabs(y[i] - exact) <= near;
            if (isnan(exact) ? !isnan(y[i]) : !may_overflow && !is_near)
                fail_msg("%g * %g is %g", a, b, y[i]);
        }
        for (int i = 0; i < NNUMBER; i++) { /* the other numbers of the row stay 0 */
            x[i * K + (i + turn) % K] = 0;
            x[i * K + (i + turn + 1) % K] = number[i];
        }
    }
}

/* A row with an infinity is infinite, one with a NaN is NaN, whatever the low parts of the other operand; the others do
 * not change. */
TEST(a_number_spoils_its_row_alone)
{
    enum { K = 64 };
    fill(x, MOST_M, K, NORMAL);
    for (int i = 0; i < MOST_N * K; i++)
        weight[i] = (float)(i % 7 + 1) * (i % 3 ? 1 : 1.0f / 3);
    x[3 * K + 17] = -INFINITY;
    x[5 * K + 60] = NAN;
    call(TF32X3, MOST_M, MOST_N, K);
    for (int i = 0; i < MOST_M * MOST_N; i++)
        assert_true(i / MOST_N == 3 ? y[i] == -INFINITY : i / MOST_N == 5 ? isnan(y[i]) : isfinite(y[i]));
}

static int set_up(void **state)
{
    rows_build(*state = w = rows_world(true), rows, NTYPE);
    for (int t = 0; t < NTYPE; t++)
        entry[t] = emu_entry(w, &w->kernel[t]);
    return 0;
}

static int tear_down(void **state)
{
    for (int t = 0; t < NTYPE; t++)
        emu_leave(&entry[t]);
    emu_free();
    return rows_free(state);
}

TEST_FILE(set_up, tear_down)
TEST_NEEDS(rows_have_compiler)
