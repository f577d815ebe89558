/* SPDX-License-Identifier: Apache-2.0
 *
 * The op by the vendor's library on a GPU: the text compiles, and what it asks of cublasLt, here one that computes on
 * the CPU, is the op, in as few calls as strides allow. Other formulas than cublasLt's are computed by a kernel, which
 * the emulator executes.
 * ctest: emulator label=slow,thorough
 */
#include "tests/test.h"
#include <dlfcn.h>
#include <math.h>
#include "gen/driver/tools.h"
#include "search/runner/abi.h"
#include "search/runner/emu/emu.h"
#include "tests/gen/golden.h"
#include "tests/gen/place.h"
#include "tests/gen/spec_text.h"

void dcgen_emu_written(const void *address, size_t bytes);

static TargetList targets;
static int *nmatmul;      /* calls of cublasLtMatmul so far */
static int *algorithm;    /* that of the last one */
static char headers[400]; /* the folder of cublasLt.h */
static int version;       /* and of which version it is */

/* `asks`: what the spec asks for besides its name, shapes and target. */
static char *library_text(const char *asks)
{
    Diag *d = diag_new(arena);
    const char *spec = arena_printf(arena, "name = \"pkg\"; %s; shapes = ( { %sM = 7; N = 48; K = 64; } );", asks,
                                    strstr(asks, "batch_matmul") ? "B0 = 2; B1 = 3; " : "");
    const UnitContext u = { spec_good(arena, spec, spec_templates, 1), NULL, &targets,
                            DCGEN_SOURCE_DIR "/templates/package", target_find(&targets, "sm_80") };
    char *text = unit_library(arena, &u, d);
    assert_string_equal(golden_diag(arena, d), "");
    return text;
}

static void run(const char *command)
{
    if (system(command) != 0)
        fail_msg("%s", command);
}

/* As C++, which needs no run time of CUDA to be loaded. What has no kernel is no more than that. */
static const char *compile(const char *source, const char *so, const char *option)
{
    const char *path = in_root(so);
    run(arena_printf(arena, "c++ -x c++ -std=c++17 -Wall -Wextra -Werror -fPIC -shared -isystem '%s' %s -o '%s' '%s'",
                     headers, option, path, source));
    return path;
}

static void compile_kernels(const char *source)
{
    run(arena_printf(arena,
                     "nvcc -std=c++17 -gencode=arch=compute_80,code=sm_80 -Werror all-warnings -Xcompiler "
                     "-fPIC,-Wall,-Wextra -shared -cudart none -o '%s/compiled.so' '%s'",
                     root, source));
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
    const char *path = arena_printf(arena, "%s/library%d.cu", root, n++);
    put_file(path, text);
    return path;
}

/* For the emulator, whose headers stand in for those of CUDA that cublasLt.h includes. It takes longer to compile well
 * than to execute. */
static const char *compile_for_emulator(const char *source, const char *so)
{
    const Options options = { .cxx = "c++" };
    const Toolchain tools = toolchain_emulator(arena, options.cxx, DCGEN_SOURCE_DIR "/templates/package");
    const char *path = in_root(so);
    Text command = { .arena = arena };
    text_add(&command, "c++");
    for (int i = 0; tools.flags[i]; i++)
        text_printf(&command, " '%s'", strcmp(tools.flags[i], "-O3") == 0 ? "-O0" : tools.flags[i]);
    text_printf(&command,
                " -D__DRIVER_TYPES_H__ -DCU_COMPLEX_H_ -DcuComplex=float -DcuDoubleComplex=double -I '%s' -idirafter "
                "'%s' -o '%s' '%s'",
                root, headers, path, source);
    run(text_str(&command));
    return path;
}

static void *build_library(const char *asks)
{
    static int n;
    const char *so = arena_printf(arena, "library%d.so", n++), *source = write_text(library_text(asks));
    return load(compile_for_emulator(source, so));
}

static dcgen_launch_fn *build(const char *asks)
{
    dcgen_launch_fn *fn;
    *(void **)&fn = dlsym(build_library(asks), "dcgen_launch");
    assert_non_null(fn);
    return fn;
}

/* ---- products ---- */

enum { MOST = 4096 };
/* cublasLt takes for granted that operands begin so. */
static _Alignas(256) float left[MOST], right[MOST], more[MOST], result[MOST];
static float bias[MOST];

static void fill(void)
{
    for (int i = 0; i < MOST; i++) {
        left[i] = (float)(i * 37 % 101) / 50 - 1;
        right[i] = (float)(i * 53 % 97) / 48 - 1;
        more[i] = (float)(i * 29 % 89) / 40 - 1;
        bias[i] = (float)i / 8 - 2;
        result[i] = NAN;
    }
}

static void expect(double wanted, int64_t at)
{
    assert_in_range(at, 0, MOST - 1);
    if (!(fabs(result[at] - wanted) < 1e-4))
        fail_msg("element %d is %g instead of %g", (int)at, result[at], wanted);
}

/* A formula of acc, of b, an element of bias, and of r, an element of more. */
typedef struct {
    const char *dense, *batched;
    bool has_bias, has_more, has_kernel;
    double (*value)(double acc, double b, double r);
} Finish;

static double plain(double acc, double b, double r) { return (void)b, (void)r, acc; }
static double plus_bias(double acc, double b, double r) { return (void)r, acc + b; }
static double plus_both(double acc, double b, double r) { return acc + b + r; }
static double relu(double acc, double b, double r) { return fmax(acc + b + r, 0); }
static double relu_alone(double acc, double b, double r) { return (void)b, (void)r, fmax(acc, 0); }
static double gated(double acc, double b, double r) { return (acc + b) / (1 + exp(-acc - b)) * r; }
static double gelu(double acc, double b, double r) { return (void)r, (acc + b) * erfc(-(acc + b) / sqrt(2)) / 2; }
static double gelu_tanh(double acc, double b, double r)
{
    const double x = acc + b;
    return (void)r, x / 2 * (1 + tanh(sqrt(2 / M_PI) * (x + 0.044715 * x * x * x)));
}

static const Finish finishes[] = {
    { "", "", false, false, false, plain },
    { "acc + bias[n]", "bias[n] + acc", true, false, false, plus_bias },
    { "max(acc + bias[n] + more[m,n], 0)", "max(0, acc + bias[n] + more[b0,b1,m,n])", true, true, false, relu },
    { "acc + bias[n] + more[m,n]", "acc + bias[n] + more[b0,b1,m,n]", true, true, false, plus_both },
    { "gelu_tanh(acc + bias[n])", "gelu_tanh(acc + bias[n])", true, false, false, gelu_tanh },
    { "max(acc, 0)", "max(acc, 0)", false, false, false, relu_alone },
    { "gelu(acc + bias[n])", "gelu(acc + bias[n])", true, false, true, gelu },
    { "silu(acc + bias[n]) * more[m,n]", "silu(acc + bias[n]) * more[b0,b1,m,n]", true, true, true, gated },
};
enum { NFINISH = sizeof finishes / sizeof *finishes };

/* A call; a kernel behind it is executed by the emulator, which must have nothing to say. */
static void call(const Finish *f, dcgen_launch_fn *launch, const int64_t *extent)
{
    Emu emu = { .workers = 1, .smem_limit = 49152, .block_budget = (int64_t)1 << 30 };
    void *operand[5] = { left, right };
    int n = 2;
    if (f->has_bias)
        operand[n++] = bias;
    if (f->has_more)
        operand[n++] = more;
    operand[n] = result;
    for (int i = 0; i < n; i++)
        emu_add_region(&emu, EMU_INPUT, "input", operand[i], sizeof left, sizeof(float));
    emu_add_region(&emu, EMU_MEMORY, "Y", result, sizeof result, sizeof(float));
    emu_begin(&emu);
    dcgen_emu_written(result, sizeof result); /* as the library will, without the emulator's seeing it */
    const int code = launch(extent, operand, NULL, NULL, NULL);
    emu_end(&emu);
    if (code != 0 || emu.nfinding > 0)
        fail_msg("%s: %d, %s", f->dense, code, emu.nfinding ? emu.finding[0].text : "");
}

static const char *epilogue_text(const char *formula)
{
    return *formula ? arena_printf(arena, "; epilogue = \"%s\"", formula) : "";
}

static void check_dense(const Finish *f, bool kn)
{
    static const int64_t extent[][3] = { { 1, 1, 1 }, { 13, 40, 33 }, { 40, 7, 5 }, { 2, 1030, 3 } };
    dcgen_launch_fn *launch = build(
        arena_printf(arena, "op = \"dense\"; layout = { W = \"%s\"; }%s", kn ? "KN" : "NK", epilogue_text(f->dense)));
    for (size_t i = 0; i < sizeof extent / sizeof *extent; i++) {
        const int64_t *e = extent[i], M = e[0], N = e[1], K = e[2];
        fill();
        call(f, launch, e);
        for (int64_t m = 0; m < M; m++)
            for (int64_t n = 0; n < N; n++) {
                double sum = 0;
                for (int64_t k = 0; k < K; k++)
                    sum += (double)left[m * K + k] * right[kn ? k * N + n : n * K + k];
                expect(f->value(sum, bias[n] * f->has_bias, more[m * N + n] * f->has_more), m * N + n);
            }
    }
    assert_int_not_equal(
        launch((const int64_t[]){ 1, 1, 0 }, (void *const[]){ left, right, bias, more, result }, NULL, NULL, NULL), 0);
}

TEST(it_computes_dense)
{
    for (int i = 0; i < NFINISH; i += 2) /* the others are batch_matmul's */
        check_dense(&finishes[i], i % 4);
}

/* How rows of matrices lie: one behind the other; as heads, [B0][rows][B1][columns]; B the same for all; two elements
 * apart from b0 to b0. */
typedef enum { DENSELY, AS_HEADS, SAME_FOR_ALL, APART, NLAY } Lay;

static void take_strides(int64_t *stride, Lay lay, bool is_b, int64_t B1, int64_t rows, int64_t columns)
{
    stride[2] = lay == AS_HEADS ? B1 * columns : columns;
    stride[1] = lay == AS_HEADS ? columns : rows * columns;
    stride[0] = B1 * rows * columns + 2 * (lay == APART);
    if (lay == SAME_FOR_ALL && is_b)
        stride[0] = stride[1] = 0;
}

static void check_batches(const Finish *f, dcgen_launch_fn *launch, const int64_t *extent, bool km, bool nk, Lay lay)
{
    const int64_t B0 = extent[0], B1 = extent[1], M = extent[2], N = extent[3], K = extent[4];
    int64_t e[14] = { B0, B1, M, N, K }, *a = e + 5, *b = a + 3, *y = b + 3;
    take_strides(a, lay, false, B1, km ? K : M, km ? M : K);
    take_strides(b, lay, true, B1, nk ? N : K, nk ? K : N);
    take_strides(y, lay, false, B1, M, N);
    fill();
    const int before = *nmatmul;
    call(f, launch, e);
    assert_int_equal(*nmatmul - before, lay == DENSELY || lay == SAME_FOR_ALL ? 1 : B0);
    for (int64_t i = 0; i < B0 * B1 * M * N; i++) {
        const int64_t n = i % N, m = i / N % M, b0 = i / N / M / B1, b1 = i / N / M % B1;
        const float *x = left + b0 * a[0] + b1 * a[1], *w = right + b0 * b[0] + b1 * b[1];
        double sum = 0;
        for (int64_t k = 0; k < K; k++)
            sum += (double)x[km ? k * a[2] + m : m * a[2] + k] * w[nk ? n * b[2] + k : k * b[2] + n];
        expect(f->value(sum, bias[n] * f->has_bias, more[i] * f->has_more), b0 * y[0] + b1 * y[1] + m * y[2] + n);
    }
}

TEST(it_computes_batch_matmul)
{
    static const int64_t extent[][5] = { { 2, 3, 5, 7, 11 }, { 3, 4, 8, 16, 4 }, { 2, 2, 1, 6, 9 } };
    for (int kind = 0; kind < NFINISH / 2; kind++) {
        const bool km = kind & 1, nk = kind & 2;
        const Finish *f = &finishes[2 * kind + 1]; /* others than of dense */
        dcgen_launch_fn *launch =
            build(arena_printf(arena, "op = \"batch_matmul\"; layout = { A = \"%s\"; B = \"%s\"; }%s", km ? "KM" : "MK",
                               nk ? "NK" : "KN", epilogue_text(f->batched)));
        for (size_t i = 0; i < sizeof extent / sizeof *extent; i++)
            for (Lay lay = 0; lay < NLAY; lay++)
                check_batches(f, launch, extent[i], km, nk, lay);
    }
}

/* As packages' benchmarks try them: another algorithm, also for a call that was made before. */
TEST(it_takes_the_algorithm_that_is_asked_for)
{
    static const int64_t extent[] = { 13, 40, 33 };
    void *library = build_library("op = \"dense\"; layout = { W = \"NK\"; }");
    dcgen_launch_fn *launch;
    dcgen_use_fn *use;
    dcgen_name_fn *name;
    dcgen_why_fn *why;
    *(void **)&launch = dlsym(library, "dcgen_launch");
    *(void **)&use = dlsym(library, "dcgen_use");
    *(void **)&name = dlsym(library, "dcgen_name");
    *(void **)&why = dlsym(library, "dcgen_why");
    assert_string_equal(name(), "cublasLt 130100");
    void *const operand[] = { left, right, result };
    for (int way = 2; way >= 0; way--) {
        use(way);
        fill();
        assert_int_equal(launch(extent, operand, NULL, NULL, NULL), 0);
        assert_int_equal(*algorithm, way);
    }
    use(3);
    assert_string_equal(why(launch(extent, operand, NULL, NULL, NULL)), "cublasLt has no algorithm for these extents");
    use(1 << 20);
    assert_int_not_equal(launch(extent, operand, NULL, NULL, NULL), 0);
}

TEST(it_compiles_for_each_type)
{
    static const char *const rows[][2] = { { "tf32", "FAST_TF32" },
                                           { "tf32x3", "= CUBLAS_COMPUTE_32F;" },
                                           { "f16", "CUDA_R_16F" },
                                           { "bf16", "CUDA_R_16BF" } };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const bool is_dense = i % 2;
        const Finish *f = &finishes[i ? NFINISH - 1 : 3];
        const char *text =
            library_text(arena_printf(arena, "op = \"%s\"; dtype = \"%s\"%s", is_dense ? "dense" : "batch_matmul",
                                      rows[i][0], epilogue_text(is_dense ? f->dense : f->batched)));
        assert_has(text, rows[i][1]);
        assert_lacks(text, "DTYPE_");
        if (f->has_kernel)
            compile_kernels(write_text(text));
        else
            compile(write_text(text), "compiled.so", "-fsyntax-only");
    }
}

static int set_up(void **state)
{
    if (place_setup(state) || !target_read_all(arena, DCGEN_SOURCE_DIR "/templates/targets", &targets, diag_new(arena)))
        return -1;
    /* Of what cublasLt.h includes, the emulator has some, and some is not needed. */
    put("cuda_fp16.h", "#include <cuda_runtime.h>\ntypedef short __half;\n");
    put("cuda_bf16.h", "typedef short __nv_bfloat16;\n");
    /* The text asks the loader for the toolkit's version, which this then is. */
    void *fake = load(compile(DCGEN_SOURCE_DIR "/tests/gen/unit/fake_cublaslt.cu", "fake.so",
                              arena_printf(arena, "-Wl,-soname=libcublasLt.so.%d", version)));
    nmatmul = dlsym(fake, "fake_cublaslt_nmatmul");
    algorithm = dlsym(fake, "fake_cublaslt_algorithm");
    return nmatmul ? 0 : -1;
}

static int tear_down(void **state)
{
    emu_free();
    return place_teardown(state);
}

TEST_FILE(set_up, tear_down)

/* Asks nvcc where cublasLt.h is, and of which version. */
static bool cublas_is_here(void)
{
    FILE *p = popen("printf '#include <cublasLt.h>\\nversion CUBLAS_VER_MAJOR\\n' | nvcc -E -x cu - 2>/dev/null | "
                    "sed -n 's,^# 1 \"\\(.*\\)/cublasLt.h\".*,\\1,p; s/^version //p'",
                    "r");
    const bool is_here = p && fscanf(p, "%399s %d", headers, &version) == 2;
    if (p)
        pclose(p);
    if (!is_here)
        puts("skipped: nvcc or cublasLt.h is missing");
    return is_here;
}

TEST_NEEDS(cublas_is_here)
