/* SPDX-License-Identifier: Apache-2.0
 *
 * op: attributes, extents that follow from others, batches, operands with layouts and strides; and specs of such
 * operators.
 */
#include "tests/test.h"
#include <unistd.h>
#include "gen/spec/op_shown.h"
#include "tests/arena.h"
#include "tests/gen/golden.h"
#include "tests/gen/spec_text.h"

/* Of conv, in their order. */
enum { B, H, V, F, C, R, S, STRIDE, PAD, SHIFT, P, Q, PQ };
enum { X, W, BIAS, Y };

static int make(void **state) { return setup(state) + chdir(DCGEN_SOURCE_DIR "/tests/gen/spec"); }

static Op *good_op(const char *name)
{
    Diag *d = diag_new(arena);
    Op *op = op_read(arena, arena_printf(arena, "op/%s", name), d);
    diag_print(d, stderr);
    assert_non_null(op);
    return op;
}

static int64_t value_of(const Expr *e, const int64_t *extent)
{
    int64_t value = -1;
    assert_int_equal(expr_int_at(e, extent, &value), EXPR_OK);
    return value;
}

/* ---- the operator ---- */

TEST(an_operator_with_attributes)
{
    static const ExtentKind kind[] = { AXIS_BATCH,       AXIS_SPATIAL,     AXIS_SPATIAL,   AXIS_SPATIAL,
                                       AXIS_REDUCE,      AXIS_REDUCE,      AXIS_REDUCE,    EXTENT_ATTRIBUTE,
                                       EXTENT_ATTRIBUTE, EXTENT_ATTRIBUTE, EXTENT_DERIVED, EXTENT_DERIVED,
                                       EXTENT_DERIVED };
    const Op *op = good_op("conv");
    assert_true(op->naxis == STRIDE && op->ngiven == P && op->nextent == PQ + 1);
    for (int i = 0; i < op->nextent; i++) {
        assert_int_equal(op->extent[i].kind, kind[i]);
        assert_int_equal(op->extent[i].expr != NULL, i >= P);
        assert_int_equal(op_axis(op, op->extent[i].name), i);
    }
    assert_true(op->extent[H].least == 0 && op->extent[H].most == OP_MAX_NUMBER && op->extent[R].least == 1);
    assert_true(op->extent[STRIDE].least == 1 && op->extent[STRIDE].most == 8 && !op->extent[STRIDE].has_usual);
    assert_true(op->extent[PAD].has_usual && op->extent[PAD].usual == 0);
    assert_true(op->extent[SHIFT].has_usual && op->extent[SHIFT].least == -4 && op->extent[SHIFT].usual == -1);
    assert_true(op->extent[P].least == 0 && op->extent[P].most == OP_MAX_NUMBER);
    int64_t e[OP_MAX_EXTENT] = { 2, 8, 9, 5, 4, 3, 2, 2, 1, 0 };
    assert_true(op_derive(op, e));
    assert_true(value_of(op->operand[X].elems, e) == 2 * 8 * 9 * 4 &&
                value_of(op->operand[W].elems, e) == 5 * 3 * 2 * 4);
    assert_true(value_of(op->operand[BIAS].elems, e) == 5 && value_of(op->operand[Y].elems, e) == 2 * e[PQ] * 5);
    assert_int_equal(value_of(op->flops, e), 2 * 2 * e[PQ] * 5 * 3 * 2 * 4);
    assert_true(value_of(op->rows, e) == 2 * e[PQ] && value_of(op->row_elems, e) == 5);
}

/* Of each operand its layouts, the elements along them, and whether callers pass strides. */
TEST(operands_lie_in_several_ways)
{
    static const struct {
        const char *op, *operand, *layout;
        int nlayout, extent[4];
        bool strided;
    } cases[] = {
        { "conv", "X", "BHVC", 2, { 2, 8, 9, 4 }, true },
        { "conv", "X", "BCHV", 2, { 2, 4, 8, 9 }, true },
        { "conv", "W", "FRSC", 2, { 5, 3, 2, 4 }, false },
        { "conv", "W", "RSCF", 2, { 3, 2, 4, 5 }, false },
        { "conv", "bias", "", 1, { 5 }, true },
        { "conv", "Y", "BFPQ", 2, { 2, 5, 4, 5 }, true },
        { "batch_matmul", "A", "MK", 2, { 2, 8, 9, 4 }, true },
        { "batch_matmul", "A", "KM", 2, { 2, 8, 4, 9 }, true },
        { "batch_matmul", "B", "", 1, { 2, 8, 4, 5 }, true },
    };
    static const int64_t conv[OP_MAX_EXTENT] = { 2, 8, 9, 5, 4, 3, 2, 2, 1, 0, 4, 5, 20 },
                         product[OP_MAX_EXTENT] = { 2, 8, 9, 5, 4 };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const Op *op = good_op(cases[i].op);
        int n = 0, k = 0;
        while (strcmp(op->operand[n].name, cases[i].operand) != 0)
            n++;
        const Operand *o = &op->operand[n];
        while (strcmp(o->layout[k].name, cases[i].layout) != 0)
            k++;
        assert_true(o->nlayout == cases[i].nlayout && k < o->nlayout && o->strided == cases[i].strided);
        for (int j = 0; j < o->layout[k].rank; j++)
            assert_int_equal(value_of(o->layout[k].extent[j], op->naxis == STRIDE ? conv : product),
                             cases[i].extent[j]);
    }
    const Op *op = good_op("batch_matmul");
    assert_true(op->extent[0].kind == AXIS_BATCH && op->extent[1].kind == AXIS_BATCH && op->nextent == 5);
    assert_true(value_of(op->rows, product) == 2 * 8 * 9 * 5 && value_of(op->row_elems, product) == 1);
}

/* Extents follow from others, and from those that follow; what they may not be there is no call for. */
TEST(extents_that_follow)
{
    static const struct {
        int64_t h, r, stride, pad, p; /* p < 0: no call */
    } cases[] = {
        { 8, 3, 1, 0, 6 },
        { 8, 3, 2, 1, 4 },
        { 3, 3, 8, 0, 1 },
        { 2, 3, 1, 0, 0 },
        { 0, 1, 1, 0, 0 },
        { 1, 3, 1, 0, -1 },
        { OP_MAX_NUMBER, 1, 1, 0, OP_MAX_NUMBER },
        { OP_MAX_NUMBER, 2, 1, 1, -1 },
        { OP_MAX_NUMBER, 1, 8, 64, 268435472 },
    };
    const Op *op = good_op("conv");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int64_t e[OP_MAX_EXTENT] = { 1, cases[i].h, 1, 1, 1, cases[i].r, 1, cases[i].stride, cases[i].pad, 0 };
        e[S] = 2 * cases[i].pad + 1; /* one window in a row */
        assert_int_equal(op_derive(op, e), cases[i].p >= 0);
        if (cases[i].p >= 0)
            assert_true(e[P] == cases[i].p && e[Q] == 1 && e[PQ] == e[P]);
    }
    int64_t wide[OP_MAX_EXTENT] = { 1, 65536, 65536, 1, 1, 1, 1, 1, 0, 0 };
    assert_false(op_derive(op, wide)); /* of 2^32 windows */
    assert_true(op_derive(good_op("dense"), wide));
}

/* Axes are apart by octaves, attributes by steps; what follows from them adds nothing. 0 is as near as 1. */
TEST(distances)
{
    static const int64_t a[OP_MAX_EXTENT] = { 1, 8, 8, 4, 4, 3, 3, 1, 0, 0, 5, 5, 25 };
    static const struct {
        int extent;
        int64_t value;
        double apart;
    } cases[] = { { H, 8, 0 },      { H, 16, 1 },     { H, 2, 4 },       { B, 0, 0 },       { C, 0, 4 },
                  { STRIDE, 3, 4 }, { STRIDE, 1, 0 }, { PAD, 64, 4096 }, { SHIFT, -4, 16 }, { PQ, 1, 0 } };
    const Op *op = good_op("conv");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int64_t b[OP_MAX_EXTENT];
        memcpy(b, a, sizeof b);
        b[cases[i].extent] = cases[i].value;
        assert_true(op_distance(op, a, b) == cases[i].apart && op_distance(op, b, a) == cases[i].apart);
        b[V] = 32;
        assert_true(op_distance(op, a, b) == cases[i].apart + 4);
    }
}

/* Strides of strided operands stand behind all extents, one fewer than an operand has extents. */
TEST(places_of_strides)
{
    const Op *conv = good_op("conv"), *product = good_op("batch_matmul"), *dense = good_op("dense");
    static const int at[] = { 13, 16, 16, 16 };
    for (int i = X; i <= Y; i++)
        assert_int_equal(op_stride_at(conv, i), at[i]);
    for (int i = 0; i < 3; i++)
        assert_int_equal(op_stride_at(product, i), 5 + 3 * i);
    assert_int_equal(op_stride_at(dense, dense->noperand - 1), 3);
}

/* ---- faulty operators ---- */

#define AXIS(name) "{ name = \"" name "\"; kind = \"spatial\"; }"
#define GIVEN(name, more) "{ name = \"" name "\"; " more " }"
#define FOLLOWS(name, expr) "{ name = \"" name "\"; expr = \"" expr "\"; }"
#define ATTRIBUTE(name, more) "attributes = ( " GIVEN(name, more) " );"
#define DERIVED(list) "derived = ( " list " );"
#define OUT(extents) "{ name = \"y\"; role = \"out\"; extents = " extents "; }"

/* What is said of an operator with the axes A and B, and an output of A where no other is given; "" when it is good. */
static const char *said_of(const char *more, const char *out, Op **op)
{
    Diag *d = diag_new(arena);
    const char *text =
        arena_printf(arena,
                     "name = \"x\"; dtypes = [\"f32\"]; flops = 1; reference = \"r.c\";\naxes = ( %s, %s );\n%s\n"
                     "operands = ( %s );\n",
                     AXIS("A"), AXIS("B"), more, out ? out : OUT("[\"A\"]"));
    *op = op_parse(arena, "folder", source_text(arena, "x.cfg", text), d);
    assert_int_equal(*op == NULL, diag_nerror(d) > 0);
    return golden_diag(arena, d);
}

TEST(one_fault)
{
#define OVERFLOWS "overflows 64 bits for some legal extents\n"
#define BY_ZERO "divides by zero for some legal extents\n"
#define NEGATIVE "is negative for some legal extents; a derived extent never is\n"
#define TWICE "is there twice\n"
    static const struct {
        const char *more, *want, *out;
    } cases[] = {
        { DERIVED(FOLLOWS("P", "A*B*A")), "x.cfg:3:35: error: 'A*B*A' " OVERFLOWS, OUT("[\"P\"]") },
        { DERIVED(FOLLOWS("P", "A*B") "," FOLLOWS("Q", "P*P*P")), "error: 'P*P*P' " OVERFLOWS, OUT("[\"P\"]") },
        { DERIVED(FOLLOWS("P", "A/B")), "error: 'A/B' " BY_ZERO, OUT("[\"P\"]") },
        { ATTRIBUTE("D", "min = -1; max = 1;") "\n" DERIVED(FOLLOWS("P", "A % D")), "error: 'A % D' " BY_ZERO,
          OUT("[\"P\"]") },
        { DERIVED(FOLLOWS("P", "Q + 1") "," FOLLOWS("Q", "A")), "error: unknown axis 'Q'" },
        { DERIVED(FOLLOWS("P", "A + 1") "," FOLLOWS("Q", "Q + 1")), "error: unknown extent 'Q'" },
        { DERIVED(FOLLOWS("P", "log2(A)")), "error: 'log2(A)' is not an integer expression" },
        { DERIVED("{ name = \"P\"; }"), "error: missing key 'expr'" },
        { DERIVED(FOLLOWS("A", "B")), "error: the name 'A' " TWICE },
        { DERIVED(""), "error: 'derived': 0 of them, expected 1 to 12\n" },
        { "", "error: 'A - B' " NEGATIVE, OUT("[\"A - B\"]") },
        { "", "error: '-1' " NEGATIVE, OUT("[-1]") },
        { ATTRIBUTE("D", "min = -1; max = 1;"), "error: 'D' " NEGATIVE, OUT("[\"A\", \"D\"]") },
        { "", "error: 'A*B*B' " OVERFLOWS, OUT("[\"A*B*B\"]") },
        { "", "error: 'extents': expected 1 to 12 extents", OUT("[1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1]") },
        { "", "error: 'extents': expected 1 to 12 extents", OUT("[]") },
        { ATTRIBUTE("D", "max = 1;"), "error: missing key 'min': the least legal value\n" },
        { ATTRIBUTE("D", "min = 1;"), "error: missing key 'max': the greatest\n" },
        { ATTRIBUTE("D", "min = 2; max = 1;"), "error: 'max': expected an integer from 2 to 2147483647, found 1\n" },
        { ATTRIBUTE("D", "min = 2; max = 3; default = 4;"),
          "error: 'default': expected an integer from 2 to 3, found 4\n" },
        { ATTRIBUTE("D", "min = 2; max = 3; default = \"2\";"),
          "error: 'default': expected an integer from 2 to 3, found a string\n" },
        { ATTRIBUTE("D", "min = -2147483648; max = 3;"), "found -2147483648\n" },
        { ATTRIBUTE("A", "min = 0; max = 3;"), "error: the name 'A' " TWICE },
        { ATTRIBUTE("y", "min = 0; max = 3;"), "error: the name 'y' " TWICE },
        { ATTRIBUTE("int", "min = 0; max = 3;"), "error: the attribute 'int' is a keyword of C or C++\n" },
        { ATTRIBUTE("D", "min = 0; max = 3; kind = \"batch\";"), "error: unknown key 'kind'" },
        { "attributes = ( 1 );", "error: expected a group { }, found an integer\n" },
        { ATTRIBUTE("D", "min = 0; max = 3; brief = \"A\";"), "error: the name 'A' " TWICE },
        { ATTRIBUTE("D", "min = 0; max = 3; brief = \"y\";"), "error: the name 'y' " TWICE },
        { ATTRIBUTE("D", "min = 0; max = 3; brief = \"int\";"),
          "error: the brief name 'int' is a keyword of C or C++\n" },
        { "", "error: 'layouts': 0 of them, expected 1 to 8\n", GIVEN("y", "role = \"out\"; layouts = ();") },
        { "", "error: missing key 'extents'", GIVEN("y", "role = \"out\"; layouts = ( { name = \"p\"; } );") },
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        Op *op;
        golden_fault(said_of(cases[i].more, cases[i].out, &op), cases[i].want);
    }
}

/* Expressions at the edge of what is legal, and as many extents as there may be. */
TEST(borders)
{
    Op *op;
    const char *good = DERIVED(FOLLOWS("P", "A*B") "," FOLLOWS("Q", "P - A"));
    assert_string_equal(said_of(good, OUT("[\"P\", \"Q\", \"A*B\"]"), &op), "");
    Text more = { .arena = arena };
    for (int i = 0; i < 12; i++)
        text_printf(&more,
                    i ? ", " GIVEN("D%d", "min = -2147483647; max = 2147483647;")
                      : "attributes = ( " GIVEN("D%d", "min = -2147483647; max = 2147483647;"),
                    i);
    text_add(&more, " );\nderived = ( ");
    for (int i = 0; i < 10; i++)
        text_printf(&more, "%s" FOLLOWS("P%d", "D%d*D%d + A"), i ? ", " : "", i, i, i + 1);
    assert_string_equal(said_of(arena_printf(arena, "%s );", text_str(&more)), NULL, &op), "");
    assert_true(op->naxis == 2 && op->ngiven == 14 && op->nextent == OP_MAX_EXTENT);
    assert_has(said_of(arena_printf(arena, "%s, " FOLLOWS("P", "A") " );", text_str(&more)), NULL, &op),
               "error: more than 24 axes, attributes and derived extents\n");
}

/* ---- attributes with one name together ---- */

#define MARGIN(name, usual) GIVEN(name, "min = 0; max = 9; default = " usual "; brief = \"EDGE\";")
#define EDGES "attributes = ( " MARGIN("TOP", "0") ", " MARGIN("END", "0") ", " GIVEN("D", "min = 1; max = 9;") " );"

TEST(what_people_are_told)
{
    static const struct {
        const char *more;
        int64_t extent[5];
        const char *want;
    } cases[] = {
        { EDGES, { 5, 0, 0, 0, 1 }, "A=5 B=0 D=1" },
        { EDGES, { 5, 6, 2, 2, 3 }, "A=5 B=6 EDGE=2 D=3" },
        { EDGES, { 5, 6, 0, 2, 3 }, "A=5 B=6 END=2 D=3" },
        { EDGES, { 5, 6, 1, 2, 3 }, "A=5 B=6 TOP=1 END=2 D=3" },
        { "attributes = ( " MARGIN("TOP", "0") ", " MARGIN("END", "1") " );", { 5, 6, 0, 0 }, "A=5 B=6 EDGE=0" },
        { "attributes = ( " MARGIN("TOP", "0") ", " MARGIN("END", "1") " );", { 5, 6, 0, 1 }, "A=5 B=6" },
    };
    Op *op;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_string_equal(said_of(cases[i].more, NULL, &op), "");
        assert_string_equal(op_shown_call(arena, op, cases[i].extent, "=", " "), cases[i].want);
    }
}

/* In a table each extent has a column that is told of one row at least, and a name for several is one if it is in every
 * row. */
TEST(what_people_are_told_of_several)
{
    static const char *const value[] = { "T", "2*T", "1", "1", "1", "3", "4", "S", "S", "1", "5", "6", "0", "1", "1" };
    Op *op;
    OpShown shown[OP_MAX_EXTENT];
    assert_string_equal(said_of(EDGES, NULL, &op), "");
    assert_int_equal(op_shown(op, value, 2, shown), 4);
    assert_true(strcmp(shown[2].name, "EDGE") == 0 && shown[2].extent == 2 && strcmp(shown[3].name, "D") == 0);
    assert_int_equal(op_shown(op, value, 3, shown), 5);
    assert_true(strcmp(shown[2].name, "TOP") == 0 && strcmp(shown[3].name, "END") == 0 && shown[3].extent == 3);
    const char *some[] = { "T", NULL, "2", NULL, "1" };
    assert_string_equal(op_shown_values(arena, op, some, " = ", ", "), "A = T, TOP = 2, D = 1");
}

/* ---- specs ---- */

/* What is said of a spec of conv; "" when it is good. */
static const char *said_of_spec(const char *dims, const char *shapes, const char *more, Spec **s)
{
    static const char *const ops[] = { "op" };
    Diag *d = diag_new(arena);
    const char *text =
        arena_printf(arena, "name = \"x\"; op = \"conv\"; %s\ndims = { %s };\nshapes = (\n%s );\n", more, dims, shapes);
    *s = spec_parse(arena, source_text(arena, "x.cfg", text), ops, 1, d);
    assert_int_equal(*s == NULL, diag_nerror(d) > 0);
    return golden_diag(arena, d);
}

static Spec *good_spec(const char *dims, const char *shapes, const char *more)
{
    Spec *s;
    assert_string_equal(said_of_spec(dims, shapes, more, &s), "");
    return s;
}

#define SHAPE(h, r, rest) "{ B = 2; H = " h "; V = 9; F = 5; C = 4; R = " r "; S = 2; " rest " }"
#define T_TO(max) "T = { min = 1; max = " max "; };"

TEST(shapes_with_attributes)
{
    const Spec *s = good_spec(T_TO("8"), SHAPE("\"T + 4\"", "3", "STRIDE = 2; PAD = 1;"), "");
    assert_int_equal(s->ninstance, 8);
    for (int t = 1; t <= 8; t++) {
        const int64_t want[] = { 2, t + 4, 9, 5, 4, 3, 2, 2, 1, -1, (t + 5) / 2, 5, (t + 5) / 2 * 5 },
                      *e = s->instance[t - 1].extent;
        for (int i = 0; i <= PQ; i++)
            assert_int_equal(e[i], want[i]);
        for (int i = PQ + 1; i < OP_MAX_EXTENT; i++)
            assert_int_equal(e[i], 0);
    }
    assert_true(s->box.min[H] == 5 && s->box.max[H] == 12 && s->box.min[P] == 3 && s->box.max[P] == 6);
    assert_true(s->box.min[SHIFT] == -1 && s->box.max[SHIFT] == -1 && s->box.min[PQ] == 15 && s->box.max[PQ] == 30);
    for (int i = 0; i <= PQ; i++)
        assert_int_equal(spec_is_constant(s, i), i >= STRIDE && i <= SHIFT);
    int64_t extent[OP_MAX_EXTENT];
    assert_true(spec_shape_extents(s, s->shape, (int64_t[]){ 3 }, extent));
    assert_true(extent[P] == 4 && extent[PQ] == 20 && extent[SHIFT] == -1);
    assert_int_equal(spec_extents(s, P, extent, 4), 4);
    assert_true(extent[0] == 3 && extent[3] == 6);
    assert_true(spec_flops(s, s->instance[0].extent) == 2.0 * 2 * 15 * 5 * 3 * 2 * 4);
    assert_true(spec_bytes(s, s->instance[0].extent) == 4.0 * (2 * 5 * 9 * 4 + 5 * 3 * 2 * 4 + 5 + 2 * 15 * 5));
}

/* A key gives all attributes that share it; the own key of one comes first. */
TEST(attributes_given_together)
{
    static const struct {
        const char *dims, *rest;
        int64_t pad, shift;
    } cases[] = {
        { "", "", 0, -1 },
        { "", "EDGE = 2;", 2, 2 },
        { "", "EDGE = 2; SHIFT = 1;", 2, 1 },
        { T_TO("1"), "PAD = 3; EDGE = \"T\";", 3, 1 },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *shape =
            arena_printf(arena, "{ B = 2; H = 9; V = 9; F = 5; C = 4; R = 3; S = 2; STRIDE = 1; %s }", cases[i].rest);
        const int64_t *extent = good_spec(cases[i].dims, shape, "")->instance[0].extent;
        assert_true(extent[PAD] == cases[i].pad && extent[SHIFT] == cases[i].shift);
    }
}

/* An attribute that shapes give different values is an argument of calls. */
TEST(what_is_constant)
{
    const Spec *s =
        good_spec(T_TO("3"), SHAPE("9", "3", "STRIDE = \"T\";") ", " SHAPE("9", "3", "STRIDE = 2; PAD = 1;"), "");
    assert_true(!spec_is_constant(s, STRIDE) && !spec_is_constant(s, PAD) && spec_is_constant(s, SHIFT));
    assert_false(spec_is_constant(s, H)); /* no attribute, though it is 9 throughout */
    assert_int_equal(spec_shape_count(s), 4);
    s = good_spec(T_TO("3"), SHAPE("\"T + 3\"", "3", "STRIDE = 1; SHIFT = \"2 - T\";"), "");
    assert_true(s->box.min[SHIFT] == -1 && s->box.max[SHIFT] == 1 && !spec_is_constant(s, SHIFT));
}

/* A call without outputs or without operations is no shape, where others have some. */
TEST(shapes_without_work)
{
    int64_t extent[OP_MAX_EXTENT];
    Spec *s = good_spec("T = { min = 0; max = 4; };", SHAPE("\"T + 2\"", "3", "STRIDE = 1;"), "");
    assert_int_equal(s->ninstance, 4); /* of T = 0 P is 0 */
    assert_int_equal(s->instance[0].extent[P], 1);
    assert_int_equal(s->box.min[P], 0);
    assert_false(spec_shape_extents(s, s->shape, (int64_t[]){ 0 }, extent));
    assert_true(spec_shape_extents(s, s->shape, (int64_t[]){ 1 }, extent));
    assert_true(spec_has_work(s, extent));
    static const int zero[] = { B, F, C, PQ };
    for (int i = 0; i < 4; i++) {
        int64_t e[OP_MAX_EXTENT];
        memcpy(e, extent, sizeof e);
        e[zero[i]] = 0;
        assert_int_equal(spec_has_work(s, e), false);
    }
    extent[PAD] = extent[SHIFT] = 0;
    assert_true(spec_has_work(s, extent));
    assert_has(said_of_spec(T_TO("3"), SHAPE("2", "3", "STRIDE = 1;"), "", &s),
               "x.cfg:4:1: error: no shape has anything to compute");
}

TEST(layouts_of_a_spec)
{
    static const char shape[] = SHAPE("9", "3", "STRIDE = 1;");
    const Spec *s = good_spec("", shape, "");
    assert_string_equal(spec_layout_text(arena, s), "X: BHVC, W: FRSC, Y: BPQF");
    assert_int_equal(s->const_operand, W);
    s = good_spec("", shape, "layout = { Y = \"BFPQ\"; X = \"BCHV\"; packed = true; };");
    assert_string_equal(spec_layout_text(arena, s), "X: BCHV, W: FRSC, Y: BFPQ");
    assert_string_equal(spec_layout(s, Y)->name, "BFPQ");
    assert_string_equal(spec_layout(s, BIAS)->name, "");
    assert_true(s->packed);
}

TEST(faulty_specs)
{
#define P_IS "error: the extent P of this shape, (H + 2*PAD - R + STRIDE) / STRIDE, is "
#define EXPECTED "; expected 0 to 2147483647\n"
    static const struct {
        const char *shapes, *want, *dims, *more;
    } cases[] = {
        { SHAPE("9", "3", ""), "x.cfg:4:1: error: missing key 'STRIDE': steps between windows\n" },
        { SHAPE("9", "3", "STRIDE = 0;"), "x.cfg:4:61: error: the attribute STRIDE is 0; expected 1 to 8\n" },
        { SHAPE("9", "3", "STRIDE = 9;"), "error: the attribute STRIDE is 9; expected 1 to 8\n" },
        { SHAPE("9", "3", "STRIDE = 1; SHIFT = -5;"), "error: the attribute SHIFT is -5; expected -4 to 4\n" },
        { SHAPE("\"T + 9\"", "3", "STRIDE = \"T\";"),
          "error: the attribute STRIDE = T is 9 for T = 9; expected 1 to 8\n", T_TO("9") },
        { SHAPE("9", "3", "STRIDE = 1; EDGE = 5;"), "error: the attribute SHIFT is 5; expected -4 to 4\n" },
        { SHAPE("9", "3", "STRIDE = 1; EDGES = 1;"), "error: unknown key 'EDGES'; did you mean 'EDGE'?\n" },
        { SHAPE("9", "0", "STRIDE = 1;"), "error: the extent R is 0; expected 1 to 2147483647\n" },
        { SHAPE("9", "3", "STRIDE = 1; P = 7;"),
          "error: 'P' follows from other extents; expected those of P = (H + 2*PAD - R + STRIDE) / STRIDE\n" },
        { SHAPE("9", "3", "STRIDE = 1; STRIDES = 7;"), "error: unknown key 'STRIDES'; did you mean 'STRIDE'?\n" },
        { SHAPE("9", "\"T + 10\"", "STRIDE = 1;") ",\n" SHAPE("\"T\"", "1", "STRIDE = 1;"),
          "x.cfg:4:1: " P_IS "-1 for T = 1" EXPECTED, T_TO("9") },
        { SHAPE("9", "\"T + 4\"", "STRIDE = 1;"),
          "x.cfg:4:1: " P_IS "-1 for T = 7, and negative wherever 'tune' has this shape measured; expected a value "
          "there that makes it 0 or more\n",
          T_TO("9"), "tune = { T = [8, 9]; };" },
        { SHAPE("9", "3", "STRIDE = 1;") ",\n" SHAPE("1", "5", "STRIDE = 1;"), "x.cfg:5:1: " P_IS "-3" EXPECTED },
        { SHAPE("2147483647", "1", "STRIDE = 1;"),
          "x.cfg:4:1: error: the extent PQ of this shape, P*Q, is 17179869176" EXPECTED },
        { SHAPE("9", "3", "STRIDE = 1;"), "error: unknown layout 'BHVC'", "", "layout = { Y = \"BHVC\"; };" },
        { SHAPE("9", "3", "STRIDE = 1;"), "error: unknown key 'bias'", "", "layout = { bias = \"F\"; };" },
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        Spec *s;
        const char *dims = cases[i].dims ? cases[i].dims : "", *more = cases[i].more ? cases[i].more : "";
        golden_fault(said_of_spec(dims, cases[i].shapes, more, &s), cases[i].want);
    }
}

/* Each shape tells its own, at the first point where it is wrong. */
TEST(faults_of_several_shapes)
{
    Spec *s;
    const char *said = said_of_spec(T_TO("9"),
                                    SHAPE("9", "\"T + 10\"", "STRIDE = 1;") ",\n" SHAPE(
                                        "9", "3", "STRIDE = 1;") ",\n" SHAPE("\"T\"", "15", "STRIDE = 1;"),
                                    "", &s);
    assert_null(s);
    assert_has(said, "x.cfg:4:1: error: the extent P of this shape, ");
    assert_lacks(said, "x.cfg:5:1: ");
    const char *third = strstr(said, "x.cfg:6:1: " P_IS "-13 for T = 1;");
    assert_non_null(third);
    assert_lacks(third, "is -12");
}

/* Calls where an extent is negative, as of images smaller than a window, are left out, and a warning says which. */
TEST(negative_extents_are_left_out)
{
    Spec *s;
    const char *said = said_of_spec(T_TO("9"), SHAPE("9", "\"T + 4\"", "STRIDE = 1;"), "", &s);
    assert_non_null(s);
    assert_int_equal(s->ninstance, 5); /* with R from 5 to 9; where R is 10, P is 0, and nothing is to be computed */
    assert_has(said,
               "x.cfg:4:1: warning: the extent P of this shape, (H + 2*PAD - R + STRIDE) / STRIDE, is -1 for T = 7: "
               "this call, and all others where it is negative, up to the one for T = 9, are left out; the package "
               "refuses them\n");
    said = said_of_spec(T_TO("7"), SHAPE("9", "\"T + 4\"", "STRIDE = 1;"), "", &s);
    assert_has(said, "is -1 for T = 7: this call is left out; the package refuses it\n");
}

/* A further attribute moves the extents that follow from others, and nothing else is another. */
TEST(an_attribute_more)
{
    enum { FIRST = P, MORE = P + 1 };
    Op *op = good_op("conv");
    const Extent x = { .name = "ROWS", .kind = EXTENT_ATTRIBUTE, .least = 1, .most = OP_MAX_NUMBER };
    int64_t extent[OP_MAX_EXTENT] = { 2, 9, 8, 5, 3, 3, 2, 2, 1, -1, 77 };
    op->operand[BIAS].of = Q; /* none is bounded there: as if it were */
    assert_true(op_add_attribute(op, &x));
    assert_true(op->ngiven == MORE && op->nextent == PQ + 2 && op->operand[BIAS].of == Q + 1);
    assert_int_equal(op_axis(op, "ROWS"), FIRST);
    assert_int_equal(op_axis(op, "P"), MORE);
    assert_true(op_derive(op, extent));
    assert_true(extent[MORE] == 5 && extent[MORE + 1] == 5 && extent[MORE + 2] == 25);
    assert_int_equal(value_of(op->rows, extent), 50);
    assert_int_equal(value_of(op->operand[Y].elems, extent), 250);
    assert_int_equal(value_of(op->operand[Y].layout[1].extent[2], extent), 5);
    while (op->nextent < OP_MAX_EXTENT)
        assert_true(op_add_attribute(op, &x));
    assert_false(op_add_attribute(op, &x));
}

TEST_FILE(make, teardown)
