/* SPDX-License-Identifier: Apache-2.0
 *
 * How the emulator executes a block, in kernels in C: threads that wait for others in vain, how much a block may do, what the lanes of a warp
 * compute together, what is counted, and what becomes of findings.
 *
 *   ctest: emulator
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <sys/wait.h>
#include "tests/open_files.h"
#include "tests/search/runner/emu_call.h"

#define KERNEL __attribute__((no_sanitize("address"))) static

enum { NWORD = 4096, WINDOW = 2048 };
static unsigned *words; /* aligned to 64 bytes */

static int set_up(void **state)
{
    (void)state;
    words = aligned_alloc(64, NWORD * sizeof *words);
    return words ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    free(words);
    emu_free();
    return 0;
}

static Emu emu_of_words(EmuRole role)
{
    Emu e = { .workers = 1, .block_budget = 1 << 20, .smem_limit = 256 << 10 };
    emu_add_region(&e, role, "ws", words, NWORD * sizeof *words, sizeof *words);
    return e;
}

/* A launch of so many blocks of so many threads on the words; its findings. */
static void execute(Emu *e, KernelOf *kernel, unsigned nblock, unsigned nthread, size_t smem_bytes)
{
    memset(words, 0, NWORD * sizeof *words);
    emu_begin(e);
    assert_int_equal(launch(kernel, words, (unsigned[]){ nblock, 1, 1 }, (unsigned[]){ nthread, 1, 1 }, smem_bytes), 0);
    emu_end(e);
}

static unsigned thread_of(void) { return dcgen_emu_thread_index().x; }

/* ---- threads that wait in vain ---- */

KERNEL void exit_early(unsigned *p)
{
    (void)p;
    if (thread_of() != 3)
        dcgen_emu_barrier(11);
}

KERNEL void exit_later(unsigned *p)
{
    (void)p;
    if (thread_of() == 0)
        dcgen_emu_barrier(11);
}

KERNEL void other_barrier(unsigned *p)
{
    (void)p;
    if (thread_of() == 1)
        dcgen_emu_barrier(12);
    dcgen_emu_barrier(11);
}

KERNEL void barrier_in_warp(unsigned *p)
{
    (void)p;
    if (thread_of() == 40)
        dcgen_emu_barrier(13);
    if (thread_of() >= 32)
        dcgen_emu_shfl_xor(1, 1, 14);
}

KERNEL void exit_in_warp(unsigned *p)
{
    (void)p;
    if (thread_of() == 33)
        return;
    if (thread_of() >= 32)
        dcgen_emu_shfl_down(1, 1, 14);
    dcgen_emu_barrier(15);
}

KERNEL void other_shuffle(unsigned *p)
{
    (void)p;
    if (thread_of() % 32 == 5)
        dcgen_emu_shfl_down(1, 1, 14);
    else
        dcgen_emu_shfl_xor(1, 1, 14);
}

KERNEL void other_line(unsigned *p)
{
    (void)p;
    dcgen_emu_shfl_xor(1, 1, thread_of() == 37 ? 16 : 14);
}

KERNEL void any_shuffle(unsigned *p)
{
    (void)p;
    dcgen_emu_shfl_xor(1, 1, 14);
}

KERNEL void row_askew(unsigned *p)
{
    (void)p;
    unsigned char *shared = dcgen_emu_shared_memory();
    __tsan_write16(shared + 16 * thread_of());
    dcgen_emu_barrier(16);
    if (thread_of() >= 32)
        dcgen_emu_ldmatrix(4, 0, shared + 16 * (thread_of() % 32) + (thread_of() == 40 ? 8 : 0), 17);
}

KERNEL void row_outside(unsigned *p)
{
    (void)p;
    unsigned char *shared = dcgen_emu_shared_memory();
    __tsan_write16(shared + 16 * thread_of());
    dcgen_emu_barrier(16);
    dcgen_emu_ldmatrix(2, 1, shared + 16 * (thread_of() + 1), 17); /* lanes from 16 on do not count */
    dcgen_emu_barrier(16);
    dcgen_emu_ldmatrix(4, 1, shared + 16 * (thread_of() + 1), 18);
}

KERNEL void row_racing(unsigned *p)
{
    (void)p;
    unsigned char *shared = dcgen_emu_shared_memory();
    __tsan_write16(shared + 16 * thread_of());
    dcgen_emu_ldmatrix(4, 0, shared + 16 * thread_of(), 17);
}

KERNEL void write_row_read(unsigned *p)
{
    (void)p;
    unsigned char *shared = dcgen_emu_shared_memory();
    __tsan_write16(shared + 16 * thread_of());
    dcgen_emu_barrier(16);
    dcgen_emu_ldmatrix(4, 0, shared + 16 * thread_of(), 17);
    if (thread_of() == 9)
        __tsan_write4(shared + 16 * 9 + 4); /* the whole warp read it */
}

static const struct {
    KernelOf *kernel;
    unsigned nthread;
    int thread, nblock; /* executed: none follows where one cannot go on */
    const char *said;
} vain[] = {
    { exit_early, 6, 0, 1, "waits at __syncthreads of line 11, but thread 3 has exited" },
    { exit_early, 3, 0, 3, "" },
    { other_barrier, 1, 0, 3, "" },
    { other_barrier, 4, 1, 1, "is at __syncthreads of line 12, but thread 0 waits at that of line 11" },
    { barrier_in_warp, 96, 32, 1, "waits in shfl_xor of line 14, but thread 40 waits at __syncthreads of line 13" },
    { exit_in_warp, 64, 32, 1, "waits in shfl_down of line 14, but thread 33 has exited" },
    { other_shuffle, 64, 5, 1, "is at shfl_down of line 14, but thread 0 of its warp at shfl_xor of line 14" },
    { exit_later, 2, 0, 1, "waits at __syncthreads of line 11, but thread 1 has exited" },
    { other_line, 64, 37, 1, "is at shfl_xor of line 16, but thread 32 of its warp at shfl_xor of line 14" },
    { other_line, 32, 0, 3, "" },
    { any_shuffle, 40, 32, 1, "calls shfl_xor of line 14 in a warp of 8 threads; it takes 32" },
    { any_shuffle, 1024, 0, 3, "" },
    { row_askew, 64, 40, 1, "reads 16 bytes at shared byte 136, which is not aligned to them" },
    { row_outside, 32, 31, 1, "reads 16 bytes at shared byte 512, but the block has 512 bytes" },
    { row_racing, 32, 0, 1, "reads shared byte 0, which thread 0 writes between the same barriers" },
    { write_row_read, 32, 9, 3, "writes shared byte 148, which other threads read between the same barriers" },
};

/* Each after the other: what a block left behind when it was given up does not matter to the next. */
static void threads_that_wait_in_vain(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof vain / sizeof *vain; i++) {
        Emu e = emu_of_words(EMU_WORKSPACE);
        execute(&e, vain[i].kernel, 3, vain[i].nthread, 16 * vain[i].nthread);
        if (strcmp(e.nfinding ? e.finding[0].text : "", vain[i].said) != 0)
            fail_msg("%d: '%s' instead of '%s'", (int)i, e.finding[0].text, vain[i].said);
        assert_int_equal(e.counts.blocks, vain[i].nblock);
        if (e.nfinding)
            assert_int_equal(e.finding[0].thread, vain[i].thread);
    }
}

/* ---- how many accesses a block may make ---- */

static struct {
    int kind, n;
} spent;

KERNEL void spend(unsigned *p)
{
    unsigned char *shared = dcgen_emu_shared_memory();
    for (int i = 0; i < spent.n; i++)
        switch (spent.kind) {
        case 0:
            __tsan_write4(p + dcgen_emu_block_index().x);
            break;
        case 1:
            __tsan_write16(shared);
            break;
        case 2:
            __tsan_write2(shared);
            break;
        case 3:
            dcgen_emu_cp_async(shared + 16 * (i + 1), p, 16, 0, 1);
            break;
        }
    if (spent.kind == 4)
        for (int i = 0; i < spent.n / 32; i++)
            dcgen_emu_shfl_xor(1, 1, 1);
}

static void endless_blocks_end(void **state)
{
    (void)state;
    for (spent.kind = 0; spent.kind < 5; spent.kind++)
        for (spent.n = 320; spent.n <= 352; spent.n += 32) {
            Emu e = emu_of_words(EMU_WORKSPACE);
            e.block_budget = spent.n == 320 ? 320 : 351;
            execute(&e, spend, 2, spent.kind == 4 ? 32 : 1, 16 << 10);
            if ((e.nfinding > 0) != (spent.n > 320))
                fail_msg("%d, %d: %s", spent.kind, spent.n, e.finding[0].text);
            if (e.nfinding)
                assert_string_equal(e.finding[0].text, "does not end");
        }
}

/* ---- a block begins anew ---- */

static volatile int turn;

KERNEL void leave_behind(unsigned *p)
{
    unsigned char *shared = dcgen_emu_shared_memory();
    if (turn++ == 0) {
        __tsan_write4(shared + 8);
        __tsan_write4(shared + 16);
        __tsan_write4(shared + 20);
        memset(shared + 16, 0, 4);
        dcgen_emu_cp_async(shared, p, 4, 0, 1);
        dcgen_emu_barrier(1);
        return;
    }
    p[0] = shared[0] == 0xff && shared[16] == 0xff && shared[23] == 0xff;
    dcgen_emu_cp_wait(0);
    p[1] = shared[0] == 0xff;
    __tsan_read4(shared);
    __tsan_read4(shared + 8);
    __tsan_read4(shared + 16);
    __tsan_read4(shared + 20);
}

static void a_block_begins_anew(void **state)
{
    (void)state;
    static const int place[] = { 0, 8, 16, 20 };
    Emu e = emu_of_words(EMU_WORKSPACE);
    turn = 0;
    execute(&e, leave_behind, 2, 1, 24);
    assert_int_equal(e.nfinding, 4);
    for (int i = 0; i < 4; i++) {
        char said[EMU_TEXT_BYTES];
        snprintf(said, sizeof said, "reads shared byte %d, which nobody has written", place[i]);
        assert_string_equal(e.finding[i].text, said);
    }
    assert_true(words[0] == 1 && words[1] == 1);
}

/* A copy of what a kernel may write has what was there when it was started. */
KERNEL void copy_then_change(unsigned *p)
{
    unsigned char *shared = dcgen_emu_shared_memory();
    for (int i = 0; i < 4; i++) {
        __tsan_write4(p + i);
        p[i] = 5;
    }
    dcgen_emu_cp_async(shared, p, 16, 16, 1);
    p[0] = 6;
    dcgen_emu_cp_wait(0); /* not committed: not waited for */
    p[8] = *(volatile unsigned *)(void *)shared;
    dcgen_emu_cp_commit();
    dcgen_emu_cp_wait(0);
    p[9] = *(volatile unsigned *)(void *)shared;
}

static void copies_are_of_their_moment(void **state)
{
    (void)state;
    Emu e = emu_of_words(EMU_WORKSPACE);
    execute(&e, copy_then_change, 1, 1, 64);
    assert_int_equal(e.nfinding, 0);
    assert_true(words[8] == UINT32_MAX && words[9] == 5);
}

/* Two stages, so that one copy is always on its way, 300 in all. */
KERNEL void copy_in_turn(unsigned *p)
{
    unsigned char *shared = dcgen_emu_shared_memory();
    dcgen_emu_cp_async(shared, p, 8, 8, 1);
    dcgen_emu_cp_commit();
    for (int i = 0; i < 300; i++) {
        dcgen_emu_cp_async(shared + 8 * ((i + 1) % 2), p + 2 * (i + 1), 8, 8, 1);
        dcgen_emu_cp_commit();
        dcgen_emu_cp_wait(1);
        __tsan_read8(shared + 8 * (i % 2));
        turn += memcmp(shared + 8 * (i % 2), p + 2 * i, 8) == 0;
    }
}

static void copies_are_a_queue(void **state)
{
    (void)state;
    Emu e = emu_of_words(EMU_INPUT);
    turn = 0;
    for (unsigned i = 0; i < NWORD; i++)
        words[i] = i;
    emu_begin(&e);
    assert_int_equal(launch(copy_in_turn, words, (unsigned[]){ 1, 1, 1 }, (unsigned[]){ 1, 1, 1 }, 16), 0);
    emu_end(&e);
    assert_true(e.nfinding == 0 && turn == 300);
}

static int order[200];

KERNEL void note_order(unsigned *p)
{
    const unsigned block = dcgen_emu_block_index().x;
    if (thread_of() == 0)
        order[turn++] = (int)block;
    __tsan_write4(p + block % NWORD);
}

/* Each block once, and not as they lie. */
static void blocks_come_in_any_order(void **state)
{
    (void)state;
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

/* ---- sizes ---- */

KERNEL void meet(unsigned *p)
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

static void blocks_of_all_sizes(void **state)
{
    (void)state;
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

KERNEL void use_stacks(unsigned *p)
{
    static unsigned *volatile other;
    volatile unsigned own = 0;
    unsigned *at = (unsigned *)&own;
    (void)p;
    __tsan_write4(at);
    __tsan_unaligned_read4(at);
    if (thread_of() == 0)
        other = at;
    dcgen_emu_barrier(1);
    __tsan_write4(at);
    if (thread_of() == 1)
        __tsan_write4(other);
}

/* A thread's own is its own business, another's is out of reach. */
static void stacks_are_watched(void **state)
{
    (void)state;
    for (unsigned n = 1; n <= 2; n++) {
        Emu e = emu_of_words(EMU_OUTPUT);
        execute(&e, use_stacks, 1, n, 0);
        assert_int_equal(e.nfinding, n - 1);
        if (n > 1)
            assert_non_null(strstr(e.finding[0].text, ", far from all operands"));
    }
}

KERNEL void use_last_byte(unsigned *p)
{
    unsigned char *shared = dcgen_emu_shared_memory();
    (void)p;
    __tsan_write4(shared + (256 << 10) - 4);
    memset(shared + (256 << 10) - 4, 1, 4);
}

static void limits_of_a_launch(void **state)
{
    (void)state;
    static const struct {
        unsigned grid[3], block[3];
        size_t smem_bytes;
        int code;
    } cases[] = {
        { { 1, 1, 1 }, { 1, 1, 1 }, 256 << 10, 0 },
        { { 1, 1, 1 }, { 1, 1, 1 }, (256 << 10) + 1, 1 },
        { { 1, 65535, 1 }, { 1, 1, 1 }, 256 << 10, 0 },
        { { 1, 1, 65535 }, { 1, 1, 1 }, 256 << 10, 0 },
        { { 1, 1, 1 }, { 1, 1, 64 }, 256 << 10, 0 },
        { { 1, 1, 1 }, { 1024, 1, 1 }, 256 << 10, 0 },
        { { 1, 1, 1 }, { 1, 1024, 1 }, 256 << 10, 0 },
        { { 1, 1, 1 }, { 1025, 1, 1 }, 0, 9 },
        { { 1, 1, 1 }, { 1, 1025, 1 }, 0, 9 },
        { { 1u << 31, 1, 1 }, { 1, 1, 1 }, 0, 9 },
        { { INT32_MAX, 1, 1 }, { 1, 1, 1 }, 256 << 10, 0 },
        { { 0, 1, 1 }, { 1, 1, 1 }, 0, 9 },
        { { 1, 0, 1 }, { 1, 1, 1 }, 0, 9 },
        { { 1, 1, 1 }, { 0, 1, 1 }, 0, 9 },
        { { 1, 1, 1 }, { 1, 1, 0 }, 0, 9 },
        { { 1, 65535, 4097 }, { 1, 1, 1 }, 0, 1 },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Emu e = emu_of_words(EMU_OUTPUT);
        e.smem_limit = 1 << 20;
        e.sample = 1;
        e.block_budget = 0; /* the first access of the first block ends it */
        snprintf(e.refusal, sizeof e.refusal, "of before");
        emu_begin(&e);
        assert_int_equal(launch(use_last_byte, words, cases[i].grid, cases[i].block, cases[i].smem_bytes),
                         cases[i].code);
        emu_end(&e);
        assert_int_equal(e.nfinding, cases[i].code == 0);
        assert_int_equal(*e.refusal != '\0', cases[i].code != 0);
    }
    Emu e = emu_of_words(EMU_OUTPUT);
    emu_begin(&e);
    assert_int_equal(launch(use_last_byte, words, (unsigned[]){ 1 << 28, 1, 1 }, (unsigned[]){ 1, 1, 1 }, 0), 1);
    emu_end(&e);
    assert_string_equal(e.refusal, "launches 268435456 blocks, too many to emulate");
}

static void more_workers_than_there_may_be(void **state)
{
    (void)state;
    Emu e = emu_of_words(EMU_OUTPUT);
    e.workers = 1000;
    execute(&e, meet, 1, 4, 16);
    assert_int_equal(e.nfinding, 0);
    e = emu_of_words(EMU_OUTPUT);
    e.workers = 1000;
    static unsigned own[300];
    emu_add_region(&e, EMU_OUTPUT, "own", own, sizeof own, 4);
    emu_begin(&e);
    assert_int_equal(launch(use_last_byte, own, (unsigned[]){ 300, 1, 1 }, (unsigned[]){ 1, 1, 1 }, 256 << 10), 0);
    emu_end(&e);
    assert_int_equal(e.counts.blocks, 300);
}

/* ---- what lanes compute together ---- */

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

static void products_of_all_types(void **state)
{
    (void)state;
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

static void matrices_of_all_kinds(void **state)
{
    (void)state;
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

static void lanes_without_a_partner(void **state)
{
    (void)state;
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

/* ---- counts ---- */

KERNEL void count_far_reads(unsigned *p) { __tsan_read4(p + 9 * thread_of()); }
KERNEL void count_pairs(unsigned *p) { __tsan_read8(p + 2 * thread_of()); }
KERNEL void count_over_sectors(unsigned *p) { __tsan_unaligned_read4((char *)p + 30 + 64 * thread_of()); }
KERNEL void count_two_places(unsigned *p)
{
    __tsan_read4(p + thread_of());
    __tsan_write4(p + 2048 + thread_of());
}
KERNEL void count_pairs_shared(unsigned *p)
{
    (void)p;
    if (thread_of() < 16)
        __tsan_write8(dcgen_emu_shared_memory() + 16 * thread_of());
}
KERNEL void count_bytes_shared(unsigned *p)
{
    (void)p;
    __tsan_write2(dcgen_emu_shared_memory() + 2 * thread_of());
}
KERNEL void count_turns(unsigned *p)
{
    (void)p;
    for (int i = 0; i < 600; i++)
        __tsan_write4(dcgen_emu_shared_memory() + 4 * thread_of());
}
KERNEL void count_epochs(unsigned *p)
{
    for (int i = 0; i < 5; i++) {
        __tsan_read4(p + thread_of());
        dcgen_emu_barrier(1);
    }
}
KERNEL void count_uneven(unsigned *p)
{
    for (unsigned i = 0; i <= thread_of() % 4; i++)
        __tsan_read4(p + thread_of() + 32 * i);
}
KERNEL void count_atomics(unsigned *p)
{
    p[8 * thread_of()] -= 1 + 0 * dcgen_emu_atomic_add(p + 8 * thread_of(), 1, 1, 1);
}
KERNEL void count_copies(unsigned *p)
{
    dcgen_emu_cp_async(dcgen_emu_shared_memory() + 8 * thread_of(), p + 2 * thread_of(), 8, 8, 1);
}
KERNEL void count_rows_of_one_bank(unsigned *p)
{
    unsigned char *shared = dcgen_emu_shared_memory();
    (void)p;
    for (int i = 0; i < 8; i++)
        __tsan_write16(shared + (size_t)16 * (thread_of() + 32 * (unsigned)i));
    dcgen_emu_barrier(1);
    dcgen_emu_ldmatrix(2, 0, shared + (size_t)128 * thread_of(), 1);
}

typedef struct {
    KernelOf *kernel;
    unsigned nthread;
    int64_t sectors_read, sectors_written, wavefronts, conflicts;
} Cost;
static const Cost costs[] = {
    { count_far_reads, 32, 32, 0, 0, 0 },    { count_far_reads, 48, 48, 0, 0, 0 },
    { count_pairs, 32, 8, 0, 0, 0 },         { count_pairs, 1, 1, 0, 0, 0 },
    { count_over_sectors, 32, 64, 0, 0, 0 }, { count_two_places, 32, 4, 4, 0, 0 },
    { count_two_places, 40, 5, 5, 0, 0 },    { count_pairs_shared, 32, 0, 0, 2, 1 },
    { count_bytes_shared, 32, 0, 0, 1, 0 },  { count_turns, 33, 0, 0, 1200, 0 },
    { count_epochs, 1, 5, 0, 0, 0 },         { count_epochs, 33, 25, 0, 0, 0 },
    { count_uneven, 32, 4 * 4, 0, 0, 0 },    { count_atomics, 32, 0, 32, 0, 0 },
    { count_copies, 32, 8, 0, 2, 0 },        { count_rows_of_one_bank, 32, 0, 0, 32 + 16, 14 },
};

static void costs_are_exact(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof costs / sizeof *costs; i++) {
        Emu e = emu_of_words(costs[i].sectors_written ? EMU_WORKSPACE : EMU_INPUT);
        e.count = true;
        if (costs[i].kernel == count_two_places) {
            emu_add_region(&e, EMU_WORKSPACE, "ws", words + WINDOW, WINDOW * sizeof *words, sizeof *words);
            e.region[0].role = EMU_INPUT;
            e.region[0].bytes = WINDOW * sizeof *words;
        }
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
static void launches_add_up(void **state)
{
    (void)state;
    Emu e = emu_of_words(EMU_INPUT);
    e.count = true;
    e.workers = 2;
    for (int call = 0; call < 2; call++) {
        if (call)
            emu_add_region(&e, EMU_INPUT, "ws", words, NWORD * sizeof *words, sizeof *words);
        emu_begin(&e);
        for (unsigned i = 1; i <= 3; i++)
            launch(count_epochs, words, (unsigned[]){ i, 1, 1 }, (unsigned[]){ 32, 1, 1 }, i == 2 ? 1000 : 500);
        emu_end(&e);
        assert_true(e.counts.blocks == 6 && e.counts.threads == 192 && e.counts.barriers == 30 &&
                    e.counts.smem_bytes == 1000);
        assert_true(e.counts.sectors_read == 120 && e.counts.sectors_written == 0 && e.counts.wavefronts == 0);
    }
}

#define TEN(x) x x x x x x x x x x
KERNEL void many_places(unsigned *p) { TEN(TEN(TEN(__tsan_read4(p);) __tsan_read4(p);)) }

KERNEL void hundred_places(unsigned *p) { TEN(TEN(__tsan_read4(p);)) }

static void hundred_places_are_told_apart(void **state)
{
    (void)state;
    Emu e = emu_of_words(EMU_INPUT);
    e.count = true;
    execute(&e, hundred_places, 1, 1, 0);
    assert_true(e.nfinding == 0 && e.counts.sectors_read == 100);
}

static void more_places_than_can_be_counted(void **state)
{
    (void)state;
    Emu e = emu_of_words(EMU_INPUT);
    e.count = true;
    execute(&e, many_places, 1, 1, 0);
    assert_true(e.nfinding > 0);
    assert_string_equal(e.finding[0].text, "it cannot be counted: too many places access memory");
    assert_int_equal(e.finding[0].thread, -1);
}

/* ---- findings ---- */

KERNEL void ten_places(unsigned *p) { TEN(__tsan_read4(p); turn++;) }

KERNEL void one_place(unsigned *p)
{
    for (int i = 0; i < 2000; i++, turn++)
        __tsan_read4(p);
}

static void findings_are_few(void **state)
{
    (void)state;
    Emu e = emu_of_words(EMU_WORKSPACE);
    turn = 0;
    execute(&e, ten_places, 4, 1, 0);
    assert_true(e.nfinding == EMU_MAX_FINDING && turn == EMU_MAX_FINDING - 1 && e.counts.blocks == 1);
    e = emu_of_words(EMU_WORKSPACE);
    turn = 0;
    execute(&e, one_place, 4, 1, 0);
    assert_true(e.nfinding == 1 && e.nreport == 1000 && turn == 999 && e.counts.blocks == 1);
}

static void findings_in_one_line(void **state)
{
    (void)state;
    static const struct {
        EmuFinding finding;
        const char *said;
    } cases[] = {
        { { { 1, 2, 3 }, 4, 0, 0, "reads" }, "block (1,2,3) thread 4: reads" },
        { { { 1, 2, 3 }, 4, 0, 17, "reads" }, "block (1,2,3) thread 4 line 17: reads" },
        { { { 1, 2, 3 }, 0, 1, 17, "reads" }, "block (1,2,3) thread 0 after line 17: reads" },
        { { { 1, 2, 3 }, 4, 0, 17, "waits in line 3" }, "block (1,2,3) thread 4: waits in line 3" },
        { { { 1, 2, 3 }, -1, 0, 17, "the counter" }, "the counter" },
    };
    char text[EMU_TEXT_BYTES];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        emu_describe(&cases[i].finding, text);
        assert_string_equal(text, cases[i].said);
    }
    const int open = open_files();
    const EmuFinding here = { .site = (uintptr_t)__builtin_return_address(0) };
    for (int i = 0; i < 3; i++)
        emu_describe(&here, text);
    assert_int_equal(open_files(), open);
    assert_true(waitpid(-1, NULL, WNOHANG) == -1 && errno == ECHILD); /* no process is left */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_that_wait_in_vain),
        cmocka_unit_test(endless_blocks_end),
        cmocka_unit_test(a_block_begins_anew),
        cmocka_unit_test(copies_are_of_their_moment),
        cmocka_unit_test(copies_are_a_queue),
        cmocka_unit_test(blocks_come_in_any_order),
        cmocka_unit_test(blocks_of_all_sizes),
        cmocka_unit_test(stacks_are_watched),
        cmocka_unit_test(limits_of_a_launch),
        cmocka_unit_test(more_workers_than_there_may_be),
        cmocka_unit_test(products_of_all_types),
        cmocka_unit_test(matrices_of_all_kinds),
        cmocka_unit_test(lanes_without_a_partner),
        cmocka_unit_test(costs_are_exact),
        cmocka_unit_test(launches_add_up),
        cmocka_unit_test(hundred_places_are_told_apart),
        cmocka_unit_test(more_places_than_can_be_counted),
        cmocka_unit_test(findings_are_few),
        cmocka_unit_test(findings_in_one_line),
    };
    return cmocka_run_group_tests_name("search/emu_block", tests, set_up, tear_down);
}
