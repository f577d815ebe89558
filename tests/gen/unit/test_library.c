/* SPDX-License-Identifier: Apache-2.0
 *
 * The op by a CBLAS, as text that compiles and whose results are right in any number of parts.
 */
#include "tests/test.h"
#include <unistd.h>
#include <dlfcn.h>
#include <math.h>
#include "gen/unit/unit.h"
#include "search/runner/abi.h"
#include "tests/gen/golden.h"
#include "tests/gen/place.h"
#include "tests/gen/spec_text.h"

static TargetList targets;

static int setup(void **state)
{
    return place_setup(state) == 0 &&
                   target_read_all(arena, DCGEN_SOURCE_DIR "/templates/targets", &targets, diag_new(arena))
               ? 0
               : -1;
}

/* What the op is, and its formula. */
typedef enum { PRODUCT, PRODUCT_AND_BIAS, TWO_PRODUCTS } Kind;

static char *library_text(const char *target, const char *layout, Kind kind)
{
    static const char *const of_kind[] = { "op = \"dense\";", "op = \"dense\"; epilogue = [\"bias\"];",
                                           "op = \"gated_dense\"; epilogue = \"acc * gate + acc\";" };
    Diag *d = diag_new(arena);
    const char *spec = arena_printf(arena,
                                    "name = \"pkg\"; %s dtype = \"f32\"; layout = { W = \"%s\"; };"
                                    " shapes = ( { M = 7; N = 48; K = 64; } );",
                                    of_kind[kind], layout);
    const UnitContext u = { spec_good(arena, spec, spec_templates, 1), NULL, &targets,
                            DCGEN_SOURCE_DIR "/templates/package", target_find(&targets, target) };
    char *text = unit_library(arena, &u, d);
    assert_string_equal(golden_diag(arena, d), "");
    return text;
}

/* On a CPU that has more than the target, a library that used all of it would be no rival of the target's kernels. */
TEST(it_gets_no_more_than_the_target)
{
    static const char *const row[][2] = { { "portable", "Nehalem" }, { "avx2", "Haswell" }, { "avx512", "SkylakeX" } };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++)
        for (size_t k = 0; k < sizeof row / sizeof *row; k++)
            assert_int_equal(strstr(library_text(row[i][0], "NK", PRODUCT), row[k][1]) != NULL, i == k);
}

static dcgen_run_fn *build_cblas(const char *layout, Kind kind)
{
    const char *c = arena_printf(arena, "%s/library_%s%d.c", root, layout, (int)kind);
    const char *so = arena_printf(arena, "%s/library_%s%d.so", root, layout, (int)kind);
    put_file(c, library_text("avx2", layout, kind));
    const char *command =
        arena_printf(arena, "cc -std=gnu17 -O1 -Wall -Wextra -Werror -shared -fPIC -o '%s' '%s' -ldl", so, c);
    if (system(command) != 0)
        fail_msg("%s", command);
    void *library = dlopen(so, RTLD_NOW);
    if (!library)
        fail_msg("%s", dlerror());
    return (dcgen_run_fn *)dlsym(library, "dcgen_run");
}

enum { M_MOST = 40, N_MOST = 40, K_MOST = 33 };
static float X[M_MOST * K_MOST], W[N_MOST * K_MOST], G[N_MOST * K_MOST], B[N_MOST], Y[M_MOST * N_MOST];
static float scratch[M_MOST * N_MOST];

static double product(const int64_t *e, const float *weight, bool kn, int64_t m, int64_t n)
{
    double sum = 0;
    for (int64_t k = 0; k < e[2]; k++)
        sum += (double)X[m * e[2] + k] * weight[kn ? k * e[1] + n : n * e[2] + k];
    return sum;
}

static double wanted(const int64_t *e, bool kn, Kind kind, int64_t m, int64_t n)
{
    const double acc = product(e, W, kn, m, n);
    return kind == PRODUCT ? acc : kind == PRODUCT_AND_BIAS ? acc + B[n] : acc * product(e, G, kn, m, n) + acc;
}

static void check_product(dcgen_run_fn *run, const int64_t *e, bool kn, Kind kind, int64_t ntask)
{
    void *const operand[] = { X, W, kind == PRODUCT ? Y : kind == PRODUCT_AND_BIAS ? B : G, Y };
    for (int64_t i = 0; i < e[0] * e[1]; i++)
        Y[i] = NAN; /* beta = 0 must not read it */
    for (int64_t task = 0; task < ntask; task++)
        assert_int_equal(run(e, operand, kind == TWO_PRODUCTS ? scratch : NULL, task, ntask), 0);
    for (int64_t m = 0; m < e[0]; m++)
        for (int64_t n = 0; n < e[1]; n++)
            if (!(fabs(Y[m * e[1] + n] - wanted(e, kn, kind, m, n)) < 1e-4))
                fail_msg("%d x %d x %d in %d parts: row %d column %d is %g", (int)e[0], (int)e[1], (int)e[2],
                         (int)ntask, (int)m, (int)n, Y[m * e[1] + n]);
}

TEST(a_cblas_computes_the_op)
{
    static const int64_t extent[][3] = { { 1, 1, 1 }, { 1, 40, 33 }, { 40, 1, 7 }, { 13, 40, 33 }, { 40, 17, 5 } };
    static const int64_t parts[] = { 1, 2, 3, 64 };
    void *library = dlopen("libopenblas.so.0", RTLD_NOW);
    if (!library || !dlsym(library, "cblas_sgemm")) {
        puts("skipped: no libopenblas.so.0");
        skip();
    }
    for (int i = 0; i < M_MOST * K_MOST; i++)
        X[i] = (float)(i * 37 % 101) / 50 - 1;
    for (int i = 0; i < N_MOST * K_MOST; i++)
        W[i] = (float)(i * 53 % 97) / 48 - 1, G[i] = (float)(i * 29 % 89) / 44 - 1;
    for (int i = 0; i < N_MOST; i++)
        B[i] = (float)i - 20;
    for (int i = 0; i < 6; i++) {
        const bool kn = i & 1;
        const Kind kind = (Kind)(i / 2);
        dcgen_run_fn *run = build_cblas(kn ? "KN" : "NK", kind);
        assert_non_null(run);
        for (size_t e = 0; e < sizeof extent / sizeof *extent; e++)
            for (size_t p = 0; p < sizeof parts / sizeof *parts; p++)
                check_product(run, extent[e], kn, kind, parts[p]);
        assert_int_not_equal(
            run((const int64_t[]){ 1, INT64_C(1) << 40, 1 }, (void *const[]){ X, W, B, Y }, scratch, 0, 1), 0);
    }
}

TEST_FILE(setup, place_teardown)
