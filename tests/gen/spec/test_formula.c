/* SPDX-License-Identifier: Apache-2.0
 *
 * formula: what good formulas mean, as trees with all parentheses, and what is known of them. (Faulty ones:
 * cases/bad_formula_*.cfg.)
 */
#include "tests/test.h"
#include <ctype.h>
#include "tests/arena.h"
#include "tests/gen/golden.h"
#include "tests/gen/pairs.h"
#include "tests/gen/spec_text.h"

static const char *const ops[] = { DCGEN_SOURCE_DIR "/tests/gen/spec/op" };

static const Spec *read_rest(const char *rest)
{
    return spec_good(arena, arena_printf(arena, "name = \"x\"; %s\n", rest), ops, 1);
}

/* A function of dense; value: of the key `epilogue`. */
static const Spec *read_dense(const char *value, const char *rest)
{
    return read_rest(
        arena_printf(arena, "op = \"dense\"; shapes = ( { M = 2; N = 3; K = 4; } ); epilogue = %s; %s", value, rest));
}

/* Of dense or, where it does not use acc, of rows. */
static const Spec *read_formula(const char *formula)
{
    if (strstr(formula, "acc"))
        return read_dense(arena_printf(arena, "\"%s\"", formula), "");
    return read_rest(arena_printf(arena, "op = \"rows\"; shapes = ( { M = 2; N = 3; } ); formula = \"%s\";", formula));
}

/* ---- what it means ---- */

static const char *number_text(const FormulaNode *v)
{
    return arena_printf(arena, v->type == FORMULA_INT ? "%.0f" : "%#.9g", v->real);
}

static const char *shown(const Spec *s, int i);

static const char *list_text(const Spec *s, const FormulaNode *v)
{
    Text t = { .arena = arena };
    for (int i = 0; i < v->narg; i++)
        text_printf(&t, "%s%s", i && i == formula_rank(v) ? ";" : i ? "," : "", shown(s, v->arg[i]));
    return arena_strdup(arena, text_str(&t));
}

static const char *applied(const Spec *s, const FormulaNode *v)
{
    const char *name = formula_functions[v->op].name;
    if (v->op == FORMULA_CHOOSE)
        return arena_printf(arena, "(%s ? %s : %s)", shown(s, v->arg[0]), shown(s, v->arg[1]), shown(s, v->arg[2]));
    if (v->op == FORMULA_TO_REAL || isalpha((unsigned char)*name))
        return arena_printf(arena, "%s(%s)", *name ? name : "real", list_text(s, v));
    if (v->narg == 1)
        return arena_printf(arena, "(%s%s)", name, shown(s, v->arg[0]));
    return arena_printf(arena, "(%s %s %s)", shown(s, v->arg[0]), name, shown(s, v->arg[1]));
}

/* A value with all parentheses; real numbers have a point, and integers that count as real ones are real(...). */
static const char *shown(const Spec *s, int i)
{
    const FormulaNode *v = &s->formula->node[i];
    const char *extent = v->kind == FORMULA_EXTENT || v->kind == FORMULA_INDEX ? s->op->extent[v->at].name : "";
    switch (v->kind) {
    case FORMULA_NUMBER:
        return number_text(v);
    case FORMULA_ACC:
        return s->op->sum[v->at];
    case FORMULA_EXTENT:
        return extent;
    case FORMULA_INDEX:
        return text_letters(arena_strdup(arena, extent), tolower);
    case FORMULA_ELEMENT:
        return arena_printf(arena, "%s[%s]", s->op->operand[v->at].name, list_text(s, v));
    case FORMULA_APPLY:
        return applied(s, v);
    case FORMULA_REDUCE:
        break;
    }
    return arena_printf(arena, "%s[%s](%s)", formula_functions[v->op].name, s->op->extent[v->at].name, list_text(s, v));
}

static void check_meaning(const Spec *s, const char *formula, const char *want)
{
    const char *got = shown(s, s->formula->nnode - 1);
    if (strcmp(got, want) != 0)
        fail_msg("%s means %s, expected %s", formula, got, want);
}

TEST(formulas_mean)
{
    Pairs p = { .rest = "acc -> acc; 1 -> 1.00000000; n -> real(n); inf -> inf; -inf -> -inf; "
                        "acc + 2 * acc -> (acc + (2.00000000 * acc)); (acc + 2) * acc -> ((acc + 2.00000000) * acc); "
                        "acc - 1 - 2 -> ((acc - 1.00000000) - 2.00000000); "
                        "acc - (1 - acc) -> (acc - (1.00000000 - acc)); "
                        "acc / 2 / 4 -> ((acc / 2.00000000) / 4.00000000); -acc * acc -> ((-acc) * acc); "
                        "acc - -acc -> (acc - (-acc)); -(-acc) -> (-(-acc)); 1e-3 * acc -> (0.00100000000 * acc); "
                        "n + 1 < M - 2 * K ? acc : 0 -> (((n + 1) < (M - (2 * K))) ? acc : 0.00000000); "
                        "n / 2 -> (real(n) / 2.00000000); n * acc -> (real(n) * acc); min(n, m) -> real(min(n,m)); "
                        "min(n, acc) -> min(real(n),acc); abs(n) -> abs(real(n)); "
                        "acc > 0 && acc < 1 || n == 2 ? 1 : 2 -> ((((acc > 0.00000000) && (acc < 1.00000000)) || (n == "
                        "2)) ? 1.00000000 : 2.00000000); "
                        "n < 3 || !(m == 2) ? 1 : n -> real((((n < 3) || (!(m == 2))) ? 1 : n)); "
                        "!(m < n) ? acc : -acc -> ((!(m < n)) ? acc : (-acc)); "
                        "n < 1 ? 1 : n < 2 ? acc : 3 -> ((n < 1) ? 1.00000000 : ((n < 2) ? acc : 3.00000000)); "
                        "(n < 1 ? acc : 2) + 1 -> (((n < 1) ? acc : 2.00000000) + 1.00000000); "
                        "n != m ? acc : 0 -> ((n != m) ? acc : 0.00000000); "
                        "acc <= 1 ? acc : acc >= 2 ? 1 : 0 -> ((acc <= 1.00000000) ? acc : ((acc >= 2.00000000) ? "
                        "1.00000000 : 0.00000000)); "
                        "relu(acc) -> max(acc,0.00000000); relu(n) -> real(max(n,0)); "
                        "clamp(acc, -1, 6) -> min(max(acc,-1.00000000),6.00000000); "
                        "gelu(acc + bias[n]) + r[m,n] -> (gelu((acc + bias[n])) + r[m,n]); "
                        "acc * scale[m] + r[n,m] -> ((acc * scale[m]) + r[n,m]); acc\t+ 1 -> (acc + 1.00000000)" };
    while (pairs_next(arena, &p))
        check_meaning(read_formula(p.text), p.text, p.value);
    check_meaning(read_formula("  acc\t+ 1 "), "with blanks", "(acc + 1.00000000)");
}

/* In an index / divides integers; elsewhere it divides real numbers, and div and % integers. */
TEST(indices_mean)
{
    Pairs p = { .rest =
                    "x[m,(n + N / 2) % N] -> x[m,((n + div(N,2)) % N)]; x[m,n / 2 * 2] -> x[m,(div(n,2) * 2)]; "
                    "n / 2 * x[m,n] -> ((real(n) / 2.00000000) * x[m,n]); x[0,7 / 2] -> x[0,3]; "
                    "div(n, 2) * x[m,n] -> (real(div(n,2)) * x[m,n]); -7 % 4 * x[m,n] -> (-3.00000000 * x[m,n]); "
                    "n % 2 == 0 ? x[m,n] : 1 -> (((n % 2) == 0) ? x[m,n] : 1.00000000); "
                    "x[m - 1,n;0] -> x[(m - 1),n;0.00000000]; x[m,n + 1;n / 2] -> x[m,(n + 1);(real(n) / 2.00000000)]; "
                    "x[m,min(n / 2,N - 1)] -> x[m,min(div(n,2),(N - 1))]; "
                    "x[m,n % W] + t[n / W] -> (x[m,(n % W)] + t[div(n,W)]); x[m,id[m - 1;n / 2];1] + x[m,n] -> error; "
                    "x[m,id[m - 1;div(n,2)];1] + x[m,n] -> (x[m,id[(m - 1);div(n,2)];1.00000000] + x[m,n]); "
                    "x[m,argmax[n](x[m,n] / 2)] -> x[m,argmax[N]((x[m,n] / 2.00000000))]" };
    while (pairs_next(arena, &p)) {
        const char *spec = arena_printf(
            arena,
            "name = \"x\"; op = \"rows\"; shapes = ( { M = 2; N = 6; %s } ); formula = \"%s\"; %s extents = { x = "
            "[\"M\", \"N\"]; %s };\n",
            strstr(p.text, "W") ? "W = 3;" : "", p.text, strstr(p.text, "id[") ? "types = { id = \"s32\"; };" : "",
            strstr(p.text, "t[n")   ? "t = [\"N/W\"];"
            : strstr(p.text, "id[") ? "id = [\"M\"];"
                                    : "");
        const Spec *s = spec_text(arena, spec, ops, 1, diag_new(arena));
        if (!s != (strcmp(p.value, "error") == 0))
            fail_msg("%s is %s", p.text, s ? "good" : "refused");
        if (s)
            check_meaning(s, p.text, p.value);
    }
}

/* Places say what extents an operand has wherever they stand. */
TEST(extents_follow_from_any_place)
{
    const Spec *s = read_rest("op = \"rows\"; shapes = ( { M = 2; N = 3; } ); formula = \"x[m - 1,n;0] + x[0,n / 2] * "
                              "y[n + 1;y[n]] + x[m,0]\";");
    assert_string_equal(s->op->operand[0].name, "x");
    assert_string_equal(expr_text(s->op->operand[0].layout->extent[0]), "M");
    assert_string_equal(expr_text(s->op->operand[0].layout->extent[1]), "N");
    assert_string_equal(expr_text(s->op->operand[1].layout->extent[0]), "N");
}

/* Which calls are legal: those for which no index leaves its operand. */
TEST(calls_stay_within_operands)
{
    static const struct {
        const char *formula, *extents;
        int64_t M, N;
        bool is_legal;
    } row[] = {
        { "x[m,(n + N / 2) % N]", "x = [\"M\", \"N\"];", 3, 7, true },
        { "x[m,n + 2]", "x = [\"M\", \"N + 2\"];", 3, 1, true },
        { "x[m,n / 2]", "x = [\"M\", \"N/2\"];", 3, 8, true },
        { "x[m,n / 2]", "x = [\"M\", \"N/2\"];", 3, 7, false },
        { "x[m,n / 2]", "x = [\"M\", \"N/2\"];", 3, 0, true }, /* nothing is read */
        { "x[m,n % (N - 1)]", "x = [\"M\", \"N\"];", 3, 1, false },
        { "x[0,m * N + n]", "x = [\"1\", \"M*N\"];", 20, 30, true },
        { "x[0,m * N + n]", "x = [\"1\", \"M*N\"];", 46342, 46342, false }, /* beyond 32 bits */
        { "x[0,m * N + n;0]", "x = [\"1\", \"4\"];", 20, 30, true },
        { "x[0,m * N + n;0]", "x = [\"1\", \"4\"];", 46342, 46342, false },
        { "x[m,n % 4 == 0 ? N - 1 : n]", "x = [\"M\", \"N\"];", 5, 9, true },
    };
    for (size_t i = 0; i < LENGTH(row); i++) {
        const Spec *s =
            read_rest(arena_printf(arena,
                                   "op = \"rows\"; shapes = ( { M = 2; N = 4; } ); formula = \"%s\"; extents "
                                   "= { %s };",
                                   row[i].formula, row[i].extents));
        int64_t extent[OP_MAX_EXTENT] = { row[i].M, row[i].N };
        if (spec_is_legal(s, extent) != row[i].is_legal)
            fail_msg("%s of %d x %d", row[i].formula, (int)row[i].M, (int)row[i].N);
    }
}

/* A product of no terms has results all the same, and its formula is computed for each of them. */
TEST(products_of_nothing_read_operands)
{
    const Spec *s = read_rest("op = \"dense\"; shapes = ( { M = 8; N = 3; K = 5; } ); "
                              "epilogue = \"acc + x[m / 2,n]\"; extents = { x = [\"M / 2\", \"N\"]; };");
    static const struct {
        int64_t M, N, K;
        bool is_legal;
    } row[] = { { 8, 3, 5, true }, { 7, 3, 5, false }, { 8, 3, 0, true }, { 7, 3, 0, false }, { 7, 0, 5, true } };
    for (size_t i = 0; i < LENGTH(row); i++) {
        int64_t extent[OP_MAX_EXTENT] = { row[i].M, row[i].N, row[i].K };
        assert_int_equal(spec_is_legal(s, extent), row[i].is_legal);
    }
}

TEST(words_mean)
{
    Pairs p = { .rest = "[\"bias\"] -> (acc + bias[n]); [\"gelu\", \"bias\"] -> (gelu(acc) + bias[n]); "
                        "[\"bias\", \"relu\"] -> max((acc + bias[n]),0.00000000); [\"f16\"] -> f16(acc)" };
    while (pairs_next(arena, &p))
        check_meaning(read_dense(p.text, ""), p.text, p.value);
    assert_null(read_dense("[]", "")->formula);
    assert_string_equal(spec_formula_text(read_dense("[\"bias\", \"relu\"]", "")), "bias, relu");
    assert_string_equal(spec_formula_text(read_formula(" acc  + 1")), "acc + 1");
}

/* ---- operands ---- */

TEST(operands_come_before_the_output)
{
    const Spec *s = read_dense("\"n < len[m] ? acc + bias[n] + r[n,m] * kind[n] : 0\"",
                               "types = { len = \"s32\"; r = \"f16\"; kind = \"s32\"; };");
    static const struct {
        const char *name, *extents, *dtype;
        Role role;
        DataKind data;
    } want[] = { { "X", "MK", NULL, ROLE_IN, DATA_NORMAL },       { "W", "NK", NULL, ROLE_CONST, DATA_NORMAL },
                 { "len", "M", "s32", ROLE_INDEX, DATA_LENGTHS }, { "bias", "N", NULL, ROLE_IN, DATA_NORMAL },
                 { "r", "NM", "f16", ROLE_IN, DATA_NORMAL },      { "kind", "N", "s32", ROLE_INDEX, DATA_INTEGERS },
                 { "Y", "MN", NULL, ROLE_OUT, DATA_NORMAL } };
    assert_int_equal(s->op->noperand, sizeof want / sizeof *want);
    for (int i = 0; i < s->op->noperand; i++) {
        const Operand *o = &s->op->operand[i];
        assert_string_equal(o->name, want[i].name);
        assert_int_equal(o->layout->rank, strlen(want[i].extents));
        for (int k = 0; k < o->layout->rank; k++)
            assert_string_equal(expr_text(o->layout->extent[k]), arena_printf(arena, "%c", want[i].extents[k]));
        assert_true(o->stored == (want[i].dtype ? storage_find(want[i].dtype) : NULL));
        assert_int_equal(o->role, want[i].role);
        assert_int_equal(o->data, want[i].data);
        assert_int_equal(o->of_formula, i > 1 && i < 6);
    }
    assert_int_equal(s->op->operand[2].of, 1); /* lengths along N, which n is compared with */
    assert_int_equal(spec_output(s) - s->op->operand, 6);
}

/* The op that others read stays as it was. */
TEST(the_output_is_read_at_its_own_places)
{
    const Spec *s = read_dense("\"gelu(acc) + 2 * Y[m,n]\"", "strides = [\"Y\"];");
    const Operand *y = spec_output(s);
    assert_true(y->is_read && y->strided && s->strides == 1u << (y - s->op->operand));
    assert_true(s->formula->reads && s->formula->bias < 0 && !spec_formula_is_flat(s));
    assert_string_equal(spec_strides_text(arena, s), "Y");
    assert_true(spec_bytes(s, s->instance->extent) == 4 * (2 * 4 + 3 * 4 + 2 * 2 * 3)); /* Y is read and written */
    assert_true(!spec_output(read_dense("\"gelu(acc)\"", ""))->is_read);
    s = read_dense("\"acc + Y[m,n] * s[n] + r[m,n]\"", ""); /* operands that come behind it move the output */
    assert_true(spec_output(s)->is_read && spec_formula_is_flat(s) && s->op->noperand == 5);
    s = read_dense("\"acc + r[m,n]\"", "in_place = [\"r\"];");
    assert_true(spec_reads_output(s) && !spec_output(s)->is_read && s->in_place == 1u << 2);
    const char *form =
        "name = \"x\"; op = \"conv2d\"; shapes = ( { N = 1; G = 1; H = 4; W = 4; C = 3; K = 5; R = 1; S = 1; } );"
        "epilogue = \"acc + %s\"; layout = { Y = \"%s\"; };";
    static const char *const layout[] = { "NHWC", "NCHW" }, *const place[] = { "Y[n,p,q,oc]", "Y[n,oc,p,q]" };
    for (int i = 0; i < 4; i++) { /* whatever the layout, either order names the place */
        const char *text = arena_printf(arena, form, place[i / 2], layout[i % 2]);
        s = spec_good(arena, text, spec_templates, 1);
        assert_true(spec_output(s)->is_read && spec_formula_is_flat(s));
    }
}

static bool is_of_planes(const char *formula, const char *more)
{
    const char *text = arena_printf(
        arena,
        "name = \"x\"; op = \"conv2d\"; shapes = ( { N = 1; G = 1; H = 4; W = 4; C = 3; K = 5; R = 1; S = 1; } );"
        "epilogue = \"%s\"; layout = { Y = \"NCHW\"; }; %s %s",
        formula, strstr(formula, "residual") ? "extents = { residual = [\"N\", \"OC\", \"P\", \"Q\"]; };" : "", more);
    return spec_formula_is_of_planes(spec_good(arena, text, spec_templates, 1));
}

/* Of images as planes, one number may stand for the places in a plane. */
TEST(places_of_planes)
{
    static const char *const joined[] = { "relu(acc + bias[oc])", "acc * z[n,oc] + residual[n,oc,p,q]",
                                          "acc + Y[n,oc,p,q] * n", "tanh(acc) + residual[n,oc,p,q] * Y[n,p,q,oc]" };
    static const char *const apart[] = { "acc + q",
                                         "acc + row[p]",
                                         "acc + turned[n,p,q,oc]",
                                         "acc + residual[n,oc,q,p; 0]",
                                         "acc + residual[n,oc,p,0]",
                                         "acc + residual[n,oc,p,(q + 1) % 4]",
                                         "acc + residual[n,oc,p,q; q]" };
    for (size_t i = 0; i < LENGTH(joined); i++)
        assert_true(is_of_planes(joined[i], ""));
    for (size_t i = 0; i < LENGTH(apart); i++)
        assert_false(is_of_planes(apart[i], ""));
    assert_false(is_of_planes(joined[1], "strides = [\"residual\"];"));
}

TEST(each_function_has_operands_of_its_own)
{
    assert_int_equal(read_formula("acc + a[n] + b[m]")->op->noperand, 5);
    assert_int_equal(read_formula("acc")->op->noperand, 3);
    assert_int_equal(read_dense("[]", "")->op->noperand, 3);
}

/* An op of two sums has both in formulas: `acc` is what words before gave, `gate` is always the second one. */
TEST(ops_may_have_several_sums)
{
    static const char form[] = "op = \"gated\"; shapes = ( { M = 2; N = 3; K = 4; } ); epilogue = %s; %s";
    const Spec *s = read_rest(arena_printf(arena, form, "\"acc * silu(gate + b[n])\"", ""));
    assert_string_equal(shown(s, s->formula->nnode - 1), "(acc * silu((gate + b[n])))");
    assert_true(s->op->noperand == 5 && s->formula->calls && s->formula->bias < 0 && !s->formula->is_affine);
    s = read_rest(arena_printf(arena, form, "[\"relu\", \"gated_silu\"]", "layout = { W = \"KN\"; };"));
    assert_string_equal(shown(s, s->formula->nnode - 1), "(max(acc,0.00000000) * silu(gate))");
    assert_string_equal(spec_layout_text(arena, s), "W: KN, G: KN");
    s = read_rest(arena_printf(arena, form, "\"acc + gate\"", ""));
    assert_true(!s->formula->is_affine && s->formula->bias < 0);
    s = read_dense("\"silu(acc) * gate[m,n]\"", ""); /* where there is no such sum the name is free */
    assert_string_equal(shown(s, s->formula->nnode - 1), "(silu(acc) * gate[m,n])");
}

/* An index that is an element holds places along the extent that it is an index of, though it is compared with a place
 * as well. */
TEST(tables_have_extents_of_their_own)
{
    const Spec *s = read_rest("op = \"dense\"; shapes = ( { M = 2; N = 3; K = 4; V = 100; } );"
                              "epilogue = \"n < id[m] ? acc + word[id[m],n] * x[order[n],m] + word[last[m],n] : 0\";"
                              "types = { id = \"s32\"; order = \"s32\"; last = \"s32\"; };"
                              "extents = { word = [\"V\", \"N\"]; x = [\"N\", \"M\"]; };");
    const Operand *o = s->op->operand;
    const int V = op_axis(s->op, "V"), N = op_axis(s->op, "N"), id = 2, word = 3, order = 4, last = 6;
    double elems = 0;
    assert_true(V == 3 && s->op->extent[V].kind == EXTENT_ATTRIBUTE && s->op->extent[V].least == 1);
    assert_true(o[id].data == DATA_PLACES && o[id].of == V && o[order].data == DATA_PLACES && o[order].of == N);
    assert_true(o[last].data == DATA_PLACES && o[last].of == V);
    assert_string_equal(o[id].doc, "[M], in the formula; from 0 to V - 1, which nothing checks");
    assert_string_equal(expr_text(o[word].layout->extent[0]), "V");
    assert_int_equal(expr_real_at(o[word].elems, s->instance->extent, &elems), EXPR_OK);
    assert_true(elems == 300);
    /* two rows of it for each row of the output; X, W, id, word, order, x, last, Y */
    assert_true(spec_bytes(s, s->instance->extent) == 4 * (8 + 12 + 2 + 12 + 3 + 6 + 2 + 6));
}

/* A place that counts from the end where it is negative is one along that extent, and outside of that there is a value.
 * Where the same operand is an index by itself, nothing checks it. */
TEST(places_may_count_from_the_end)
{
    const char *rest = "op = \"rows\"; shapes = ( { M = 2; N = 3; V = 100; } ); types = { id = \"s32\"; };"
                       "extents = { word = [\"V\", \"N\"]; }; formula = \"%s\";";
    const Spec *s = read_rest(arena_printf(arena, rest, "word[wrap(id[m], V),n; 0]"));
    const Operand *id = names_row(NAMES(s->op->operand, s->op->noperand), "id");
    const int V = op_axis(s->op, "V");
    assert_string_equal(shown(s, s->formula->nnode - 1), "word[((id[m] < 0) ? (id[m] + V) : id[m]),n;0.00000000]");
    assert_true(id->data == DATA_PLACES && id->of == V);
    assert_string_equal(id->doc, "[M], in the formula; from -V to V - 1: what is negative counts from the end");
    s = read_rest(arena_printf(arena, rest, "word[wrap(id[m], V),n; 0] + word[id[m],n]"));
    id = names_row(NAMES(s->op->operand, s->op->noperand), "id");
    assert_string_equal(id->doc, "[M], in the formula; from 0 to V - 1, which nothing checks");
    s = read_rest(arena_printf(arena, rest, "word[wrap(id[m], V - 1),n; 0]")); /* another extent */
    id = names_row(NAMES(s->op->operand, s->op->noperand), "id");
    assert_true(id->data == DATA_INTEGERS);
}

/* A table of fewer rows than are read counts once. */
TEST(no_more_is_read_than_there_is)
{
    const Spec *s = read_rest("op = \"rows\"; shapes = ( { M = 50; N = 3; S = 2; } ); formula = \"kinds[kind[m],n]\";"
                              "types = { kind = \"s32\"; }; extents = { kinds = [\"S\", \"N\"]; };");
    assert_true(spec_bytes(s, s->instance->extent) == 4 * (50 + 6 + 150));
}

/* What lies across rows: one behind the other along the output's last extent but the row, and along the row in
 * strides. */
TEST(some_elements_lie_across_rows)
{
    Pairs p = { .rest = "x[n,m] -> 1; x[m,n] -> 0; x[n,m] + y[n,m] * x[n,m] + z[m,n] -> 2; x[m] -> 0; x[n,n] -> 0; "
                        "x[m,n,m] -> 0; t[id[n],m] -> 0; x[id[m],n,m] -> 0; softmax[n](x[n,m]) -> 0; "
                        "x[n,m] + sum[n](y[m,n]) -> 0" };
    while (pairs_next(arena, &p)) {
        const char *keys = strstr(p.text, "t[id") ? "types = { id = \"s32\"; }; extents = { t = [\"N\", \"M\"]; };"
                           : strstr(p.text, "id[")
                               ? "types = { id = \"s32\"; }; extents = { x = [\"N\", \"N\", \"M\"]; };"
                               : "";
        const Spec *s = read_rest(
            arena_printf(arena, "op = \"rows\"; shapes = ( { M = 2; N = 3; } ); formula = \"%s\"; %s", p.text, keys));
        if (s->formula->nacross != atoi(p.value))
            fail_msg("%s: %d elements lie across rows", p.text, s->formula->nacross);
    }
    assert_int_equal(read_formula("x[n,m]")->formula->beside, 0);
}

TEST(a_batch_has_places_too)
{
    const Spec *s =
        read_rest("op = \"batch_matmul\"; shapes = ( { B0 = 2; B1 = 3; M = 4; N = 5; K = 6; } );"
                  "epilogue = \"n < len[b0] ? acc * 0.125 + mask[b0,m,n] : -inf\"; types = { len = \"s32\"; };");
    check_meaning(s, "of batches", "((n < len[b0]) ? ((acc * 0.125000000) + mask[b0,m,n]) : -inf)");
    assert_int_equal(s->op->operand[2].of, op_axis(s->op, "N"));
}

/* An operand may be called like the place along an attribute, which has none. */
TEST(attributes_have_no_places)
{
    const Spec *s =
        read_rest("op = \"conv\"; shapes = ( { B = 1; H = 4; V = 4; F = 2; C = 3; R = 1; S = 1; STRIDE = 1; } );"
                  "epilogue = \"acc + pad[f] * PAD + q\";");
    check_meaning(s, "of a convolution", "((acc + (pad[f] * real(PAD))) + real(q))");
}

/* ---- limits ---- */

/* What is said of rows with these keys; "": they are good. */
static const char *said_of(const char *keys)
{
    Diag *d = diag_new(arena);
    const char *text = arena_printf(arena, "name = \"x\"; op = \"rows\"; shapes = ( { M = 2; N = 3; } ); %s\n", keys);
    const Spec *s = spec_text(arena, text, ops, 1, d);
    assert_int_equal(s == NULL, diag_nerror(d) > 0);
    return golden_diag(arena, d);
}

/* Parts of centre and layernorm have names that a formula may not use. */
TEST(parts_of_short_forms_are_refused)
{
    static const char *const part[] = { "_off", "_centred", "_variance" };
    for (size_t i = 0; i < sizeof part / sizeof *part; i++)
        assert_has(said_of(arena_printf(arena, "formula = \"%s(x[m,n], 2)\";", part[i])),
                   arena_printf(arena, "unknown function '%s'", part[i]));
    assert_string_equal(said_of("formula = \"layernorm[n](x[m,n], 1) + centre[n](x[m,n])\";"), "");
}

/* Terms that have 3 nodes each, and functions that have one. */
static const char *long_formula(const char *tail, int nnode)
{
    Text t = { .arena = arena };
    const int ncall = nnode % 3;
    for (int i = 0; i < ncall; i++)
        text_add(&t, "abs(");
    text_add(&t, "x[m,n]");
    for (int i = 0; i < ncall; i++)
        text_add(&t, ")");
    for (int i = 0; i < nnode / 3; i++)
        text_printf(&t, " + x[m,n] * %d.5", i);
    text_printf(&t, " + %s", tail);
    return arena_strdup(arena, text_str(&t));
}

/* Whichever node is the first one too many: the formula is refused, and up to there it is read. */
TEST(too_many_nodes_are_refused)
{
    Pairs p = { .rest = "softmax[n](x[m,n]); log_softmax[n](y[m,n]); mean[n](M); argmax[n](2); "
                        "-n * x[m,n] / sum[n](x[m,n] - n); clamp(m, 3, N); layernorm[n](y[m,n], 1e-5); "
                        "rmsnorm[n](y[m,n], m); (n < m ? n : y[m,n])" };
    while (pairs_next(arena, &p)) {
        int nread = 0, nrefused = 0;
        for (int n = FORMULA_MAX_NODE - 48; n <= FORMULA_MAX_NODE; n++) {
            const char *said = said_of(arena_printf(arena, "formula = \"%s\";", long_formula(p.text, n)));
            nread += !*said;
            nrefused += *said != '\0';
            assert_true(nread == 0 || !*said || strstr(said, "the formula is too long"));
            assert_true(nrefused == 0 || *said);
        }
        if (nread < 2 || nrefused < 2)
            fail_msg("%s: read %d times, refused %d times", p.text, nread, nrefused);
    }
}

/* Integers of 32 bits: what each part may be follows from the declared ranges, here M = 2 and N = 3; the largest that
 * does not fit. */
TEST(integers_fit)
{
    Pairs p = { .rest = "n * 1073741823; n * 1073741824 -> 2147483648; n * 2147483647 * n < m ? 1 : 0 -> 4294967294; "
                        "M * 1073741824 -> 2147483648; m - N * 715827882 - 4 -> -2147483650; (m - 1) * 2147483647; "
                        "-n * n * -536870912 -> 2147483648; n * (-1 - n * 536870911); max(n, 3) * 715827882; "
                        "max(n, 3) * 715827883 -> 2147483649; min(n, m) * 2147483647; "
                        "(m < 1 ? n : -3) * 715827883 -> -2147483649; n * 2147483647.0 * n; "
                        "n < len[m] ? len[m] * 715827883 : 0 -> 2147483649; n < len[m] ? len[m] * 715827882 : 0; "
                        "at[m] * 536870912 -> -2147483648; x[id[m],n] + id[m] * 2147483647; "
                        "argmax[n](x[m,n]) * 1073741824 -> 2147483648" };
    while (pairs_next(arena, &p)) {
        const char *keys = strstr(p.text, "id[")    ? "types = { id = \"s32\"; }; extents = { x = [\"M\", \"N\"]; };"
                           : strstr(p.text, "len[") ? "types = { len = \"s32\"; };"
                           : strstr(p.text, "at[")  ? "types = { at = \"s32\"; };"
                                                    : "";
        const char *said = said_of(arena_printf(arena, "formula = \"%s\"; %s", p.text, keys));
        if (*p.value ? !strstr(said, arena_printf(arena, "this may be %s in the declared", p.value)) : *said)
            fail_msg("%s: %s", p.text, said);
    }
}

/* ---- what is known of the whole ---- */

/* Which extents the value changes along; then what else is known. A bias is of acc + b[n] alone, which libraries do,
 * with b of the spec's type. Flat: in the rows of operands as large as the output, and nowhere else, one number may
 * stand for the places of an output of several extents. */
static const char *known_of(const Spec *s)
{
    const Formula *f = s->formula;
    const unsigned along = f->node[f->nnode - 1].along;
    return arena_printf(arena, "%d nodes%s%s%s%s%s%s%s", f->nnode, along & 1 ? " m" : "", along & 2 ? " n" : "",
                        f->is_affine ? " affine" : "", f->calls ? " calls" : "", f->reads ? " reads" : "",
                        spec_formula_is_flat(s) ? " flat" : "", f->bias >= 0 ? " bias" : "");
}

TEST(what_is_known)
{
    Pairs p = { .rest = "acc + acc -> 2 nodes m n affine flat; "
                        "gelu(acc + bias[n]) * gelu(acc + bias[n]) -> 6 nodes m n calls flat; "
                        "r[m,n] + r[m,n] -> 4 nodes m n reads flat; "
                        "(n < M ? acc : 0) + (n < M ? 1 : 0) -> 11 nodes m n flat; "
                        "acc + bias[n] + (bias[n] + acc) -> 6 nodes m n affine flat; "
                        "0.5 * acc + 0.25 * acc -> 6 nodes m n affine flat; 1 -> 1 nodes flat; M -> 2 nodes flat; "
                        "n -> 2 nodes n flat; s[m] -> 2 nodes m; s[m] * n -> 5 nodes m n; "
                        "acc -> 1 nodes m n affine flat; acc + bias[n] -> 4 nodes m n affine flat bias; "
                        "2 * acc + r[m,n] -> 7 nodes m n affine reads flat; acc / 3 - n -> 6 nodes m n affine flat; "
                        "-acc -> 2 nodes m n affine flat; (acc - m) * K -> 7 nodes m n affine; "
                        "acc + gelu(bias[n]) -> 5 nodes m n affine calls flat; "
                        "s[m] + (n < 2 ? 1 : 0) + acc -> 12 nodes m n affine; acc * acc -> 2 nodes m n flat; "
                        "acc * s[m] -> 4 nodes m n; acc * n -> 4 nodes m n flat; 1 / acc -> 3 nodes m n flat; "
                        "gelu(acc) -> 2 nodes m n calls flat; max(acc, 0) -> 3 nodes m n flat; "
                        "f16(acc) -> 2 nodes m n calls flat; n < 2 ? acc : 0 -> 6 nodes m n flat; "
                        "bias[n] -> 2 nodes n flat; abs(acc) + sqrt(acc) -> 4 nodes m n flat; "
                        "acc + r[m,n] -> 5 nodes m n affine reads flat; acc + r[n,m] -> 5 nodes m n affine reads; "
                        "exp(acc + r[m,n]) -> 6 nodes m n calls reads flat; max(acc, s[m] * b[n]) -> 7 nodes m n; "
                        "acc * s[n] -> 4 nodes m n flat; acc * r[m,n] + t[m,n] * s[n] -> 9 nodes m n reads flat; "
                        "n < 2 ? acc : r[m,n] -> 7 nodes m n reads flat; acc + m -> 4 nodes m n affine; "
                        "m < 2 ? acc : r[m,n] -> 7 nodes m n reads; acc * r[m,n] + s[m] -> 7 nodes m n reads; "
                        "acc + s[m] -> 4 nodes m n affine; acc - b[n] -> 4 nodes m n affine flat; "
                        "acc + b[n] + 1 -> 6 nodes m n affine flat; acc + 2 * b[n] -> 6 nodes m n affine flat; "
                        "gelu(acc + b[n]) -> 5 nodes m n calls flat; acc + n -> 4 nodes m n affine flat; "
                        "b[n] + acc -> 4 nodes m n affine flat bias; "
                        "r[m,n;acc] + r[m,n] -> 6 nodes m n reads flat; acc + b[n;0] -> 5 nodes m n affine flat" };
    while (pairs_next(arena, &p)) {
        const char *known = known_of(read_formula(p.text));
        if (strcmp(known, p.value) != 0)
            fail_msg("%s: %s, not %s", p.text, known, p.value);
    }
    const Formula *f = read_formula("gelu(acc) * gelu(acc)")->formula;
    assert_true(f->node[0].nuse == 1 && f->node[1].nuse == 2 && f->node[2].nuse == 0); /* acc in gelu */
    assert_int_equal(read_dense("[\"bias\"]", "")->formula->bias, 2);
    const char *conv = "op = \"conv\"; epilogue = [\"bias\"]; shapes = ( { B = 1; H = 4; V = 4; F = 2; C = 3; R = 1; "
                       "S = 1; STRIDE = 1; } );";
    assert_int_equal(read_rest(conv)->formula->bias, -1); /* Y may be BFPQ */
    assert_int_equal(read_dense("[\"bias\"]", "types = { bias = \"f16\"; };")->formula->bias, -1);
}

TEST_FILE(setup, teardown)
