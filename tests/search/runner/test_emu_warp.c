/* SPDX-License-Identifier: Apache-2.0
 *
 * What the lanes of a warp compute together in the emulator, in kernels in C: products of tiles, matrices from shared memory, shuffles.
 *
 *   ctest: emulator
 */
#include "tests/test.h"
#include <math.h>
#include "tests/search/runner/emu_words.h"

typedef struct {
    float a[16][16], b[16][8], c[16][8];
} Tiles;
static Tiles tiles;
static int mma_kind; /* f16, bf16, tf32 */
static uint32_t a_bits[16][16], b_bits[16][8];

KERNEL void multiply(unsigned *p)
{
    const unsigned l = thread_of(), g = l / 4, t = l % 4;
    Word4 a;
    Word2 b;
    Float4 d;
    for (unsigned r = 0; r < 4; r++) {
        const unsigned row = g + 8 * (r % 2);
        a[r] = mma_kind == 2 ? a_bits[row][t + 4 * (r / 2)]
                             : a_bits[row][2 * t + 8 * (r / 2)] | a_bits[row][2 * t + 8 * (r / 2) + 1] << 16;
        d[r] = tiles.c[g + 8 * (r / 2)][2 * t + r % 2];
    }
    for (unsigned r = 0; r < 2; r++)
        b[r] = mma_kind == 2 ? b_bits[t + 4 * r][g] : b_bits[2 * t + 8 * r][g] | b_bits[2 * t + 8 * r + 1][g] << 16;
    d = dcgen_emu_mma(mma_kind, d, a, b, 1);
    for (unsigned r = 0; r < 4; r++)
        memcpy(p + (g + 8 * (r / 2)) * 8 + 2 * t + r % 2, (const float *)&d + r, 4);
}

static float value_of(int kind, uint32_t bits)
{
    const uint32_t word = kind == 1 ? bits << 16 : bits & 0xffffe000;
    float f;
    memcpy(&f, &word, sizeof f);
    if (kind != 0)
        return f;
    const int exponent = (int)(bits >> 10 & 31), mantissa = (int)(bits & 1023);
    f = exponent == 31 ? mantissa ? NAN : INFINITY
                       : ldexpf((float)(exponent ? 1024 + mantissa : mantissa), (exponent ? exponent : 1) - 25);
    return bits & 0x8000 ? -f : f;
}

static uint32_t random_bits(void)
{
    static uint64_t state = 1;
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(state >> 32);
}

/* Values of which sums are exact in whatever order; and what the multipliers drop. */
static uint32_t some_bits(int kind)
{
    const uint32_t r = random_bits();
    return kind == 0   ? (r & 0x8000) | (16 + r % 4) << 10 | (r >> 8 & 7) << 7
           : kind == 1 ? (r & 0x8000) | (128 + r % 3) << 7 | (r >> 8 & 7) << 4
                       : (r & 0x80000000) | (128 + r % 4) << 23 | (r >> 8 & 7) << 20 | (r & 0x1fff);
}

static void multiply_by_lanes(int kind)
{
    const int depth = kind == 2 ? 8 : 16;
    mma_kind = kind;
    Emu e = emu_of_words(EMU_OUTPUT);
    execute(&e, multiply, 1, 32, 0);
    assert_true(e.nfinding == 0 && e.counts.collectives == 1);
    for (int m = 0; m < 16; m++)
        for (int n = 0; n < 8; n++) {
            float sum = tiles.c[m][n], got;
            for (int k = 0; k < depth; k++)
                sum += value_of(kind, a_bits[m][k]) * value_of(kind, b_bits[k][n]);
            memcpy(&got, words + m * 8 + n, sizeof got);
            if (!(got == sum || (isnan(got) && isnan(sum))))
                fail_msg("kind %d: element %d, %d is %g instead of %g", kind, m, n, (double)got, (double)sum);
        }
}

TEST(products_of_all_types)
{
    static const uint32_t halves[] = { 0,      1,      0x3ff,  0x400,  0x7bff, 0x7c00,
                                       0xfc00, 0x7e00, 0x8001, 0x3c01, 0x83ff, 0xbc00 };
    for (int kind = 0; kind < 3; kind++) {
        for (int i = 0; i < 256; i++)
            a_bits[i / 16][i % 16] = some_bits(kind);
        for (int i = 0; i < 128; i++) {
            b_bits[i / 8][i % 8] = some_bits(kind);
            tiles.c[i / 8][i % 8] = (float)(int)(random_bits() % 64) - 32;
        }
        multiply_by_lanes(kind);
    }
    for (int i = 0; i < 256; i++)
        a_bits[i / 16][i % 16] = i / 16 < 12 && i % 16 == 3 ? halves[i / 16] : 0;
    for (int i = 0; i < 128; i++) {
        b_bits[i / 8][i % 8] = i / 8 == 3 ? 0x3c00 : 0;
        tiles.c[i / 8][i % 8] = 0;
    }
    multiply_by_lanes(0); /* denormals, infinities, a NaN */
}

static struct {
    int matrices, transposed;
} loaded;

KERNEL void load_matrices(unsigned *p)
{
    unsigned char *shared = dcgen_emu_shared_memory();
    const unsigned l = thread_of();
    __tsan_write16(shared + (size_t)16 * l);
    for (unsigned i = 0; i < 8; i++)
        ((uint16_t *)(void *)shared)[8 * l + i] = (uint16_t)(l * 8 + i);
    dcgen_emu_barrier(1);
    const unsigned row = loaded.matrices == 2 && l >= 16 ? 0 : 31 - l; /* of lane l */
    const Word4 r = dcgen_emu_ldmatrix(loaded.matrices, loaded.transposed, shared + (size_t)16 * row, 2);
    for (int i = 0; i < loaded.matrices; i++)
        p[4 * l + (unsigned)i] = r[i];
}

TEST(matrices_of_all_kinds)
{
    for (loaded.matrices = 2; loaded.matrices <= 4; loaded.matrices += 2)
        for (loaded.transposed = 0; loaded.transposed < 2; loaded.transposed++) {
            Emu e = emu_of_words(EMU_OUTPUT);
            execute(&e, load_matrices, 1, 32, 512);
            assert_true(e.nfinding == 0 && e.counts.collectives == 1);
            for (unsigned l = 0; l < 32; l++)
                for (unsigned i = 0; i < (unsigned)loaded.matrices; i++) {
                    const unsigned g = l / 4, t = 2 * (l % 4);
                    const unsigned low = loaded.transposed ? (31 - 8 * i - t) * 8 + g : (31 - 8 * i - g) * 8 + t;
                    const unsigned high = loaded.transposed ? (31 - 8 * i - t - 1) * 8 + g : low + 1;
                    assert_int_equal(words[4 * l + i], low | high << 16);
                }
        }
}

KERNEL void shuffle_far(unsigned *p)
{
    const unsigned l = thread_of();
    p[l] = (unsigned)dcgen_emu_shfl_xor((float)l, 40, 1);
    p[64 + l] = (unsigned)dcgen_emu_shfl_down((float)l, -3, 1);
    p[128 + l] = (unsigned)dcgen_emu_shfl_down((float)l, 31, 1);
    p[192 + l] = (unsigned)dcgen_emu_shfl_xor((float)l, (int)(l / 32 * 7), 1); /* of each warp its own */
}

TEST(lanes_without_a_partner)
{
    Emu e = emu_of_words(EMU_OUTPUT);
    execute(&e, shuffle_far, 1, 64, 0);
    assert_int_equal(e.nfinding, 0);
    for (unsigned l = 0; l < 64; l++) {
        assert_int_equal(words[l], l);
        assert_int_equal(words[64 + l], l % 32 < 3 ? l : l - 3);
        assert_int_equal(words[128 + l], l % 32 == 0 ? l + 31 : l);
        assert_int_equal(words[192 + l], l ^ (l / 32 * 7));
    }
}

TEST_FILE(set_up, tear_down)
