/* SPDX-License-Identifier: Apache-2.0
 *
 * What specs compute in: how results may be off, of the table's rows and of made-up ones.
 */
#include "tests/test.h"
#include <math.h>
#include "gen/base/text.h"
#include "gen/spec/dtype.h"

static double tolerance(const Dtype *t, const Storage *out, double terms, double bound, double y)
{
    const Rounding r = dtype_rounding(t, out);
    return rounding_tolerance(&r, terms, bound, y);
}

static double of_result(const char *name, double terms, double bound, double y)
{
    const Dtype *t = dtype_find(name);
    return tolerance(t, t->part[PART_RESULT], terms, bound, y);
}

TEST(tolerances)
{
    /* f32: what it always was */
    assert_true(of_result("f32", 769, 100, 7) == 0x1p-24 * (4 * sqrt(769) + 8) * 100);
    /* a correctly rounded store is within the tolerance, twice the unit is not */
    for (int t = 0; t < 2; t++) {
        const char *name = t ? "bf16" : "f16";
        const double unit = storage_roundoff(storage_find(name));
        assert_true(of_result(name, 1, 1, 1) >= unit && of_result(name, 1, 1, 1) < 1.1 * unit);
    }
    assert_true(of_result("tf32", 1, 1, 1) > 0x1p-9);
    assert_true(of_result("tf32", 14400, 1, 1) < 0.15 * 0x1p-10);
}

/* Half a unit in the last place of what is stored, of a sum, for tf32 what the tensor cores cut off, for tf32x3 half of
 * what a product lacks; f16 has no less than 2^-24. */
TEST(rows_of_the_table)
{
    static const struct {
        const char *name, *stored;
        double in, out, tiny;
    } rows[] = { { "f32", "f32", 0, 0, 0 },
                 { "tf32", "f32", 1 / 1024.0, 0, 0 },
                 { "tf32x3", "f32", 1 / 2097152.0, 0, 0 },
                 { "f16", "f16", 0, 1 / 2048.0, 1 / 33554432.0 },
                 { "bf16", "bf16", 0, 1 / 256.0, 0x1p-134 } };
    assert_int_equal(LENGTH(rows), DTYPE_COUNT);
    for (size_t i = 0; i < LENGTH(rows); i++) {
        const Dtype *d = dtype_find(rows[i].name);
        const Storage *s = storage_find(rows[i].stored);
        assert_string_equal(d->name, rows[i].name);
        assert_true(d->part[PART_LEFT] == s && d->part[PART_RIGHT] == s && d->part[PART_MORE] == s);
        assert_true(d->part[PART_RESULT] == s && d->part[PART_ACC] == storage_find("f32"));
        /* 36 terms: 4 * 6 + 8 roundings of sums, and twice what is cut off; 576: once in two */
        assert_true(of_result(rows[i].name, 36, 10, -3) ==
                    (32 / 16777216.0 + 2 * rows[i].in) * 10 + 3 * rows[i].out + rows[i].tiny);
        assert_true(of_result(rows[i].name, 576, 10, 3) ==
                    (104 / 16777216.0 + 0.5 * rows[i].in) * 10 + 3 * rows[i].out + rows[i].tiny);
        assert_true(of_result(rows[i].name, 1, 0, 0) == rows[i].tiny);
        /* places that a formula counts are exact; what it rounds to whole numbers was computed in floats before */
        assert_true(tolerance(d, storage_find("s32"), 10, 0, 10) == 0);
        assert_true(tolerance(d, storage_find("s32"), 36, 10, 10) == (32 / 16777216.0 + 2 * rows[i].in) * 10);
    }
    assert_null(dtype_find("f64"));
}

/* An output may be stored in another way than the spec's: the sums are as exact as ever. */
TEST(outputs_of_their_own)
{
    assert_true(tolerance(dtype_find("f16"), storage_find("f32"), 36, 10, 3) == 320 / 16777216.0);
    assert_true(tolerance(dtype_find("f32"), storage_find("bf16"), 1, 0, 2) == 2 / 256.0 + 0x1p-134);
}

/* 8-bit integers, summed without rounding; and 8-bit floats. */
TEST(rows_that_may_come)
{
    const Storage s8 = { "s8", "signed char", "_s8", 1, NUMBER_SIGNED, 0, 0, false, false };
    const Storage u8 = { "u8", "unsigned char", "_u8", 1, NUMBER_UNSIGNED, 0, 0, false, false };
    const Storage e4m3 = { "e4m3", "unsigned char", "_e4m3", 1, NUMBER_REAL, 4, 3, true, true };
    const Storage *s32 = storage_find("s32"), *f32 = storage_find("f32");
    const Dtype whole = { "u8s8", { &u8, &s8, s32, s32, s32 }, 0 };
    const Dtype narrow = { "s8", { &s8, &s8, s32, s32, &s8 }, 0 };
    const Dtype fp8 = { "fp8", { &e4m3, &e4m3, f32, f32, &e4m3 }, 0 };
    assert_true(tolerance(&whole, s32, 100, 1e6, 1e5) == 0);
    assert_true(tolerance(&narrow, &s8, 100, 1e6, 100) == 0.5);
    assert_true(tolerance(&fp8, &e4m3, 36, 0, 100) == 100 / 16.0 + 0x1p-10);
    assert_true(tolerance(&fp8, f32, 36, 10, 3) == 320 / 16777216.0);
}

/* An operand's own type is said by the word for how it is stored, or by a dtype's, whose results are so. */
TEST(types_of_operands)
{
    static const char *const row[][2] = { { "f32", "f32" }, { "tf32", "f32" },  { "tf32x3", "f32" },
                                          { "f16", "f16" }, { "bf16", "bf16" }, { "s32", "s32" } };
    OperandType type[OPERAND_TYPE_MOST];
    assert_int_equal(operand_types(type), LENGTH(row));
    for (size_t i = 0; i < LENGTH(row); i++) {
        assert_string_equal(type[i].name, row[i][0]);
        assert_true(type[i].stored == storage_find(row[i][1]));
    }
}
