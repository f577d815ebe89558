/* SPDX-License-Identifier: Apache-2.0
 *
 * The op by the vendor's library on a GPU: the text compiles, and what it asks of cublasLt, here one that computes on the CPU, is the op,
 * in every layout, with strides of callers, in as few calls as the strides allow.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "gen/unit/unit.h"
#include "search/runner/abi.h"
#include "tests/tmp_folder.h"

static Arena *arena;
static TargetList targets;
static char folder[TMP_FOLDER_BYTES];
static int *nmatmul; /* calls of cublasLtMatmul so far */

/* `asks`: what the spec asks for besides its name, shapes and target. */
static char *library_text(const char *asks)
{
    static const char *const folders[] = { DCGEN_SOURCE_DIR "/templates" };
    Source *src = ARENA_NEW(arena, Source);
    Diag *d = diag_new(arena);
    *src = (Source){ .path = "spec.cfg",
                     .text = arena_printf(arena, "name = \"pkg\"; %s; shapes = ( { %sM = 7; N = 48; K = 64; } );", asks,
                                          strstr(asks, "batch_matmul") ? "B0 = 2; B1 = 3; " : "") };
    src->len = strlen(src->text);
    const UnitContext u = { spec_parse(arena, src, folders, 1, d), NULL, &targets,
                            DCGEN_SOURCE_DIR "/templates/package", target_find(&targets, "sm_80") };
    diag_print(d, stderr);
    assert_non_null(u.spec);
    char *text = unit_library(arena, &u, d);
    diag_print(d, stderr);
    assert_int_equal(diag_nerror(d), 0);
    return text;
}

/* option: of nvcc besides. "-x c++": as C++, which needs no run time of CUDA to be loaded. */
static const char *compile(const char *source, const char *so, const char *option)
{
    const char *path = arena_printf(arena, "%s/%s", folder, so);
    const char *command = arena_printf(arena,
                                       "nvcc -std=c++17 -gencode=arch=compute_80,code=sm_80 -Werror all-warnings "
                                       "-Xcompiler -fPIC,-Wall,-Wextra -shared -cudart none %s -o '%s' '%s'",
                                       option, path, source);
    if (system(command) != 0)
        fail_msg("%s", command);
    return path;
}

static void *load(const char *so)
{
    void *library = dlopen(so, RTLD_NOW);
    if (!library)
        fail_msg("%s", dlerror());
    return library;
}

static const char *write_text(const char *text)
{
    static int n;
    const char *path = arena_printf(arena, "%s/library%d.cu", folder, n++);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    assert_int_equal(fclose(f), 0);
    return path;
}

static dcgen_launch_fn *build(const char *asks)
{
    static int n;
    const char *so = arena_printf(arena, "library%d.so", n++);
    void *launch = dlsym(load(compile(write_text(library_text(asks)), so, "-x c++")), "dcgen_launch");
    dcgen_launch_fn *fn;
    assert_non_null(launch);
    memcpy(&fn, &launch, sizeof fn);
    return fn;
}

/* ---- products ---- */

enum { MOST = 4096 };
/* cublasLt takes for granted that operands begin so. */
static _Alignas(256) float left[MOST], right[MOST], result[MOST];
static float bias[MOST];

static void fill(void)
{
    for (int i = 0; i < MOST; i++) {
        left[i] = (float)(i * 37 % 101) / 50 - 1;
        right[i] = (float)(i * 53 % 97) / 48 - 1;
        bias[i] = (float)i - 20;
        result[i] = NAN;
    }
}

static void check(double wanted, int64_t at)
{
    assert_in_range(at, 0, MOST - 1);
    if (!(fabs(result[at] - wanted) < 1e-4))
        fail_msg("element %d is %g instead of %g", (int)at, result[at], wanted);
}

static void it_computes_dense(void **state)
{
    (void)state;
    static const int64_t extent[][3] = { { 1, 1, 1 }, { 13, 40, 33 }, { 40, 7, 5 } };
    for (int kind = 0; kind < 4; kind++) {
        const bool kn = kind & 1, has_bias = kind & 2;
        dcgen_launch_fn *launch = build(arena_printf(arena, "op = \"dense\"; layout = { W = \"%s\"; }%s",
                                                     kn ? "KN" : "NK", has_bias ? "; epilogue = [\"bias\"]" : ""));
        for (size_t i = 0; i < sizeof extent / sizeof *extent; i++) {
            const int64_t *e = extent[i], M = e[0], N = e[1], K = e[2];
            fill();
            assert_int_equal(launch(e, (void *const[]){ left, right, has_bias ? bias : result, result }, NULL, NULL), 0);
            for (int64_t m = 0; m < M; m++)
                for (int64_t n = 0; n < N; n++) {
                    double sum = has_bias ? bias[n] : 0;
                    for (int64_t k = 0; k < K; k++)
                        sum += (double)left[m * K + k] * right[kn ? k * N + n : n * K + k];
                    check(sum, m * N + n);
                }
        }
        assert_int_not_equal(
            launch((const int64_t[]){ 1, 1, 0 }, (void *const[]){ left, right, result, result }, NULL, NULL), 0);
    }
}

/* How the rows of all matrices lie: one behind the other; as heads, [B0][rows][B1][columns]; B the same for all; from one b0 to the next
 * two elements further. */
typedef enum { DENSELY, AS_HEADS, SAME_FOR_ALL, APART, NLAY } Lay;

static void take_strides(int64_t *stride, Lay lay, bool is_b, int64_t B1, int64_t rows, int64_t columns)
{
    stride[2] = lay == AS_HEADS ? B1 * columns : columns;
    stride[1] = lay == AS_HEADS ? columns : rows * columns;
    stride[0] = B1 * rows * columns + 2 * (lay == APART);
    if (lay == SAME_FOR_ALL && is_b)
        stride[0] = stride[1] = 0;
}

static void check_batches(dcgen_launch_fn *launch, const int64_t *extent, bool km, bool nk, bool has_bias, Lay lay)
{
    const int64_t B0 = extent[0], B1 = extent[1], M = extent[2], N = extent[3], K = extent[4];
    int64_t e[14] = { B0, B1, M, N, K }, *a = e + 5, *b = a + 3, *y = b + 3;
    take_strides(a, lay, false, B1, km ? K : M, km ? M : K);
    take_strides(b, lay, true, B1, nk ? N : K, nk ? K : N);
    take_strides(y, lay, false, B1, M, N);
    fill();
    const int before = *nmatmul;
    assert_int_equal(launch(e, (void *const[]){ left, right, has_bias ? bias : result, result }, NULL, NULL), 0);
    assert_int_equal(*nmatmul - before, lay == DENSELY || lay == SAME_FOR_ALL ? 1 : B0);
    for (int64_t i = 0; i < B0 * B1 * M * N; i++) {
        const int64_t n = i % N, m = i / N % M, b0 = i / N / M / B1, b1 = i / N / M % B1;
        const float *x = left + b0 * a[0] + b1 * a[1], *w = right + b0 * b[0] + b1 * b[1];
        double sum = has_bias ? bias[n] : 0;
        for (int64_t k = 0; k < K; k++)
            sum += (double)x[km ? k * a[2] + m : m * a[2] + k] * w[nk ? n * b[2] + k : k * b[2] + n];
        check(sum, b0 * y[0] + b1 * y[1] + m * y[2] + n);
    }
}

static void it_computes_batch_matmul(void **state)
{
    (void)state;
    static const int64_t extent[][5] = { { 2, 3, 5, 7, 11 }, { 3, 4, 8, 16, 4 }, { 2, 2, 1, 6, 9 } };
    for (int kind = 0; kind < 8; kind++) {
        const bool km = kind & 1, nk = kind & 2, has_bias = kind & 4;
        dcgen_launch_fn *launch =
            build(arena_printf(arena, "op = \"batch_matmul\"; layout = { A = \"%s\"; B = \"%s\"; }%s", km ? "KM" : "MK",
                               nk ? "NK" : "KN", has_bias ? "; epilogue = [\"bias\"]" : ""));
        for (size_t i = 0; i < sizeof extent / sizeof *extent; i++)
            for (Lay lay = 0; lay < NLAY; lay++)
                check_batches(launch, extent[i], km, nk, has_bias, lay);
    }
}

static void it_compiles_for_each_type(void **state)
{
    (void)state;
    static const char *const dtypes[][2] = { { "tf32", "FAST_TF32" },
                                             { "f16", "CUDA_R_16F" },
                                             { "bf16", "CUDA_R_16BF" } };
    for (size_t i = 0; i < sizeof dtypes / sizeof *dtypes; i++) {
        const char *text = library_text(arena_printf(arena, "op = \"batch_matmul\"; dtype = \"%s\"", dtypes[i][0]));
        assert_non_null(strstr(text, dtypes[i][1]));
        assert_null(strstr(text, "DTYPE_"));
        compile(write_text(text), "compiled.so", "");
    }
}

static int set_up(void **state)
{
    (void)state;
    arena = arena_new();
    if (!tmp_folder(folder) ||
        !target_read_all(arena, DCGEN_SOURCE_DIR "/templates/targets", &targets, diag_new(arena)))
        return -1;
    /* The text asks the loader for the toolkit's version, which this then is. */
    FILE *p = popen(
        "printf '#include <cublasLt.h>\\nversion CUBLAS_VER_MAJOR' | nvcc -E -x cu - | sed -n 's/^version //p'", "r");
    int version = 0;
    assert_non_null(p);
    assert_int_equal(fscanf(p, "%d", &version), 1);
    pclose(p);
    void *fake = load(compile(DCGEN_SOURCE_DIR "/tests/gen/unit/fake_cublaslt.cu", "fake.so",
                              arena_printf(arena, "-x c++ -Xlinker -soname=libcublasLt.so.%d", version)));
    nmatmul = dlsym(fake, "fake_cublaslt_nmatmul");
    return nmatmul ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    arena_free(arena);
    return tmp_folder_remove(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(it_computes_dense), cmocka_unit_test(it_computes_batch_matmul),
                                        cmocka_unit_test(it_compiles_for_each_type) };
    if (system("echo '#include <cublasLt.h>' | nvcc -E -x cu - >/dev/null 2>&1") != 0) {
        puts("skipped: nvcc or cublasLt.h is missing");
        return 77;
    }
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
