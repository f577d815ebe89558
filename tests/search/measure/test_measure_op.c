/* SPDX-License-Identifier: Apache-2.0
 *
 * measure: operators that are not dense, by kernels that are written by hand: one without rows, with an epilogue that
 * has no data, one with indices, one whose operands may lie with gaps, one with rows of several groups, and one with
 * several constant operands that are packed into one.
 */
#include "tests/test.h"
#include "tests/search/measure/runner_place.h"

#include <string.h>
#include "gen/unit/unit.h"

static const char ops[] = DCGEN_SOURCE_DIR "/tests/search/measure/ops";

/* As build() with the prelude, once for all runners and tests. */
static const char *kernel(const char *text)
{
    enum { MOST = 128 };
    static struct {
        const char *text, *so;
    } built[MOST];
    static int n;
    int i = 0;
    while (i < n && strcmp(built[i].text, text) != 0)
        i++;
    if (i == n) {
        assert_true(n < MOST);
        built[i].text = arena_strdup(w->a, text);
        built[n++].so = build(text, true);
    }
    return built[i].so;
}

/* The place, with such a runner for this op, epilogue (NULL: none) and accuracy. */
static void open_op(const char *const *command, const char *name, const char *epilogue, double accuracy)
{
    Diag *d = diag_new(w->a);
    size_t len;
    runner_stop(w->runner);
    w->op = op_read(w->a, arena_printf(w->a, "%s/%s", ops, name), d);
    diag_print(d, stderr);
    assert_non_null(w->op);
    Spec spec = with_formula(w->a, w->op, "f32", epilogue);
    spec.accuracy = accuracy;
    const char *text = text_read_file(w->a, w->op->reference, &len), *err = "";
    w->reference = build(unit_reference(w->a, &spec, DCGEN_SOURCE_DIR "/templates/package", text, d), false);
    w->runner = runner_start(w->a, command, &spec, w->reference, 1, NULL, &err);
    assert_string_equal(err, "");
}

static void check_on(const char *so, const int64_t *extent, int64_t gap, PartsWay way, Status status, const char *why)
{
    MeasureRequest q = verification(extent);
    MeasureRecord m;
    q.deadline_s = 20;
    q.gap = gap;
    q.way = way;
    must_measure(w->runner, &q, &so, 1, &m);
    if (m.status != status || !strstr(m.why, why))
        fail_msg("%s gap %d way %d: %s: %s", so, (int)gap, (int)way, status_name(m.status), m.why);
}

static void check(const char *text, const int64_t *extent, Status status, const char *why)
{
    check_on(kernel(text), extent, 0, WAY_RANDOM, status, why);
}

/* Each kernel of the op product begins with this: element i of the result, without an epilogue. */
#define PRODUCT                                                                                           \
    "static float at(const int64_t *e, void *const *o, int64_t i) {\n"                                    \
    "    int64_t m = e[1], n = e[2], k = e[3]; float s = 0;\n"                                            \
    "    const float *x = (float *)o[0] + i / n * k, *z = (float *)o[1] + i / (m * n) * k * n + i % n;\n" \
    "    for (int64_t j = 0; j < k; j++) s += x[j] * z[j * n];\n"                                         \
    "    return s; }\n"                                                                                   \
    "#define EACH(value) for (int64_t i = 0, n = e[0] * e[1] * e[2]; i < n; i++)\\\n"                     \
    "        if (i >= n * task / ntask && i < n * (task + 1) / ntask) ((float *)o[2])[i] = (value);\\\n"  \
    "    (void)ws; return 0\n"

static const char product[] = PRODUCT;
static const char with_relu[] = PRODUCT "RUN { EACH(fmaxf(at(e, o, i), 0)); }";
static const char without_relu[] = PRODUCT "RUN { EACH(at(e, o, i)); }";

TEST(an_epilogue_without_data)
{
    static const int64_t few[] = { 2, 3, 5, 7 };
    open_op(runner_command, "product", "relu", 1);
    check(with_relu, few, STATUS_OK, "");
    check(without_relu, few, STATUS_WRONG, "element ");
    check(PRODUCT "RUN { EACH(fmaxf(at(e, o, i), 0) + 0.25f); }", few, STATUS_WRONG, ", off by 0.25 where ");
    open_op(runner_command, "product", NULL, 1);
    check(without_relu, few, STATUS_OK, "");
    check(with_relu, few, STATUS_WRONG, "element ");
}

/* What a kernel may be off by, with and without an epilogue. One that is off turns some comparisons: that is right,
 * too. */
TEST(an_accuracy)
{
    static const int64_t many[] = { 9, 53, 61, 13 };
    static const struct {
        const char *epilogue, *element;
        double accuracy;
        Status status;
    } row[] = {
        { NULL, "at(e, o, i) + 0.002f", 1, STATUS_WRONG },
        { NULL, "at(e, o, i) + 0.002f", 1000, STATUS_OK },
        { NULL, "at(e, o, i) + 0.1f", 1000, STATUS_WRONG },
        { "relu", "fmaxf(at(e, o, i) + 0.002f, 0)", 1, STATUS_WRONG },
        { "relu", "fmaxf(at(e, o, i) + 0.002f, 0)", 1000, STATUS_OK },
        { "step", "at(e, o, i) > 0", 1, STATUS_OK },
        { "step", "at(e, o, i) + 0.002f > 0", 1, STATUS_WRONG },
        { "step", "at(e, o, i) + 0.002f > 0", 1000, STATUS_OK },
        { "step", "at(e, o, i) + 0.2f > 0", 1000, STATUS_WRONG },
    };
    for (size_t i = 0; i < LENGTH(row); i++) {
        open_op(runner_command, "product", row[i].epilogue, row[i].accuracy);
        check(arena_printf(w->a, "%sRUN { EACH(%s); }", product, row[i].element), many, row[i].status, "");
    }
}

/* There are no sums of rows, so what is wrong in a part of the tiles, or in one tail, must be among the elements that
 * are compared. */
TEST(a_large_output_without_rows)
{
    static const int64_t large[] = { 9, 203, 301, 130 };
    static const char *const wrong[] = { "i == 0",
                                         "i == e[0] * e[1] * e[2] - 1",
                                         "i % e[2] == 300",
                                         "i % e[2] >= 288",
                                         "i / e[2] % e[1] == 202",
                                         "i / e[2] % e[1] >= 192 && i % e[2] >= 288",
                                         "i / e[2] % 16 == 5 && i % e[2] % 16 == 7" };
    open_op(runner_command, "product", "relu", 1);
    check(with_relu, large, STATUS_OK, "");
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        check(arena_printf(w->a, "%sRUN { EACH(fmaxf(at(e, o, i), 0) + (%s)); }", product, wrong[i]), large,
              STATUS_WRONG, "element ");
}

/* Lengths and permutations are what they say, so that a kernel may address memory by them; and it must. */
TEST(indices)
{
    static const int64_t extent[] = { 12, 100 };
    static const char *const wrong[] = { "o[0][i]", "t < many[b] ? o[0][i] : 0", "o[0][b * e[1] + order[i]]",
                                         "t <= many[b] ? o[0][b * e[1] + order[i]] : 0" };
    static const char start[] = "int dcgen_run(const int64_t *e, float **o, void *ws, int64_t task, int64_t ntask) {\n"
                                "    const int *order = (int *)o[1], *many = (int *)o[2];\n"
                                "    for (int64_t i = task, b, t; i < e[0] * e[1]; i += ntask) {\n"
                                "        b = i / e[1]; t = i % e[1];\n"
                                "        o[3][i] = ";
    open_op(runner_command, "pick", NULL, 1);
    check(arena_printf(w->a, "%st < many[b] ? o[0][b * e[1] + order[i]] : 0; } return 0; }", start), extent, STATUS_OK,
          "");
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        check(arena_printf(w->a, "%s%s; } return 0; }", start, wrong[i]), extent, STATUS_WRONG, "element ");
}

/* ---- operands that lie with gaps ---- */

/* A kernel of the op negate, for runners of all kinds. X(b, m) and Y(b, m): where a row begins; DO: what is done
 * besides in each row. */
#define NEGATE(X, Y, DO)                                                                        \
    "int dcgen_run(const int64_t *e, float **o, void *ws, int64_t task, int64_t ntask) {\n"     \
    "    const int64_t M = e[1], N = e[2], *s = e + 3;\n"                                       \
    "    for (int64_t i = task; i < e[0] * M; i += ntask) {\n"                                  \
    "        const int64_t b = i / M, m = i % M; float *x = o[0] + " X ", *y = o[1] + " Y ";\n" \
    "        for (int64_t n = 0; n < N; n++) y[n] = -x[n];\n"                                   \
    "        " DO " } return 0; }\n"                                                            \
    "int dcgen_launch(const int64_t *e, float **o, void *ws, void *stream) { return dcgen_run(e, o, ws, 0, 1); }"
#define OF_X "b * s[0] + m * s[1]"
#define OF_Y "b * s[2] + m * s[3]"

static const struct {
    const char *text, *why; /* why: part of what is said of it when there are gaps; NULL: it is right */
} negates[] = {
    { NEGATE(OF_X, OF_Y, ""), NULL },
    { NEGATE("b * s[0] + m * N", OF_Y, ""), "nan instead of" },
    { NEGATE("b * M * s[1] + m * s[1]", OF_Y, ""), "nan instead of" },
    { NEGATE(OF_X, "b * s[2] + m * N", ""), "writes between the rows of operand 1" },
    { NEGATE(OF_X, "b * M * s[3] + m * s[3]", ""), "writes between the rows of operand 1" },
    { NEGATE(OF_X, OF_Y, "if (m + 1 < M) y[0] += 0 * x[s[1] - 1];"), "nan instead of" },
    { NEGATE(OF_X, OF_Y, "if (m + 1 < M) y[N] = y[N] == y[N] ? 1 : y[N];"), "writes between the rows of operand 1" },
    { NEGATE(OF_X, OF_Y, "if (m + 1 < M && s[1] > N) x[N] = 1;"), "changes operand 0, an input" },
};

/* All runners verify on operands with gaps: inputs' are NaN, the output's stay. Nobody notices such kernels without. */
static void check_gaps(const char *const *command)
{
    static const int64_t few[] = { 2, 3, 5 }, gap[] = { 3, 16 };
    const char *so;
    open_op(command, "negate", NULL, 1);
    for (size_t i = 0; i < LENGTH(negates); i++) {
        so = kernel(negates[i].text);
        check_on(so, few, 0, WAY_RANDOM, STATUS_OK, "");
        for (int k = 0; k < 2; k++) {
            check_on(so, few, gap[k], WAY_RANDOM, negates[i].why ? STATUS_WRONG : STATUS_OK,
                     negates[i].why ? negates[i].why : "");
            check_on(so, few, gap[k], WAY_RANDOM, negates[i].why ? STATUS_WRONG : STATUS_OK,
                     negates[i].why ? "on operands that lie with gaps: " : "");
        }
    }
}

/* And with repeated rows, and outer extents in the opposite order. */
static void check_lies(const char *const *command)
{
    static const struct {
        const char *text;
        bool repeated, turned; /* it is right then */
    } cases[] = { { NEGATE(OF_X, OF_Y, ""), true, true },
                  { NEGATE("m * s[1]", OF_Y, ""), true, false },
                  { NEGATE("b * M * s[1] + m * s[1]", OF_Y, ""), false, false },
                  { NEGATE(OF_X, "b * (M * s[3] + 16) + m * s[3]", ""), true, false } };
    static const int64_t few[] = { 2, 3, 5 };
    open_op(command, "negate", NULL, 1);
    for (size_t i = 0; i < LENGTH(cases); i++)
        for (Lie lie = LIE_REPEATED; lie <= LIE_TURNED; lie++) {
            MeasureRequest q = verification(few);
            MeasureRecord m;
            const char *so = kernel(cases[i].text);
            q.deadline_s = 20;
            q.gap = 16;
            q.lie = lie;
            must_measure(w->runner, &q, &so, 1, &m);
            if ((m.status == STATUS_OK) != (lie == LIE_TURNED ? cases[i].turned : cases[i].repeated))
                fail_msg("%s lie %d: %s: %s", cases[i].text, (int)lie, status_name(m.status), m.why);
        }
}

TEST(lies_on_a_cpu) { check_lies(runner_command); }

TEST(gaps_on_a_cpu)
{
    static const int64_t few[] = { 2, 3, 5 };
    check_gaps(runner_command);
    check_on(kernel(NEGATE(OF_X, OF_Y, "if (s[1] > N) abort();")), few, 3, WAY_RANDOM, STATUS_CRASHED,
             "killed by SIGABRT while verifying on operands that lie with gaps");
}

/* ---- rows of several groups ---- */

/* A kernel of the op ragged, for runners of all kinds: NEXT moves g on to the group that row m is of, and WORD is what
 * it takes of that. */
#define RAGGED(NEXT, WORD)                                                                                \
    "int dcgen_run(const int64_t *e, void **o, void *ws, int64_t task, int64_t ntask) {\n"                \
    "    const int64_t M = e[0], G = e[1];\n"                                                             \
    "    const float *x = o[0]; float *y = o[4]; const int *begin = o[1], *many = o[2], *words = o[3];\n" \
    "    for (int64_t m = 0, g = 0; m < M; m++) {\n"                                                      \
    "        " NEXT "\n"                                                                                  \
    "        if (m % ntask == task) y[m] = x[m] * (float)(" WORD "); } return 0; }\n"                     \
    "int dcgen_launch(const int64_t *e, void **o, void *ws, void *stream) { return dcgen_run(e, o, ws, 0, 1); }"
#define LAST_BYTE "((unsigned)words[g] >> 24) + 0 * (G + begin[0] + many[0])"

/* What is wrong in some ways to divide the rows may be right in others. */
static const struct {
    const char *text;
    unsigned wrong; /* bits: the ways to divide the rows that show it */
} ragged[] = {
    { RAGGED("while (m >= begin[g + 1]) g++;", LAST_BYTE), 0 },
    { RAGGED("while (m >= begin[g] + many[g]) g++;", LAST_BYTE), 0 },
    { RAGGED("g = m / (M / G);", LAST_BYTE), 1 << WAY_RANDOM | 1 << WAY_ONE | 1 << WAY_EMPTY },
    { RAGGED("if (m >= begin[g + 1]) g++;", LAST_BYTE), 1 << WAY_RANDOM | 1 << WAY_ONE | 1 << WAY_EMPTY },
    { RAGGED("while (many[g] == 0 || m >= begin[g + 1]) if (++g == G) g = 0;", "words[0] >> 24 & 255"),
      1 << WAY_RANDOM | 1 << WAY_EQUAL | 1 << WAY_ONE | 1 << WAY_EMPTY },
    { RAGGED("while (m >= begin[g + 1]) g++;", "words[g] >> 24"),
      1 << WAY_RANDOM | 1 << WAY_EQUAL | 1 << WAY_ONE | 1 << WAY_EMPTY },
};

static void check_parts(const char *const *command)
{
    static const int64_t rows[] = { 240, 40 };
    static const char *const said[] = { "element ", "on equal parts: element ",
                                        "on parts of which one has all: element ",
                                        "on parts of which most are empty: element " };
    open_op(command, "ragged", NULL, 1);
    for (size_t i = 0; i < LENGTH(ragged); i++) {
        const char *so = kernel(ragged[i].text);
        for (int way = 0; way < WAY_COUNT; way++) {
            const bool wrong = ragged[i].wrong >> way & 1;
            check_on(so, rows, 0, (PartsWay)way, wrong ? STATUS_WRONG : STATUS_OK, wrong ? said[way] : "");
        }
    }
}

TEST(parts_on_a_cpu) { check_parts(runner_command); }

/* ---- several constant operands ---- */

/* A kernel of the op line, for runners of all kinds, of M slopes and M levels side by side: DO packs the m-th of
 * each. */
#define LINE(DO)                                                                                                 \
    "int64_t dcgen_packed_bytes(const int64_t *e) { return e[0] * 8; }\n"                                        \
    "int dcgen_pack(const int64_t *e, const void *w, void *p) {\n"                                               \
    "    const int *slope = ((void *const *)w)[1]; const float *level = ((void *const *)w)[3]; float *to = p;\n" \
    "    for (int64_t m = 0; m < e[0]; m++) { " DO " } return 0; }\n"                                            \
    "int dcgen_run(const int64_t *e, float **o, void *ws, int64_t task, int64_t ntask) {\n"                      \
    "    for (int64_t m = task; m < e[0]; m += ntask) o[2][m] = o[0][m] * o[1][m] + o[1][e[0] + m];\n"           \
    "    return 0; }\n"                                                                                          \
    "int dcgen_launch(const int64_t *e, float **o, void *ws, void *stream) { return dcgen_run(e, o, ws, 0, 1); }"

static void check_constants(const char *const *command)
{
    static const int64_t some[] = { 37 };
    open_op(command, "line", NULL, 1);
    check(LINE("to[m] = slope[m]; to[e[0] + m] = level[m];"), some, STATUS_OK, "");
    check(LINE("to[m] = slope[m]; to[e[0] + m] = level[0];"), some, STATUS_WRONG, "element 1 ");
    check(LINE("to[m] = slope[m];"), some, STATUS_WRONG, "nan instead of");
    check(LINE("to[m] = slope[m]; to[e[0] + m] = level[m]; ((float *)level)[m] = 0;"), some, STATUS_WRONG,
          "changes operand 3, an input");
}

TEST(constants_on_a_cpu) { check_constants(runner_command); }

/* ---- other runners ---- */

static void check_of_other(const char *path, void (*check_all)(const char *const *))
{
    const char *const command[] = { "env",        "LD_LIBRARY_PATH=" DCGEN_BINARY_DIR "/tests/cuda",
                                    path,         "--targets",
                                    targets_path, NULL };
    if (access(path, X_OK) != 0) {
        print_message("skipped: no %s\n", path);
        skip();
    }
    check_all(command);
}

static const char emulator[] = DCGEN_BINARY_DIR "/dcgen-runner-emu",
                  fake_gpu[] = DCGEN_BINARY_DIR "/tests/dcgen-runner-cuda-fake";
TEST(gaps_in_the_emulator) { check_of_other(emulator, check_gaps); }
TEST(lies_in_the_emulator) { check_of_other(emulator, check_lies); }
TEST(lies_on_a_gpu) { check_of_other(fake_gpu, check_lies); }
TEST(gaps_on_a_gpu) { check_of_other(fake_gpu, check_gaps); }
TEST(parts_in_the_emulator) { check_of_other(emulator, check_parts); }
TEST(parts_on_a_gpu) { check_of_other(fake_gpu, check_parts); }
TEST(constants_in_the_emulator) { check_of_other(emulator, check_constants); }
TEST(constants_on_a_gpu) { check_of_other(fake_gpu, check_constants); }

/* A reference that crashes is no kernel's fault; and one that reads behind its operands does. */
static void check_reference(const char *rows)
{
    static const int64_t few[] = { 2, 3, 5, 7 };
    const char *key = "0123456789abcdef0123456789abcdef", *err = "", *so = kernel(without_relu);
    const Spec spec = { .op = w->op, .dtype = "f32" };
    MeasureRequest q = request(few);
    MeasureRecord m;
    runner_stop(w->runner);
    w->reference = build(arena_printf(w->a,
                                      "#include <stdint.h>\n"
                                      "int64_t dcgen_reference_terms(const int64_t *e) { return e[3]; }\n"
                                      "void dcgen_reference_rows(const int64_t *e, const void *const *o, int64_t a, "
                                      "int64_t b, double *y, double *bound) { %s }\n",
                                      rows),
                         false);
    w->runner = runner_start(w->a, runner_command, &spec, w->reference, 1, NULL, &err);
    assert_string_equal(err, "");
    q.repeats = 0;
    q.deadline_s = 20;
    assert_false(measure(w->runner, w->a, &q, &key, &so, 1, &m, NULL, &err));
    assert_string_equal(
        err, "the runner cannot measure B=2 M=3 N=5 K=7: was killed by SIGSEGV while preparing the operands and the "
             "reference's result");
}

TEST(a_reference_that_crashes)
{
    open_op(runner_command, "product", NULL, 1);
    check_reference("*(volatile int *)8 = 1;");
    check_reference("*y = ((const volatile float *)o[0])[e[0] * e[1] * e[3]];");
    check_reference("*y = ((const volatile float *)o[1])[e[0] * e[3] * e[2]];");
}

TEST_FILE(set_up, tear_down)
TEST_NEEDS(runner_is_here)
