/* SPDX-License-Identifier: Apache-2.0
 *
 * op: a good operator field by field; faulty ones as golden pairs op_bad/X/op.cfg + op_bad/X/op.err (golden.h).
 */
#include "tests/test.h"
#include <dirent.h>
#include <unistd.h>
#include "tests/arena.h"
#include "tests/gen/golden.h"
#include "tests/gen/spec_text.h"

static int make(void **state) { return setup(state) + chdir(DCGEN_SOURCE_DIR "/tests/gen/spec"); }

static Op *read_op(const char *dir, const char **text)
{
    Diag *d = diag_new(arena);
    Op *op = op_read(arena, dir, d);
    *text = golden_diag(arena, d);
    assert_int_equal(op == NULL, diag_nerror(d) > 0);
    return op;
}

static int64_t value_of(const Expr *e)
{
    static const int64_t size[] = { 3, 5, 7 }; /* M N K */
    int64_t value = -1;
    assert_int_equal(expr_int_at(e, size, &value), EXPR_OK);
    return value;
}

TEST(test_dense)
{
    static const Role roles[] = { ROLE_IN, ROLE_CONST, ROLE_OUT };
    static const int64_t elems[] = { 21, 35, 15 };
    const char *text;
    const Op *op = read_op("op/dense", &text);
    assert_string_equal(text, "");
    assert_non_null(op);
    assert_string_equal(arena_printf(arena, "%s %s %s; %s %s; %s: %s, %s: '%s'; %s", op->name, op->dir, op->reference,
                                     op->dtype[0], op->epilogue[0].name, op->accuracy[0].name, op->accuracy[0].doc,
                                     op->accuracy[1].name, op->accuracy[1].doc, op->pack[1]),
                        "dense op/dense op/dense/reference.c; f32 bias; rough: sums in any order of any terms, "
                        "coarse: ''; TURNED_2");
    assert_true(op->naxis == 3 && op->ndtype == 2 && op->nepilogue == 1 && op->naccuracy == 2 && op->npack == 2);
    assert_true(op->accuracy[1].factor == 100 && op->noperand == 3);
    assert_true(op->extent[0].kind == AXIS_SPATIAL && op->extent[2].kind == AXIS_REDUCE);
    assert_true(op_axis(op, "K") == 2 && op_axis(op, "N") == 1 && op_axis(op, "L") == -1);
    for (int i = 0; i < 3; i++) {
        const Operand *o = &op->operand[i];
        assert_true(o->role == roles[i] && value_of(o->elems) == elems[i] && !o->stored && o->layout->rank == 2);
        assert_int_equal(o->nlayout, i == 1 ? 2 : 1);
        assert_int_equal(op_part(op, o), i == 0 ? PART_LEFT : i == 1 ? PART_RIGHT : PART_RESULT);
        assert_true(op_element(op, o, "tf32") == storage_find("f32"));
        assert_true(op_element(op, o, "bf16") == storage_find("bf16") && !op_element(op, o, "f64"));
    }
    assert_string_equal(op->operand[1].layout[1].name, "KN");
    assert_int_equal(value_of(op->operand[1].layout[1].extent[0]), 7);
    assert_true(value_of(op->flops) == 2 * 3 * 5 * 7 && value_of(op->rows) == 3 && value_of(op->row_elems) == 5);
}

TEST(test_missing)
{
    const char *text;
    assert_null(read_op("no_such_folder", &text));
    assert_string_equal(text, "no_such_folder/op.cfg: error: cannot read the file: No such file or directory\n");
}

#define AXIS(name) "{ name = \"" name "\"; kind = \"spatial\"; doc = \"of " name "\"; }"
#define OPERAND(name, role, more) "{ name = \"" name "\"; role = \"" role "\"; extents = [1]; " more " }"
#define OUTPUT(name, more) "{ name = \"" name "\"; role = \"out\"; extents = [\"A\"]; " more " }"
#define LAYOUT(name, extent) "{ name = \"" name "\"; extents = [\"" extent "\"]; }"
#define LAID_OUT(name, role, layouts) "{ name = \"" name "\"; role = \"" role "\"; layouts = ( " layouts " ); }"
#define X(role, more) OPERAND("x", role, more) "," OUTPUT("y", "")

/* What diag says of an op with these axes (NULL: A) and operands, and this reference (NULL: one that is good); "" when
 * it is good. */
static const char *said_of(const char *axes, const char *operands, const char *reference, Op **op)
{
    Diag *d = diag_new(arena);
    const char *text = arena_printf(arena,
                                    "name = \"x\"; axes = ( %s );\ndtypes = [\"f32\"]; epilogues = ( { name = "
                                    "\"bias\"; formula = \"max(acc, 0)\"; } );\n"
                                    "operands = ( %s );\nflops = 1; rows = 1; row_elems = 1;\nreference = \"%s\";\n",
                                    axes ? axes : AXIS("A"), operands, reference ? reference : "r.c");
    *op = op_parse(arena, "folder", source_text(arena, "x.cfg", text), d);
    assert_int_equal(*op == NULL, diag_nerror(d) > 0);
    return golden_diag(arena, d);
}

/* As many axes and operands as there may be, in their order, with what only some of them say. */
TEST(test_most)
{
    Text axes = { .arena = arena }, operands = axes;
    for (int i = 0; i < 12; i++) {
        const char *more = i == 0 ? "dtype = \"f16\"; doc = \"first\";" : "";
        text_printf(&axes, "%s{ name = \"%c\"; kind = \"spatial\"; doc = \"of %c\"; }", i ? "," : "", "ABCDEFGHOJKL"[i],
                    "ABCDEFGHOJKL"[i]);
        if (i == 2)
            text_add(&operands, "," LAID_OUT("c", "const", LAYOUT("one", "A") "," LAYOUT("two", "A")));
        else if (i == 11)
            text_add(&operands, "," OUTPUT("l", "strided = true;"));
        else
            text_printf(&operands, "%s{ name = \"%c\"; role = \"in\"; extents = [1]; %s }", i ? "," : "", 'a' + i,
                        more);
    }
    Op *op;
    assert_string_equal(said_of(text_str(&axes), text_str(&operands), "r.c", &op), "");
    assert_true(op->naxis == OP_MAX_AXIS && op->noperand == OP_MAX_OPERAND);
    assert_string_equal(op->reference, "folder/r.c");
    for (int i = 0; i < op->naxis; i++)
        assert_string_equal(op->extent[i].doc, arena_printf(arena, "of %c", "ABCDEFGHOJKL"[i]));
    for (int i = 0; i < op->noperand; i++) {
        assert_int_equal(op->operand[i].name[0], 'a' + i);
        assert_int_equal(op->operand[i].role, i == 2 ? ROLE_CONST : i == 11 ? ROLE_OUT : ROLE_IN);
        assert_int_equal(op->operand[i].nlayout, i == 2 ? 2 : 1);
        assert_int_equal(op->operand[i].strided, i == 11);
        assert_int_equal(op->operand[i].stored != NULL, i == 0);
    }
    assert_string_equal(op->operand[0].stored->name, "f16");
    assert_true(op_element(op, &op->operand[0], "f32") == storage_find("f16"));
    assert_true(op_element(op, &op->operand[1], "f32") == storage_find("f32"));
    assert_string_equal(op->operand[0].doc, "first");
    assert_string_equal(op->operand[1].doc, "");
    assert_true(op_axis(op, "A") == 0 && op_axis(op, "F") == 5 && op_axis(op, "M") == -1);
}

/* What an op says of its rows: both, or nothing, and then a row is an element. */
TEST(test_rows)
{
    static const struct {
        const char *rows, *said;
    } cases[] = { { "rows = \"A\"; row_elems = \"B\";", "" },
                  { "", "" },
                  { "row_elems = \"B\";", "x.cfg:3:1: error: 'row_elems' needs 'rows' beside it" } };
    static const int64_t extent[] = { 3, 5 };
    for (int i = 0; i < 3; i++) {
        const char *text =
            arena_printf(arena,
                         "name = \"x\"; dtypes = [\"f32\"]; flops = 1; reference = \"r.c\"; axes = ( %s, %s "
                         ");\noperands = ( { name = \"y\"; role = \"out\"; extents = [\"A\", \"B\"]; } );\n%s\n",
                         AXIS("A"), AXIS("B"), cases[i].rows);
        Diag *d = diag_new(arena);
        const Op *op = op_parse(arena, "folder", source_text(arena, "x.cfg", text), d);
        int64_t rows = 0, row_elems = 0;
        assert_has(golden_diag(arena, d), cases[i].said);
        assert_int_equal(op != NULL, i < 2);
        if (!op)
            continue;
        assert_int_equal(expr_int_at(op->rows, extent, &rows), EXPR_OK);
        assert_int_equal(expr_int_at(op->row_elems, extent, &row_elems), EXPR_OK);
        assert_true(rows == (i == 0 ? 3 : 15) && row_elems == (i == 0 ? 5 : 1));
    }
}

/* What operands are filled with; an index is of whole numbers, whatever the spec's type. */
TEST(test_data)
{
    static const struct {
        const char *operand;
        DataKind data;
        int of;
        const char *dtype;
    } cases[] = {
        { OPERAND("a", "in", ""), DATA_NORMAL, -1, NULL },
        { OPERAND("b", "in", "data = \"integers\"; dtype = \"f16\";"), DATA_INTEGERS, -1, "f16" },
        { OPERAND("c", "index", "data = \"lengths\"; of = \"B\";"), DATA_LENGTHS, 1, "s32" },
        { "{ name = \"d\"; role = \"index\"; extents = [\"B\", \"A\"]; data = \"permutation\"; }", DATA_PERMUTATION, 0,
          "s32" },
        { OPERAND("e", "index", "data = \"places\"; of = \"V\";"), DATA_PLACES, 2, "s32" },
        { OPERAND("f", "index", "data = \"offsets\"; of = \"B\";"), DATA_OFFSETS, 1, "s32" },
        { OPERAND("g", "index", "data = \"parts\"; of = \"V\";"), DATA_PARTS, 2, "s32" },
        { OPERAND("h", "index", "data = \"bits\";"), DATA_BITS, -1, "s32" },
        { OPERAND("i", "in", "data = \"bits\"; dtype = \"s32\";"), DATA_BITS, -1, "s32" },
        { OUTPUT("y", "data = \"normal\";"), DATA_NORMAL, -1, NULL },
    };
    static const char axes[] =
        "{ name = \"A\"; kind = \"reduce\"; try = [1, 7, 64]; }, { name = \"B\"; kind = \"spatial\"; }, "
        "{ name = \"V\"; kind = \"spatial\"; least = 1; }";
    Text operands = { .arena = arena };
    Op *op;
    for (size_t i = 0; i < LENGTH(cases); i++)
        text_printf(&operands, "%s%s", i ? ", " : "", cases[i].operand);
    assert_string_equal(said_of(axes, text_str(&operands), NULL, &op), "");
    assert_true(op->extent[0].ntry == 3 && op->extent[0].tries[2] == 64 && op->extent[1].ntry == 0);
    assert_true(op_has_parts(op) && op->operand[2].role == ROLE_INDEX);
    for (size_t i = 0; i < LENGTH(cases); i++) {
        assert_true(op->operand[i].data == cases[i].data && op->operand[i].of == cases[i].of);
        if (cases[i].dtype)
            assert_string_equal(op->operand[i].stored->name, cases[i].dtype);
    }
}

/* Lengths, parts and places decide how much work a call has, unless the op says that they do not; whole numbers and
 * permutations do not. */
TEST(test_work_by_data)
{
    static const struct {
        const char *operands, *reference;
        bool by_data;
    } cases[] = {
        { X("index", "data = \"integers\";"), NULL, false },
        { "{ name = \"x\"; role = \"index\"; extents = [\"A\"]; data = \"permutation\"; }," OUTPUT("y", ""), NULL,
          false },
        { X("index", "data = \"lengths\"; of = \"A\";"), NULL, true },
        { X("index", "data = \"offsets\"; of = \"A\";"), NULL, true },
        { X("index", "data = \"parts\"; of = \"A\";"), "r.c\"; work_by_data = false; doc = \"", false },
        { OUTPUT("y", ""), "r.c\"; work_by_data = true; doc = \"", true },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Op *op;
        assert_string_equal(said_of(NULL, cases[i].operands, cases[i].reference, &op), "");
        assert_int_equal(op->by_data, cases[i].by_data);
    }
}

/* The op's element types are of those that dcgen knows. */
TEST(test_dtypes)
{
    const char *text =
        "name = \"x\"; axes = ( " AXIS("A") " );\ndtypes = [\"f32\",\n\"bf61\", \"unlike\"];\n"
                                            "operands = ( " OUTPUT("y", "") " );\nflops = 1; rows = 1; row_elems = 1;\n"
                                                                            "reference = \"r.c\";\n";
    Diag *d = diag_new(arena);
    assert_null(op_parse(arena, "folder", source_text(arena, "x.cfg", text), d));
    assert_int_equal(diag_nerror(d), 2);
    const char *said = golden_diag(arena, d);
    assert_has(said, "x.cfg:3:1: error: unknown dtype 'bf61'; did you mean 'bf16'?\n");
    assert_has(said, "x.cfg:3:9: error: unknown dtype 'unlike'");
}

/* Each fault by itself: nothing else is wrong that would be refused instead. */
TEST(test_one_fault)
{
#define AT_X "x.cfg:3:14: error: the operand "
    static const struct {
        const char *operands, *want, *axes, *reference;
    } cases[] = {
        { OUTPUT("x", "") "," OUTPUT("y", ""), "x.cfg:3:12: error: 2 operands have the role \"out\", expected 1\n" },
        { OUTPUT("y", "layouts = ( " LAYOUT("p", "A") " );"),
          "x.cfg:3:59: error: an operand has 'extents', or 'layouts' with extents each\n" },
        { LAID_OUT("y", "out", LAYOUT("p", "A") "," LAYOUT("p", "A")), "error: the layout 'p' is there twice\n" },
        { LAID_OUT("y", "out", LAYOUT("p", "A - 1")),
          "error: 'A - 1' is negative for some legal extents; a derived extent never is\n" },
        { LAID_OUT("y", "out", "{ name = \"p\"; extents = [1]; }, { name = \"q\"; extents = [1, 1]; }"),
          "error: the layout 'q' has 2 extents, 'p' has 1\n" },
        { OUTPUT("y", ""), "error: the name 'A' is there twice\n", AXIS("A") "," AXIS("A") },
        { OUTPUT("A", ""), "error: the name 'A' is there twice\n" },
        { OPERAND("x", "in", "") "," OUTPUT("x", ""), "error: the name 'x' is there twice\n" },
        { X("in", "dtype = \"f33\";"), "x.cfg:3:64: error: unknown dtype 'f33'; did you mean 'f32'?\n" },
        { OUTPUT("y", ""), "expected an integer from 1 to 1048576, found 0",
          "{ name = \"A\"; kind = \"spatial\"; try = [1, 0]; }" },
        { X("index", ""), AT_X "is an index and needs 'data': \"integers\", \"bits\", \"lengths\", \"places\", "
                               "\"permutation\", \"parts\" or \"offsets\"\n" },
        { X("index", "data = \"ofsets\"; of = \"A\";"),
          "x.cfg:3:66: error: unknown kind of data 'ofsets'; did you mean 'offsets'?\n" },
        { X("index", "data = \"offsets\";"), AT_X "has data of an extent and needs 'of', the name of that\n" },
        { X("in", "data = \"parts\"; of = \"A\";"), AT_X "has data of an index, but not its role\n" },
        { X("in", "data = \"bits\"; dtype = \"f16\";"),
          AT_X "has words of any bits and needs dtype = \"s32\": of real numbers some are no numbers\n" },
        { X("index", "data = \"lengths\"; of = \"P\";"),
          "x.cfg:4:14: error: the operand has data of an attribute that may be negative\n",
          AXIS("A") " );\nattributes = ( { name = \"P\"; min = -1; max = 2; }" },
        { X("index", "data = \"integers\"; dtype = \"f32\";"), AT_X "is an index, whose dtype is always s32\n" },
        { X("index", "data = \"lengths\";"), AT_X "has data of an extent and needs 'of', the name of that\n" },
        { X("index", "data = \"lengths\"; of = \"C\";"), "error: unknown axis 'C'" },
        { X("index", "data = \"integers\"; of = \"A\";"),
          AT_X "has 'of', which belongs to \"lengths\", \"places\", \"parts\" and \"offsets\" alone\n" },
        { X("index", "data = \"places\"; of = \"A\";"),
          AT_X "has places along an axis that may have none; it needs least = 1\n" },
        { X("index", "data = \"permutation\";"),
          AT_X "has permutations, but its last extent is no axis that they are of\n" },
        { X("in", "data = \"permutation\";"), AT_X "has data of an index, but not its role\n" },
        { OUTPUT("y", "data = \"integers\";"), AT_X "is the output and has no data of its own\n" },
        { OUTPUT("y", "data = \"whole\";"), "error: unknown kind of data 'whole'" },
        { OPERAND("y", "out", ""), "x.cfg:2:61: error: the op 'x' can have no formula: '1', the last extent of its "
                                   "output, has no name; op.cfg" },
        { LAID_OUT("y", "out", LAYOUT("one", "A") "," LAYOUT("two", "2 * A")),
          "x.cfg:2:61: error: the op 'x' can have no formula: '2 * A', the last extent of its output," },
        { OUTPUT("y", ""), "error: 'reference': expected the name of a file in the same folder, found ''\n", NULL, "" },
        { OUTPUT("y", ""), "error: 'reference': expected the name of a file", NULL, "a\\nb" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Op *op;
        golden_fault(said_of(cases[i].axes, cases[i].operands, cases[i].reference, &op), cases[i].want);
    }
}

static int is_case(const struct dirent *e) { return e->d_name[0] != '.'; }

TEST(test_golden)
{
    struct dirent **entry;
    int n = scandir("op_bad", &entry, is_case, alphasort);
    assert_true(n > 10);
    for (int i = 0; i < n; i++) {
        const char *dir = arena_printf(arena, "op_bad/%s", entry[i]->d_name), *text;
        assert_null(read_op(dir, &text));
        golden_check(arena, arena_printf(arena, "%s/op.err", dir), text);
        free(entry[i]);
    }
    free(entry);
}

TEST_FILE(make, teardown)
