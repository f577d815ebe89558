/* SPDX-License-Identifier: Apache-2.0
 *
 * How elements are stored: every pattern is loaded and stored as it was, rounding is to nearest even, of the table's
 * rows and of made-up ones, as a type that is added is a row alone.
 */
#include "tests/test.h"
#include <float.h>
#include <math.h>
#include <string.h>
#include "gen/base/text.h"
#include "gen/spec/storage.h"

static const Storage e4m3 = { "e4m3", "unsigned char", "_e4m3", 1, NUMBER_REAL, 4, 3, true, true };
static const Storage e5m2 = { "e5m2", "unsigned char", "_e5m2", 1, NUMBER_REAL, 5, 2, false, true };
static const Storage raw_f32 = { "raw_f32", "unsigned", "_raw", 4, NUMBER_REAL, 8, 23, false, true };
static const Storage f64 = { "f64", "double", "_f64", 8, NUMBER_REAL, 11, 52, false, false };
static const Storage s8 = { "s8", "signed char", "_s8", 1, NUMBER_SIGNED, 0, 0, false, false };
static const Storage u8 = { "u8", "unsigned char", "_u8", 1, NUMBER_UNSIGNED, 0, 0, false, false };
static const Storage s64 = { "s64", "int64_t", "_s64", 8, NUMBER_SIGNED, 0, 0, false, false };
static const Storage *const small[] = { &storages[STORED_F16], &storages[STORED_BF16], &e4m3, &e5m2 };
static const Storage *const bytes[] = { &s8, &u8 };

/* The bits of v, stored behind another element, which stays as it was. */
static uint64_t stored(const Storage *s, double v)
{
    unsigned char room[24];
    uint64_t bits = 0;
    memset(room, 0x5a, sizeof room);
    storage_store(s, room, 1, v);
    for (size_t i = 0; i < sizeof room; i++)
        assert_true((i >= s->bytes && i < 2 * s->bytes) || room[i] == 0x5a);
    memcpy(&bits, room + s->bytes, s->bytes);
    return bits;
}

static double loaded(const Storage *s, uint64_t bits) { return storage_load(s, &bits, 0); }

TEST(every_pattern_survives)
{
    for (size_t t = 0; t < LENGTH(small) + LENGTH(bytes); t++) {
        const Storage *s = t < LENGTH(small) ? small[t] : bytes[t - LENGTH(small)];
        for (uint64_t bits = 0; bits < UINT64_C(1) << 8 * s->bytes; bits++) {
            const double v = loaded(s, bits);
            if (isnan(v))
                assert_true(isnan(loaded(s, stored(s, v))));
            else
                assert_int_equal(stored(s, v), bits);
        }
    }
}

/* Halfway between neighbours the even one is taken, a little beside it the nearer one. */
TEST(rounds_to_nearest_even)
{
    for (size_t t = 0; t < LENGTH(small); t++) {
        const Storage *s = small[t];
        const uint64_t sign = UINT64_C(1) << (8 * s->bytes - 1);
        for (uint64_t bits = 0; isfinite(loaded(s, bits + 1)); bits++) {
            const double low = loaded(s, bits), high = loaded(s, bits + 1), middle = (low + high) / 2;
            assert_true(low < high);
            assert_int_equal(stored(s, middle), bits % 2 ? bits + 1 : bits);
            assert_int_equal(stored(s, nextafter(middle, 0)), bits);
            assert_int_equal(stored(s, nextafter(middle, INFINITY)), bits + 1);
            assert_int_equal(stored(s, -nextafter(middle, INFINITY)), (bits + 1) | sign);
        }
    }
}

TEST(known_values)
{
    const Storage *const f16 = &storages[STORED_F16], *const bf16 = &storages[STORED_BF16];
    const struct {
        const Storage *type;
        double value;
        uint64_t bits;
    } row[] = { { f16, 1, 0x3c00 },
                { f16, -2, 0xc000 },
                { f16, 65504, 0x7bff },
                { f16, 65519.99, 0x7bff },
                { f16, 65520, 0x7c00 },
                { f16, 1e300, 0x7c00 },
                { f16, -INFINITY, 0xfc00 },
                { f16, 0x1p-24, 0x0001 },
                { f16, 0x1p-25, 0x0000 },
                { f16, 0x1.8p-25, 0x0001 },
                { f16, -0.0, 0x8000 },
                { bf16, 1, 0x3f80 },
                { bf16, 0x1.01p0, 0x3f80 },
                { bf16, 0x1.03p0, 0x3f82 },
                { bf16, 1e300, 0x7f80 },
                { &e4m3, 1, 0x38 },
                { &e4m3, -448, 0xfe },
                { &e4m3, 1e9, 0x7e },
                { &e4m3, -INFINITY, 0xfe },
                { &e4m3, 0x1p-9, 0x01 },
                { &e5m2, 57344, 0x7b },
                { &e5m2, 61440, 0x7c },
                { &s8, -128, 0x80 },
                { &s8, 127.5, 0x7f },
                { &s8, -1e9, 0x80 },
                { &s8, 2.5, 2 },
                { &u8, 200, 200 },
                { &u8, -1, 0 },
                { &u8, INFINITY, 255 },
                { &storages[STORED_S32], -2, 0xfffffffe },
                { &storages[STORED_S32], INT32_MIN, 0x80000000 },
                { &s64, -3, UINT64_MAX - 2 },
                { &s64, -INFINITY, UINT64_C(1) << 63 },
                { &f64, 0.1, 0x3fb999999999999a } };
    for (size_t i = 0; i < LENGTH(row); i++)
        if (stored(row[i].type, row[i].value) != row[i].bits)
            fail_msg("%s of %g is %#llx", row[i].type->name, row[i].value,
                     (unsigned long long)stored(row[i].type, row[i].value));
    assert_true(isnan(loaded(bf16, stored(bf16, NAN))) && isnan(loaded(&e4m3, 0x7f)) && isnan(loaded(&e4m3, 0xff)));
    assert_true(loaded(&s64, UINT64_MAX - 2) == -3 && loaded(&s8, 0x80) == -128 && loaded(&u8, 0x80) == 128);
    assert_true(storage_load(storage_find("f32"), (float[]){ 0, 3.5f }, 1) == 3.5);
    assert_null(storage_find("tf32"));
}

/* What a row says of its bits is enough for C's own numbers too. */
TEST(floats_by_their_bits)
{
    static const double of[] = {
        0, -0.0, 1, 1 / 3.0, FLT_MAX, FLT_MIN, FLT_MIN / 3, 1e-46, 1e300, -INFINITY, 0x1.0000010000001p0
    };
    for (size_t i = 0; i < LENGTH(of); i++) {
        const float f = (float)of[i];
        uint32_t bits;
        memcpy(&bits, &f, sizeof bits);
        assert_int_equal(stored(&raw_f32, of[i]), bits);
        assert_int_equal(stored(&storages[STORED_F32], of[i]), bits);
        assert_true(loaded(&raw_f32, bits) == f && loaded(&storages[STORED_F32], bits) == f);
    }
}

TEST(limits)
{
    const struct {
        const Storage *type;
        double largest, least, roundoff;
    } row[] = { { &storages[STORED_F32], FLT_MAX, 0x1p-149, 0x1p-24 },
                { &storages[STORED_F16], 65504, 0x1p-24, 0x1p-11 },
                { &storages[STORED_BF16], 0x1.fep127, 0x1p-133, 0x1p-8 },
                { &storages[STORED_S32], INT32_MAX, 1, 0 },
                { &e4m3, 448, 0x1p-9, 0x1p-4 },
                { &e5m2, 57344, 0x1p-16, 0x1p-3 },
                { &s8, 127, 1, 0 },
                { &u8, 255, 1, 0 },
                { &s64, 0x1p63 - 1024, 1, 0 },
                { &f64, DBL_MAX, 0x1p-1074, 0x1p-53 } };
    for (size_t i = 0; i < LENGTH(row); i++) {
        const Storage *s = row[i].type;
        assert_true(storage_largest(s) == row[i].largest && storage_least(s) == row[i].least);
        assert_true(storage_roundoff(s) == row[i].roundoff && storage_is_whole(s) == (row[i].roundoff == 0));
    }
}

TEST(rows_of_the_table)
{
    static const struct {
        const char *name, *c_type, *loader;
        size_t bytes;
    } row[] = { { "f32", "float", "", sizeof(float) },
                { "f16", "unsigned short", "_f16", 2 },
                { "bf16", "unsigned short", "_bf16", 2 },
                { "s32", "int32_t", "_ints", sizeof(int32_t) } };
    assert_int_equal(LENGTH(row), STORAGE_COUNT);
    for (size_t i = 0; i < LENGTH(row); i++) {
        const Storage *s = storage_find(row[i].name);
        assert_string_equal(s->c_type, row[i].c_type);
        assert_string_equal(s->loader, row[i].loader);
        assert_int_equal(s->bytes, row[i].bytes);
        assert_int_equal(s->is_raw, s->bytes == 2);
    }
}
