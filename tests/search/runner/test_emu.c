/* SPDX-License-Identifier: Apache-2.0
 *
 * The emulator, by its runner: kernels of tests/search/runner/emu/ are right as they stand, and are broken in one place
 * each by macros. Each mistake must be found, and named for what it is. What it counts is compared with known patterns.
 *
 *   ctest: label=slow timeout=300 cost=25
 */
#include "tests/test.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tests/gen/with_formula.h"
#include "tests/search/runner/kernel_rows.h"

static const char runner_path[] = DCGEN_BINARY_DIR "/dcgen-runner-emu";
static const char targets_path[] = DCGEN_SOURCE_DIR "/templates/targets";
static const char kernels_path[] = DCGEN_SOURCE_DIR "/tests/search/runner/emu";
static const char *const runner_command[] = { runner_path, "--targets", targets_path, NULL };

enum { NSPEC = 5, MAX_CASE = 128 };
typedef enum { F32, TF32, F16, BF16, BF16_KN } SpecOf;
static const char *const dtype_of[NSPEC] = { "f32", "tf32", "f16", "bf16", "bf16" };
static const char *const reference_head[NSPEC] = { "", "", "#define DCGEN_DTYPE_F16\n", "#define DCGEN_DTYPE_BF16\n",
                                                   "#define DCGEN_DTYPE_BF16\n#define DCGEN_LAYOUT_W_KN\n" };
static const char *const kernel_head[NSPEC] = { "", "", "#define F16\n", "#define BF16\n",
                                                "#define BF16\n#define KN\n" };

typedef struct {
    RowWorld *rows; /* its compilers */
    Arena *a;
    const Op *op;
    const char *reference[NSPEC];
    Runner *runner[NSPEC]; /* NULL: not started yet */
    int nbuilt;
} World;
static World *w;

/* A kernel's file, and the macros that break it: "NAME VALUE" lines. */
typedef struct {
    Status status;
    const char *file, *macros, *why; /* why: part of it */
    SpecOf spec;
} Case;

/* Sizes with tails everywhere, of which the first call's rows are aligned to 16 bytes. */
static const int64_t odd[] = { 33, 48, 72 };

#define ROW(status, spec, file, macros, why) \
    {                                        \
        status, file, macros, why, spec      \
    }
#define RIGHT(file, macros) ROW(STATUS_OK, F32, file, macros, "")
#define RIGHT_OF(spec, file, macros) ROW(STATUS_OK, spec, file, macros, "")
#define WRONG(file, macros, why) ROW(STATUS_WRONG, F32, file, macros, why)
#define WRONG_OF(spec, file, macros, why) ROW(STATUS_WRONG, spec, file, macros, why)
#define FAILS(how, file, macros, why) ROW(STATUS_##how, F32, file, macros, why)
#define LINE(text) "#define " text "\n"
#define SPLIT LINE("SPLITK 4")
#define PACKED LINE("PACKED")

static const Case simt_cases[] = {
    RIGHT("simt", ""),
    RIGHT("simt", PACKED),
    /* functions of floats give floats, as in CUDA C++ */
    RIGHT("simt",
          LINE("AT_END const float v = acc[0][0]; if (isnan(v) || sizeof exp(v) + sizeof pow(v, v) + sizeof abs(v) != "
               "12 || "
               "sizeof exp(1.0) + sizeof pow(v, 1.0) + sizeof sqrt(3) != 24 || abs(-.5f) != .5f) acc[0][0] += 1")),
    WRONG("simt", LINE("BARRIER_STAGED"), "nobody has written"),
    WRONG("simt", LINE("BARRIER_USED"), "between the same barriers"),
    WRONG("simt", LINE("ROWS(M) ((M) + 1)"), "reads 4 bytes at operand 0 (X) element 2376 of 2376"),
    WRONG("simt", LINE("STORE_ROWS(M) ((M) + 1)"), "writes 4 bytes at operand 3 (Y) element 1584 of 1584"),
    WRONG("simt", LINE("SMEM (BK * PITCH * sizeof(float) - 20)"), "but the block has 2156 bytes"),
    WRONG("simt", LINE("AT_START stage[-1] = 0"), "writes 4 bytes at shared byte -4"),
    WRONG("simt", LINE("AT_START const float4 v = *(const float4 *)(a.X + 1 + t * 4); if (v.x + v.y == 7) return"),
          "(X) element 1, which is not aligned"),
    WRONG("simt", LINE("AT_START if (t == 5) __syncthreads(); t < 0"), "__syncthreads of line"),
    WRONG("simt", LINE("AT_END if (t > 7) return; __syncthreads()"), "has exited"),
    WRONG("simt", LINE("IN_LOOP k0 = -BK"), "does not end"),
    FAILS(TIMED_OUT, "simt", LINE("AT_START for (volatile int i = 0;;) i = i + 1"), "silent for"),
    FAILS(CRASHED, "simt", LINE("AT_START volatile char big[100000]; big[t] = 1"), "SIGSEGV"),
    WRONG("simt", LINE("AT_START if (*(const int *)64 == 3) return"), "far from all operands"),
    WRONG("simt", LINE("AT_END ((float *)a.X)[t] = 0"), "writes operand 0 (X) element"),
    WRONG("simt", LINE("AT_END acc[0][0] = NAN"), "is nan instead of"),
    WRONG("simt", LINE("AT_END if (t < 2) a.Y[1000] = 0"), "has written too"),
    /* the same thread of another block */
    WRONG("simt", LINE("AT_END if (t == 0) a.Y[0] = 0"), "thread 0 has written too"),
    WRONG("simt", LINE("AT_START if (a.Y[t] == 7) return"), "(Y) element 0, which nobody has written"),
    FAILS(INVALID, "simt", LINE("SMEM 232449"), "the limit is 232448"),
    FAILS(INVALID, "simt", LINE("GRID_Y(y) 0"), "empty grid"),
};

/* What host code does wrong, of which the emulator is not told. */
static const Case host_cases[] = {
    FAILS(INVALID, "simt", PACKED LINE("PACK return 3"), "dcgen_pack returns 3"),
    WRONG("simt", PACKED LINE("PACK ((char *)packed)[dcgen_packed_bytes(extent)] = 0"),
          "dcgen_pack writes outside of the packed operand"),
    FAILS(INVALID, "simt", LINE("HOST return 5"), "refuses these extents (5)"),
    WRONG("simt", LINE("HOST ((float *)operand[1])[3] += 1"), "changes operand 1, an input"),
    WRONG("simt", LINE("HOST ((char *)operand[3])[extent[0] * extent[1] * 4] = 0"), "writes outside of operand 3"),
    WRONG("simt", PACKED LINE("HOST ((char *)operand[1])[extent[1] * extent[2] * 4] = 0"),
          "writes outside of the packed operand or the scratch memory"),
    WRONG("async", SPLIT LINE("HOST ((char *)counters)[dcgen_counters(extent)] = 0"),
          "writes outside of the packed operand or the scratch memory"),
    /* not in the first call, of which operands are aligned */
    WRONG("simt", LINE("AT_END if ((uintptr_t)a.X % 16 != 0) acc[0][0] += 1"), "instead of"),
    WRONG("simt", LINE("AT_END if ((uintptr_t)a.X % 16 == 0) acc[0][0] += 1"), "instead of"),
    FAILS(INVALID, "simt", LINE("HOST if ((uintptr_t)operand[3] % 16 != 0) return 6"), "refuses these extents (6)"),
};

static const Case async_cases[] = {
    RIGHT("async", ""),
    WRONG("async", LINE("WAIT dense_device::cp_wait<STAGES - 1>()"), "before the asynchronous copy"),
    WRONG("async", LINE("COMMIT"), "before the asynchronous copy"),
    WRONG("async", LINE("BARRIER"), "shared byte"),
    WRONG("async", LINE("WAIT __syncthreads()") LINE("BARRIER dense_device::cp_wait<STAGES - 2>()"), "shared byte"),
    WRONG("async", LINE("FILL(b) ((b + STAGES - 2) % STAGES)"), "shared byte"),
    WRONG("async", LINE("HAVE(n) 17"), "copies 17 bytes"),
};

static const Case split_cases[] = {
    RIGHT("async", SPLIT),
    WRONG("async", SPLIT LINE("STORED_BARRIER"), "which did not release it"),
    WRONG("async", SPLIT LINE("FLAG_BARRIER"), "shared byte"),
    WRONG("async", SPLIT LINE("COUNT atomicAdd"), "which did not release it"),
    WRONG("async", SPLIT LINE("COUNT atomicAdd") LINE("STORED_FENCE __threadfence()"), "which it did not acquire"),
    RIGHT("async", SPLIT LINE("COUNT atomicAdd") LINE("STORED_BARRIER __syncthreads(); if (t == 0) __threadfence()")
                       LINE("COUNTED_FENCE if (t == 0) __threadfence(); __syncthreads()")),
    RIGHT("async",
          SPLIT LINE("COUNT atomicAdd") LINE("STORED_FENCE __threadfence()") LINE("COUNTED_FENCE __threadfence()")),
    WRONG("async", SPLIT LINE("RESET"), "the counter at the counters byte 0 is 4 after the call"),
    WRONG("async", SPLIT LINE("OWN_SLICE 0"), "writes the scratch memory element"),
};

static const Case mma_cases[] = {
    RIGHT_OF(TF32, "mma", ""),
    RIGHT_OF(F16, "mma", ""),
    RIGHT_OF(BF16, "mma", ""),
    RIGHT_OF(BF16_KN, "mma", ""),
    WRONG_OF(BF16, "mma", LINE("SWIZZLE_READ(r, c) (c)"), "instead of"),
    WRONG_OF(TF32, "mma", LINE("SWIZZLE_COPY(r, c) (c)"), "instead of"),
    WRONG_OF(F16, "mma", LINE("A_ROW(lane) ((lane) % 8)"), "instead of"),
    WRONG_OF(TF32, "mma", LINE("B_ROW(lane) ((lane) % 16)"), "instead of"),
    WRONG_OF(F16, "mma", LINE("C_COLUMN(lane) ((lane) % 4)"), "has written too"),
    WRONG_OF(BF16_KN, "mma", LINE("WAIT dense_device::cp_wait<STAGES - 1>()"), "before the asynchronous copy"),
    WRONG_OF(F16, "mma", LINE("A_ROW(lane) ((lane) % 16 + 100000)"), "but the block has 12288 bytes"),
};

static const Case warp_cases[] = {
    RIGHT("warp", ""),
    RIGHT("warp", LINE("SHUFFLE(v, step) dense_device::shfl_down(v, step)")),
    WRONG("warp", LINE("AT_START if (lane == 3) return"), "waits in shfl_xor"),
    WRONG("warp",
          LINE("SHUFFLE(v, step) (lane < 9 ? dense_device::shfl_down(v, step) : dense_device::shfl_xor(v, step))"),
          "of its warp at shfl_down"),
};

/* ---- the world */

static const char *build_reference(int spec)
{
    size_t len;
    const char *text = text_read_file(w->a, w->op->reference, &len);
    Build b = { .name = arena_printf(w->a, "reference%d", spec) };
    const Spec s = with_formula(w->a, w->op, dtype_of[spec], "bias");
    const char *whole = unit_reference(w->a, &s, DCGEN_SOURCE_DIR "/templates/package", text, diag_new(w->a));
    b.text = arena_printf(w->a, "%s%s", reference_head[spec], whole);
    build_all(w->rows->c, w->a, &b, 1, NULL);
    assert_int_equal(b.status, STATUS_OK);
    return b.so;
}

static void build_cases(const Case *c, Build *b, int n)
{
    for (int i = 0; i < n; i++) {
        const char *text = arena_printf(w->a, "%s%s#include \"%s/%s.cu\"\n", kernel_head[c[i].spec], c[i].macros,
                                        kernels_path, c[i].file);
        b[i] = (Build){ .name = arena_printf(w->a, "k%d", w->nbuilt++), .text = text };
    }
    build_all(w->rows->emulator, w->a, b, n, NULL);
}

static Runner *runner_of(int spec)
{
    const char *err = NULL;
    if (!w->runner[spec]) {
        w->reference[spec] = build_reference(spec);
        Spec *s = ARENA_NEW(w->a, Spec);
        *s = with_formula(w->a, w->op, dtype_of[spec], "bias");
        w->runner[spec] = runner_start(w->a, runner_command, s, w->reference[spec], 1, NULL, &err);
        if (!w->runner[spec])
            print_error("%s\n", err);
    }
    assert_non_null(w->runner[spec]);
    return w->runner[spec];
}

static int set_up(void **state)
{
    w = calloc(1, sizeof *w);
    w->rows = rows_world(true);
    w->a = w->rows->a;
    Diag *d = diag_new(w->a);
    w->op = op_read(w->a, DCGEN_SOURCE_DIR "/templates/dense", d);
    diag_print(d, stderr);
    return w->rows->emulator && w->op ? 0 : -1;
}

static int tear_down(void **state)
{
    for (int i = 0; i < NSPEC; i++)
        if (w->runner[i])
            runner_stop(w->runner[i]);
    const int code = rows_free((void **)&w->rows);
    free(w);
    return code;
}

static MeasureRecord measure_one(const Case *c, const Build *b, const MeasureRequest *q)
{
    const char *key = "0123456789abcdef0123456789abcdef", *err = NULL;
    MeasureRecord m;
    if (b->status != STATUS_OK)
        print_error("%s %s: %s\n", c->file, c->macros, b->why);
    assert_int_equal(b->status, STATUS_OK);
    assert_true(measure(runner_of(c->spec), w->a, q, &key, &b->so, 1, &m, NULL, &err));
    return m;
}

static void check_case(const Case *c, const Build *b, const MeasureRequest *q)
{
    MeasureRecord m = measure_one(c, b, q);
    if (m.status != c->status || !strstr(m.why, c->why))
        fail_msg("%s %s: is %s (%s)", c->file, c->macros, status_name(m.status), m.why);
    assert_int_equal(m.nsample, 0);
}

static MeasureRequest request(const int64_t *extent)
{
    return (MeasureRequest){ .extent = extent, .threads = 1, .deadline_s = 200 };
}

static void check_cases(const Case *c, int n)
{
    Build b[MAX_CASE];
    build_cases(c, b, n);
    for (int i = 0; i < n; i++) {
        MeasureRequest q = request(odd);
        if (c[i].status == STATUS_TIMED_OUT)
            q.deadline_s = 0.5;
        check_case(&c[i], &b[i], &q);
    }
}

/* ---- tests */

#define CASES(name) \
    TEST(name) { check_cases(name##_cases, sizeof name##_cases / sizeof *name##_cases); }
CASES(simt)
CASES(host)
CASES(async)
CASES(split)
CASES(mma)
CASES(warp)

/* Tails of every kind, no k at all, one element, several workers. */
TEST(right_kernels_of_all_sizes)
{
    static const int64_t extents[][3] = { { 1, 1, 1 },    { 1, 1, 0 },   { 31, 33, 17 },  { 64, 64, 64 },
                                          { 65, 7, 128 }, { 3, 130, 5 }, { 128, 96, 256 } };
    static const Case cases[] = {
        RIGHT("async", LINE("SPLITK 3")),
        RIGHT_OF(BF16_KN, "mma", ""),
    };
    enum { N = sizeof cases / sizeof *cases };
    Build b[N];
    build_cases(cases, b, N);
    for (int i = 0; i < N; i++)
        for (size_t e = 0; e < sizeof extents / sizeof *extents; e++) {
            MeasureRequest q = request(extents[e]);
            q.threads = e % 2 ? 3 : 1;
            check_case(&cases[i], &b[i], &q);
        }
}

TEST(device_is_the_emulator)
{
    const Device *d = runner_device(runner_of(F32));
    assert_string_equal(d->id, "emulator");
    assert_true(d->nisa >= 1);
}

/* ---- counting */

static int64_t fact(const MeasureRecord *m, const char *name)
{
    for (int i = 0; i < m->nfact; i++)
        if (strcmp(m->fact[i].name, name) == 0)
            return m->fact[i].value;
    fail_msg("no fact %s", name);
    return 0;
}

typedef struct {
    const char *access;
    int64_t sectors_read, sectors_written, wavefronts, conflicts;
} Pattern;

#define LOADED(type, place)                                                                  \
    "for (int i = 0; i < 8; i++) shared[t + 32 * i] = 1; __syncthreads(); volatile float v;" \
    "const " #type " q = ((const " #type " *)shared)[" #place "]; v = q.x"

/* What one access by each of 32 threads adds. The first adds nothing. */
static const Pattern patterns[] = {
    { "(void)0", 0, 0, 0, 0 },
    { "shared[t] = a.X[t]", 4, 0, 1, 0 },
    { "shared[t] = a.X[2 * t]", 8, 0, 1, 0 },
    { "shared[t] = a.X[8 * t]", 32, 0, 1, 0 },
    { "shared[t] = a.X[31 - t]", 4, 0, 1, 0 },
    { "shared[t] = a.X[t + 1]", 5, 0, 1, 0 },
    { "shared[t] = a.X[0]", 1, 0, 1, 0 },
    { "((float4 *)shared)[t] = ((const float4 *)a.X)[t]", 16, 0, 4, 0 },
    { "((float2 *)shared)[t] = ((const float2 *)a.X)[t]", 8, 0, 2, 0 },
    { "if (t < 16) shared[t] = a.X[t]", 2, 0, 1, 0 },
    { "((float *)a.scratch)[t] = 0", 0, 4, 0, 0 },
    { "((float *)a.scratch)[3 * t] = 0", 0, 12, 0, 0 },
    { "((float4 *)a.scratch)[t] = make_float4(0, 0, 0, 0)", 0, 16, 0, 0 },
    { "for (int i = t; i < 96; i += 32) ((float *)a.scratch)[i] = 0", 0, 12, 0, 0 },
    { "if (t % 2) ((float *)a.scratch)[t] = 0; else shared[t] = 0", 0, 4, 1, 0 },
    { "shared[t * 32] = 1", 0, 0, 32, 31 },
    { "shared[t * 33] = 1", 0, 0, 1, 0 },
    { "shared[t * 2] = 1", 0, 0, 2, 1 },
    { "shared[t * 16] = 1", 0, 0, 16, 15 },
    { "((float4 *)shared)[t * 2] = make_float4(1, 1, 1, 1)", 0, 0, 8, 4 },
    { "((float4 *)shared)[t * 9] = make_float4(1, 1, 1, 1)", 0, 0, 4, 0 },
    { "for (int i = 0; i < 3; i++) shared[t + 32 * i] = 1", 0, 0, 3, 0 },
    /* 8 stores of 32 words. Then lanes load 16 bytes each: all lanes others; those that differ in bit 0 the same, in
     * bit 1, in bit 2, in bit 0 but for one lane; so, and of one group of banks; 8 bytes each, in bit 1 the same. */
    { LOADED(float4, t % 16), 0, 0, 8 + 4, 0 },
    { LOADED(float4, t / 2), 0, 0, 8 + 2, 0 },
    { LOADED(float4, t / 4 * 2 + t % 2), 0, 0, 8 + 2, 0 },
    { LOADED(float4, t / 8 * 4 + t % 4), 0, 0, 8 + 4, 0 },
    { LOADED(float4, t / 2 + (t == 9)), 0, 0, 8 + 4, 0 },
    { LOADED(float4, t / 2 % 4 * 8), 0, 0, 8 + 8, 6 },
    { LOADED(float2, t / 4 * 2 + t % 2), 0, 0, 8 + 1, 0 },
    { LOADED(float2, t), 0, 0, 8 + 2, 0 },
    { "dense_device::cp_async16(shared + 4 * t, a.X + 4 * t, 16)", 16, 0, 4, 0 },
    { "dense_device::cp_async4(shared + 33 * t, a.X + 2 * t, 4)", 8, 0, 1, 0 },
    { "dense_device::cp_async16(shared + 4 * t, a.X + 4 * t, 0)", 0, 0, 4, 0 },
    { "shared[t] = 1; __syncthreads(); if (shared[5] == 7) shared[t] = 2", 0, 0, 2, 0 },
    { "((unsigned short *)shared)[t] = 1", 0, 0, 1, 0 },
    { "for (int i = 0; i < 600; i++) ((volatile float *)shared)[t] = 1", 0, 0, 600, 0 },
    { "for (int i = 0; i <= t % 4; i++) ((volatile const float *)a.X)[t + 32 * i]", 16, 0, 0, 0 },
    { "for (int i = 0; i < 8; i++) shared[t + 32 * i] = 1; __syncthreads(); unsigned r[4];"
      "dense_device::ldmatrix_x4(r, shared + 4 * t)",
      0, 0, 12, 0 },
    { "for (int i = 0; i < 16; i++) shared[t + 32 * i] = 1; __syncthreads(); unsigned r[4];"
      "dense_device::ldmatrix_x4(r, shared + 16 * t)",
      0, 0, 32, 12 },
};
enum { NPATTERN = sizeof patterns / sizeof *patterns };

/* All patterns in one kernel, as compiling takes longer than running: K tells which is meant. */
static MeasureRecord count_pattern(const Case *c, const Build *b, int pattern)
{
    const int64_t extent[] = { odd[0], odd[1], odd[2] + pattern };
    MeasureRequest q = request(extent);
    q.count = true;
    MeasureRecord m = measure_one(c, b, &q);
    if (m.status != STATUS_OK)
        print_error("%s: %s\n", patterns[pattern].access, m.why);
    assert_int_equal(m.status, STATUS_OK);
    assert_int_equal(fact(&m, "blocks"), 1);
    assert_int_equal(fact(&m, "threads"), 32);
    return m;
}

TEST(counts_are_exact)
{
    Text access = { .arena = w->a };
    text_printf(&access, "#define ACCESS switch (a.K - %d) {", (int)odd[2]);
    for (int i = 0; i < NPATTERN; i++)
        text_printf(&access, " case %d: { %s; } break;", i, patterns[i].access);
    text_printf(&access, " }\n");
    const Case c = RIGHT("access", text_str(&access));
    Build b;
    build_cases(&c, &b, 1);
    const MeasureRecord base = count_pattern(&c, &b, 0);
    for (int i = 0; i < NPATTERN; i++) {
        const Pattern *p = &patterns[i];
        const MeasureRecord m = count_pattern(&c, &b, i);
        static const char *const counted[] = { "sectors_read", "sectors_written", "wavefronts", "conflicts" };
        const int64_t want[] = { p->sectors_read +
                                     i * 2 * odd[0] * odd[1], /* X and W, by the one thread that computes Y */
                                 p->sectors_written, p->wavefronts, p->conflicts };
        for (int k = 0; k < 4; k++) {
            const int64_t got = fact(&m, counted[k]) - fact(&base, counted[k]);
            if (got != want[k])
                fail_msg("%s: %lld %s instead of %lld", p->access, (long long)got, counted[k], (long long)want[k]);
        }
    }
}

TEST(counts_do_not_depend_on_workers)
{
    static const int64_t extent[] = { 100, 70, 200 };
    static const Case cases[] = { RIGHT("async", SPLIT), RIGHT_OF(F16, "mma", "") };
    for (int i = 0; i < 2; i++) {
        Build b;
        build_cases(&cases[i], &b, 1);
        MeasureRequest q = request(extent);
        q.count = true;
        MeasureRecord one = measure_one(&cases[i], &b, &q);
        q.threads = 3;
        MeasureRecord three = measure_one(&cases[i], &b, &q);
        assert_int_equal(one.status, STATUS_OK);
        assert_int_equal(three.nfact, one.nfact);
        for (int f = 0; f < one.nfact; f++)
            assert_int_equal(fact(&three, one.fact[f].name), one.fact[f].value);
    }
}

/* The number of the line of simt.cu that is `text`. */
static int line_of(const char *text)
{
    size_t len;
    int line = 1;
    const char *all = text_read_file(w->a, arena_printf(w->a, "%s/simt.cu", kernels_path), &len),
               *found = strstr(all, text);
    assert_non_null(found);
    for (const char *p = all; p < found; p++)
        line += *p == '\n';
    return line;
}

TEST(findings_name_their_line)
{
    /* the second is inlined from a header, which is not the line that is meant */
    static const Case c[] = {
        WRONG("simt", LINE("AT_END ((float *)a.X)[t] = 0"), "writes operand 0 (X)"),
        WRONG("simt", LINE("AT_END acc[0][0] += dense_device::load_l2(a.Y)"), "reads operand 3 (Y) element 0, which"),
    };
    if (system("addr2line --version > /dev/null 2>&1") != 0) {
        print_message("skipped: no addr2line\n");
        skip();
    }
    for (int i = 0; i < 2; i++) {
        Build b;
        build_cases(&c[i], &b, 1);
        MeasureRequest q = request(odd);
        MeasureRecord m = measure_one(&c[i], &b, &q);
        const char *want = arena_printf(w->a, " line %d: %s", line_of("    AT_END;\n"), c[i].why);
        if (!strstr(m.why, want))
            print_error("%s\n", m.why);
        assert_non_null(strstr(m.why, want));
    }
}

TEST_FILE(set_up, tear_down)

static bool emulator_is_here(void)
{
    setenv("ASAN_OPTIONS", "handle_segv=0:handle_abort=0", 0);
    if (access(runner_path, X_OK) != 0) {
        print_message("skipped: no %s; it is not built with the thread sanitizer\n", runner_path);
        return false;
    }
    return rows_have_compiler();
}

TEST_NEEDS(emulator_is_here)
