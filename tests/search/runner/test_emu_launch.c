/* SPDX-License-Identifier: Apache-2.0
 *
 * A launch in the emulator, of kernels in C: its blocks, their places and their order, its limits and its workers; what
 * is counted of it; and what the lanes of a warp compute together.
 *
 *   ctest: emulator
 */
#include "tests/test.h"
#include <math.h>
#include "tests/search/runner/emu_words.h"

/* ---- places ---- */

enum { GX = 3, GY = 2, GZ = 2, BX = 5, BY = 3, BZ = 2, NBLOCK = GX * GY * GZ, NTHREAD = BX * BY * BZ };

static void write_place(unsigned *out)
{
    const Index b = dcgen_emu_block_index(), t = dcgen_emu_thread_index(), n = dcgen_emu_block_dim(),
                g = dcgen_emu_grid_dim();
    const unsigned block = (b.z * g.y + b.y) * g.x + b.x, thread = (t.z * n.y + t.y) * n.x + t.x;
    unsigned *own = out + block * (n.x * n.y * n.z) + thread;
    __tsan_write4(own);
    *own = b.x | b.y << 4 | b.z << 8 | t.x << 12 | t.y << 16 | t.z << 20 | g.z << 24 | n.z << 28;
}

TEST(each_thread_knows_its_place)
{
    for (int workers = 1; workers <= 3; workers += 2) {
        Emu e = emu_of_words(EMU_OUTPUT);
        e.workers = workers;
        emu_begin(&e);
        assert_int_equal(launch(write_place, words, (unsigned[]){ GX, GY, GZ }, (unsigned[]){ BX, BY, BZ }, 1000), 0);
        emu_end(&e);
        assert_int_equal(e.nfinding, 0);
        assert_true(e.counts.blocks == NBLOCK && e.counts.threads == NBLOCK * NTHREAD && e.counts.smem_bytes == 1000);
        for (unsigned i = 0; i < NBLOCK * NTHREAD; i++) {
            const unsigned b = i / NTHREAD, t = i % NTHREAD;
            assert_int_equal(words[i], b % GX | b / GX % GY << 4 | b / GX / GY << 8 | t % BX << 12 | t / BX % BY << 16 |
                                           t / BX / BY << 20 | (unsigned)GZ << 24 | (unsigned)BZ << 28);
        }
    }
}

/* Of ten values of x three: the first, the last and one between; of one alone the first. Each with all of y. */
TEST(a_sample_of_the_blocks)
{
    static const struct {
        uint64_t sample;
        const char *x;
    } cases[] = {
        { 3, "1000100001" }, { 1, "1000000000" }, { 2, "1000000001" }, { 0, "1111111111" }, { 10, "1111111111" }
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        Emu e = emu_of_words(EMU_OUTPUT);
        e.sample = cases[i].sample;
        memset(words, 0xff, 20 * sizeof *words);
        emu_begin(&e);
        assert_int_equal(launch(write_place, words, (unsigned[]){ 10, 2, 1 }, (unsigned[]){ 1, 1, 1 }, 0), 0);
        emu_end(&e);
        for (int b = 0; b < 20; b++)
            assert_int_equal(words[b] != UINT32_MAX, cases[i].x[b % 10] == '1');
    }
}

/* ---- blocks ---- */

static int order[200];
static volatile int turn;

KERNEL(note_order)
{
    const unsigned block = dcgen_emu_block_index().x;
    if (thread_of() == 0)
        order[turn++] = (int)block;
    __tsan_write4(p + block % NWORD);
}

/* Each block once, and not as they lie. */
TEST(blocks_come_in_any_order)
{
    for (unsigned n = 1; n <= 200; n++) {
        bool seen[200] = { false };
        Emu e = emu_of_words(EMU_OUTPUT);
        int apart = 0;
        turn = 0;
        execute(&e, note_order, n, 1, 0);
        assert_true(turn == (int)n && e.nfinding == 0);
        for (unsigned i = 0; i < n; i++) {
            assert_false(seen[order[i]]);
            seen[order[i]] = true;
            apart += i > 0 && abs(order[i] - order[i - 1]) > 1;
        }
        if (n >= 32)
            assert_in_range(apart, n / 2, n);
    }
}

KERNEL(meet)
{
    const unsigned t = thread_of();
    unsigned char *shared = dcgen_emu_shared_memory();
    __tsan_write4(shared + 4 * t);
    memcpy(shared + 4 * t, &t, sizeof t);
    dcgen_emu_barrier(1);
    const unsigned next = (t + 1) % dcgen_emu_block_dim().x;
    __tsan_read4(shared + (size_t)4 * next);
    __tsan_write4(p + t);
    memcpy(p + t, shared + (size_t)4 * next, sizeof *p);
    if (t == 0 &&
        ((uintptr_t)shared % 128 != 0 || (uintptr_t)shared % 256 == 0 || dcgen_emu_shared_address(shared + 4) != 132))
        *p = 77; /* its alignment is what is promised, and no more */
}

TEST(blocks_of_all_sizes)
{
    static const unsigned sizes[] = { 1, 3, 31, 32, 33, 63, 64, 65, 127, 129, 1000, 1023, 1024, 2 };
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        Emu e = emu_of_words(EMU_OUTPUT);
        execute(&e, meet, 1, sizes[i], 4 * sizes[i]);
        assert_int_equal(e.nfinding, 0);
        assert_true(e.counts.threads == sizes[i] && e.counts.barriers == 1);
        for (unsigned t = 0; t < sizes[i]; t++)
            assert_int_equal(words[t], (t + 1) % sizes[i]);
    }
}

KERNEL(use_last_byte)
{
    unsigned char *shared = dcgen_emu_shared_memory();
    __tsan_write4(shared + (256 << 10) - 4);
    memset(shared + (256 << 10) - 4, 1, 4);
}

/* What is within them is executed; its first access ends it. */
TEST(limits_of_a_launch)
{
#define EMPTY "launches an empty grid or block"
    static const struct {
        unsigned grid[3], block[3];
        size_t smem_bytes;
        int code;
        const char *why; /* part of it */
    } cases[] = {
        { { 1, 1, 1 }, { 1, 1, 1 }, 256 << 10, 0, "" },
        { { 1, 1, 1 }, { 1, 1, 1 }, (256 << 10) + 1, 1, "262145 bytes of shared memory; the limit is 262144" },
        { { 1, 65535, 1 }, { 1, 1, 1 }, 256 << 10, 0, "" },
        { { 1, 65536, 1 }, { 1, 1, 1 }, 0, 9, "65535 is the limit" },
        { { 1, 1, 65535 }, { 1, 1, 1 }, 256 << 10, 0, "" },
        { { 1, 1, 65536 }, { 1, 1, 1 }, 0, 9, "65535 is the limit" },
        { { 1, 1, 1 }, { 1, 1, 64 }, 256 << 10, 0, "" },
        { { 1, 1, 1 }, { 1, 1, 65 }, 0, 9, "the limit is 1024" },
        { { 1, 1, 1 }, { 1024, 1, 1 }, 256 << 10, 0, "" },
        { { 1, 1, 1 }, { 1025, 1, 1 }, 0, 9, "the limit is 1024" },
        { { 1, 1, 1 }, { 1, 1024, 1 }, 256 << 10, 0, "" },
        { { 1, 1, 1 }, { 1, 1025, 1 }, 0, 9, "the limit is 1024" },
        { { 1, 1, 1 }, { 32, 32, 2 }, 0, 9, "the limit is 1024" },
        { { 1u << 31, 1, 1 }, { 1, 1, 1 }, 0, 9, "" },
        { { INT32_MAX, 1, 1 }, { 1, 1, 1 }, 256 << 10, 0, "" },
        { { 0, 1, 1 }, { 1, 1, 1 }, 0, 9, EMPTY },
        { { 1, 0, 1 }, { 1, 1, 1 }, 0, 9, EMPTY },
        { { 1, 1, 0 }, { 1, 1, 1 }, 0, 9, EMPTY },
        { { 1, 1, 1 }, { 0, 1, 1 }, 0, 9, EMPTY },
        { { 1, 1, 1 }, { 1, 0, 1 }, 0, 9, EMPTY },
        { { 1, 1, 1 }, { 1, 1, 0 }, 0, 9, EMPTY },
        { { 1, 65535, 4097 }, { 1, 1, 1 }, 0, 1, "too many to emulate" },
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        Emu e = emu_of_words(EMU_OUTPUT);
        e.sample = 1;
        e.block_budget = 0;
        snprintf(e.refusal, sizeof e.refusal, "of before");
        emu_begin(&e);
        assert_int_equal(launch(use_last_byte, words, cases[i].grid, cases[i].block, cases[i].smem_bytes),
                         cases[i].code);
        emu_end(&e);
        assert_int_equal(e.nfinding, cases[i].code == 0);
        assert_non_null(strstr(e.refusal, cases[i].why));
        assert_int_equal(*e.refusal != '\0', cases[i].code != 0);
    }
    Emu e = emu_of_words(EMU_OUTPUT);
    emu_begin(&e);
    assert_int_equal(launch_row(use_last_byte, words, 1 << 28, 1, 0), 1);
    emu_end(&e);
    assert_string_equal(e.refusal, "launches 268435456 blocks, too many to emulate");
    assert_int_equal(launch_row(use_last_byte, words, 1, 1, 0), 1); /* there is no emulator */
}

TEST(more_workers_than_there_may_be)
{
    Emu e = emu_of_words(EMU_OUTPUT);
    e.workers = 1000;
    execute(&e, meet, 1, 4, 16);
    assert_int_equal(e.nfinding, 0);
    e = emu_of_words(EMU_OUTPUT);
    e.workers = 1000;
    static unsigned own[300];
    emu_add_region(&e, EMU_OUTPUT, "own", own, sizeof own, 4);
    emu_begin(&e);
    assert_int_equal(launch_row(use_last_byte, own, 300, 1, 256 << 10), 0);
    emu_end(&e);
    assert_int_equal(e.counts.blocks, 300);
}

/* ---- what is counted ---- */

KERNEL(count_far_reads) { __tsan_read4(p + 9 * thread_of()); }
KERNEL(count_over_sectors) { __tsan_unaligned_read4((char *)p + 30 + 64 * thread_of()); }
KERNEL(count_pairs_shared)
{
    if (thread_of() < 16)
        __tsan_write8(dcgen_emu_shared_memory() + 16 * thread_of());
}
KERNEL(count_epochs)
{
    for (int i = 0; i < 5; i++) {
        __tsan_read4(p + thread_of());
        dcgen_emu_barrier(1);
    }
}
KERNEL(count_atomics) { p[8 * thread_of()] -= 1 + 0 * dcgen_emu_atomic_add(p + 8 * thread_of(), 1, 1, 1); }

typedef struct {
    KernelOf *kernel;
    unsigned nthread;
    int64_t sectors_read, sectors_written, wavefronts, conflicts;
} Cost;
static const Cost costs[] = {
    { count_far_reads, 32, 32, 0, 0, 0 },    { count_far_reads, 48, 48, 0, 0, 0 },
    { count_over_sectors, 32, 64, 0, 0, 0 }, { count_pairs_shared, 32, 0, 0, 2, 1 },
    { count_epochs, 1, 5, 0, 0, 0 },         { count_epochs, 33, 25, 0, 0, 0 },
    { count_atomics, 32, 0, 32, 0, 0 },
};

TEST(costs_are_exact)
{
    for (size_t i = 0; i < sizeof costs / sizeof *costs; i++) {
        Emu e = emu_of_words(costs[i].sectors_written ? EMU_COUNTERS : EMU_INPUT);
        e.count = true;
        execute(&e, costs[i].kernel, 1, costs[i].nthread, 4096);
        const Cost *c = &costs[i];
        if (e.nfinding)
            fail_msg("%d: %s", (int)i, e.finding[0].text);
        const int64_t got[] = { e.counts.sectors_read, e.counts.sectors_written, e.counts.wavefronts,
                                e.counts.conflicts },
                      want[] = { c->sectors_read, c->sectors_written, c->wavefronts, c->conflicts };
        for (int k = 0; k < 4; k++)
            if (got[k] != want[k])
                fail_msg("%d: figure %d is %d instead of %d", (int)i, k, (int)got[k], (int)want[k]);
        assert_true(e.counts.blocks == 1 && e.counts.threads == c->nthread && e.counts.smem_bytes == 4096);
    }
}

/* Several launches add up, but for shared memory, of which the most counts; the next call begins at nothing. */
TEST(launches_add_up)
{
    Emu e = emu_of_words(EMU_INPUT);
    e.count = true;
    e.workers = 2;
    for (int call = 0; call < 2; call++) {
        if (call)
            emu_add_region(&e, EMU_INPUT, "ws", words, NWORD * sizeof *words, sizeof *words);
        emu_begin(&e);
        for (unsigned i = 1; i <= 3; i++)
            launch_row(count_epochs, words, i, 32, i == 2 ? 1000 : 500);
        emu_end(&e);
        assert_true(e.counts.blocks == 6 && e.counts.threads == 192 && e.counts.barriers == 30 &&
                    e.counts.smem_bytes == 1000);
        assert_true(e.counts.sectors_read == 120 && e.counts.sectors_written == 0 && e.counts.wavefronts == 0);
    }
}

KERNEL(many_places) { TEN(TEN(TEN(__tsan_read4(p);) __tsan_read4(p);)) }

KERNEL(hundred_places) { TEN(TEN(__tsan_read4(p);)) }

TEST(many_places_are_told_apart)
{
    for (int too_many = 0; too_many < 2; too_many++) {
        Emu e = emu_of_words(EMU_INPUT);
        e.count = true;
        execute(&e, too_many ? many_places : hundred_places, 1, 1, 0);
        assert_string_equal(first_finding(&e), too_many ? "it cannot be counted: too many places access memory" : "");
        assert_true(too_many ? e.finding[0].thread == -1 : e.counts.sectors_read == 100);
    }
}

/* ---- what lanes compute together ---- */

typedef struct {
    float a[16][16], b[16][8], c[16][8];
} Tiles;
static Tiles tiles;
static int mma_kind; /* f16, bf16, tf32 */
static uint32_t a_bits[16][16], b_bits[16][8];

KERNEL(multiply)
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

KERNEL(load_matrices)
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

KERNEL(shuffle_far)
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
    assert_true(e.nfinding == 0 && e.counts.collectives == 8 && e.counts.barriers == 0);
    for (unsigned l = 0; l < 64; l++) {
        assert_int_equal(words[l], l);
        assert_int_equal(words[64 + l], l % 32 < 3 ? l : l - 3);
        assert_int_equal(words[128 + l], l % 32 == 0 ? l + 31 : l);
        assert_int_equal(words[192 + l], l ^ (l / 32 * 7));
    }
}

TEST_FILE(set_up, tear_down)
