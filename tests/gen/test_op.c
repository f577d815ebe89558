/* SPDX-License-Identifier: Apache-2.0
 *
 * op: a good operator field by field; faulty ones as golden pairs op_bad/X/op.cfg + op_bad/X/op.err
 * (golden.h).
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "gen/op.h"
#include "gen/text.h"
#include "tests/gen/golden.h"

static Arena *arena;

static int setup(void **state)
{
    (void)state;
    arena = arena_new();
    return chdir(DCGEN_SOURCE_DIR "/tests/gen");
}

static int teardown(void **state)
{
    (void)state;
    arena_free(arena);
    return 0;
}

static Op *read_op(const char *dir, const char **text)
{
    Diag *d = diag_new(arena);
    Op *op = op_read(arena, dir, d);
    *text = golden_diag(arena, d);
    assert_int_equal(op == NULL, diag_nerror(d) > 0);
    return op;
}

static bool extent(void *ctx, const char *name, int64_t *value)
{
    const Op *op = ctx;
    static const int64_t size[] = { 3, 5, 7 }; /* M N K */
    int x = op_axis(op, name);
    if (x >= 0)
        *value = size[x];
    return x >= 0;
}

static int64_t value_of(const Op *op, const Expr *e)
{
    int64_t value = -1;
    assert_int_equal(expr_int(e, extent, (void *)op, &value), EXPR_OK);
    return value;
}

static void test_dense(void **state)
{
    (void)state;
    const char *text;
    Op *op = read_op("op/dense", &text);
    assert_string_equal(text, "");
    assert_non_null(op);
    assert_string_equal(op->name, "dense");
    assert_string_equal(op->dir, "op/dense");
    assert_string_equal(op->reference, "op/dense/reference.c");
    assert_int_equal(op->naxis, 3);
    assert_string_equal(op->axis[2].name, "K");
    assert_int_equal(op->axis[0].kind, AXIS_SPATIAL);
    assert_int_equal(op->axis[2].kind, AXIS_REDUCE);
    assert_int_equal(op_axis(op, "N"), 1);
    assert_int_equal(op_axis(op, "L"), -1);
    assert_int_equal(op->ndtype, 2);
    assert_string_equal(op->dtype[0], "f32");
    assert_int_equal(op->nepilogue, 2);
    assert_int_equal(op->noperand, 4);
    static const Role roles[] = { ROLE_IN, ROLE_CONST, ROLE_IN, ROLE_OUT };
    static const int64_t elems[] = { 21, 35, 5, 15 };
    for (int i = 0; i < 4; i++) {
        assert_int_equal(op->operand[i].role, roles[i]);
        assert_int_equal(value_of(op, op->operand[i].elems), elems[i]);
        assert_null(op->operand[i].dtype);
    }
    assert_int_equal(op->operand[1].nlayout, 2);
    assert_string_equal(op->operand[1].layout[1], "KN");
    assert_int_equal(op->operand[0].nlayout, 0);
    assert_int_equal(value_of(op, op->flops), 2 * 3 * 5 * 7);
    assert_int_equal(value_of(op, op->rows), 3);
    assert_int_equal(value_of(op, op->row_elems), 5);
}

static void test_has_operand(void **state)
{
    (void)state;
    const char *text;
    Op *op = read_op("op/dense", &text);
    const char *const with[] = { "gelu", "bias" };
    assert_true(op_has_operand(&op->operand[0], NULL, 0));
    assert_false(op_has_operand(&op->operand[2], NULL, 0));
    assert_false(op_has_operand(&op->operand[2], with, 1));
    assert_true(op_has_operand(&op->operand[2], with, 2));
}

static void test_missing(void **state)
{
    (void)state;
    const char *text;
    assert_null(read_op("no_such_folder", &text));
    assert_string_equal(text, "no_such_folder/op.cfg: error: cannot read the file: No such file or directory\n");
}

static void check_golden(const char *dir, const char *err)
{
    const char *text;
    assert_null(read_op(dir, &text));
    golden_check(arena, err, text);
}

static int is_case(const struct dirent *e) { return e->d_name[0] != '.'; }

static void test_golden(void **state)
{
    (void)state;
    struct dirent **entry;
    int n = scandir("op_bad", &entry, is_case, alphasort);
    assert_true(n > 10);
    for (int i = 0; i < n; i++) {
        const char *dir = arena_printf(arena, "op_bad/%s", entry[i]->d_name);
        check_golden(dir, arena_printf(arena, "%s/op.err", dir));
        free(entry[i]);
    }
    free(entry);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_dense),
        cmocka_unit_test(test_has_operand),
        cmocka_unit_test(test_missing),
        cmocka_unit_test(test_golden),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
