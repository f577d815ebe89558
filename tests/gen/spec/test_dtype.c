/* SPDX-License-Identifier: Apache-2.0
 *
 * Element types: every 16-bit pattern is loaded and stored as it was; rounding is to nearest even.
 */
#include "tests/test.h"
#include <float.h>

#include <math.h>
#include "gen/spec/dtype.h"

static const char *const half_types[] = { "f16", "bf16" };

static uint16_t stored(const char *type, double v)
{
    uint16_t bits[2] = { 0x1234, 0x1234 };
    dtype_store(dtype_find(type), bits, 1, v);
    assert_int_equal(bits[0], 0x1234);
    return bits[1];
}

static double loaded(const char *type, uint16_t bits) { return dtype_load(dtype_find(type), &bits, 0); }

TEST(every_pattern_survives)
{
    for (int t = 0; t < 2; t++)
        for (uint32_t bits = 0; bits < 0x10000; bits++) {
            double v = loaded(half_types[t], (uint16_t)bits);
            if (isnan(v))
                assert_true(isnan(loaded(half_types[t], stored(half_types[t], v))));
            else
                assert_int_equal(stored(half_types[t], v), bits);
        }
}

/* Halfway between neighbours the even one is taken, a little beside it the nearer one. */
TEST(rounds_to_nearest_even)
{
    for (int t = 0; t < 2; t++)
        for (uint32_t bits = 0; bits < 0x7fff; bits++) {
            const char *type = half_types[t];
            double low = loaded(type, (uint16_t)bits), high = loaded(type, (uint16_t)(bits + 1));
            if (!isfinite(high))
                continue;
            double middle = (low + high) / 2;
            assert_int_equal(stored(type, middle), bits % 2 ? bits + 1 : bits);
            assert_int_equal(stored(type, nextafter(middle, 0)), bits);
            assert_int_equal(stored(type, nextafter(middle, INFINITY)), bits + 1);
            assert_int_equal(stored(type, -nextafter(middle, INFINITY)), (bits + 1) | 0x8000);
        }
}

TEST(known_values)
{
    static const struct {
        const char *type;
        double value;
        int bits;
    } row[] = { { "f16", 1, 0x3c00 },         { "f16", -2, 0xc000 },        { "f16", 65504, 0x7bff },
                { "f16", 65519.99, 0x7bff },  { "f16", 65520, 0x7c00 },     { "f16", 1e300, 0x7c00 },
                { "f16", -INFINITY, 0xfc00 }, { "f16", 0x1p-24, 0x0001 },   { "f16", 0x1p-25, 0x0000 },
                { "f16", 0x1.8p-25, 0x0001 }, { "f16", -0.0, 0x8000 },      { "bf16", 1, 0x3f80 },
                { "bf16", 0x1.01p0, 0x3f80 }, { "bf16", 0x1.03p0, 0x3f82 }, { "bf16", 1e300, 0x7f80 } };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++)
        assert_int_equal(stored(row[i].type, row[i].value), row[i].bits);
    assert_true(isnan(loaded("bf16", stored("bf16", NAN))));
    assert_true(dtype_load(dtype_find("f32"), (float[]){ 0, 3.5f }, 1) == 3.5);
    assert_null(dtype_find("f64"));
    int32_t whole[3] = { 1, INT32_MIN, 3 };
    assert_true(dtype_load(dtype_find("s32"), whole, 1) == INT32_MIN);
    dtype_store(dtype_find("s32"), whole, 1, INT32_MAX);
    assert_true(whole[0] == 1 && whole[1] == INT32_MAX && whole[2] == 3);
    assert_true(dtype_tolerance(dtype_find("s32"), 10, 10, 10) == 0);
}

TEST(tolerances)
{
    /* f32: what it always was */
    assert_true(dtype_tolerance(dtype_find("f32"), 769, 100, 7) == 0x1p-24 * (4 * sqrt(769) + 8) * 100);
    /* a correctly rounded store is within the tolerance, twice the unit is not */
    for (int t = 0; t < 2; t++) {
        const Dtype *d = dtype_find(half_types[t]);
        assert_true(dtype_tolerance(d, 1, 1, 1) >= d->eps_out);
        assert_true(dtype_tolerance(d, 1, 1, 1) < 1.1 * d->eps_out);
    }
    assert_true(dtype_tolerance(dtype_find("tf32"), 1, 1, 1) > 0x1p-9);
    assert_true(dtype_tolerance(dtype_find("tf32"), 14400, 1, 1) < 0.15 * 0x1p-10);
}

/* Half a unit in the last place of what is stored, of a sum, and for tf32 what the tensor cores cut off; f16 has no
 * less than 2^-24. */
TEST(rows_of_the_table)
{
    static const struct {
        const char *name, *macro, *c_type;
        int bytes;
        double in, out, tiny, largest;
    } rows[] = { { "f32", "F32", "float", 4, 0, 0, 0, FLT_MAX },
                 { "tf32", "TF32", "float", 4, 1 / 1024.0, 0, 0, FLT_MAX },
                 { "f16", "F16", "unsigned short", 2, 0, 1 / 2048.0, 1 / 33554432.0, 65504 },
                 { "bf16", "BF16", "unsigned short", 2, 0, 1 / 256.0, 0x1p-134, 0x1.fep127 } };
    for (int i = 0; i < 4; i++) {
        const Dtype *d = dtype_find(rows[i].name);
        assert_string_equal(d->name, rows[i].name);
        assert_string_equal(d->macro, rows[i].macro);
        assert_string_equal(d->c_type, rows[i].c_type);
        assert_int_equal(d->bytes, rows[i].bytes);
        /* 36 terms: 4 * 6 + 8 roundings of sums, and twice what is cut off; 576: once in two */
        assert_true(dtype_tolerance(d, 36, 10, -3) ==
                    (32 / 16777216.0 + 2 * rows[i].in) * 10 + 3 * rows[i].out + rows[i].tiny);
        assert_true(dtype_tolerance(d, 576, 10, 3) ==
                    (104 / 16777216.0 + 0.5 * rows[i].in) * 10 + 3 * rows[i].out + rows[i].tiny);
        assert_true(dtype_tolerance(d, 1, 0, 0) == rows[i].tiny && dtype_largest(d) == rows[i].largest);
    }
    float two[] = { 1, 2 };
    for (int i = 0; i < 2; i++) {
        dtype_store(dtype_find(rows[i].name), two, 1, 1 / 3.0);
        assert_true(two[0] == 1 && two[1] == 1 / 3.0f);
        assert_true(dtype_load(dtype_find(rows[i].name), two, 1) == (double)(1 / 3.0f));
    }
}
