/* SPDX-License-Identifier: Apache-2.0
 *
 * How the emulator makes blocks of a launch, in kernels in C: their order, their sizes, the limits of a launch, and how many workers.
 *
 *   ctest: emulator
 */
#include "tests/test.h"
#include "tests/search/runner/emu_words.h"

static int order[200];
static volatile int turn;

KERNEL void note_order(unsigned *p)
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

KERNEL void use_last_byte(unsigned *p)
{
    unsigned char *shared = dcgen_emu_shared_memory();
    (void)p;
    __tsan_write4(shared + (256 << 10) - 4);
    memset(shared + (256 << 10) - 4, 1, 4);
}

TEST(limits_of_a_launch)
{
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
    assert_int_equal(launch(use_last_byte, own, (unsigned[]){ 300, 1, 1 }, (unsigned[]){ 1, 1, 1 }, 256 << 10), 0);
    emu_end(&e);
    assert_int_equal(e.counts.blocks, 300);
}

TEST_FILE(set_up, tear_down)
