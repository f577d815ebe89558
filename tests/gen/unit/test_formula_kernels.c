/* SPDX-License-Identifier: Apache-2.0
 *
 * Formulas as kernels compute them, for each instruction set that this CPU has, against double precision: on random and
 * on odd numbers, of sizes around vectors. With arguments (test_formulas.sh): how many random formulas, what random
 * numbers begin with, and a third one for sanitizers. Without sanitizers the odd numbers are left to the run without
 * arguments then.
 * ctest: cost=8 timeout=300
 */
#include "tests/test.h"
#include <ctype.h>
#include "gen/base/process.h"
#include "gen/base/rng.h"
#include "gen/base/text.h"
#include "gen/spec/dtype.h"
#include "gen/unit/unit.h"
#include "tests/gen/pairs.h"
#include "tests/gen/place.h"

static const char *const templates[] = { DCGEN_SOURCE_DIR "/templates" };

/* Of data with infinite numbers, NaN, denormal and the largest ones. */
static const char special_formulas[] =
    "acc; -acc; relu(acc); max(0, acc); min(acc, 1); min(1, acc); clamp(acc, 0, 6); abs(acc); exp(acc); tanh(acc); "
    "erf(acc); sigmoid(acc); silu(acc); gelu(acc); gelu_tanh(acc); sqrt(acc); rsqrt(acc); log(acc); f16(acc); "
    "bf16(acc); acc + -inf; n < len[m] ? acc : -inf; acc > 0 ? acc : 0.01 * acc; acc == acc ? 1 : 2; acc != acc ? 1 : "
    "2; sin(acc); cos(acc); floor(acc); ceil(acc); trunc(acc); round(acc); pow(acc, 3); pow(acc, -0.5); pow(2, acc); "
    "t[m,n - 1;acc] + u[(n + N / 2) % N]; !(acc < 1) ? 1 : 2; acc - acc; 1 / acc; acc >= inf ? 1 : 0; acc + hb[n] * "
    "hx[n,m]; acc * bs[m] + bf[m,n]";
enum { NSPECIAL = 41, BATCH = 56 };

/* ---- random formulas ---- */

/* Of op dense, over all functions, with integers, comparisons and choices, that rounding disturbs little: what is
 * divided by, and what a root or a logarithm is of, stays away from 0. Operands: b[n], s[m], t[m,n], x[n,m]; of
 * integers len[m], most[n], kind[n,m]; of f16 hb[n], hx[n,m]; of bf16 bf[m,n], bs[m]. */

/* The types and extents of those that a formula has: "types = { len = "s32"; }; extents = { len = ["M"]; };" */
static const char *formula_keys(Arena *a, const char *formula)
{
    static const char *const row[][3] = { { "len", "s32", "\"M\"" },         { "most", "s32", "\"N\"" },
                                          { "kind", "s32", "\"N\", \"M\"" }, { "hb", "f16", "\"N\"" },
                                          { "hx", "f16", "\"N\", \"M\"" },   { "bf", "bf16", "\"M\", \"N\"" },
                                          { "bs", "bf16", "\"M\"" },         { "b", "f32", "\"N\"" },
                                          { "s", "f32", "\"M\"" },           { "t", "f32", "\"M\", \"N\"" },
                                          { "x", "f32", "\"N\", \"M\"" },    { "u", "f32", "\"N\"" } };
    Text types = { .arena = a }, extents = { .arena = a };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        const char *at = formula, *name = arena_printf(a, "%s[", row[i][0]);
        while ((at = strstr(at, name)) && at > formula && isalpha((unsigned char)at[-1]))
            at++;
        if (!at)
            continue;
        if (strcmp(row[i][1], "f32") != 0)
            text_printf(&types, "%s = \"%s\"; ", row[i][0], row[i][1]);
        text_printf(&extents, "%s = [%s]; ", row[i][0], row[i][2]);
    }
    return extents.len ? arena_printf(a, "%s%s%s extents = { %s};", types.len ? "types = { " : "", text_str(&types),
                                      types.len ? "};" : "", text_str(&extents))
                       : "";
}

static const char *formula_real(Arena *a, Rng *r, int depth);

/* One of the texts of a list, which "; " stands between. */
static const char *formula_pick(Arena *a, Rng *r, const char *list)
{
    int64_t n = 1;
    for (const char *at = list; (at = strstr(at, "; ")); at += 2)
        n++;
    for (n = rng_below(r, n); n > 0; n--)
        list = strstr(list, "; ") + 2;
    const char *end = strstr(list, "; ");
    return arena_strndup(a, list, end ? (size_t)(end - list) : strlen(list));
}

/* Each $ of a pattern becomes a real number, # an integer, @ a condition. */
static const char *formula_filled(Arena *a, Rng *r, const char *pattern, int depth);

static const char *formula_int(Arena *a, Rng *r, int depth)
{
    static const char leaves[] = "n; m; n; m; M; N; K; 0; 3; (-2); len[m]; most[n]; kind[n,m]; n % 3; div(m, 2)";
    static const char inner[] = "(# + #); (# - #); (# * 3); (2 * #); (-#); min(#, #); max(#, #); min(n, #); max(#, "
                                "len[m]); relu(#); clamp(#, -3, 5); # % 5; div(#, 3); # % (N + 1); kind[n + #,m;2]; "
                                "most[n - 1;#]; (# < # ? # : #); (n >= # && m != 1 ? # : n)";
    return depth <= 0 ? formula_pick(a, r, leaves) : formula_filled(a, r, formula_pick(a, r, inner), depth - 1);
}

static const char *formula_condition(Arena *a, Rng *r, int depth)
{
    static const char leaves[] = "n < len[m]; m != n; acc > 0; n >= 7; kind[n,m] == 1; b[n] <= s[m]";
    static const char inner[] = "$ < $; $ >= $; # < #; # <= #; # > #; # >= #; # == #; # != #; !(@); (@) && (@); (@) || "
                                "(@); n < most[n] && (@) || m > 2";
    return depth <= 0 ? formula_pick(a, r, leaves) : formula_filled(a, r, formula_pick(a, r, inner), depth - 1);
}

static const char *formula_real(Arena *a, Rng *r, int depth)
{
    static const char leaves[] =
        "acc; acc; acc; b[n]; s[m]; t[m,n]; x[n,m]; hb[n]; bf[m,n]; hx[n,m]; bs[m]; 0.5; 1e-2; (-3.25); n; len[m]; "
        "b[(n + N / 2) % N]; s[m / 2]; t[m,N - 1 - n]; t[m - 1,n + 3;0.5]; hb[n / 3]; hx[n - 2,m;b[n]]; bs[m % 2;-1]; "
        "x[n / 4 * 4,m]; b[min(n + 1, N - 1)]; t[m,n * M / M]";
    static const char inner[] =
        "($ + $); ($ - $); $ * $; (-$); (-(-$)); ($ - -$); $ / (abs($) + 0.5); min($, $); max($, $); relu($); clamp($, "
        "-2, 3); abs($); sqrt(abs($) + 0.25); rsqrt(abs($) + 0.25); exp(clamp($, -4, 4)); log(abs($) + 0.5); tanh($); "
        "erf($); sigmoid($); silu($); gelu($); gelu_tanh($); f16($); bf16($); sin($); cos($); floor($); ceil($); "
        "trunc($); round($); pow(abs($) + 0.5, clamp($, -3, 3)); t[m,n + #;$]; b[#;$]; b[wrap(#, N);$]; (@ ? $ : $); "
        "(@ ? $ : @ ? $ : "
        "$); ($ + "
        "#); (# / 4); # * $";
    return depth <= 0 ? formula_pick(a, r, leaves) : formula_filled(a, r, formula_pick(a, r, inner), depth - 1);
}

static const char *formula_filled(Arena *a, Rng *r, const char *pattern, int depth)
{
    Text t = { .arena = a };
    for (; *pattern; pattern++) {
        const int less = depth - (int)rng_below(r, 2);
        switch (*pattern) {
        case '$':
            text_add(&t, formula_real(a, r, less));
            break;
        case '#':
            text_add(&t, formula_int(a, r, less > 2 ? 2 : less));
            break;
        case '@':
            text_add(&t, formula_condition(a, r, less));
            break;
        default:
            text_printf(&t, "%c", *pattern);
        }
    }
    return arena_strdup(a, text_str(&t));
}

/* ---- the formulas, as functions of one package ---- */

static const SpecFile *read_formulas(const char *const *formula, int n, Diag *d)
{
    Text t = { .arena = arena };
    Source *src = ARENA_NEW(arena, Source);
    text_add(&t, "name = \"pkg\"; budget = { kernels = 64; }; functions = (\n");
    for (int i = 0; i < n; i++)
        text_printf(
            &t,
            "  { name = \"f%dx\"; op = \"dense\"; shapes = ( { M = 2; N = 3; K = 4; } ); epilogue = \"%s\"; %s }%s\n",
            i, formula[i], formula_keys(arena, formula[i]), i + 1 < n ? "," : " );");
    *src = (Source){ .path = "formulas.cfg", .text = arena_strdup(arena, text_str(&t)), .len = t.len };
    return spec_file_parse(arena, src, templates, 1, d);
}

/* Is it one? A few random ones are too long, or compare something with itself. */
static bool is_formula(const char *formula)
{
    return strlen(formula) < 600 && read_formulas(&formula, 1, diag_new(arena));
}

static const char *const *choose_formulas(int nspecial, int n)
{
    const char **formula = ARENA_ARRAY(arena, (size_t)n, const char *);
    Rng rng = { test_argc > 1 ? (unsigned)atoi(test_argv[1]) : 1 };
    Pairs special = { .rest = special_formulas };
    for (int i = 0; i < nspecial && pairs_next(arena, &special); i++)
        formula[i] = special.text;
    assert_true(!nspecial || !*special.rest);
    for (int i = nspecial; i < n;) {
        formula[i] = formula_real(arena, &rng, 2 + (int)rng_below(&rng, 4));
        i += is_formula(formula[i]);
    }
    return formula;
}

/* ---- the program ---- */

static const char program_head[] =
    "#include <math.h>\n#include <stdbool.h>\n#include <stdint.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include "
    "<string.h>\n"
    "#include \"" DCGEN_SOURCE_DIR "/templates/package/element.h\"\n"
    "static int64_t dcgen_reference_terms(const int64_t *extent) { (void)extent; return 1; }\n"
    "static void dcgen_operator_rows(const int64_t *extent, const void *const *operand, int64_t row0, int64_t row1, "
    "double *y, double *bound)\n"
    "{\n"
    "    for (int64_t i = row0 * extent[1]; i < row1 * extent[1]; i++, y++, bound++) {\n"
    "        *y = ((const float *)operand[0])[i];\n"
    "        *bound = 0;\n"
    "    }\n"
    "}\n";

/* What the program does with each function on each size: data, then each instruction set against the reference. */
static const char program_tail[] =
    "static uint64_t state = 7;\n"
    "static uint32_t draw(void) { return (uint32_t)((state = state * 6364136223846793005u + 1442695040888963407u) >> "
    "33); }\n"
    "static float number(void) { return (float)draw() * 0x1p-29f - 2; }\n"
    "static void *array(int64_t n, int kind, int64_t most)\n"
    "{\n"
    "    static const float odd[] = { 0, -0.0f, INFINITY, -INFINITY, NAN, 1e-40f, -1e-40f, 3e38f, -3e38f, 65519, "
    "65520, -70000, 1, 2, -3, 1e-7f, -8, -20, 90, 5e-8f };\n"
    "    union { float *f; int32_t *i; uint16_t *h; void *p; } to = { .p = malloc((size_t)n * (kind == 3 ? 2 : 4)) };\n"
    "    for (int64_t k = 0; k < n; k++)\n"
    "        if (kind == 0)\n"
    "            to.f[k] = number();\n"
    "        else if (kind == 1)\n"
    "            to.f[k] = odd[draw() % (sizeof odd / sizeof *odd)];\n"
    "        else if (kind == 3)\n"
    "            to.h[k] = (uint16_t)((draw() % 8 ? 0x3800 + draw() % 0x800 : draw() % 0x400) | (draw() % 2 ? 0x8000 : "
    "0));\n"
    "        else\n"
    "            to.i[k] = (int32_t)((int64_t)draw() % (most + 3)) - 1;\n"
    "    return to.p;\n"
    "}\n"
    "static bool is_right(float y, double v, double bound)\n"
    "{\n"
    "    if (isnan(v) || isinf(v) || !isfinite(bound))\n"
    "        return isnan(v) ? isnan(y) || bound > 1e30 : isfinite(bound) ? y == (float)v || fabs(bound) > 1e30 : "
    "true;\n"
    "    return fabs(y - v) <= TOLERANCE * bound;\n"
    "}\n"
    "int main(void)\n"
    "{\n"
    "    static const int64_t size[][2] = { { 1, 1 }, { 2, 3 }, { 7, 4 }, { 3, 17 }, { 5, 33 }, { 2, 64 }, { 70, 5 } "
    "};\n"
    "    int nwrong = 0;\n"
    "    for (int f = 0; f < NFUNCTION; f++)\n"
    "        for (int z = 0; z < 7; z++) {\n"
    "            const int64_t M = size[z][0], N = size[z][1], extent[] = { M, N, 4 };\n"
    "            void *operand[16] = { 0 };\n"
    "            for (int i = 0; function[f].kind[i]; i++) {\n"
    "                const char c = function[f].kind[i];\n"
    "                const int64_t n = c == 'Y' ? 0 : function[f].rank[i] == 1 ? (function[f].first[i] == 0 ? M : N) : "
    "M * N;\n"
    "                operand[i] = array(n, c == 'i' ? 2 : c == 'h' ? 3 : i == 0 && f < NSPECIAL, M > N ? M : N);\n"
    "            }\n"
    "            double *v = malloc((size_t)(M * N) * 8), *bound = malloc((size_t)(M * N) * 8);\n"
    "            float *y = malloc((size_t)(M * N) * 4);\n"
    "            function[f].rows(extent, (const void *const *)operand, 0, M, v, bound);\n"
    "            for (int s = 0; s < NSET; s++) {\n"
    "                if (!has_set(s))\n"
    "                    continue;\n"
    "                function[f].kernel[s](extent, (const void *const *)operand, y);\n"
    "                for (int64_t i = 0, told = 0; i < M * N; i++)\n"
    "                    if (!is_right(y[i], v[i], bound[i]) && told++ < 1 && nwrong++ < 20)\n"
    "                        printf(\"%s [%s] of %d x %d, m %d n %d, acc %g: %.9g instead of %.9g, bound %g\\n\", "
    "function[f].text, set_name[s], (int)M, (int)N,\n"
    "                               (int)(i / N), (int)(i % N), (double)((float *)operand[0])[i], (double)y[i], v[i], "
    "bound[i]);\n"
    "            }\n"
    "            for (int i = 0; i < 16; i++)\n"
    "                free(operand[i]);\n"
    "            free(v), free(bound), free(y);\n"
    "        }\n"
    "    return nwrong > 0;\n"
    "}\n";

/* The instruction sets for CPUs of this architecture. */
static const Target *sets_of(const TargetList *all, int *n)
{
    Target *set = ARENA_ARRAY(arena, (size_t)all->n, Target);
    for (const Target *t = all->t; t < all->t + all->n; t++)
        if (strcmp(t->family->name, "cpu") == 0)
            set[(*n)++] = *t;
    return set;
}

static void add_arguments(Text *t, const Spec *s)
{
    text_add(t, "typedef struct {\n    int64_t M, N, K;\n");
    for (const Operand *o = s->op->operand; o < s->op->operand + s->op->noperand; o++)
        text_printf(t, "    const %s *%s;\n", spec_element(s, o)->c_type, o->name);
    text_printf(t, "} %s_args;\n", s->name);
}

/* A kernel that does nothing but the formula, on acc in the place of X. */
static void add_kernel(Text *t, const Spec *s, const Target *set)
{
    text_printf(
        t, "static pkg_TARGET_%s void %s_rows_%s(const int64_t *extent, const void *const *operand, float *y)\n{\n",
        set->name, s->name, set->name);
    text_printf(t, "    const %s_args args = { extent[0], extent[1], extent[2]", s->name);
    for (int i = 0; i < s->op->noperand; i++)
        text_printf(t, ", operand[%d]", i);
    text_printf(t,
                " }, *a = &args;\n    const int64_t step = %d;\n"
                "    for (int64_t m = 0; m < a->M; m++)\n        for (int64_t n = 0; n < a->N; n += step) {\n"
                "            const int64_t lanes = a->N - n < step ? a->N - n : step;\n"
                "            pkg_store_%s(y + m * a->N + n, %s_epilogue_%s(a, pkg_load_%s(a->X + m * a->N + n, lanes), "
                "m, n, lanes), lanes);\n        }\n}\n",
                (int)(target_number(set, "VECTOR_BYTES") / 4), set->name, s->name, set->name, set->name);
}

/* The reference of a function; what all have in common stands before the first one. */
static void add_reference(Text *t, const Spec *s, int i, Diag *d)
{
    const char *text = unit_formula_reference(arena, s, DCGEN_SOURCE_DIR "/templates/package", false, d);
    assert_non_null(text);
    const char *own = strstr(text, "/* The element of the output");
    assert_non_null(own);
    text_printf(t,
                "#define dcgen_formula formula_%d\n#define dcgen_reference_rows rows_%d\nvoid "
                "dcgen_reference_rows(const int64_t *, const void *const *, int64_t, int64_t, double *, double "
                "*);\n%s\n#undef dcgen_formula\n#undef dcgen_reference_rows\n",
                i, i, i ? own : text);
}

static void add_row(Text *t, const Spec *s, int i, const Target *set, int nset)
{
    Text kind = { .arena = arena }, rank = { .arena = arena }, first = { .arena = arena };
    for (const Operand *o = s->op->operand; o < s->op->operand + s->op->noperand; o++) {
        text_add(&kind, o->role == ROLE_OUT ? "Y" : o->role == ROLE_INDEX ? "i" : o->stored ? "h" : "f");
        text_printf(&rank, "%d, ", o->layout->rank);
        text_printf(&first, "%d, ", op_axis(s->op, expr_text(o->layout->extent[0])));
    }
    text_printf(t, "    { \"%s\", \"%s\", { %s }, { %s }, rows_%d, {", spec_formula_text(s), text_str(&kind),
                text_str(&rank), text_str(&first), i);
    for (int k = 0; k < nset; k++)
        text_printf(t, " %s_rows_%s,", s->name, set[k].name);
    text_add(t, " } },\n");
}

/* nspecial: the first functions, whose acc is drawn from odd numbers. */
static void add_sets(Text *t, const Target *set, int nset, int nspecial)
{
    text_printf(t, "enum { NSET = %d, NSPECIAL = %d };\nstatic const char *const set_name[] = {", nset, nspecial);
    for (int k = 0; k < nset; k++)
        text_printf(t, " \"%s\",", set[k].name);
    text_add(t, " };\nstatic bool has_set(int i)\n{\n");
    for (int k = 0; k < nset; k++)
        text_printf(t, "    if (i == %d)\n        return %s;\n", k, set[k].runtime_check);
    text_add(t, "    return false;\n}\n");
}

static const char *program_of(const SpecFile *f, int nspecial)
{
    TargetList targets;
    Diag *d = diag_new(arena);
    assert_true(target_read_all(arena, DCGEN_SOURCE_DIR "/templates/targets", &targets, d));
    int nset = 0;
    const Target *set = sets_of(&targets, &nset);
    Text formulas = { .arena = arena }, kernels = { .arena = arena }, rows = { .arena = arena },
         all = { .arena = arena };
    for (int i = 0; i < f->nfunction; i++) {
        const Spec *s = f->function[i];
        const UnitContext u = { s, NULL, &targets, DCGEN_SOURCE_DIR "/templates/package",
                                target_find(&targets, "portable") };
        add_arguments(&formulas, s);
        text_add(&formulas, unit_formula(arena, &u, "", diag_new(arena)));
        add_reference(&rows, s, i, d);
        for (int k = 0; k < nset; k++)
            add_kernel(&kernels, s, &set[k]);
    }
    const UnitContext u = { f->function[0], NULL, &targets, DCGEN_SOURCE_DIR "/templates/package",
                            target_find(&targets, "portable") };
    FillScope *scope = unit_scope(arena, &u);
    text_add(&formulas, text_str(&kernels));
    assert_true(unit_add_shared(scope, &u, text_str(&formulas), d));
    const Rounding rounding = dtype_rounding(dtype_find("f32"), storage_find("f32"));
    text_printf(&all, "%s#define TOLERANCE %a\n%s\n%s\n%s\n%s\n", program_head, rounding_tolerance(&rounding, 1, 1, 0),
                fill_find(scope, "preamble", 8), fill_find(scope, "device", 6), text_str(&formulas), text_str(&rows));
    text_printf(&all,
                "typedef void Rows(const int64_t *, const void *const *, int64_t, int64_t, double *, double *);\n"
                "typedef void Kernel(const int64_t *, const void *const *, float *);\n"
                "static const struct {\n    const char *text, *kind;\n    int rank[16], first[16];\n    Rows *rows;\n  "
                "  Kernel *kernel[%d];\n} function[] = {\n",
                nset);
    for (int i = 0; i < f->nfunction; i++)
        add_row(&all, f->function[i], i, set, nset);
    text_printf(&all, "};\nenum { NFUNCTION = %d };\n", f->nfunction);
    add_sets(&all, set, nset, nspecial);
    text_add(&all, program_tail);
    return arena_strdup(arena, text_str(&all));
}

/* ---- compilers ---- */

/* A command, and what it is called where it fails. */
static void run(const char *what, const char *command)
{
    const char *const argv[] = { "sh", "-c", command, NULL };
    const ProcessPlan plan = { .argv = argv, .out = PROCESS_KEEP, .err = PROCESS_WITH_OUT };
    ProcessEnd e = process_run(arena, &plan, process_clock_s() + 1200, NULL);
    if (!process_is_well(&e))
        fail_msg("%s %s:\n%s", what, process_status_text(arena, e.wait_status), text_str(&e.out));
}

static void check_compiler(const char *cc)
{
    const char *program = in_root("formulas");
    const char *flags = test_argc > 2 ? "-O0 -fsanitize=address,undefined -fno-sanitize-recover=all"
                                      : "-O1 -Wall -Wextra -Wconversion -Werror -Wno-unused-function";
    run(cc, arena_printf(arena, "%s -std=gnu11 -ffp-contract=fast -Wno-psabi %s '%s.c' -o '%s' -lm", cc, flags, program,
                         program));
    run("the program", arena_printf(arena, "'%s'", program));
    remove(program);
}

TEST(kernels_compute_formulas)
{
    const int nspecial = test_argc == 2 ? 0 : NSPECIAL;
    const int n = nspecial + (test_argc > 0 ? atoi(test_argv[0]) : BATCH - NSPECIAL);
    const char *source = in_root("formulas.c");
    const char *const *formula = choose_formulas(nspecial, n);
    for (int i = 0; i < n; i += BATCH) {
        put_file(source, program_of(read_formulas(formula + i, n - i < BATCH ? n - i : BATCH, diag_new(arena)),
                                    i == 0 ? nspecial : 0));
        check_compiler("gcc");
        if (process_find(arena, "clang"))
            check_compiler("clang");
    }
    remove(source);
}

TEST_FILE(place_setup, place_teardown)
